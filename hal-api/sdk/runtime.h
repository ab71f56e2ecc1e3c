/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the SDK: an instance's accounts. A submission is "pending" while it waits for semaphores, and is then in a
 * list, so that shutdown can cancel what can never start.
 */
#ifndef HAL_SDK_RUNTIME_H_
#define HAL_SDK_RUNTIME_H_

#include <pthread.h>

#include "hal/sdk/device.h"
#include "hal/sdk/queue.h"

#define HAL_SDK_KINDS 9

struct hal_sdk_pending {
  struct hal_sdk_pending* next;
  struct hal_sdk_pending** link; /* what points here */
};

struct hal_sdk_runtime {
  pthread_mutex_t mutex;
  pthread_cond_t progress;
  struct hal_sdk_pending* pending; /* under mutex */
  hal_sdk_scheduler_t scheduler;
  uint64_t live[HAL_SDK_KINDS]; /* atomic; user handles by kind */
  uint64_t in_flight;           /* atomic; submissions that are not finished */
  uint32_t draining;            /* atomic */
  uint32_t epoch;               /* forks that led to the process that made it */
};

/* From now on forks are counted. Called once. */
void hal_sdk_watch_fork(void);

/* Who writes the statuses. */
void hal_sdk_status_set_plugin(hal_string_t name);

/* The scheduler for those who bring none: one thread, first in, first out. */
hal_status_t* hal_sdk_executor_start(hal_sdk_scheduler_t* out_scheduler);

void hal_sdk_runtime_add_pending(struct hal_sdk_runtime* runtime, struct hal_sdk_pending* pending);
void hal_sdk_runtime_remove_pending(struct hal_sdk_runtime* runtime, struct hal_sdk_pending* pending);

/* The end of a submission: after its references are given back. */
void hal_sdk_runtime_finished(struct hal_sdk_runtime* runtime);

/* 1 if the submission still waits for semaphores. */
int hal_sdk_submission_is_waiting(struct hal_sdk_pending* pending);

/* Fails a submission that can never start, and schedules it so that its signals fail. */
void hal_sdk_submission_cancel(struct hal_sdk_pending* pending);

#endif /* HAL_SDK_RUNTIME_H_ */
