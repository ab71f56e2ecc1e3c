/* SPDX-License-Identifier: Apache-2.0
 *
 * What submit demands of each type of work.
 */
#include "work_check.h"

#include "hal/sdk/memory.h"
#include "hal/sdk/structs.h"
#include "work.h"

#define CALL HAL_SDK_SUBMIT

static hal_status_t* check_range(const hal_sdk_device_t* device, const char* name, const hal_buffer_range_t* range,
                                 uint64_t* out_length) {
  hal_status_t* status = hal_sdk_check_object(range->buffer, HAL_OBJECT_BUFFER, CALL);
  if (status != NULL) return status;
  if (range->buffer->device != (const hal_device_t*)device) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "%s: the buffer is of another device", name);
  }
  status = hal_sdk_check_zero(CALL, "hal_buffer_range_t", range->reserved0, offsetof(hal_buffer_range_t, reserved0));
  if (status != NULL) return status;
  return hal_sdk_check_range(CALL, name, range->buffer->size, range->offset, range->length, out_length);
}

/* ---- copy ---- */

/* The rows of a 2-D range, as an arithmetic series of intervals. */
typedef struct rows {
  uint64_t offset, pitch;
} rows_t;

/* Whether two series of `count` intervals of `length` bytes meet. Both grow, so one pass over them is enough. */
static int rows_meet(rows_t a, rows_t b, uint64_t count, uint64_t length) {
  uint64_t i = 0, j = 0;
  while (i < count && j < count) {
    uint64_t at_a = a.offset + i * a.pitch, at_b = b.offset + j * b.pitch;
    if (at_a < at_b + length && at_b < at_a + length) return 1;
    if (at_a < at_b) {
      i++;
    } else {
      j++;
    }
  }
  return 0;
}

static uint64_t address_of(const hal_buffer_range_t* range) {
  return (uint64_t)(uintptr_t)range->buffer->memory + range->offset;
}

/* Two buffers share memory only where one of them was imported. */
static int ranges_meet(const hal_work_copy_t* copy, uint64_t rows, uint64_t length) {
  rows_t source = {address_of(&copy->source), copy->source_pitch};
  rows_t target = {address_of(&copy->target), copy->target_pitch};
  const hal_buffer_t *from = copy->source.buffer, *to = copy->target.buffer;
  if (length == 0 || (from != to && !from->imported && !to->imported)) return 0;
  if (source.offset + (rows - 1) * source.pitch + length <= target.offset) return 0;
  if (target.offset + (rows - 1) * target.pitch + length <= source.offset) return 0;
  return rows_meet(source, target, rows, length);
}

/* Checks that `rows` rows fit, beyond the first, which check_range saw. */
static hal_status_t* check_rows(const char* name, const hal_buffer_range_t* range, uint64_t rows, uint64_t pitch,
                                uint64_t length) {
  uint64_t room = range->buffer->size - range->offset - length;
  if (rows == 1) return NULL;
  if (pitch < length) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "%s: pitch %llu is below the row's length %llu", name,
                          (unsigned long long)pitch, (unsigned long long)length);
  }
  if (pitch == 0 || (rows - 1) <= room / pitch) return NULL;
  return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, CALL, "%s: %llu rows with pitch %llu do not fit in %llu bytes", name,
                        (unsigned long long)rows, (unsigned long long)pitch, (unsigned long long)range->buffer->size);
}

hal_status_t* hal_sdk_check_copy(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes) {
  const hal_work_copy_t* copy = (const hal_work_copy_t*)work;
  uint64_t rows = copy->rows != 0 ? copy->rows : 1, source, target;
  hal_status_t* status;
  (void)bytes;
  if ((status = check_range(device, "copy.source", &copy->source, &source)) != NULL) return status;
  if ((status = check_range(device, "copy.target", &copy->target, &target)) != NULL) return status;
  if (source != target) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "copy: the source has %llu bytes and the target %llu",
                          (unsigned long long)source, (unsigned long long)target);
  }
  if (rows > 1 && (device->caps->features & HAL_FEATURE_COPY_2D) == 0) {
    return hal_sdk_status(HAL_STATUS_UNSUPPORTED, CALL, "copy: the device copies one row at a time; rows is %llu",
                          (unsigned long long)rows);
  }
  if ((status = check_rows("copy.source", &copy->source, rows, copy->source_pitch, source)) != NULL) return status;
  if ((status = check_rows("copy.target", &copy->target, rows, copy->target_pitch, source)) != NULL) return status;
  if (!ranges_meet(copy, rows, source)) return NULL;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "copy: source and target share bytes; use a third buffer");
}

