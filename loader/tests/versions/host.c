/* SPDX-License-Identifier: Apache-2.0
 *
 * An application of one minor version, HAL_ABI_MINOR of the headers that it is built with, against a libhal and a
 * plugin of others: what all of them know works, and what one of them does not know is never lost in silence
 * (HAL-ABI-02 to 05). Exits 1 and names each expectation that does not hold.
 *
 *   host LIBHAL_MINOR PLUGIN PLUGIN_MINOR
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/loader.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if HAL_ABI_MINOR_NUMBER > 0
#define NEWEST JOIN(future_, HAL_ABI_MINOR_NUMBER) /* the field or slot that this minor version appended last */
#endif

static int failures;

static void expect(int holds, const char* what) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "expected: %s\n", what);
}

/* Takes a status and says whether it is `code`, and its message has `part` (if there is one). */
static int is_status(hal_status_t* status, hal_status_code_t code, const char* part) {
  char message[1024] = "";
  int is_so = status == NULL ? code == HAL_STATUS_OK : status->code == code;
  if (status != NULL) {
    snprintf(message, sizeof message, "%.*s", (int)status->message.length, status->message.data);
    is_so = is_so && (part == NULL || strstr(message, part) != NULL);
  }
  if (!is_so) fprintf(stderr, "got: %s: %s\n", status == NULL ? "OK" : hal_status_code_name(status->code), message);
  hal_status_release(status);
  return is_so;
}

static hal_string_t text(const char* value) {
  hal_string_t string;
  string.data = value;
  string.length = strlen(value);
  return string;
}

/* A struct of our own size, with bytes behind it that nobody may touch. */
#define GUARDED(type)         \
  struct {                    \
    type value;               \
    unsigned char guard[256]; \
  }
#define GUARD(guarded)                                                                             \
  (memset(&(guarded), 0, sizeof(guarded)), memset((guarded).guard, 0xEE, sizeof((guarded).guard)), \
   (guarded).value.struct_size = (uint32_t)sizeof((guarded).value))

static int is_untouched(const unsigned char* guard, size_t size) {
  size_t i;
  for (i = 0; i < size; ++i) {
    if (guard[i] != 0xEE) return 0;
  }
  return 1;
}

/* ---- the loader's structs ---- */

static hal_loader_t* create_loader(const char* plugin, int libhal_minor) {
  const hal_string_t path = text(plugin);
  hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
  hal_loader_t* loader = NULL;
  desc.plugin_paths = &path;
  desc.plugin_path_count = 1;
  desc.flags = HAL_LOADER_EXPLICIT_ONLY;
#ifdef NEWEST
  desc.NEWEST = 7;
  if (libhal_minor < (int)HAL_ABI_MINOR) {
    char offset[32];
    const size_t first = offsetof(hal_loader_desc_t, future_1) + sizeof(uint64_t) * (size_t)(HAL_ABI_MINOR - 1);
    snprintf(offset, sizeof offset, "offset %d", (int)first);
    expect(is_status(hal_loader_create(&desc, &loader), HAL_STATUS_UNSUPPORTED, offset),
           "an older libhal refuses a field that it does not know, by its offset");
    desc.NEWEST = 0;
  }
#else
  (void)libhal_minor;
#endif
  expect(is_status(hal_loader_create(&desc, &loader), HAL_STATUS_OK, NULL), "the loader is made");
  return loader;
}

static void check_lists(hal_loader_t* loader, int plugin_minor) {
  GUARDED(hal_loader_plugin_t) plugin;
  GUARDED(hal_loader_device_t) device;
  uint32_t count = 0;
  GUARD(plugin);
  GUARD(device);
  expect(is_status(hal_loader_plugins(loader, 1, &count, &plugin.value), HAL_STATUS_OK, NULL) && count == 1,
         "a plugin");
  expect(HAL_ABI_MINOR_OF(plugin.value.abi_version) == (uint32_t)plugin_minor, "the plugin's own version");
  expect(is_untouched(plugin.guard, sizeof plugin.guard), "nothing is written behind hal_loader_plugin_t");
  expect(is_status(hal_loader_devices(loader, 1, &count, &device.value), HAL_STATUS_OK, NULL) && count == 1,
         "a device");
  expect(device.value.info->struct_size >= 104, "the device's identity");
  expect(is_untouched(device.guard, sizeof device.guard), "nothing is written behind hal_loader_device_t");
}

/* ---- the plugin's structs, in both directions ---- */

static void check_out_structs(hal_device_t* device) {
  GUARDED(hal_device_caps_t) caps;
  GUARDED(hal_heap_info_t) heap;
  uint32_t count = 0;
  GUARD(caps);
  GUARD(heap);
  expect(is_status(hal_device_capabilities(device, &caps.value), HAL_STATUS_OK, NULL), "capabilities");
  expect(caps.value.max_bindings >= 64 && caps.value.struct_size == sizeof caps.value, "capabilities are filled");
  expect(is_untouched(caps.guard, sizeof caps.guard), "nothing is written behind hal_device_caps_t");
  expect(is_status(hal_device_heaps(device, 1, &count, &heap.value), HAL_STATUS_OK, NULL), "heaps");
  expect(heap.value.alignment >= 64 && heap.value.struct_size == sizeof heap.value, "the heap is filled");
  expect(is_untouched(heap.guard, sizeof heap.guard), "nothing is written behind hal_heap_info_t");
#ifdef NEWEST
  expect(caps.value.NEWEST == 0 && heap.value.NEWEST == 0, "a field that the plugin does not know stays as it was");
#endif
}

