/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside the SDK: a queue, and how a checked submission is started.
 */
#ifndef HAL_SDK_SUBMISSION_H_
#define HAL_SDK_SUBMISSION_H_

#include "hal/sdk/queue.h"
#include "work.h"

struct hal_queue {
  hal_sdk_object_t object;
  hal_sdk_device_t* device;
  hal_string_t label;
  char label_text[];
};

/* Copies a checked submission (`work_bytes`: what its work takes) and sends it on its way. OUT_OF_MEMORY. */
hal_status_t* hal_sdk_submission_start(hal_queue_t* queue, const hal_submission_t* submission, uint64_t work_bytes);

#endif /* HAL_SDK_SUBMISSION_H_ */
