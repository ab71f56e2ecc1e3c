/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues: a submission is checked, copied, and handed to the scheduler when its waits are met or one of them fails.
 * Submissions are ordered by semaphores alone.
 */
#ifndef HAL_SDK_QUEUE_H_
#define HAL_SDK_QUEUE_H_

#include "hal/sdk/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A submission on its way. A scheduler may chain it through `next` while it holds it. */
typedef struct hal_sdk_submission {
  struct hal_sdk_submission* next;
} hal_sdk_submission_t;

/* Runs a ready submission on the calling thread, signals or fails its semaphores, and frees it. */
void hal_sdk_submission_run(hal_sdk_submission_t* submission);

/* The whole group; semaphore_export and semaphore_import are absent. */
extern const hal_queue_group_t hal_sdk_queue_group;

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_QUEUE_H_ */
