/* SPDX-License-Identifier: Apache-2.0
 *
 * The scheduler for plugins that bring none: one thread runs ready submissions, first in, first out.
 */
#include <stdlib.h>
#include <string.h>

#include "hal/sdk/thread.h"
#include "runtime.h"

typedef struct executor {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  hal_sdk_thread_t thread;
  hal_sdk_submission_t* first;
  hal_sdk_submission_t** last;
  int stopping;
} executor_t;

static void push(void* context, hal_sdk_submission_t* submission) {
  executor_t* executor = context;
  submission->next = NULL;
  pthread_mutex_lock(&executor->mutex);
  *executor->last = submission;
  executor->last = &submission->next;
  pthread_cond_signal(&executor->changed);
  pthread_mutex_unlock(&executor->mutex);
}

/* The next submission, or NULL at the end. */
static hal_sdk_submission_t* pop(executor_t* executor) {
  hal_sdk_submission_t* submission;
  pthread_mutex_lock(&executor->mutex);
  while (executor->first == NULL && !executor->stopping) pthread_cond_wait(&executor->changed, &executor->mutex);
  submission = executor->first;
  if (submission != NULL && (executor->first = submission->next) == NULL) executor->last = &executor->first;
  pthread_mutex_unlock(&executor->mutex);
  return submission;
}

static void* run(void* argument) {
  executor_t* executor = argument;
  hal_sdk_submission_t* submission;
  while ((submission = pop(executor)) != NULL) hal_sdk_submission_run(submission);
  return NULL;
}

static void stop(void* context) {
  executor_t* executor = context;
  pthread_mutex_lock(&executor->mutex);
  executor->stopping = 1;
  pthread_cond_signal(&executor->changed);
  pthread_mutex_unlock(&executor->mutex);
  hal_sdk_thread_join(&executor->thread);
  pthread_cond_destroy(&executor->changed);
  pthread_mutex_destroy(&executor->mutex);
  free(executor);
}

hal_status_t* hal_sdk_executor_start(hal_sdk_scheduler_t* out_scheduler) {
  executor_t* executor = calloc(1, sizeof *executor);
  int error;
  if (executor == NULL) return hal_sdk_status_out_of_memory();
  pthread_mutex_init(&executor->mutex, NULL);
  pthread_cond_init(&executor->changed, NULL);
  executor->last = &executor->first;
  error = hal_sdk_thread_start(&executor->thread, "hal-queue", run, executor);
  if (error != 0) {
    free(executor);
    return hal_sdk_status_caused(HAL_STATUS_UNAVAILABLE, error, NULL, "device.initialize", "no thread: %s",
                                 strerror(error));
  }
  out_scheduler->context = executor;
  out_scheduler->push = push;
  out_scheduler->stop = stop;
  return NULL;
}
