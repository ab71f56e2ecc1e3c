/* SPDX-License-Identifier: Apache-2.0
 *
 * A host thread waits for several semaphores: it polls for a moment, then sleeps until one of them wakes it.
 */
#include "semaphore_wait.h"

#include <stdlib.h>
#include <time.h>

#include "hal/sdk/device.h"
#include "hal/sdk/structs.h"
#include "hal/sdk/thread.h"

#define CALL "queue.semaphore_wait"
#define WAITERS_ON_STACK 8

typedef enum { NOT_YET, READY, FAILED } verdict_t;

/* The answer at this moment, and the semaphore that decides it. */
static verdict_t look(hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values, uint32_t* out_index) {
  uint32_t i, ready = 0, first_ready = 0;
  for (i = count; i-- > 0;) {
    if (hal_sdk_semaphore_failure(values[i].semaphore) != NULL) {
      *out_index = i;
      return FAILED;
    }
    if (hal_sdk_semaphore_value(values[i].semaphore) < values[i].value) continue;
    ready++;
    first_ready = i;
  }
  *out_index = first_ready;
  return ready == count || (mode == HAL_WAIT_ANY && ready != 0) ? READY : NOT_YET;
}

static verdict_t poll(hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values, hal_time_t deadline,
                      uint32_t* out_index) {
  verdict_t verdict = look(mode, count, values, out_index);
  hal_time_t start;
  int i;
  if (verdict != NOT_YET || deadline == HAL_TIME_POLL) return verdict;
  start = hal_sdk_now();
  while (hal_sdk_keep_polling(start) && hal_sdk_now() < deadline) {
    for (i = 0; i < 16; i++) {
      if ((verdict = look(mode, count, values, out_index)) != NOT_YET) return verdict;
      hal_sdk_pause();
    }
  }
  return NOT_YET;
}

/* ---- sleeping ---- */

typedef struct sleeper {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint32_t missing; /* wake-ups until the answer may be there */
} sleeper_t;

static void wake_sleeper(hal_sdk_waiter_t* waiter, const hal_status_t* failure) {
  sleeper_t* sleeper = waiter->owner;
  pthread_mutex_lock(&sleeper->mutex);
  if (failure != NULL) {
    sleeper->missing = 0;
  } else if (sleeper->missing != 0) {
    sleeper->missing--;
  }
  if (sleeper->missing == 0) pthread_cond_signal(&sleeper->changed);
  pthread_mutex_unlock(&sleeper->mutex);
}

static void sleeper_init(sleeper_t* sleeper, uint32_t missing) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&sleeper->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&sleeper->mutex, NULL);
  sleeper->missing = missing;
}

static void sleep_until(sleeper_t* sleeper, hal_time_t deadline) {
  struct timespec end;
  int timed_out = 0;
  end.tv_sec = (time_t)(deadline / 1000000000u);
  end.tv_nsec = (long)(deadline % 1000000000u);
  pthread_mutex_lock(&sleeper->mutex);
  while (sleeper->missing != 0 && !timed_out) {
    if (deadline == HAL_TIME_FOREVER) {
      pthread_cond_wait(&sleeper->changed, &sleeper->mutex);
    } else {
      timed_out = pthread_cond_timedwait(&sleeper->changed, &sleeper->mutex, &end) != 0;
    }
  }
  pthread_mutex_unlock(&sleeper->mutex);
}

static void listen_and_sleep(hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values,
                             hal_time_t deadline, hal_sdk_waiter_t* waiters) {
  sleeper_t sleeper;
  uint32_t i;
  sleeper_init(&sleeper, mode == HAL_WAIT_ALL ? count : 1);
  for (i = 0; i < count; i++) {
    const hal_status_t* failure;
    waiters[i].value = values[i].value;
    waiters[i].wake = wake_sleeper;
    waiters[i].owner = &sleeper;
    hal_sdk_object_retain((hal_sdk_object_t*)values[i].semaphore);
    if (hal_sdk_semaphore_listen(values[i].semaphore, &waiters[i], &failure)) wake_sleeper(&waiters[i], failure);
  }
  sleep_until(&sleeper, deadline);
  for (i = 0; i < count; i++) hal_sdk_semaphore_unlisten(values[i].semaphore, &waiters[i]);
  pthread_cond_destroy(&sleeper.changed);
  pthread_mutex_destroy(&sleeper.mutex);
}

static hal_status_t* wait_asleep(hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values,
                                 hal_time_t deadline, verdict_t* out_verdict, uint32_t* out_index) {
  hal_sdk_waiter_t on_stack[WAITERS_ON_STACK];
  hal_sdk_waiter_t* waiters = count <= WAITERS_ON_STACK ? on_stack : malloc(count * sizeof *waiters);
  uint32_t i;
  if (waiters == NULL) return hal_sdk_status_out_of_memory();
  listen_and_sleep(mode, count, values, deadline, waiters);
  *out_verdict = look(mode, count, values, out_index);
  if (waiters != on_stack) free(waiters);
  for (i = 0; i < count; i++) hal_sdk_object_release((hal_sdk_object_t*)values[i].semaphore);
  return NULL;
}

/* ---- the slot ---- */

hal_status_t* hal_sdk_check_semaphores(const char* call, const char* name, const hal_sdk_instance_t* instance,
                                       const hal_semaphore_value_t* values, uint32_t count) {
  uint32_t i;
  if (count != 0 && values == NULL) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "%s is NULL and its count is %u", name, count);
  }
  for (i = 0; i < count; i++) {
    hal_status_t* status = hal_sdk_check_object(values[i].semaphore, HAL_OBJECT_SEMAPHORE, call);
    if (status != NULL) return status;
    if (((hal_sdk_object_t*)values[i].semaphore)->instance != instance) {
      return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "%s[%u] is of another instance", name, i);
    }
    if (values[i].value > HAL_SDK_SEMAPHORE_MAX) {
      return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "%s[%u].value %llu is above the largest, 2^63-1", name, i,
                            (unsigned long long)values[i].value);
    }
  }
  return NULL;
}

static hal_status_t* check_wait(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                                const hal_semaphore_value_t* values) {
  hal_status_t* status = hal_sdk_check_object(device, HAL_OBJECT_DEVICE, CALL);
  if (status != NULL) return status;
  if (mode > HAL_WAIT_ANY) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "mode is %u; expected HAL_WAIT_ALL or HAL_WAIT_ANY", mode);
  }
  return hal_sdk_check_semaphores(CALL, "values", ((hal_sdk_object_t*)device)->instance, values, count);
}

hal_status_t* hal_sdk_semaphore_wait(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                                     const hal_semaphore_value_t* values, hal_time_t deadline, uint32_t* out_index) {
  uint32_t index = 0;
  verdict_t verdict;
  hal_status_t* status;
  if (out_index != NULL) *out_index = 0;
  if ((status = check_wait(device, mode, count, values)) != NULL || count == 0) return status;
  verdict = poll(mode, count, values, deadline, &index);
  if (verdict == NOT_YET && deadline > hal_sdk_now()) {
    status = wait_asleep(mode, count, values, deadline, &verdict, &index);
    if (status != NULL) return status;
  }
  if (verdict == FAILED) return hal_sdk_semaphore_aborted(values[index].semaphore, CALL);
  if (verdict == NOT_YET) {
    return hal_sdk_status(HAL_STATUS_TIMEOUT, CALL, "the deadline passed; %u semaphores, %s of them awaited", count,
                          mode == HAL_WAIT_ALL ? "all" : "any");
  }
  if (out_index != NULL && mode == HAL_WAIT_ANY) *out_index = index;
  return NULL;
}
