/* SPDX-License-Identifier: Apache-2.0
 *
 * The life of a submission: REGISTERING while submit puts it into the lists of the semaphores that it waits for;
 * WAITING until they are all reached or one has failed; then exactly one thread moves it to SCHEDULED and pushes it.
 */
#include "submission.h"

#include <stdlib.h>

#include "hal/sdk/semaphore.h"
#include "runtime.h"

enum { REGISTERING, WAITING, SCHEDULED };

typedef struct wait {
  hal_sdk_waiter_t waiter;
  hal_semaphore_t* semaphore;
} wait_t;

typedef struct submission {
  hal_sdk_submission_t base;
  struct hal_sdk_pending pending;
  hal_queue_t* queue;
  struct hal_sdk_runtime* runtime;
  wait_t* waits;
  hal_work_t** work;
  hal_semaphore_value_t* signals;
  hal_status_t* failure; /* atomic; of what it waits for; owned */
  hal_string_t label;
  uint32_t wait_count, work_count, signal_count;
  uint32_t state;      /* atomic */
  uint32_t missing;    /* atomic; waits that are not over */
  uint32_t references; /* atomic; submit's and the scheduler's */
} submission_t;

static submission_t* of_pending(struct hal_sdk_pending* pending) {
  return (submission_t*)((char*)pending - offsetof(submission_t, pending));
}

static void drop(submission_t* submission) {
  if (__atomic_sub_fetch(&submission->references, 1, __ATOMIC_ACQ_REL) == 0) free(submission);
}

/* ---- from submit to the scheduler ---- */

