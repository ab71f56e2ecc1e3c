/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver: the few functions that differ from chip to chip, and the device that carries them. Everything a driver
 * gets is checked: ranges lie inside their buffers, lengths are resolved, types fit.
 */
#ifndef HAL_SDK_DEVICE_H_
#define HAL_SDK_DEVICE_H_

#include "hal/sdk/object.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All functions may be called from any thread, those for work from the threads of the scheduler alone. A slot that is
 * NULL makes its work UNSUPPORTED at submit. A status that work returns fails the submission. */
typedef struct hal_sdk_driver {
  /* Gives buffer->memory for buffer->bytes bytes at buffer->alignment, zeroed if buffer->flags says so. */
  hal_status_t* (*allocate)(hal_device_t* device, hal_buffer_t* buffer);
  /* Takes back what allocate gave. */
  void (*release)(hal_device_t* device, hal_buffer_t* buffer);
  hal_status_t* (*copy)(hal_device_t* device, const hal_work_copy_t* work); /* rows >= 1 */
  hal_status_t* (*fill)(hal_device_t* device, const hal_work_fill_t* work);
  hal_status_t* (*update)(hal_device_t* device, const hal_work_update_t* work);
  hal_status_t* (*dispatch)(hal_device_t* device, const hal_work_dispatch_t* work); /* no extent is zero */
} hal_sdk_driver_t;

/* One heap with its accounts. The plugin fills `info` in; the rest starts at zero. */
typedef struct hal_sdk_heap {
  hal_heap_info_t info;
  uint64_t max_alignment; /* the largest that a buffer may ask for; 0: info.alignment */
  uint64_t live_bytes;    /* atomic, like all below */
  uint64_t peak_bytes;
  uint64_t live_buffers;
  uint64_t total_allocations;
} hal_sdk_heap_t;

/* What a device begins with: struct hal_device { hal_sdk_device_t base; ... }. `caps` and `heaps` live as long as it.
 */
typedef struct hal_sdk_device {
  hal_sdk_object_t object;
  const hal_sdk_driver_t* driver;
  const hal_device_caps_t* caps;
  hal_sdk_heap_t* heaps;
  uint32_t heap_count;
  uint32_t queue_count; /* atomic; live queues */
  uint32_t state;       /* atomic; hal_device_state_t */
  uint32_t reserved0;
} hal_sdk_device_t;

/* What an executable begins with: dispatches are checked against `entries`. */
typedef struct hal_sdk_executable {
  hal_sdk_object_t object;
  const hal_entry_info_t* entries;
  uint32_t entry_count;
  uint32_t reserved0;
} hal_sdk_executable_t;

/* Lost or detached: from now on calls and queued work answer DEVICE_LOST. */
void hal_sdk_device_set_state(hal_sdk_device_t* device, hal_device_state_t state);

/* Checks the handle and the state. */
hal_status_t* hal_sdk_check_device(const void* device, const char* call);

/* Slots of the device group that are the same everywhere. */
hal_status_t* hal_sdk_device_capabilities(hal_device_t* device, hal_device_caps_t* out_caps);
hal_status_t* hal_sdk_device_state(hal_device_t* device, hal_device_state_t* out_state);
void hal_sdk_device_close(hal_device_t* device);

/* config_keys over a static list. */
hal_status_t* hal_sdk_config_keys(const hal_config_key_t* keys, uint32_t count, uint32_t capacity, uint32_t* out_count,
                                  hal_config_key_t* out_keys);

/* Reads and checks a support query; names and dtypes are left to the plugin. */
hal_status_t* hal_sdk_read_support_query(const hal_support_query_t* query, hal_support_query_t* out_query);

/* Slots of the executable group that are the same everywhere. */
hal_status_t* hal_sdk_executable_entries(hal_executable_t* executable, uint32_t capacity, uint32_t* out_count,
                                         hal_entry_info_t* out_infos);
void hal_sdk_executable_destroy(hal_executable_t* executable);

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_DEVICE_H_ */
