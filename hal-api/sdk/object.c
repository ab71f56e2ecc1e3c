/* SPDX-License-Identifier: Apache-2.0
 *
 * References, live counts, fork and shutdown: hal/sdk/object.h.
 */
#include "hal/sdk/object.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static const struct {
  hal_object_kind_t kind;
  const char* name;
} kinds[HAL_SDK_KINDS] = {{HAL_OBJECT_INSTANCE, "instance"},
                          {HAL_OBJECT_DEVICE, "device"},
                          {HAL_OBJECT_BUFFER, "buffer"},
                          {HAL_OBJECT_QUEUE, "queue"},
                          {HAL_OBJECT_SEMAPHORE, "semaphore"},
                          {HAL_OBJECT_EXECUTABLE, "executable"},
                          {HAL_OBJECT_COMMAND_BUFFER, "command buffer"},
                          {HAL_OBJECT_COMMUNICATOR, "communicator"},
                          {HAL_OBJECT_PROFILER, "profiler"}};

static int kind_index(hal_object_kind_t kind) {
  int i = HAL_SDK_KINDS - 1;
  while (i >= 0 && kinds[i].kind != kind) i--;
  return i;
}

static const char* kind_name(hal_object_kind_t kind) {
  int index = kind_index(kind);
  return index >= 0 ? kinds[index].name : "something else";
}

/* ---- fork ---- */

static uint32_t fork_epoch = 1;

static void count_fork(void) { fork_epoch++; }

void hal_sdk_watch_fork(void) { pthread_atfork(NULL, NULL, count_fork); }

static hal_status_t* check_epoch(const hal_sdk_instance_t* instance, const char* call) {
  if (instance->runtime->epoch == fork_epoch) return NULL;
  return hal_sdk_status(HAL_STATUS_FORKED, call, "the object is from before a fork; initialise again in this process");
}

/* ---- objects ---- */

static void init_header(hal_object_t* header, hal_object_kind_t kind) {
  static uint32_t generations; /* atomic */
  header->calls = NULL;
  header->kind = kind;
  do {
    header->generation = __atomic_add_fetch(&generations, 1, __ATOMIC_RELAXED);
  } while (header->generation == 0);
}

void hal_sdk_object_init(hal_sdk_object_t* object, hal_object_kind_t kind, hal_sdk_instance_t* instance,
                         hal_sdk_object_t* parent, void (*dispose)(hal_sdk_object_t* self)) {
  init_header(&object->header, kind);
  object->instance = instance;
  object->parent = parent;
  object->dispose = dispose;
  object->reserved0 = 0;
  if (parent != NULL) hal_sdk_object_retain(parent);
  __atomic_add_fetch(&instance->runtime->live[kind_index(kind)], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&object->references, 1, __ATOMIC_RELEASE);
}

void hal_sdk_object_retain(hal_sdk_object_t* object) { __atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED); }

void hal_sdk_object_release(hal_sdk_object_t* object) {
  hal_sdk_object_t* parent;
  if (__atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  parent = object->parent;
  object->header.kind = 0;
  object->dispose(object);
  if (parent != NULL) hal_sdk_object_release(parent);
}

void hal_sdk_object_destroy(void* handle) {
  hal_sdk_object_t* object = handle;
  struct hal_sdk_runtime* runtime;
  int kind;
  if (object == NULL || (kind = kind_index(object->header.kind)) < 0) return;
  runtime = object->instance->runtime;
  if (runtime->epoch != fork_epoch) return;
  hal_sdk_object_release(object);
  __atomic_sub_fetch(&runtime->live[kind], 1, __ATOMIC_RELEASE);
}

static hal_status_t* check_kind(const hal_object_t* header, hal_object_kind_t kind, const char* call) {
  if (header != NULL && header->kind == kind) return NULL;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "expected a live %s; got %s", kind_name(kind),
                        header == NULL ? "NULL" : kind_name(header->kind));
}

hal_status_t* hal_sdk_check_object(const void* object, hal_object_kind_t kind, const char* call) {
  hal_status_t* status = check_kind(object, kind, call);
  return status != NULL ? status : check_epoch(((const hal_sdk_object_t*)object)->instance, call);
}

hal_status_t* hal_sdk_check_instance(const void* instance, const char* call) {
  hal_status_t* status = check_kind(instance, HAL_OBJECT_INSTANCE, call);
  return status != NULL ? status : check_epoch(instance, call);
}