static int try_move(submission_t* submission, uint32_t from, uint32_t to) {
  return __atomic_compare_exchange_n(&submission->state, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void push(submission_t* submission) {
  hal_sdk_scheduler_t* scheduler = &submission->runtime->scheduler;
  scheduler->push(scheduler->context, &submission->base);
}

static int is_ready(submission_t* submission) {
  return __atomic_load_n(&submission->missing, __ATOMIC_SEQ_CST) == 0 ||
         __atomic_load_n(&submission->failure, __ATOMIC_SEQ_CST) != NULL;
}

/* What a wait that is over leaves behind: one less, or the first failure. */
static void note(submission_t* submission, const hal_status_t* failure) {
  hal_status_t *none = NULL, *shared;
  if (failure == NULL) {
    __atomic_sub_fetch(&submission->missing, 1, __ATOMIC_SEQ_CST);
    return;
  }
  shared = hal_sdk_status_share(failure);
  if (!__atomic_compare_exchange_n(&submission->failure, &none, shared, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    hal_status_release(shared);
  }
}

static void wake(hal_sdk_waiter_t* waiter, const hal_status_t* failure) {
  submission_t* submission = waiter->owner;
  note(submission, failure);
  if (is_ready(submission) && try_move(submission, WAITING, SCHEDULED)) push(submission);
}

/* From the moment it is WAITING another thread may schedule, run and drop it: submit's own reference keeps it here. */
static void wait_for_semaphores(submission_t* submission) {
  uint32_t i;
  hal_sdk_runtime_add_pending(submission->runtime, &submission->pending);
  for (i = 0; i < submission->wait_count; i++) {
    wait_t* wait = &submission->waits[i];
    const hal_status_t* failure;
    if (hal_sdk_semaphore_listen(wait->semaphore, &wait->waiter, &failure)) note(submission, failure);
  }
  try_move(submission, REGISTERING, WAITING);
  if (is_ready(submission) && try_move(submission, WAITING, SCHEDULED)) push(submission);
}

int hal_sdk_submission_is_waiting(struct hal_sdk_pending* pending) {
  return __atomic_load_n(&of_pending(pending)->state, __ATOMIC_SEQ_CST) == WAITING;
}

void hal_sdk_submission_cancel(struct hal_sdk_pending* pending) {
  submission_t* submission = of_pending(pending);
  hal_status_t* cancelled =
      hal_sdk_status(HAL_STATUS_CANCELLED, "device.shutdown", "the instance ended before what the work waits for");
  note(submission, cancelled);
  hal_status_release(cancelled);
  if (try_move(submission, WAITING, SCHEDULED)) push(submission);
}

/* ---- making one ---- */

static uint64_t size_of(const hal_submission_t* from, uint64_t work_bytes) {
  return hal_sdk_arena_size(sizeof(submission_t)) + hal_sdk_arena_size(from->wait_count * sizeof(wait_t)) +
         hal_sdk_arena_size(from->work_count * sizeof(hal_work_t*)) +
         hal_sdk_arena_size(from->signal_count * sizeof(hal_semaphore_value_t)) +
         hal_sdk_arena_size(from->label.length) + work_bytes;
}

static void copy_waits(submission_t* submission, const hal_submission_t* from, hal_sdk_arena_t* arena) {
  uint32_t i;
  submission->waits = hal_sdk_arena_copy(arena, NULL, from->wait_count * sizeof(wait_t));
  submission->wait_count = submission->missing = from->wait_count;
  for (i = 0; i < from->wait_count; i++) {
    wait_t wait = {{NULL, NULL, from->waits[i].value, wake, submission, 0}, from->waits[i].semaphore};
    submission->waits[i] = wait;
    hal_sdk_object_retain((hal_sdk_object_t*)wait.semaphore);
  }
}

static void copy_lists(submission_t* submission, const hal_submission_t* from, hal_sdk_arena_t* arena) {
  uint32_t i;
  copy_waits(submission, from, arena);
  submission->signals = hal_sdk_arena_copy(arena, from->signals, from->signal_count * sizeof *from->signals);
  submission->signal_count = from->signal_count;
  for (i = 0; i < from->signal_count; i++) hal_sdk_object_retain((hal_sdk_object_t*)from->signals[i].semaphore);
  submission->label.data = hal_sdk_arena_copy(arena, from->label.data, from->label.length);
  submission->label.length = from->label.length;
  submission->work = hal_sdk_arena_copy(arena, NULL, from->work_count * sizeof(hal_work_t*));
  submission->work_count = from->work_count;
  for (i = 0; i < from->work_count; i++) submission->work[i] = hal_sdk_work_copy(arena, from->work[i]);
}

hal_status_t* hal_sdk_submission_start(hal_queue_t* queue, const hal_submission_t* from, uint64_t work_bytes) {
  hal_sdk_arena_t arena;
  submission_t* submission = malloc(size_of(from, work_bytes));
  if (submission == NULL) return hal_sdk_status_out_of_memory();
  arena.at = (char*)submission + hal_sdk_arena_size(sizeof *submission);
  submission->queue = queue;
  submission->runtime = queue->object.instance->runtime;
  submission->failure = NULL;
  submission->state = REGISTERING;
  submission->references = 2;
  hal_sdk_object_retain(&queue->object);
  copy_lists(submission, from, &arena);
  __atomic_add_fetch(&submission->runtime->in_flight, 1, __ATOMIC_SEQ_CST);
  if (submission->wait_count != 0) {
    wait_for_semaphores(submission);
  } else {
    submission->state = SCHEDULED;
    push(submission);
  }
  drop(submission);
  return NULL;
}

/* ---- running it ---- */

/* The failure of one operation, with its origin. Takes `failure` over. */
static hal_status_t* add_origin(const submission_t* submission, uint32_t index, hal_status_t* failure) {
  const hal_work_t* work = submission->work[index];
  const char* name = hal_sdk_work_name(work);
  char call[64 + 1];
  hal_string_t label = work->label;
  hal_status_t* status;
  size_t i, length = label.length < sizeof call - 1 ? label.length : sizeof call - 1;
  for (i = 0; i < length; i++) call[i] = label.data[i];
  call[length] = '\0';
  status = hal_sdk_status_caused(failure->code, failure->vendor_code, failure->cause, length != 0 ? call : name,
                                 "%.*s (queue '%.*s', submission '%.*s', operation %u: %s '%.*s')",
                                 HAL_SDK_STRING_ARGS(failure->message), HAL_SDK_STRING_ARGS(submission->queue->label),
                                 HAL_SDK_STRING_ARGS(submission->label), index, name, HAL_SDK_STRING_ARGS(label));
  hal_status_release(failure);
  return status;
}

/* Runs the work in order; the first failure ends it. */
static hal_status_t* execute(const submission_t* submission) {
  hal_sdk_device_t* device = submission->queue->device;
  uint32_t i;
  hal_status_t* status = hal_sdk_check_device(device, "queue.submit");
  if (status != NULL) return status;
  for (i = 0; i < submission->work_count; i++) {
    if ((status = hal_sdk_work_run(device, submission->work[i])) != NULL) return add_origin(submission, i, status);
  }
  return NULL;
}

static void leave_lists(submission_t* submission) {
  uint32_t i;
  if (submission->wait_count == 0) return;
  for (i = 0; i < submission->wait_count; i++) {
    hal_sdk_semaphore_unlisten(submission->waits[i].semaphore, &submission->waits[i].waiter);
    hal_sdk_object_release((hal_sdk_object_t*)submission->waits[i].semaphore);
  }
  hal_sdk_runtime_remove_pending(submission->runtime, &submission->pending);
}

/* Before anyone is told, so that who waits for the end and then destroys a buffer has freed it. */
static void release_work(submission_t* submission) {
  uint32_t i;
  for (i = 0; i < submission->work_count; i++) hal_sdk_work_release(submission->work[i]);
  hal_sdk_object_release(&submission->queue->object);
}

static void tell(submission_t* submission, const hal_status_t* failure) {
  uint32_t i;
  for (i = 0; i < submission->signal_count; i++) {
    hal_semaphore_t* semaphore = submission->signals[i].semaphore;
    if (failure != NULL) {
      hal_sdk_semaphore_set_failure(semaphore, failure);
    } else {
      hal_sdk_semaphore_advance(semaphore, submission->signals[i].value);
    }
    hal_sdk_object_release((hal_sdk_object_t*)semaphore);
  }
}

void hal_sdk_submission_run(hal_sdk_submission_t* base) {
  submission_t* submission = (submission_t*)base;
  hal_status_t* failure;
  leave_lists(submission);
  failure = submission->failure != NULL ? submission->failure : execute(submission);
  release_work(submission);
  tell(submission, failure);
  hal_status_release(failure);
  hal_sdk_runtime_finished(submission->runtime);
  drop(submission);
}
