/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory group over a driver's allocate and release: checks, accounts, maps and imports. A host-visible buffer's
 * `memory` is its host address; for other heaps it is whatever the driver likes.
 */
#ifndef HAL_SDK_MEMORY_H_
#define HAL_SDK_MEMORY_H_

#include "hal/sdk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hal_buffer {
  hal_sdk_object_t object;
  hal_device_t* device;
  void* memory;
  uint64_t size;  /* as asked for */
  uint64_t bytes; /* rounded up to the heap's granularity; at least one granule, so that addresses differ */
  uint64_t alignment;
  uint64_t flags; /* HAL_BUFFER_* */
  uint32_t heap;
  uint32_t map_count; /* atomic */
  uint32_t imported;  /* 1: memory is someone else's */
  uint32_t reserved0;
};

/* Where a checked range begins. */
static inline void* hal_sdk_range_address(const hal_buffer_range_t* range) {
  return (char*)range->buffer->memory + range->offset;
}

/* The whole group. buffer_export is absent; buffer_import takes host pointers where caps has IMPORT_HOST. */
extern const hal_memory_group_t hal_sdk_memory_group;

/* Host memory for a driver: allocate and release with malloc's family and, for large blocks, fresh pages. */
hal_status_t* hal_sdk_host_allocate(hal_device_t* device, hal_buffer_t* buffer);
void hal_sdk_host_release(hal_device_t* device, hal_buffer_t* buffer);

/* Bytes of memory that this process may use: the machine's, or less where a control group says so. */
uint64_t hal_sdk_host_memory_size(void);

/* Work on host memory for a driver. */
hal_status_t* hal_sdk_host_copy(hal_device_t* device, const hal_work_copy_t* work);
hal_status_t* hal_sdk_host_fill(hal_device_t* device, const hal_work_fill_t* work);
hal_status_t* hal_sdk_host_update(hal_device_t* device, const hal_work_update_t* work);

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_MEMORY_H_ */