/* ---- fill and update ---- */

hal_status_t* hal_sdk_check_fill(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes) {
  const hal_work_fill_t* fill = (const hal_work_fill_t*)work;
  uint32_t size = fill->pattern_size;
  uint64_t length;
  hal_status_t* status;
  (void)bytes;
  if ((status = check_range(device, "fill.target", &fill->target, &length)) != NULL) return status;
  status = hal_sdk_check_zero(CALL, "hal_work_fill_t", fill->reserved0, offsetof(hal_work_fill_t, reserved0));
  if (status != NULL) return status;
  if (size != 1 && size != 2 && size != 4 && size != 8) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "fill: pattern_size is %u; expected 1, 2, 4 or 8", size);
  }
  if (fill->target.offset % size == 0 && length % size == 0) return NULL;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL,
                        "fill: offset %llu and length %llu are not both multiples of the pattern's %u bytes",
                        (unsigned long long)fill->target.offset, (unsigned long long)length, size);
}

hal_status_t* hal_sdk_check_update(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes) {
  const hal_work_update_t* update = (const hal_work_update_t*)work;
  uint64_t length;
  hal_status_t* status = check_range(device, "update.target", &update->target, &length);
  if (status != NULL) return status;
  if (length > HAL_SDK_MAX_UPDATE) {
    return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, CALL, "update: %llu bytes are more than %u; copy from a buffer",
                          (unsigned long long)length, HAL_SDK_MAX_UPDATE);
  }
  if (length != 0 && update->data == NULL)
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "update: data is NULL");
  *bytes += hal_sdk_arena_size(length);
  return NULL;
}

/* ---- dispatch and host call ---- */

static hal_status_t* check_entry(const hal_sdk_device_t* device, const hal_work_dispatch_t* dispatch) {
  const hal_sdk_executable_t* executable = (const hal_sdk_executable_t*)dispatch->executable;
  const hal_entry_info_t* entry;
  if (executable->object.parent != &device->object) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "dispatch: the executable is of another device");
  }
  if (dispatch->entry >= executable->entry_count) {
    return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, CALL, "dispatch: entry %u of an executable with %u", dispatch->entry,
                          executable->entry_count);
  }
  entry = &executable->entries[dispatch->entry];
  if (dispatch->binding_count != entry->binding_count || dispatch->constant_bytes != entry->constant_bytes) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL,
                          "dispatch: '%.*s' takes %u bindings and %u bytes of constants; got %u and %u",
                          HAL_SDK_STRING_ARGS(entry->name), entry->binding_count, entry->constant_bytes,
                          dispatch->binding_count, dispatch->constant_bytes);
  }
  return NULL;
}

static hal_status_t* check_grid(const hal_sdk_device_t* device, const hal_work_dispatch_t* dispatch) {
  int i;
  for (i = 0; i < 3; i++) {
    if (dispatch->workgroup_count[i] <= device->caps->max_workgroup_count[i]) continue;
    return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, CALL, "dispatch: workgroup_count[%d] is %u; the most is %u", i,
                          dispatch->workgroup_count[i], device->caps->max_workgroup_count[i]);
  }
  return NULL;
}

hal_status_t* hal_sdk_check_dispatch(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes) {
  const hal_work_dispatch_t* dispatch = (const hal_work_dispatch_t*)work;
  uint64_t length;
  uint32_t i;
  hal_status_t* status = hal_sdk_check_object(dispatch->executable, HAL_OBJECT_EXECUTABLE, CALL);
  if (status != NULL || (status = check_entry(device, dispatch)) != NULL) return status;
  if ((status = check_grid(device, dispatch)) != NULL) return status;
  if ((dispatch->binding_count != 0 && dispatch->bindings == NULL) ||
      (dispatch->constant_bytes != 0 && dispatch->constants == NULL)) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "dispatch: bindings or constants are NULL");
  }
  for (i = 0; i < dispatch->binding_count; i++) {
    status = check_range(device, "dispatch.bindings", &dispatch->bindings[i], &length);
    if (status != NULL) return status;
  }
  *bytes += hal_sdk_arena_size(dispatch->binding_count * sizeof(hal_buffer_range_t));
  *bytes += hal_sdk_arena_size(dispatch->constant_bytes);
  return NULL;
}

hal_status_t* hal_sdk_check_host_call(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes) {
  (void)device;
  (void)bytes;
  if (((const hal_work_host_call_t*)work)->call != NULL) return NULL;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, CALL, "host call: call is NULL; expected a function");
}
