/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory group: checks, accounts, maps and imports around a driver's allocate and release.
 */
#include "hal/sdk/memory.h"

#include <stdlib.h>

#include "hal/sdk/structs.h"

static hal_sdk_device_t* base_of(hal_device_t* device) { return (hal_sdk_device_t*)device; }

/* ---- heaps ---- */

static hal_status_t* heaps(hal_device_t* device, uint32_t capacity, uint32_t* out_count, hal_heap_info_t* out_infos) {
  static const char call[] = "memory.heaps";
  uint32_t i;
  hal_status_t* status;
  if (out_count != NULL) *out_count = 0;
  if ((status = hal_sdk_check_object(device, HAL_OBJECT_DEVICE, call)) != NULL) return status;
  hal_heap_info_t* infos = malloc((base_of(device)->heap_count + 1u) * sizeof *infos);
  if (infos == NULL) return hal_sdk_status_out_of_memory();
  for (i = 0; i < base_of(device)->heap_count; i++) infos[i] = base_of(device)->heaps[i].info;
  status = hal_sdk_write_array(call, "hal_heap_info_t", infos, base_of(device)->heap_count, sizeof *infos, capacity,
                               out_count, out_infos);
  free(infos);
  return status;
}

static hal_status_t* check_heap(hal_device_t* device, uint32_t heap, const char* call) {
  if (heap < base_of(device)->heap_count) return NULL;
  return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "heap %u does not exist; the device has %u", heap,
                        base_of(device)->heap_count);
}

static hal_status_t* heap_statistics(hal_device_t* device, uint32_t heap, hal_heap_statistics_t* out_statistics) {
  static const char call[] = "memory.heap_statistics";
  hal_heap_statistics_t now = {sizeof now, 0, 0, 0, 0, 0};
  hal_sdk_heap_t* from;
  hal_status_t* status;
  hal_sdk_clear_struct(sizeof now, out_statistics);
  if ((status = hal_sdk_check_object(device, HAL_OBJECT_DEVICE, call)) != NULL) return status;
  if ((status = check_heap(device, heap, call)) != NULL) return status;
  from = &base_of(device)->heaps[heap];
  now.live_bytes = __atomic_load_n(&from->live_bytes, __ATOMIC_ACQUIRE);
  now.peak_bytes = __atomic_load_n(&from->peak_bytes, __ATOMIC_ACQUIRE);
  now.live_buffers = __atomic_load_n(&from->live_buffers, __ATOMIC_ACQUIRE);
  now.total_allocations = __atomic_load_n(&from->total_allocations, __ATOMIC_ACQUIRE);
  if (now.peak_bytes < now.live_bytes) now.peak_bytes = now.live_bytes;
  return hal_sdk_write_struct(call, "hal_heap_statistics_t", &now, sizeof now, out_statistics);
}

