/* SPDX-License-Identifier: Apache-2.0
 *
 * Work items: the table of types, and their copies.
 */
#include "work.h"

#include <string.h>

#include "hal/sdk/memory.h"
#include "hal/sdk/structs.h"
#include "work_check.h"

typedef union any_work {
  hal_work_t header;
  hal_work_copy_t copy;
  hal_work_fill_t fill;
  hal_work_update_t update;
  hal_work_dispatch_t dispatch;
  hal_work_host_call_t host_call;
} any_work_t;

static int grid_is_empty(const hal_work_dispatch_t* work) {
  return work->workgroup_count[0] == 0 || work->workgroup_count[1] == 0 || work->workgroup_count[2] == 0;
}

/* ---- run ---- */

static hal_status_t* run_copy(hal_sdk_device_t* device, const hal_work_t* work) {
  const hal_work_copy_t* copy = (const hal_work_copy_t*)work;
  return copy->source.length == 0 ? NULL : device->driver->copy((hal_device_t*)device, copy);
}

static hal_status_t* run_fill(hal_sdk_device_t* device, const hal_work_t* work) {
  const hal_work_fill_t* fill = (const hal_work_fill_t*)work;
  return fill->target.length == 0 ? NULL : device->driver->fill((hal_device_t*)device, fill);
}

static hal_status_t* run_update(hal_sdk_device_t* device, const hal_work_t* work) {
  const hal_work_update_t* update = (const hal_work_update_t*)work;
  return update->target.length == 0 ? NULL : device->driver->update((hal_device_t*)device, update);
}

static hal_status_t* run_dispatch(hal_sdk_device_t* device, const hal_work_t* work) {
  const hal_work_dispatch_t* dispatch = (const hal_work_dispatch_t*)work;
  return grid_is_empty(dispatch) ? NULL : device->driver->dispatch((hal_device_t*)device, dispatch);
}

static hal_status_t* run_host_call(hal_sdk_device_t* device, const hal_work_t* work) {
  const hal_work_host_call_t* host_call = (const hal_work_host_call_t*)work;
  (void)device;
  return host_call->call(host_call->user_data);
}

/* ---- the table ---- */

static int has_copy(const hal_sdk_driver_t* driver) { return driver->copy != NULL; }
static int has_fill(const hal_sdk_driver_t* driver) { return driver->fill != NULL; }
static int has_update(const hal_sdk_driver_t* driver) { return driver->update != NULL; }
static int has_dispatch(const hal_sdk_driver_t* driver) { return driver->dispatch != NULL; }
static int has_host_call(const hal_sdk_driver_t* driver) { return driver != NULL; }

typedef struct work_type {
  hal_work_type_t type;
  uint32_t size;
  const char* name;
  const char* struct_name;
  int (*has)(const hal_sdk_driver_t* driver);
  hal_status_t* (*check)(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes);
  hal_status_t* (*run)(hal_sdk_device_t* device, const hal_work_t* work);
} work_type_t;

static const work_type_t types[] = {
    {HAL_WORK_COPY, sizeof(hal_work_copy_t), "copy", "hal_work_copy_t", has_copy, hal_sdk_check_copy, run_copy},
    {HAL_WORK_FILL, sizeof(hal_work_fill_t), "fill", "hal_work_fill_t", has_fill, hal_sdk_check_fill, run_fill},
    {HAL_WORK_UPDATE, sizeof(hal_work_update_t), "update", "hal_work_update_t", has_update, hal_sdk_check_update,
     run_update},
    {HAL_WORK_DISPATCH, sizeof(hal_work_dispatch_t), "dispatch", "hal_work_dispatch_t", has_dispatch,
     hal_sdk_check_dispatch, run_dispatch},
    {HAL_WORK_HOST_CALL, sizeof(hal_work_host_call_t), "host call", "hal_work_host_call_t", has_host_call,
     hal_sdk_check_host_call, run_host_call},
};

static const work_type_t* type_of(hal_work_type_t type) {
  size_t i;
  for (i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].type == type) return &types[i];
  }
  return NULL;
}

const char* hal_sdk_work_name(const hal_work_t* work) { return type_of(work->type)->name; }

/* ---- check ---- */

hal_status_t* hal_sdk_check_label(hal_string_t label) {
  if (label.length <= HAL_SDK_MAX_LABEL && (label.length == 0 || label.data != NULL)) return NULL;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, HAL_SDK_SUBMIT,
                        "a label of %llu bytes%s; expected at most %u bytes of text", (unsigned long long)label.length,
                        label.data == NULL ? " at NULL" : "", HAL_SDK_MAX_LABEL);
}