/* ---- the instance ---- */

hal_status_t* hal_sdk_instance_init(hal_sdk_instance_t* instance, const hal_sdk_scheduler_t* scheduler) {
  struct hal_sdk_runtime* runtime = calloc(1, sizeof *runtime);
  hal_status_t* status;
  if (runtime == NULL) return hal_sdk_status_out_of_memory();
  pthread_mutex_init(&runtime->mutex, NULL);
  pthread_cond_init(&runtime->progress, NULL);
  runtime->epoch = fork_epoch;
  if (scheduler != NULL) {
    runtime->scheduler = *scheduler;
  } else if ((status = hal_sdk_executor_start(&runtime->scheduler)) != NULL) {
    free(runtime);
    return status;
  }
  init_header(&instance->header, HAL_OBJECT_INSTANCE);
  instance->runtime = runtime;
  return NULL;
}

static hal_status_t* check_no_handles(struct hal_sdk_runtime* runtime) {
  char text[256];
  size_t used = 0;
  int i;
  for (i = 0; i < HAL_SDK_KINDS; i++) {
    unsigned long long count = __atomic_load_n(&runtime->live[i], __ATOMIC_ACQUIRE);
    if (count == 0) continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu %s%s", used == 0 ? "" : ", ", count,
                             kinds[i].name, count == 1 ? "" : "s");
  }
  if (used == 0) return NULL;
  return hal_sdk_status(HAL_STATUS_BUSY, "device.shutdown", "still live: %s; destroy them, then call again", text);
}

/* Nothing runs, so no one is left who could signal: what waits now waits for ever. */
static void cancel_if_stuck(struct hal_sdk_runtime* runtime) {
  struct hal_sdk_pending* at;
  uint64_t in_flight = __atomic_load_n(&runtime->in_flight, __ATOMIC_SEQ_CST), waiting = 0;
  for (at = runtime->pending; at != NULL; at = at->next) waiting += (uint64_t)hal_sdk_submission_is_waiting(at);
  if (in_flight != waiting) return;
  for (at = runtime->pending; at != NULL; at = at->next) hal_sdk_submission_cancel(at);
}

static void drain(struct hal_sdk_runtime* runtime) {
  pthread_mutex_lock(&runtime->mutex);
  __atomic_store_n(&runtime->draining, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&runtime->in_flight, __ATOMIC_SEQ_CST) != 0) {
    cancel_if_stuck(runtime);
    pthread_cond_wait(&runtime->progress, &runtime->mutex);
  }
  pthread_mutex_unlock(&runtime->mutex);
}

hal_status_t* hal_sdk_instance_shutdown(hal_sdk_instance_t* instance) {
  struct hal_sdk_runtime* runtime;
  hal_status_t* status = hal_sdk_check_instance(instance, "device.shutdown");
  if (status != NULL) return status;
  runtime = instance->runtime;
  if ((status = check_no_handles(runtime)) != NULL) return status;
  drain(runtime);
  runtime->scheduler.stop(runtime->scheduler.context);
  pthread_cond_destroy(&runtime->progress);
  pthread_mutex_destroy(&runtime->mutex);
  free(runtime);
  instance->header.kind = 0;
  instance->runtime = NULL;
  return NULL;
}

/* ---- accounts of submissions ---- */

void hal_sdk_runtime_add_pending(struct hal_sdk_runtime* runtime, struct hal_sdk_pending* pending) {
  pthread_mutex_lock(&runtime->mutex);
  pending->next = runtime->pending;
  pending->link = &runtime->pending;
  if (pending->next != NULL) pending->next->link = &pending->next;
  runtime->pending = pending;
  pthread_mutex_unlock(&runtime->mutex);
}

void hal_sdk_runtime_remove_pending(struct hal_sdk_runtime* runtime, struct hal_sdk_pending* pending) {
  pthread_mutex_lock(&runtime->mutex);
  *pending->link = pending->next;
  if (pending->next != NULL) pending->next->link = pending->link;
  pthread_mutex_unlock(&runtime->mutex);
}

void hal_sdk_runtime_finished(struct hal_sdk_runtime* runtime) {
  __atomic_sub_fetch(&runtime->in_flight, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&runtime->draining, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&runtime->mutex);
  pthread_cond_broadcast(&runtime->progress);
  pthread_mutex_unlock(&runtime->mutex);
}