/* Books the bytes, or answers 0 where the heap has no room for them. */
static int book(hal_sdk_heap_t* heap, uint64_t bytes) {
  uint64_t live = __atomic_load_n(&heap->live_bytes, __ATOMIC_ACQUIRE), peak;
  do {
    if (heap->info.size != 0 && (bytes > heap->info.size || live > heap->info.size - bytes)) return 0;
  } while (!__atomic_compare_exchange_n(&heap->live_bytes, &live, live + bytes, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  peak = __atomic_load_n(&heap->peak_bytes, __ATOMIC_ACQUIRE);
  while (peak < live + bytes &&
         !__atomic_compare_exchange_n(&heap->peak_bytes, &peak, live + bytes, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
  }
  return 1;
}

static void unbook(hal_sdk_heap_t* heap, uint64_t bytes) {
  __atomic_sub_fetch(&heap->live_bytes, bytes, __ATOMIC_ACQ_REL);
}

/* ---- buffers ---- */

static void dispose(hal_sdk_object_t* self) {
  hal_buffer_t* buffer = (hal_buffer_t*)self;
  if (!buffer->imported) {
    hal_sdk_heap_t* heap = &base_of(buffer->device)->heaps[buffer->heap];
    base_of(buffer->device)->driver->release(buffer->device, buffer);
    unbook(heap, buffer->bytes);
    __atomic_sub_fetch(&heap->live_buffers, 1, __ATOMIC_ACQ_REL);
  }
  free(buffer);
}

static hal_status_t* check_desc(hal_device_t* device, const hal_buffer_desc_t* desc, const char* call) {
  hal_status_t* status = check_heap(device, desc->heap, call);
  const hal_sdk_heap_t* heap;
  uint64_t largest;
  if (status != NULL || (status = hal_sdk_check_chain(call, desc->next)) != NULL) return status;
  status = hal_sdk_check_zero(call, "hal_buffer_desc_t", desc->flags & ~HAL_BUFFER_ZEROED,
                              offsetof(hal_buffer_desc_t, flags));
  if (status != NULL) return status;
  heap = &base_of(device)->heaps[desc->heap];
  largest = heap->max_alignment != 0 ? heap->max_alignment : heap->info.alignment;
  if ((desc->alignment & (desc->alignment - 1)) != 0) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "alignment %llu is not a power of two",
                          (unsigned long long)desc->alignment);
  }
  if (desc->alignment > largest) {
    return hal_sdk_status(HAL_STATUS_UNSUPPORTED, call, "alignment %llu is above %llu, the most that heap %u gives",
                          (unsigned long long)desc->alignment, (unsigned long long)largest, desc->heap);
  }
  return NULL;
}

static hal_status_t* no_room(const char* call, const hal_sdk_heap_t* heap, const hal_buffer_desc_t* desc) {
  return hal_sdk_status(
      HAL_STATUS_OUT_OF_MEMORY, call, "%llu bytes for '%.*s' do not fit: heap %u has %llu of %llu in use",
      (unsigned long long)desc->size, HAL_SDK_STRING_ARGS(desc->label), desc->heap,
      (unsigned long long)__atomic_load_n(&heap->live_bytes, __ATOMIC_ACQUIRE), (unsigned long long)heap->info.size);
}

/* Rounds up to the heap's granularity; 0 where that overflows. */
static uint64_t round_up(const hal_sdk_heap_t* heap, uint64_t size) {
  uint64_t granule = heap->info.granularity;
  uint64_t granules = size / granule + (size % granule != 0 || size == 0);
  return granules > UINT64_MAX / granule ? 0 : granules * granule;
}

static hal_status_t* allocate(hal_device_t* device, const hal_buffer_desc_t* desc, hal_buffer_t* buffer,
                              const char* call) {
  hal_sdk_heap_t* heap = &base_of(device)->heaps[desc->heap];
  hal_status_t* status;
  buffer->device = device;
  buffer->size = desc->size;
  buffer->bytes = round_up(heap, desc->size);
  buffer->alignment = desc->alignment > heap->info.alignment ? desc->alignment : heap->info.alignment;
  buffer->flags = desc->flags;
  buffer->heap = desc->heap;
  if (desc->size > base_of(device)->caps->max_buffer_size || buffer->bytes == 0 || !book(heap, buffer->bytes)) {
    return no_room(call, heap, desc);
  }
  status = base_of(device)->driver->allocate(device, buffer);
  if (status != NULL) {
    unbook(heap, buffer->bytes);
    return status;
  }
  __atomic_add_fetch(&heap->live_buffers, 1, __ATOMIC_ACQ_REL);
  __atomic_add_fetch(&heap->total_allocations, 1, __ATOMIC_ACQ_REL);
  return NULL;
}

static hal_status_t* buffer_create(hal_device_t* device, const hal_buffer_desc_t* in, hal_buffer_t** out_buffer) {
  static const char call[] = "memory.buffer_create";
  hal_buffer_desc_t desc;
  hal_buffer_t* buffer;
  hal_status_t* status;
  if (out_buffer == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_buffer is NULL");
  *out_buffer = NULL;
  if ((status = hal_sdk_check_device(device, call)) != NULL) return status;
  if ((status = HAL_SDK_READ(call, hal_buffer_desc_t, in, &desc)) != NULL) return status;
  if ((status = check_desc(device, &desc, call)) != NULL) return status;
  if ((buffer = calloc(1, sizeof *buffer)) == NULL) return hal_sdk_status_out_of_memory();
  if ((status = allocate(device, &desc, buffer, call)) != NULL) {
    free(buffer);
    return status;
  }
  hal_sdk_object_init(&buffer->object, HAL_OBJECT_BUFFER, ((hal_sdk_object_t*)device)->instance,
                      (hal_sdk_object_t*)device, dispose);
  *out_buffer = buffer;
  return NULL;
}

static void buffer_destroy(hal_buffer_t* buffer) { hal_sdk_object_destroy(buffer); }

static hal_status_t* buffer_info(hal_buffer_t* buffer, hal_buffer_info_t* out_info) {
  static const char call[] = "memory.buffer_info";
  hal_buffer_info_t info = {sizeof info, 0, 0};
  hal_status_t* status;
  hal_sdk_clear_struct(sizeof info, out_info);
  if ((status = hal_sdk_check_object(buffer, HAL_OBJECT_BUFFER, call)) != NULL) return status;
  info.heap = buffer->heap;
  info.size = buffer->size;
  return hal_sdk_write_struct(call, "hal_buffer_info_t", &info, sizeof info, out_info);
}

/* ---- maps ---- */

static hal_status_t* check_visible(hal_buffer_t* buffer, const char* call) {
  hal_status_t* status = hal_sdk_check_object(buffer, HAL_OBJECT_BUFFER, call);
  if (status != NULL || (status = hal_sdk_check_device(buffer->device, call)) != NULL) return status;
  if ((base_of(buffer->device)->heaps[buffer->heap].info.kind & HAL_HEAP_HOST_VISIBLE) != 0) return NULL;
  return hal_sdk_status(HAL_STATUS_UNSUPPORTED, call, "heap %u is not host-visible; copy to one that is", buffer->heap);
}

static hal_status_t* check_visible_range(hal_buffer_t* buffer, uint64_t offset, uint64_t length, const char* call) {
  hal_status_t* status = check_visible(buffer, call);
  return status != NULL ? status : hal_sdk_check_range(call, "the range", buffer->size, offset, length, &length);
}

static hal_status_t* buffer_map(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags,
                                void** out_address) {
  static const char call[] = "memory.buffer_map";
  hal_status_t* status;
  if (out_address == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_address is NULL");
  *out_address = NULL;
  if ((status = check_visible_range(buffer, offset, length, call)) != NULL) return status;
  status = hal_sdk_check_zero(call, "flags", flags & ~(HAL_MAP_READ | HAL_MAP_WRITE | HAL_MAP_DISCARD), 0);
  if (status != NULL) return status;
  __atomic_add_fetch(&buffer->map_count, 1, __ATOMIC_ACQ_REL);
  *out_address = (char*)buffer->memory + offset;
  return NULL;
}

static hal_status_t* buffer_unmap(hal_buffer_t* buffer) {
  static const char call[] = "memory.buffer_unmap";
  uint32_t count;
  hal_status_t* status = check_visible(buffer, call);
  if (status != NULL) return status;
  count = __atomic_load_n(&buffer->map_count, __ATOMIC_ACQUIRE);
  do {
    if (count == 0) return hal_sdk_status(HAL_STATUS_FAILED_PRECONDITION, call, "the buffer is not mapped");
  } while (!__atomic_compare_exchange_n(&buffer->map_count, &count, count - 1, 1, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return NULL;
}

/* Coherent memory has nothing to flush; the range is checked all the same, so that callers learn the same habits. */
static hal_status_t* buffer_flush(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return check_visible_range(buffer, offset, length, "memory.buffer_flush");
}

static hal_status_t* buffer_invalidate(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return check_visible_range(buffer, offset, length, "memory.buffer_invalidate");
}

static hal_status_t* buffer_address(hal_buffer_t* buffer, uint64_t* out_address) {
  static const char call[] = "memory.buffer_address";
  hal_status_t* status;
  if (out_address == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_address is NULL");
  *out_address = 0;
  if ((status = hal_sdk_check_object(buffer, HAL_OBJECT_BUFFER, call)) != NULL) return status;
  if ((base_of(buffer->device)->caps->features & HAL_FEATURE_DEVICE_ADDRESS) == 0) {
    return hal_sdk_status(HAL_STATUS_UNSUPPORTED, call, "the device has no raw addresses");
  }
  *out_address = (uint64_t)(uintptr_t)buffer->memory;
  return NULL;
}

/* ---- import ---- */

static hal_status_t* check_import(hal_device_t* device, const hal_external_memory_t* memory, const char* call) {
  if (memory->type != HAL_HANDLE_HOST_POINTER || (base_of(device)->caps->features & HAL_FEATURE_IMPORT_HOST) == 0) {
    return hal_sdk_status(HAL_STATUS_UNSUPPORTED, call, "cannot import handle type %u; see the device's features",
                          memory->type);
  }
  if (memory->value == 0) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "the host pointer is NULL");
  if (memory->offset > UINT64_MAX - memory->value || memory->size > UINT64_MAX - memory->value - memory->offset) {
    return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "address, offset and size pass the end of the address space");
  }
  return NULL;
}

static hal_status_t* buffer_import(hal_device_t* device, const hal_external_memory_t* in, hal_buffer_t** out_buffer) {
  static const char call[] = "memory.buffer_import";
  hal_external_memory_t memory;
  hal_buffer_t* buffer;
  hal_status_t* status;
  if (out_buffer == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_buffer is NULL");
  *out_buffer = NULL;
  if ((status = hal_sdk_check_device(device, call)) != NULL) return status;
  if ((status = HAL_SDK_READ(call, hal_external_memory_t, in, &memory)) != NULL) return status;
  if ((status = check_import(device, &memory, call)) != NULL) return status;
  if ((buffer = calloc(1, sizeof *buffer)) == NULL) return hal_sdk_status_out_of_memory();
  buffer->device = device;
  buffer->memory = (char*)(uintptr_t)memory.value + memory.offset;
  buffer->size = buffer->bytes = memory.size;
  buffer->imported = 1;
  hal_sdk_object_init(&buffer->object, HAL_OBJECT_BUFFER, ((hal_sdk_object_t*)device)->instance,
                      (hal_sdk_object_t*)device, dispose);
  *out_buffer = buffer;
  return NULL;
}

const hal_memory_group_t hal_sdk_memory_group = {sizeof(hal_memory_group_t),
                                                 1,
                                                 heaps,
                                                 heap_statistics,
                                                 buffer_create,
                                                 buffer_destroy,
                                                 buffer_info,
                                                 buffer_map,
                                                 buffer_unmap,
                                                 buffer_flush,
                                                 buffer_invalidate,
                                                 buffer_address,
                                                 buffer_import,
                                                 NULL};
