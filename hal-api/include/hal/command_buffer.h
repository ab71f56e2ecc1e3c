/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "command buffer" (HAL-ABI-15): record work once, submit it often, bind buffers late. Recorded items are the same
 * hal_work_* structs that submit takes; a range whose buffer is NULL names a slot of the binding table.
 */
#ifndef HAL_COMMAND_BUFFER_H_
#define HAL_COMMAND_BUFFER_H_

#include "hal/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HAL_COMMAND_BUFFER_ONE_SHOT (UINT64_C(1) << 0)
#define HAL_COMMAND_BUFFER_NESTED (UINT64_C(1) << 1) /* may be run from another command buffer */

typedef struct hal_command_buffer_desc {
  uint32_t struct_size;
  uint32_t binding_slots; /* size of the binding table */
  uint64_t flags;
  hal_string_t label;
  const hal_chain_t* next;
} hal_command_buffer_desc_t;
#define HAL_COMMAND_BUFFER_DESC_INIT {sizeof(hal_command_buffer_desc_t), 0, 0, {NULL, 0}, NULL}

typedef struct hal_command_buffer_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required with HAL_FEATURE_COMMAND_BUFFERS. Opens it for recording. */
  hal_status_t* (*create)(hal_device_t* device, const hal_command_buffer_desc_t* desc,
                          hal_command_buffer_t** out_command_buffer);
  /* Required with HAL_FEATURE_COMMAND_BUFFERS. As buffer_destroy. */
  void (*destroy)(hal_command_buffer_t* command_buffer);
  /* Required with HAL_FEATURE_COMMAND_BUFFERS. Appends one item; one thread at a time. Items recorded between two
   * barriers may run at once; one after a barrier sees what came before it. FAILED_PRECONDITION after finish. */
  hal_status_t* (*record)(hal_command_buffer_t* command_buffer, const hal_work_t* work);
  /* Required with HAL_FEATURE_COMMAND_BUFFERS. */
  hal_status_t* (*barrier)(hal_command_buffer_t* command_buffer);
  /* Required with HAL_FEATURE_COMMAND_BUFFERS. Ends recording; from now on it may be submitted from any thread. */
  hal_status_t* (*finish)(hal_command_buffer_t* command_buffer);
} hal_command_buffer_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_COMMAND_BUFFER_H_ */
