/* SPDX-License-Identifier: Apache-2.0
 *
 * How an application calls a plugin: inline functions over the tables that the first pointer of each object leads to.
 * The loader copied each group by its size into a full-length table; an absent slot holds a function that returns
 * UNSUPPORTED, so there is no NULL test, no lock, no allocation and no look-up here. A layer is other tables.
 *
 * A create call stores the parent's table in the new object. For what each call means, see the group's header.
 */
#ifndef HAL_CALLS_H_
#define HAL_CALLS_H_

#include "hal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pointers, so that a group can grow without moving the next one under a program that was built before (HAL-ABI-03).
 * None is NULL. Append-only, in group-id order. */
typedef struct hal_calls {
  const hal_device_group_t* device;
  const hal_memory_group_t* memory;
  const hal_queue_group_t* queue;
  const hal_executable_group_t* executable;
  const hal_command_buffer_group_t* command_buffer;
  const hal_collective_group_t* collective;
  const hal_profiling_group_t* profiling;
  const hal_telemetry_group_t* telemetry;
  const hal_extension_group_t* extension;
} hal_calls_t;

/* The table of any object. */
static inline const hal_calls_t* hal_calls_of(const void* object) {
  return ((const hal_object_t*)object)->calls;
}

/* Stores `calls` in the object that a create call just made, if it did, and passes the status on. */
static inline hal_status_t* hal_adopt(const hal_calls_t* calls, hal_status_t* status, void* object) {
  if (status == NULL) ((hal_object_t*)object)->calls = calls;
  return status;
}

/* ---- device ---- */

static inline hal_status_t* hal_device_capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  return hal_calls_of(device)->device->capabilities(device, out_caps);
}

static inline hal_status_t* hal_device_query_support(hal_device_t* device, const hal_support_query_t* query,
                                                     hal_support_t* out_support) {
  return hal_calls_of(device)->device->query_support(device, query, out_support);
}

static inline hal_status_t* hal_device_state(hal_device_t* device, hal_device_state_t* out_state) {
  return hal_calls_of(device)->device->state(device, out_state);
}

static inline hal_status_t* hal_device_reset(hal_device_t* device) { return hal_calls_of(device)->device->reset(device); }

/* ---- memory ---- */

static inline hal_status_t* hal_device_heaps(hal_device_t* device, uint32_t capacity, uint32_t* out_count,
                                             hal_heap_info_t* out_infos) {
  return hal_calls_of(device)->memory->heaps(device, capacity, out_count, out_infos);
}

static inline hal_status_t* hal_heap_statistics(hal_device_t* device, uint32_t heap,
                                                hal_heap_statistics_t* out_statistics) {
  return hal_calls_of(device)->memory->heap_statistics(device, heap, out_statistics);
}

static inline hal_status_t* hal_buffer_create(hal_device_t* device, const hal_buffer_desc_t* desc,
                                              hal_buffer_t** out_buffer) {
  const hal_calls_t* calls = hal_calls_of(device);
  hal_status_t* status = calls->memory->buffer_create(device, desc, out_buffer);
  return hal_adopt(calls, status, *out_buffer);
}

static inline void hal_buffer_destroy(hal_buffer_t* buffer) {
  if (buffer != NULL) hal_calls_of(buffer)->memory->buffer_destroy(buffer);
}

static inline hal_status_t* hal_buffer_info(hal_buffer_t* buffer, hal_buffer_info_t* out_info) {
  return hal_calls_of(buffer)->memory->buffer_info(buffer, out_info);
}

static inline hal_status_t* hal_buffer_map(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags,
                                           void** out_address) {
  return hal_calls_of(buffer)->memory->buffer_map(buffer, offset, length, flags, out_address);
}

static inline hal_status_t* hal_buffer_unmap(hal_buffer_t* buffer) {
  return hal_calls_of(buffer)->memory->buffer_unmap(buffer);
}

static inline hal_status_t* hal_buffer_flush(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return hal_calls_of(buffer)->memory->buffer_flush(buffer, offset, length);
}

static inline hal_status_t* hal_buffer_invalidate(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return hal_calls_of(buffer)->memory->buffer_invalidate(buffer, offset, length);
}

static inline hal_status_t* hal_buffer_address(hal_buffer_t* buffer, uint64_t* out_address) {
  return hal_calls_of(buffer)->memory->buffer_address(buffer, out_address);
}

static inline hal_status_t* hal_buffer_import(hal_device_t* device, const hal_external_memory_t* memory,
                                              hal_buffer_t** out_buffer) {
  const hal_calls_t* calls = hal_calls_of(device);
  hal_status_t* status = calls->memory->buffer_import(device, memory, out_buffer);
  return hal_adopt(calls, status, *out_buffer);
}

static inline hal_status_t* hal_buffer_export(hal_buffer_t* buffer, hal_handle_type_t type,
                                              hal_external_memory_t* out_memory) {
  return hal_calls_of(buffer)->memory->buffer_export(buffer, type, out_memory);
}