static hal_status_t* find_type(const hal_sdk_device_t* device, const hal_work_t* work, const work_type_t** out_type) {
  if (work == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, HAL_SDK_SUBMIT, "a work item is NULL");
  if (work->struct_size < sizeof(hal_work_t)) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, HAL_SDK_SUBMIT,
                          "hal_work_t.struct_size is %u; expected at least %u; begin with the struct's INIT macro",
                          work->struct_size, (unsigned)sizeof(hal_work_t));
  }
  *out_type = type_of(work->type);
  if (*out_type != NULL && (*out_type)->has(device->driver)) return NULL;
  return hal_sdk_status(HAL_STATUS_UNSUPPORTED, HAL_SDK_SUBMIT, "the device knows no work of type %u", work->type);
}

hal_status_t* hal_sdk_work_check(hal_sdk_device_t* device, const hal_work_t* work, uint64_t* bytes) {
  const work_type_t* type = NULL;
  any_work_t any;
  hal_status_t* status = find_type(device, work, &type);
  if (status != NULL) return status;
  status = hal_sdk_read_struct(HAL_SDK_SUBMIT, type->struct_name, work, sizeof(hal_work_t), type->size, &any);
  if (status != NULL) return status;
  if ((status = hal_sdk_check_label(work->label)) != NULL) return status;
  if ((status = hal_sdk_check_chain(HAL_SDK_SUBMIT, work->next)) != NULL) return status;
  *bytes += hal_sdk_arena_size(type->size) + hal_sdk_arena_size(work->label.length);
  return type->check(device, &any.header, bytes);
}

/* ---- copy and release ---- */

void* hal_sdk_arena_copy(hal_sdk_arena_t* arena, const void* data, uint64_t bytes) {
  void* copy = arena->at;
  if (bytes != 0 && data != NULL) memcpy(copy, data, bytes);
  arena->at += hal_sdk_arena_size(bytes);
  return copy;
}

static void take_range(hal_buffer_range_t* range) {
  if (range->length == HAL_WHOLE_BUFFER) range->length = range->buffer->size - range->offset;
  hal_sdk_object_retain(&range->buffer->object);
}

static void drop_range(hal_buffer_range_t* range) { hal_sdk_object_release(&range->buffer->object); }

static void visit_ranges(any_work_t* work, void (*visit)(hal_buffer_range_t* range)) {
  uint32_t i;
  if (work->header.type == HAL_WORK_COPY) {
    visit(&work->copy.source);
    visit(&work->copy.target);
  } else if (work->header.type == HAL_WORK_FILL) {
    visit(&work->fill.target);
  } else if (work->header.type == HAL_WORK_UPDATE) {
    visit(&work->update.target);
  } else if (work->header.type == HAL_WORK_DISPATCH) {
    for (i = 0; i < work->dispatch.binding_count; i++) visit((hal_buffer_range_t*)&work->dispatch.bindings[i]);
  }
}

static void copy_details(hal_sdk_arena_t* arena, any_work_t* copy) {
  if (copy->header.type == HAL_WORK_COPY && copy->copy.rows == 0) copy->copy.rows = 1;
  if (copy->header.type == HAL_WORK_DISPATCH) {
    hal_work_dispatch_t* dispatch = &copy->dispatch;
    dispatch->bindings =
        hal_sdk_arena_copy(arena, dispatch->bindings, dispatch->binding_count * sizeof *dispatch->bindings);
    dispatch->constants = hal_sdk_arena_copy(arena, dispatch->constants, dispatch->constant_bytes);
    hal_sdk_object_retain((hal_sdk_object_t*)dispatch->executable);
  }
  visit_ranges(copy, take_range);
  if (copy->header.type == HAL_WORK_UPDATE) {
    copy->update.data = hal_sdk_arena_copy(arena, copy->update.data, copy->update.target.length);
  }
}

hal_work_t* hal_sdk_work_copy(hal_sdk_arena_t* arena, const hal_work_t* work) {
  any_work_t* copy = hal_sdk_arena_copy(arena, work, type_of(work->type)->size);
  copy->header.label.data = hal_sdk_arena_copy(arena, work->label.data, work->label.length);
  copy->header.next = NULL;
  copy_details(arena, copy);
  return &copy->header;
}

hal_status_t* hal_sdk_work_run(hal_sdk_device_t* device, const hal_work_t* work) {
  return type_of(work->type)->run(device, work);
}

void hal_sdk_work_release(hal_work_t* work) {
  any_work_t* any = (any_work_t*)work;
  visit_ranges(any, drop_range);
  if (work->type == HAL_WORK_DISPATCH) hal_sdk_object_release((hal_sdk_object_t*)any->dispatch.executable);
}
