/* SPDX-License-Identifier: Apache-2.0
 *
 * Timeline semaphores: hal/sdk/semaphore.h. Value and failure are read without the lock; they change, and waiters come
 * and go, only under it, so no wake-up is lost.
 */
#include "hal/sdk/semaphore.h"

#include <stdlib.h>

#include "hal/sdk/device.h"
#include "hal/sdk/structs.h"
#include "semaphore_wait.h"

struct hal_semaphore {
  hal_sdk_object_t object;
  pthread_mutex_t mutex;
  uint64_t value;          /* atomic */
  hal_status_t* failure;   /* atomic; the first one, owned; never changes once set */
  hal_sdk_waiter_t* first; /* under mutex; by value */
  hal_sdk_waiter_t* last;
};

static void dispose(hal_sdk_object_t* self) {
  hal_semaphore_t* semaphore = (hal_semaphore_t*)self;
  hal_status_release(semaphore->failure);
  pthread_mutex_destroy(&semaphore->mutex);
  free(semaphore);
}

static hal_status_t* check_value(const char* call, uint64_t value) {
  if (value <= HAL_SDK_SEMAPHORE_MAX) return NULL;
  return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "the semaphore value %llu is above the largest, 2^63-1",
                        (unsigned long long)value);
}

hal_status_t* hal_sdk_semaphore_create(hal_device_t* device, uint64_t initial_value, hal_semaphore_t** out_semaphore) {
  static const char call[] = "queue.semaphore_create";
  hal_semaphore_t* semaphore;
  hal_status_t* status;
  if (out_semaphore == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_semaphore is NULL");
  *out_semaphore = NULL;
  if ((status = hal_sdk_check_device(device, call)) != NULL) return status;
  if ((status = check_value(call, initial_value)) != NULL) return status;
  if ((semaphore = calloc(1, sizeof *semaphore)) == NULL) return hal_sdk_status_out_of_memory();
  pthread_mutex_init(&semaphore->mutex, NULL);
  semaphore->value = initial_value;
  hal_sdk_object_init(&semaphore->object, HAL_OBJECT_SEMAPHORE, ((hal_sdk_object_t*)device)->instance,
                      (hal_sdk_object_t*)device, dispose);
  *out_semaphore = semaphore;
  return NULL;
}

void hal_sdk_semaphore_destroy(hal_semaphore_t* semaphore) { hal_sdk_object_destroy(semaphore); }

uint64_t hal_sdk_semaphore_value(const hal_semaphore_t* semaphore) {
  return __atomic_load_n(&semaphore->value, __ATOMIC_ACQUIRE);
}

const hal_status_t* hal_sdk_semaphore_failure(const hal_semaphore_t* semaphore) {
  return __atomic_load_n(&semaphore->failure, __ATOMIC_ACQUIRE);
}

/* ---- waiters ---- */

/* Sorted, so that a signal looks only at those whose wait is over. Values mostly come in order: search from the end. */
static void link_waiter(hal_semaphore_t* semaphore, hal_sdk_waiter_t* waiter) {
  hal_sdk_waiter_t* before = semaphore->last;
  while (before != NULL && before->value > waiter->value) before = before->previous;
  waiter->previous = before;
  waiter->next = before != NULL ? before->next : semaphore->first;
  *(before != NULL ? &before->next : &semaphore->first) = waiter;
  *(waiter->next != NULL ? &waiter->next->previous : &semaphore->last) = waiter;
  waiter->listed = 1;
}

static void unlink_waiter(hal_semaphore_t* semaphore, hal_sdk_waiter_t* waiter) {
  *(waiter->previous != NULL ? &waiter->previous->next : &semaphore->first) = waiter->next;
  *(waiter->next != NULL ? &waiter->next->previous : &semaphore->last) = waiter->previous;
  waiter->listed = 0;
}

int hal_sdk_semaphore_listen(hal_semaphore_t* semaphore, hal_sdk_waiter_t* waiter, const hal_status_t** out_failure) {
  int answered = 1;
  waiter->listed = 0;
  pthread_mutex_lock(&semaphore->mutex);
  *out_failure = semaphore->failure;
  if (semaphore->failure == NULL && semaphore->value < waiter->value) {
    link_waiter(semaphore, waiter);
    answered = 0;
  }
  pthread_mutex_unlock(&semaphore->mutex);
  return answered;
}

void hal_sdk_semaphore_unlisten(hal_semaphore_t* semaphore, hal_sdk_waiter_t* waiter) {
  pthread_mutex_lock(&semaphore->mutex);
  if (waiter->listed) unlink_waiter(semaphore, waiter);
  pthread_mutex_unlock(&semaphore->mutex);
}

/* Under the lock: calls everyone whose wait is over. */
static void wake_waiters(hal_semaphore_t* semaphore) {
  while (semaphore->first != NULL && (semaphore->failure != NULL || semaphore->first->value <= semaphore->value)) {
    hal_sdk_waiter_t* waiter = semaphore->first;
    unlink_waiter(semaphore, waiter);
    waiter->wake(waiter, semaphore->failure);
  }
}

/* Takes over `failure`. */
static void fail_locked(hal_semaphore_t* semaphore, hal_status_t* failure) {
  __atomic_store_n(&semaphore->failure, failure, __ATOMIC_RELEASE);
  wake_waiters(semaphore);
}

static int advance_locked(hal_semaphore_t* semaphore, uint64_t value) {
  if (value <= semaphore->value) return 0;
  __atomic_store_n(&semaphore->value, value, __ATOMIC_RELEASE);
  wake_waiters(semaphore);
  return 1;
}

static hal_status_t* not_above(const char* call, uint64_t value, uint64_t present) {
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call,
                        "the value %llu is not above the semaphore's present one, %llu; values only grow",
                        (unsigned long long)value, (unsigned long long)present);
}

