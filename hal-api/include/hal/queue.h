/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "queue": timeline semaphores and the one submit call (HAL-ABI-10). Every queue operation has the same shape:
 * wait list, work, signal list. Copies, fills, dispatches, command buffers, allocations in queue order, host calls and
 * collectives differ only in the work. Errors that come later travel in semaphores and nowhere else.
 *
 * Ordering: work items of one submission run in order, each seeing what the one before wrote. Submissions to one queue
 * are ordered only through semaphores; a queue may run independent submissions in any order or at once.
 * A wait list that can never be satisfied keeps the submission pending; it fails when a semaphore of it fails.
 * When a submission fails, each semaphore of its signal list fails with the first failure as its cause.
 */
#ifndef HAL_QUEUE_H_
#define HAL_QUEUE_H_

#include "hal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A semaphore with the value to wait for or to signal. Values only grow; 2^63-1 is the largest. */
typedef struct hal_semaphore_value {
  hal_semaphore_t* semaphore;
  uint64_t value;
} hal_semaphore_value_t;

/* A range of a buffer. In a command buffer `buffer` may be NULL: then `slot` names an entry of the binding table that
 * comes with the submission (late binding, HAL-ABI-15). length HAL_WHOLE_BUFFER: from offset to the end. */
typedef struct hal_buffer_range {
  hal_buffer_t* buffer;
  uint64_t offset;
  uint64_t length;
  uint32_t slot;
  uint32_t reserved0;
} hal_buffer_range_t;
#define HAL_WHOLE_BUFFER UINT64_MAX

typedef uint32_t hal_work_type_t;
#define HAL_WORK_NONE 0u
#define HAL_WORK_COPY 1u
#define HAL_WORK_FILL 2u
#define HAL_WORK_UPDATE 3u
#define HAL_WORK_DISPATCH 4u
#define HAL_WORK_COMMAND_BUFFER 5u
#define HAL_WORK_HOST_CALL 6u
#define HAL_WORK_ALLOC 7u
#define HAL_WORK_FREE 8u
#define HAL_WORK_COLLECTIVE 9u

/* What every work item begins with; `type` says which struct follows. A type that the device does not know is
 * UNSUPPORTED from submit. Labels name the operation in failures, traces and profiles. */
typedef struct hal_work {
  uint32_t struct_size;
  hal_work_type_t type;
  hal_string_t label;
  const hal_chain_t* next;
} hal_work_t;

/* HAL_WORK_COPY: device memory to device memory. The ranges have the same length and share no
 * byte (else INVALID_ARGUMENT). 2-D (HAL_FEATURE_COPY_2D): `rows` rows of the range's length, each pitch bytes
 * after the last; rows 0 means 1. */
typedef struct hal_work_copy {
  hal_work_t header;
  hal_buffer_range_t source;
  hal_buffer_range_t target;
  uint64_t rows;
  uint64_t source_pitch;
  uint64_t target_pitch;
} hal_work_copy_t;
#define HAL_WORK_COPY_INIT \
  {{sizeof(hal_work_copy_t), HAL_WORK_COPY, {NULL, 0}, NULL}, {NULL, 0, 0, 0, 0}, {NULL, 0, 0, 0, 0}, 0, 0, 0}

/* HAL_WORK_FILL: repeats a pattern of 1, 2, 4 or 8 bytes (the low bytes of `pattern`, little-endian). Offset and length
 * are multiples of pattern_size (else INVALID_ARGUMENT). */
typedef struct hal_work_fill {
  hal_work_t header;
  hal_buffer_range_t target;
  uint64_t pattern;
  uint32_t pattern_size;
  uint32_t reserved0;
} hal_work_fill_t;
#define HAL_WORK_FILL_INIT {{sizeof(hal_work_fill_t), HAL_WORK_FILL, {NULL, 0}, NULL}, {NULL, 0, 0, 0, 0}, 0, 0, 0}

/* HAL_WORK_UPDATE: host bytes into device memory. `data` is copied before submit returns; at most 65,536 bytes. */
typedef struct hal_work_update {
  hal_work_t header;
  hal_buffer_range_t target;
  const void* data;
} hal_work_update_t;
#define HAL_WORK_UPDATE_INIT {{sizeof(hal_work_update_t), HAL_WORK_UPDATE, {NULL, 0}, NULL}, {NULL, 0, 0, 0, 0}, NULL}

/* HAL_WORK_DISPATCH: runs an entry point over a grid of workgroups. Constants are copied before submit returns. A grid
 * with a zero extent does nothing. */
typedef struct hal_work_dispatch {
  hal_work_t header;
  hal_executable_t* executable;
  uint32_t entry;                     /* index of the entry point */
  uint32_t workgroup_count[3];
  uint32_t constant_bytes;
  uint32_t binding_count;
  const void* constants;
  const hal_buffer_range_t* bindings; /* copied before submit returns */
} hal_work_dispatch_t;
#define HAL_WORK_DISPATCH_INIT \
  {{sizeof(hal_work_dispatch_t), HAL_WORK_DISPATCH, {NULL, 0}, NULL}, NULL, 0, {0, 0, 0}, 0, 0, NULL, NULL}

/* HAL_WORK_COMMAND_BUFFER: runs a recorded command buffer with a binding table. */
typedef struct hal_work_command_buffer {
  hal_work_t header;
  hal_command_buffer_t* command_buffer;
  const hal_buffer_range_t* bindings;
  uint32_t binding_count;
  uint32_t reserved0;
} hal_work_command_buffer_t;
#define HAL_WORK_COMMAND_BUFFER_INIT \
  {{sizeof(hal_work_command_buffer_t), HAL_WORK_COMMAND_BUFFER, {NULL, 0}, NULL}, NULL, NULL, 0, 0}

