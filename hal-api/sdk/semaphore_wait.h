/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the SDK: what waiting needs to see of a semaphore.
 */
#ifndef HAL_SDK_SEMAPHORE_WAIT_H_
#define HAL_SDK_SEMAPHORE_WAIT_H_

#include <pthread.h>

#include "hal/sdk/semaphore.h"

/* The first failure, or NULL. Lives as long as the semaphore. */
const hal_status_t* hal_sdk_semaphore_failure(const hal_semaphore_t* semaphore);

/* The ABORTED of a failed semaphore. */
hal_status_t* hal_sdk_semaphore_aborted(const hal_semaphore_t* semaphore, const char* call);

/* Checks a wait or signal list of semaphores of one instance. */
hal_status_t* hal_sdk_check_semaphores(const char* call, const char* name, const hal_sdk_instance_t* instance,
                                       const hal_semaphore_value_t* values, uint32_t count);

#endif /* HAL_SDK_SEMAPHORE_WAIT_H_ */
