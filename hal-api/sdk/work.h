/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the SDK: one work item, checked, measured, copied, run and released. A table has one row for each type.
 */
#ifndef HAL_SDK_WORK_H_
#define HAL_SDK_WORK_H_

#include "hal/sdk/device.h"

#define HAL_SDK_MAX_LABEL 4096u
#define HAL_SDK_MAX_UPDATE 65536u

/* A block that copies are cut from. */
typedef struct hal_sdk_arena {
  char* at;
} hal_sdk_arena_t;

/* Sizes in an arena are rounded up to this. */
static inline uint64_t hal_sdk_arena_size(uint64_t bytes) { return (bytes + 15u) & ~UINT64_C(15); }

/* A copy of `bytes` bytes; NULL data leaves them unwritten. */
void* hal_sdk_arena_copy(hal_sdk_arena_t* arena, const void* data, uint64_t bytes);

hal_status_t* hal_sdk_check_label(hal_string_t label);

/* Checks an item of the caller's, and adds the bytes that its copy takes to *bytes. */
hal_status_t* hal_sdk_work_check(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);

/* Copies a checked item: ranges are resolved, and what it names is retained. */
hal_work_t* hal_sdk_work_copy(hal_sdk_arena_t* arena, const hal_work_t* work);

hal_status_t* hal_sdk_work_run(hal_sdk_device_t* device, const hal_work_t* work);

/* Gives back what hal_sdk_work_copy retained. */
void hal_sdk_work_release(hal_work_t* work);

/* "copy", "fill", ... */
const char* hal_sdk_work_name(const hal_work_t* work);

#endif /* HAL_SDK_WORK_H_ */
