/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues: hal/sdk/queue.h. How a submission is taken; what becomes of it is in submission.c.
 */
#include "hal/sdk/queue.h"

#include <stdlib.h>
#include <string.h>

#include "hal/sdk/memory.h"
#include "hal/sdk/semaphore.h"
#include "hal/sdk/structs.h"
#include "semaphore_wait.h"
#include "submission.h"
#include "work_check.h"

static void dispose(hal_sdk_object_t* self) { free(self); }

static hal_status_t* check_queue_desc(const hal_queue_desc_t* desc, const char* call) {
  hal_status_t* status = hal_sdk_check_chain(call, desc->next);
  if (status != NULL || (status = hal_sdk_check_label(desc->label)) != NULL) return status;
  return hal_sdk_check_zero(call, "hal_queue_desc_t.kind", desc->kind & ~(HAL_QUEUE_COMPUTE | HAL_QUEUE_TRANSFER),
                            offsetof(hal_queue_desc_t, kind));
}

static hal_status_t* count_queue(hal_sdk_device_t* device, const char* call) {
  uint32_t count = __atomic_add_fetch(&device->queue_count, 1, __ATOMIC_ACQ_REL);
  if (count <= device->caps->max_queues) return NULL;
  __atomic_sub_fetch(&device->queue_count, 1, __ATOMIC_ACQ_REL);
  return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "the device has %u queues and no more; destroy one",
                        device->caps->max_queues);
}

static hal_status_t* queue_create(hal_device_t* device, const hal_queue_desc_t* in, hal_queue_t** out_queue) {
  static const char call[] = "queue.queue_create";
  hal_queue_desc_t desc;
  hal_queue_t* queue;
  hal_status_t* status;
  if (out_queue == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_queue is NULL");
  *out_queue = NULL;
  if ((status = hal_sdk_check_device(device, call)) != NULL) return status;
  if ((status = HAL_SDK_READ(call, hal_queue_desc_t, in, &desc)) != NULL) return status;
  if ((status = check_queue_desc(&desc, call)) != NULL) return status;
  if ((queue = calloc(1, sizeof *queue + desc.label.length)) == NULL) return hal_sdk_status_out_of_memory();
  if ((status = count_queue((hal_sdk_device_t*)device, call)) != NULL) {
    free(queue);
    return status;
  }
  queue->device = (hal_sdk_device_t*)device;
  queue->label.data = queue->label_text;
  queue->label.length = desc.label.length;
  if (desc.label.length != 0) memcpy(queue->label_text, desc.label.data, desc.label.length);
  hal_sdk_object_init(&queue->object, HAL_OBJECT_QUEUE, queue->device->object.instance, &queue->device->object,
                      dispose);
  *out_queue = queue;
  return NULL;
}

static void queue_destroy(hal_queue_t* queue) {
  if (queue == NULL || queue->object.header.kind != HAL_OBJECT_QUEUE) return;
  __atomic_sub_fetch(&queue->device->queue_count, 1, __ATOMIC_ACQ_REL);
  hal_sdk_object_destroy(queue);
}

/* ---- submit ---- */

static hal_status_t* check_signals(const hal_submission_t* submission) {
  uint32_t i;
  for (i = 0; i < submission->signal_count; i++) {
    uint64_t present = hal_sdk_semaphore_value(submission->signals[i].semaphore);
    if (submission->signals[i].value > present) continue;
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, HAL_SDK_SUBMIT,
                          "signals[%u].value %llu is not above the semaphore's present one, %llu; values only grow", i,
                          (unsigned long long)submission->signals[i].value, (unsigned long long)present);
  }
  return NULL;
}

static hal_status_t* check_lists(const hal_queue_t* queue, const hal_submission_t* submission) {
  const hal_sdk_instance_t* instance = queue->object.instance;
  hal_status_t* status = hal_sdk_check_chain(HAL_SDK_SUBMIT, submission->next);
  if (status != NULL || (status = hal_sdk_check_label(submission->label)) != NULL) return status;
  status = hal_sdk_check_semaphores(HAL_SDK_SUBMIT, "waits", instance, submission->waits, submission->wait_count);
  if (status != NULL) return status;
  status = hal_sdk_check_semaphores(HAL_SDK_SUBMIT, "signals", instance, submission->signals, submission->signal_count);
  return status != NULL ? status : check_signals(submission);
}

static hal_status_t* check_work(const hal_queue_t* queue, const hal_submission_t* submission, uint64_t* bytes) {
  uint32_t i;
  if (submission->work_count != 0 && submission->work == NULL) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, HAL_SDK_SUBMIT, "work is NULL and work_count is %u",
                          submission->work_count);
  }
  for (i = 0; i < submission->work_count; i++) {
    hal_status_t* status = hal_sdk_work_check(queue->device, submission->work[i], bytes);
    if (status != NULL) return status;
  }
  return NULL;
}

static hal_status_t* submit(hal_queue_t* queue, const hal_submission_t* in) {
  hal_submission_t submission;
  uint64_t bytes = 0;
  hal_status_t* status = hal_sdk_check_object(queue, HAL_OBJECT_QUEUE, HAL_SDK_SUBMIT);
  if (status != NULL || (status = hal_sdk_check_device(queue->device, HAL_SDK_SUBMIT)) != NULL) return status;
  if ((status = HAL_SDK_READ(HAL_SDK_SUBMIT, hal_submission_t, in, &submission)) != NULL) return status;
  if ((status = check_lists(queue, &submission)) != NULL) return status;
  if ((status = check_work(queue, &submission, &bytes)) != NULL) return status;
  return hal_sdk_submission_start(queue, &submission, bytes);
}

const hal_queue_group_t hal_sdk_queue_group = {sizeof(hal_queue_group_t),
                                               1,
                                               queue_create,
                                               queue_destroy,
                                               submit,
                                               hal_sdk_semaphore_create,
                                               hal_sdk_semaphore_destroy,
                                               hal_sdk_semaphore_query,
                                               hal_sdk_semaphore_signal,
                                               hal_sdk_semaphore_fail,
                                               hal_sdk_semaphore_wait,
                                               NULL,
                                               NULL};