void hal_sdk_semaphore_advance(hal_semaphore_t* semaphore, uint64_t value) {
  pthread_mutex_lock(&semaphore->mutex);
  if (semaphore->failure == NULL && !advance_locked(semaphore, value)) {
    fail_locked(semaphore, not_above("queue.submit", value, semaphore->value));
  }
  pthread_mutex_unlock(&semaphore->mutex);
}

void hal_sdk_semaphore_set_failure(hal_semaphore_t* semaphore, const hal_status_t* failure) {
  pthread_mutex_lock(&semaphore->mutex);
  if (semaphore->failure == NULL) fail_locked(semaphore, hal_sdk_status_share(failure));
  pthread_mutex_unlock(&semaphore->mutex);
}

/* ---- slots ---- */

hal_status_t* hal_sdk_semaphore_aborted(const hal_semaphore_t* semaphore, const char* call) {
  return hal_sdk_status_caused(HAL_STATUS_ABORTED, 0, semaphore->failure, call,
                               "what the semaphore stands for failed after value %llu; see the cause",
                               (unsigned long long)hal_sdk_semaphore_value(semaphore));
}

hal_status_t* hal_sdk_semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value) {
  static const char call[] = "queue.semaphore_query";
  hal_status_t* status;
  if (out_value == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_value is NULL");
  *out_value = 0;
  if ((status = hal_sdk_check_object(semaphore, HAL_OBJECT_SEMAPHORE, call)) != NULL) return status;
  if (hal_sdk_semaphore_failure(semaphore) != NULL) status = hal_sdk_semaphore_aborted(semaphore, call);
  *out_value = hal_sdk_semaphore_value(semaphore);
  return status;
}

hal_status_t* hal_sdk_semaphore_signal(hal_semaphore_t* semaphore, uint64_t value) {
  static const char call[] = "queue.semaphore_signal";
  hal_status_t* status = hal_sdk_check_object(semaphore, HAL_OBJECT_SEMAPHORE, call);
  int failed, moved;
  uint64_t present;
  if (status != NULL || (status = check_value(call, value)) != NULL) return status;
  pthread_mutex_lock(&semaphore->mutex);
  failed = semaphore->failure != NULL;
  present = semaphore->value;
  moved = !failed && advance_locked(semaphore, value);
  pthread_mutex_unlock(&semaphore->mutex);
  if (failed) return hal_sdk_semaphore_aborted(semaphore, call);
  return moved ? NULL : not_above(call, value, present);
}

hal_status_t* hal_sdk_semaphore_fail(hal_semaphore_t* semaphore, const hal_status_t* failure) {
  static const char call[] = "queue.semaphore_fail";
  hal_status_t* status = hal_sdk_check_object(semaphore, HAL_OBJECT_SEMAPHORE, call);
  if (status != NULL) return status;
  if (failure == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "failure is NULL; expected a status");
  hal_sdk_semaphore_set_failure(semaphore, failure);
  return NULL;
}