static void check_in_struct(hal_device_t* device, int plugin_minor) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  hal_buffer_t* buffer = NULL;
  desc.size = 64;
#ifdef NEWEST
  desc.NEWEST = 7;
  if (plugin_minor < (int)HAL_ABI_MINOR) {
    expect(is_status(hal_buffer_create(device, &desc, &buffer), HAL_STATUS_UNSUPPORTED, "offset"),
           "an older plugin refuses a field that it does not know, by its offset");
    expect(buffer == NULL, "the out-parameter is zeroed");
    return;
  }
#else
  (void)plugin_minor;
#endif
  expect(is_status(hal_buffer_create(device, &desc, &buffer), HAL_STATUS_OK, NULL), "a field that the plugin knows");
  hal_buffer_destroy(buffer);
}

static void check_chain(hal_device_t* device) {
  struct {
    hal_chain_t chain;
    uint64_t payload[4];
  } node;
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  hal_buffer_t* buffer = NULL;
  memset(&node, 0xAB, sizeof node);
  node.chain.struct_size = (uint32_t)sizeof node;
  node.chain.type = HAL_VENDOR_BASE(0x7FFF) + 1;
  node.chain.flags = 0;
  node.chain.next = NULL;
  desc.size = 64;
  desc.next = &node.chain;
  expect(is_status(hal_buffer_create(device, &desc, &buffer), HAL_STATUS_OK, NULL), "an unknown node is skipped");
  hal_buffer_destroy(buffer);
  node.chain.flags = HAL_CHAIN_REQUIRED;
  buffer = NULL;
  expect(is_status(hal_buffer_create(device, &desc, &buffer), HAL_STATUS_UNSUPPORTED, NULL),
         "an unknown node that is required is refused");
}

static void check_work(hal_device_t* device) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  const hal_queue_desc_t queue_desc = HAL_QUEUE_DESC_INIT;
  hal_work_fill_t fill = HAL_WORK_FILL_INIT;
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  const hal_work_t* work = &fill.header;
  hal_semaphore_value_t done = {NULL, 1};
  hal_buffer_t* buffer = NULL;
  hal_queue_t* queue = NULL;
  void* address = NULL;
  desc.size = 64;
  expect(is_status(hal_buffer_create(device, &desc, &buffer), HAL_STATUS_OK, NULL), "a buffer");
  expect(is_status(hal_queue_create(device, &queue_desc, &queue), HAL_STATUS_OK, NULL), "a queue");
  expect(is_status(hal_semaphore_create(device, 0, &done.semaphore), HAL_STATUS_OK, NULL), "a semaphore");
  if (failures != 0) return;
  fill.target.buffer = buffer;
  fill.target.length = HAL_WHOLE_BUFFER;
  fill.pattern = 0x5A;
  fill.pattern_size = 1;
  submission.work = &work;
  submission.work_count = 1;
  submission.signals = &done;
  submission.signal_count = 1;
  expect(is_status(hal_queue_submit(queue, &submission), HAL_STATUS_OK, NULL), "work is taken");
  expect(is_status(hal_semaphore_wait(device, HAL_WAIT_ALL, 1, &done, HAL_TIME_FOREVER, NULL), HAL_STATUS_OK, NULL),
         "work is done");
  expect(is_status(hal_buffer_map(buffer, 0, 64, HAL_MAP_READ, &address), HAL_STATUS_OK, NULL), "a map");
  expect(address != NULL && ((unsigned char*)address)[63] == 0x5A, "the buffer is filled");
  hal_status_release(hal_buffer_unmap(buffer));
  hal_semaphore_destroy(done.semaphore);
  hal_queue_destroy(queue);
  hal_buffer_destroy(buffer);
}

/* A slot that a later version appended: an older libhal's table ends before it, an older plugin does not offer it. */
static void check_slot(hal_device_t* device, int libhal_minor) {
#ifdef NEWEST
  const hal_memory_group_t* memory = hal_calls_of(device)->memory;
  const int is_there = memory->struct_size > offsetof(hal_memory_group_t, NEWEST);
  expect(is_there == (libhal_minor >= (int)HAL_ABI_MINOR), "the table's size tells which slots it has");
  if (is_there) {
    expect(is_status(memory->NEWEST(device), HAL_STATUS_UNSUPPORTED, "memory.future_"), "an absent slot is no crash");
  }
#else
  expect(hal_calls_of(device)->memory->struct_size >= sizeof(hal_memory_group_t) || libhal_minor < 0, "a full table");
#endif
}

int main(int argc, char** argv) {
  hal_loader_t* loader;
  hal_device_t* device = NULL;
  if (argc != 4) return 2;
  loader = create_loader(argv[2], atoi(argv[1]));
  if (loader == NULL) return 1;
  check_lists(loader, atoi(argv[3]));
  expect(is_status(hal_loader_open(loader, text("template"), &device), HAL_STATUS_OK, NULL), "the device opens");
  if (device == NULL) return 1;
  check_out_structs(device);
  check_in_struct(device, atoi(argv[3]));
  check_chain(device);
  check_work(device);
  check_slot(device, atoi(argv[1]));
  hal_loader_close(loader, device);
  expect(is_status(hal_loader_destroy(loader), HAL_STATUS_OK, NULL), "everything ends");
  return failures == 0 ? 0 : 1;
}