/* HAL_WORK_HOST_CALL: calls the host on a thread of the plugin that holds no lock. The callback must not block and may
 * submit but not wait. A status that it returns (ownership passes) fails the submission. */
typedef struct hal_work_host_call {
  hal_work_t header;
  hal_status_t* (*call)(void* user_data);
  void* user_data;
} hal_work_host_call_t;
#define HAL_WORK_HOST_CALL_INIT {{sizeof(hal_work_host_call_t), HAL_WORK_HOST_CALL, {NULL, 0}, NULL}, NULL, NULL}

/* HAL_WORK_ALLOC: memory in queue order. `buffer` was created with HAL_BUFFER_DEFERRED, so that it has no memory
 * yet: ALLOC gives it some, HAL_WORK_FREE (same struct) takes it back, each in queue order. */
typedef struct hal_work_alloc {
  hal_work_t header;
  hal_buffer_t* buffer;
} hal_work_alloc_t;

/* HAL_WORK_COLLECTIVE: see hal/collective.h for the operation codes. */
typedef struct hal_work_collective {
  hal_work_t header;
  hal_communicator_t* communicator;
  uint32_t operation;
  uint32_t reduction;
  uint32_t dtype;
  uint32_t root;
  uint64_t count;
  hal_buffer_range_t source;
  hal_buffer_range_t target;
} hal_work_collective_t;

/* One submission. Arrays are read before submit returns. */
typedef struct hal_submission {
  uint32_t struct_size;
  uint32_t wait_count;
  const hal_semaphore_value_t* waits;
  const hal_work_t* const* work;
  const hal_semaphore_value_t* signals;
  uint32_t work_count;
  uint32_t signal_count;
  hal_string_t label;
  const hal_chain_t* next;
} hal_submission_t;
#define HAL_SUBMISSION_INIT {sizeof(hal_submission_t), 0, NULL, NULL, NULL, 0, 0, {NULL, 0}, NULL}

#define HAL_QUEUE_COMPUTE (UINT64_C(1) << 0)
#define HAL_QUEUE_TRANSFER (UINT64_C(1) << 1)

typedef struct hal_queue_desc {
  uint32_t struct_size;
  int32_t priority;     /* 0 normal, higher is sooner; a hint */
  uint64_t kind;        /* HAL_QUEUE_*; 0: any */
  hal_string_t label;
  const hal_chain_t* next;
} hal_queue_desc_t;
#define HAL_QUEUE_DESC_INIT {sizeof(hal_queue_desc_t), 0, 0, {NULL, 0}, NULL}

typedef uint32_t hal_wait_mode_t;
#define HAL_WAIT_ALL 0u
#define HAL_WAIT_ANY 1u

typedef struct hal_queue_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required. Errors: UNSUPPORTED (kind), OUT_OF_RANGE (more than max_queues). */
  hal_status_t* (*queue_create)(hal_device_t* device, const hal_queue_desc_t* desc, hal_queue_t** out_queue);
  /* Required. Allowed at once after the last submit: work that is queued still runs. Never blocks, never fails. */
  void (*queue_destroy)(hal_queue_t* queue);
  /* Required. Enqueues. An error is about the arguments, and then nothing was enqueued and nothing is signalled. */
  hal_status_t* (*submit)(hal_queue_t* queue, const hal_submission_t* submission);
  /* Required. A timeline that starts at `initial_value`. */
  hal_status_t* (*semaphore_create)(hal_device_t* device, uint64_t initial_value, hal_semaphore_t** out_semaphore);
  /* Required. As buffer_destroy. */
  void (*semaphore_destroy)(hal_semaphore_t* semaphore);
  /* Required. The present value; a failed semaphore returns ABORTED with its first failure as the cause, always the
   * same, and *out_value is the last value reached. Never blocks. */
  hal_status_t* (*semaphore_query)(hal_semaphore_t* semaphore, uint64_t* out_value);
  /* Required. Signals from the host. A value not above the present one is INVALID_ARGUMENT. */
  hal_status_t* (*semaphore_signal)(hal_semaphore_t* semaphore, uint64_t value);
  /* Required. Fails it from the host; the first failure stays. `failure` is copied, and stays the caller's. */
  hal_status_t* (*semaphore_fail)(hal_semaphore_t* semaphore, const hal_status_t* failure);
  /* Required. Blocks until all (or any) reach their values, one of them has failed (ABORTED, as in query), or the
   * deadline passes (TIMEOUT). HAL_TIME_POLL never blocks. Ready means that the data is visible to the host. With ANY,
   * *out_index (may be NULL) is one that is ready. An empty list is ready. */
  hal_status_t* (*semaphore_wait)(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                                  const hal_semaphore_value_t* values, hal_time_t deadline, uint32_t* out_index);
  /* Optional. Shares a semaphore with another process or driver, as hal_external_memory_t does for memory. */
  hal_status_t* (*semaphore_export)(hal_semaphore_t* semaphore, uint32_t handle_type, uint64_t* out_handle);
  hal_status_t* (*semaphore_import)(hal_device_t* device, uint32_t handle_type, uint64_t handle,
                                    hal_semaphore_t** out_semaphore);
} hal_queue_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_QUEUE_H_ */