/* ---- queue and semaphore ---- */

static inline hal_status_t* hal_queue_create(hal_device_t* device, const hal_queue_desc_t* desc,
                                             hal_queue_t** out_queue) {
  const hal_calls_t* calls = hal_calls_of(device);
  hal_status_t* status = calls->queue->queue_create(device, desc, out_queue);
  return hal_adopt(calls, status, *out_queue);
}

static inline void hal_queue_destroy(hal_queue_t* queue) {
  if (queue != NULL) hal_calls_of(queue)->queue->queue_destroy(queue);
}

static inline hal_status_t* hal_queue_submit(hal_queue_t* queue, const hal_submission_t* submission) {
  return hal_calls_of(queue)->queue->submit(queue, submission);
}

static inline hal_status_t* hal_semaphore_create(hal_device_t* device, uint64_t initial_value,
                                                 hal_semaphore_t** out_semaphore) {
  const hal_calls_t* calls = hal_calls_of(device);
  hal_status_t* status = calls->queue->semaphore_create(device, initial_value, out_semaphore);
  return hal_adopt(calls, status, *out_semaphore);
}

static inline void hal_semaphore_destroy(hal_semaphore_t* semaphore) {
  if (semaphore != NULL) hal_calls_of(semaphore)->queue->semaphore_destroy(semaphore);
}

static inline hal_status_t* hal_semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value) {
  return hal_calls_of(semaphore)->queue->semaphore_query(semaphore, out_value);
}

static inline hal_status_t* hal_semaphore_signal(hal_semaphore_t* semaphore, uint64_t value) {
  return hal_calls_of(semaphore)->queue->semaphore_signal(semaphore, value);
}

static inline hal_status_t* hal_semaphore_fail(hal_semaphore_t* semaphore, const hal_status_t* failure) {
  return hal_calls_of(semaphore)->queue->semaphore_fail(semaphore, failure);
}

static inline hal_status_t* hal_semaphore_wait(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                                               const hal_semaphore_value_t* values, hal_time_t deadline,
                                               uint32_t* out_index) {
  return hal_calls_of(device)->queue->semaphore_wait(device, mode, count, values, deadline, out_index);
}

/* ---- executable ---- */

static inline hal_status_t* hal_executable_can_load(hal_device_t* device, const hal_executable_desc_t* desc,
                                                    hal_load_grade_t* out_grade, hal_string_t* out_reason) {
  return hal_calls_of(device)->executable->can_load(device, desc, out_grade, out_reason);
}

static inline hal_status_t* hal_executable_load(hal_device_t* device, const hal_executable_desc_t* desc,
                                                hal_executable_t** out_executable) {
  const hal_calls_t* calls = hal_calls_of(device);
  hal_status_t* status = calls->executable->load(device, desc, out_executable);
  return hal_adopt(calls, status, *out_executable);
}

static inline void hal_executable_destroy(hal_executable_t* executable) {
  if (executable != NULL) hal_calls_of(executable)->executable->destroy(executable);
}

static inline hal_status_t* hal_executable_entries(hal_executable_t* executable, uint32_t capacity,
                                                   uint32_t* out_count, hal_entry_info_t* out_infos) {
  return hal_calls_of(executable)->executable->entries(executable, capacity, out_count, out_infos);
}

static inline hal_status_t* hal_executable_export(hal_executable_t* executable, uint64_t capacity, uint64_t* out_count,
                                                  void* out_bytes, hal_string_t* out_compatibility) {
  return hal_calls_of(executable)->executable->export_artefact(executable, capacity, out_count, out_bytes,
                                                              out_compatibility);
}

/* ---- command buffer ---- */

static inline hal_status_t* hal_command_buffer_create(hal_device_t* device, const hal_command_buffer_desc_t* desc,
                                                      hal_command_buffer_t** out_command_buffer) {
  const hal_calls_t* calls = hal_calls_of(device);
  hal_status_t* status = calls->command_buffer->create(device, desc, out_command_buffer);
  return hal_adopt(calls, status, *out_command_buffer);
}

static inline void hal_command_buffer_destroy(hal_command_buffer_t* command_buffer) {
  if (command_buffer != NULL) hal_calls_of(command_buffer)->command_buffer->destroy(command_buffer);
}

static inline hal_status_t* hal_command_buffer_record(hal_command_buffer_t* command_buffer, const hal_work_t* work) {
  return hal_calls_of(command_buffer)->command_buffer->record(command_buffer, work);
}

static inline hal_status_t* hal_command_buffer_barrier(hal_command_buffer_t* command_buffer) {
  return hal_calls_of(command_buffer)->command_buffer->barrier(command_buffer);
}

static inline hal_status_t* hal_command_buffer_finish(hal_command_buffer_t* command_buffer) {
  return hal_calls_of(command_buffer)->command_buffer->finish(command_buffer);
}

#ifdef __cplusplus
}
#endif
#endif /* HAL_CALLS_H_ */
