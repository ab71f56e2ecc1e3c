/* SPDX-License-Identifier: Apache-2.0
 *
 * Timeline semaphores (HAL-ABI-10). A failure is final and carries the first failure; a failed semaphore answers
 * ABORTED to query and wait alike, whatever value it had reached. Of a list with a failure, wait reports the failure.
 */
#ifndef HAL_SDK_SEMAPHORE_H_
#define HAL_SDK_SEMAPHORE_H_

#include "hal/sdk/object.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HAL_SDK_SEMAPHORE_MAX ((UINT64_C(1) << 63) - 1u)

/* Someone who waits: in the list of one semaphore until its value is reached or it fails. `wake` runs once, under the
 * semaphore's lock: it must be short, and must not touch a semaphore. */
typedef struct hal_sdk_waiter {
  struct hal_sdk_waiter* next; /* waits for this value or a later one */
  struct hal_sdk_waiter* previous;
  uint64_t value;
  void (*wake)(struct hal_sdk_waiter* self, const hal_status_t* failure);
  void* owner;
  uint64_t listed; /* 1: in the list */
} hal_sdk_waiter_t;

/* Lists the waiter, or answers at once: 1 is ready (failure NULL) or failed (*out_failure, which lives as long as the
 * semaphore); 0 is listed, and wake will come. */
int hal_sdk_semaphore_listen(hal_semaphore_t* semaphore, hal_sdk_waiter_t* waiter, const hal_status_t** out_failure);

/* Takes the waiter out if it is still listed. Afterwards wake has run or never will. */
void hal_sdk_semaphore_unlisten(hal_semaphore_t* semaphore, hal_sdk_waiter_t* waiter);

/* Signals as the end of work does: a value that is not above the present one fails the semaphore. */
void hal_sdk_semaphore_advance(hal_semaphore_t* semaphore, uint64_t value);

/* Fails it with `failure` as the first failure, unless it has failed already. */
void hal_sdk_semaphore_set_failure(hal_semaphore_t* semaphore, const hal_status_t* failure);

/* The present value, without looking at failure. */
uint64_t hal_sdk_semaphore_value(const hal_semaphore_t* semaphore);

/* The slots of the queue group. */
hal_status_t* hal_sdk_semaphore_create(hal_device_t* device, uint64_t initial_value, hal_semaphore_t** out_semaphore);
void hal_sdk_semaphore_destroy(hal_semaphore_t* semaphore);
hal_status_t* hal_sdk_semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value);
hal_status_t* hal_sdk_semaphore_signal(hal_semaphore_t* semaphore, uint64_t value);
hal_status_t* hal_sdk_semaphore_fail(hal_semaphore_t* semaphore, const hal_status_t* failure);
hal_status_t* hal_sdk_semaphore_wait(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                                     const hal_semaphore_value_t* values, hal_time_t deadline, uint32_t* out_index);

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_SEMAPHORE_H_ */
