/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens once per load: the host is checked, and the library's build id is read from its own program headers.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "hal/sdk/first_sizes.h"
#include "hal/sdk/status.h"
#include "runtime.h"

#define MAX_BUILD_ID 32

static char build_id[2 * MAX_BUILD_ID];
static hal_string_t found_build_id = {build_id, 0};

static void write_hex(const unsigned char* bytes, size_t length) {
  static const char digits[] = "0123456789abcdef";
  size_t i;
  if (length > MAX_BUILD_ID) length = MAX_BUILD_ID;
  for (i = 0; i < length; i++) {
    build_id[2 * i] = digits[bytes[i] >> 4];
    build_id[2 * i + 1] = digits[bytes[i] & 15];
  }
  found_build_id.length = 2 * length;
}

/* Notes: name size, description size, type, then both padded to 4 bytes. */
static void scan_notes(const char* at, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    size_t name, description;
    memcpy(&note, at, sizeof note);
    name = (note.n_namesz + 3u) & ~3u;
    description = (note.n_descsz + 3u) & ~3u;
    if (sizeof note + name + description > size) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + sizeof note, "GNU", 4) == 0) {
      write_hex((const unsigned char*)at + sizeof note + name, note.n_descsz);
      return;
    }
    at += sizeof note + name + description;
    size -= sizeof note + name + description;
  }
}

/* The library that holds this function's data is ours. */
static int visit_library(struct dl_phdr_info* library, size_t size, void* unused) {
  uintptr_t here = (uintptr_t)build_id - library->dlpi_addr;
  int i, ours = 0;
  (void)size;
  (void)unused;
  for (i = 0; i < library->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &library->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && here >= segment->p_vaddr && here - segment->p_vaddr < segment->p_memsz) ours = 1;
  }
  for (i = 0; ours && i < library->dlpi_phnum; i++) {
    const ElfW(Phdr)* segment = &library->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE) scan_notes((const char*)(library->dlpi_addr + segment->p_vaddr), segment->p_memsz);
  }
  return ours;
}

static void run_once(void) {
  hal_sdk_watch_fork();
  dl_iterate_phdr(visit_library, NULL);
}

static hal_status_t* check_host(const hal_host_t* host, const hal_plugin_t* plugin) {
  if (host == NULL || host->struct_size < HAL_SDK_FIRST_SIZE_hal_host_t) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, "plugin.query",
                          "expected a hal_host_t of at least %u bytes; got %u", HAL_SDK_FIRST_SIZE_hal_host_t,
                          host != NULL ? host->struct_size : 0u);
  }
  if (HAL_ABI_MAJOR_OF(host->abi_version) == HAL_ABI_MAJOR_OF(plugin->abi_version)) return NULL;
  return hal_sdk_status(HAL_STATUS_INCOMPATIBLE, "plugin.query",
                        "the plugin speaks ABI %u.%u, the host ABI %u.%u; use releases with the same major version",
                        HAL_ABI_MAJOR_OF(plugin->abi_version), HAL_ABI_MINOR_OF(plugin->abi_version),
                        HAL_ABI_MAJOR_OF(host->abi_version), HAL_ABI_MINOR_OF(host->abi_version));
}

hal_status_t* hal_sdk_query(const hal_host_t* host, hal_plugin_t* plugin, const hal_plugin_t** out_plugin) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  hal_status_t* status;
  if (out_plugin == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, "plugin.query", "out_plugin is NULL");
  *out_plugin = NULL;
  hal_sdk_status_set_plugin(plugin->name);
  if ((status = check_host(host, plugin)) != NULL) return status;
  pthread_once(&once, run_once);
  if (plugin->build_id.length == 0) plugin->build_id = found_build_id;
  *out_plugin = plugin;
  return NULL;
}
