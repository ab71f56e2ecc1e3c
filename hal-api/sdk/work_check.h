/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the SDK: the check of each type of work. `work` is complete (read by its size); *bytes grows by what the copy
 * of the item needs besides its struct.
 */
#ifndef HAL_SDK_WORK_CHECK_H_
#define HAL_SDK_WORK_CHECK_H_

#include "hal/sdk/device.h"

#define HAL_SDK_SUBMIT "queue.submit"

hal_status_t* hal_sdk_check_copy(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);
hal_status_t* hal_sdk_check_fill(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);
hal_status_t* hal_sdk_check_update(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);
hal_status_t* hal_sdk_check_dispatch(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);
hal_status_t* hal_sdk_check_host_call(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);

#endif /* HAL_SDK_WORK_CHECK_H_ */
