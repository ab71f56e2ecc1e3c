/* SPDX-License-Identifier: Apache-2.0
 *
 * A driver's memory functions for chips whose memory is the host's.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hal/sdk/memory.h"

/* From here on fresh pages: they come zeroed and go back to the system at once. */
#define PAGES_FROM (UINT64_C(1) << 20)
/* From here on the system is asked whether it has the memory; it would promise it in any case. */
#define ASK_FROM (UINT64_C(64) << 20)
#define HUGE_FROM (UINT64_C(4) << 20)

static uint64_t read_number(const char* path, const char* format) {
  char line[128];
  unsigned long long number = UINT64_MAX;
  FILE* file = fopen(path, "re");
  if (file == NULL) return UINT64_MAX;
  while (fgets(line, sizeof line, file) != NULL) {
    if (sscanf(line, format, &number) == 1) break;
  }
  fclose(file);
  return number;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t hal_sdk_host_memory_size(void) {
  uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t group = least(read_number("/sys/fs/cgroup/memory.max", "%llu"),
                         read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", "%llu"));
  return least(machine, group);
}

static int system_has(uint64_t bytes) {
  uint64_t kilobytes = read_number("/proc/meminfo", "MemAvailable: %llu kB");
  return kilobytes == UINT64_MAX || bytes / 1024 <= kilobytes;
}

static void* map_pages(uint64_t bytes) {
  void* memory;
  if (bytes > SIZE_MAX || (bytes >= ASK_FROM && !system_has(bytes))) return NULL;
  memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  if (bytes >= HUGE_FROM) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

static void* map_block(const hal_buffer_t* buffer) {
  void* memory = NULL;
  if (posix_memalign(&memory, buffer->alignment, buffer->bytes) != 0) return NULL;
  if ((buffer->flags & HAL_BUFFER_ZEROED) != 0) memset(memory, 0, buffer->bytes);
  return memory;
}

hal_status_t* hal_sdk_host_allocate(hal_device_t* device, hal_buffer_t* buffer) {
  (void)device;
  buffer->memory = buffer->bytes >= PAGES_FROM ? map_pages(buffer->bytes) : map_block(buffer);
  if (buffer->memory != NULL) return NULL;
  return hal_sdk_status(HAL_STATUS_OUT_OF_MEMORY, "memory.buffer_create", "the system has no %llu bytes to give",
                        (unsigned long long)buffer->bytes);
}

void hal_sdk_host_release(hal_device_t* device, hal_buffer_t* buffer) {
  (void)device;
  if (buffer->bytes >= PAGES_FROM) {
    munmap(buffer->memory, buffer->bytes);
  } else {
    free(buffer->memory);
  }
}

/* ---- work ---- */

hal_status_t* hal_sdk_host_copy(hal_device_t* device, const hal_work_copy_t* work) {
  const char* source = hal_sdk_range_address(&work->source);
  char* target = hal_sdk_range_address(&work->target);
  uint64_t row;
  (void)device;
  for (row = 0; row < work->rows; row++) {
    memcpy(target + row * work->target_pitch, source + row * work->source_pitch, work->source.length);
  }
  return NULL;
}

hal_status_t* hal_sdk_host_fill(hal_device_t* device, const hal_work_fill_t* work) {
  char* target = hal_sdk_range_address(&work->target);
  char block[4096];
  uint64_t at;
  (void)device;
  for (at = 0; at < sizeof block; at += work->pattern_size) memcpy(block + at, &work->pattern, work->pattern_size);
  for (at = 0; at < work->target.length; at += sizeof block) {
    memcpy(target + at, block, least(sizeof block, work->target.length - at));
  }
  return NULL;
}

hal_status_t* hal_sdk_host_update(hal_device_t* device, const hal_work_update_t* work) {
  (void)device;
  memcpy(hal_sdk_range_address(&work->target), work->data, work->target.length);
  return NULL;
}
