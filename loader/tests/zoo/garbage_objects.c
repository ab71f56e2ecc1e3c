/* SPDX-License-Identifier: Apache-2.0
 * Good until it is used: then it returns one wrong thing; the variable ZOO_GARBAGE says which. */
#define ZOO_NAME "zoo-garbage-objects"
#include "zoo.h"

static int is(const char* what) {
  const char* chosen = getenv("ZOO_GARBAGE");
  return chosen != NULL && strcmp(chosen, what) == 0;
}

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  hal_status_t* status;
  *out_instance = NULL;
  if (is("instance null")) return NULL;
  status = zoo_initialize(desc, out_instance);
  if (is("instance kind")) ((hal_object_t*)*out_instance)->kind = HAL_OBJECT_DEVICE;
  return status;
}

static hal_status_t* enumerate(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                               hal_device_info_t* out_infos) {
  hal_status_t* status = zoo_enumerate(instance, capacity, out_count, out_infos);
  if (is("device count")) *out_count = UINT32_MAX;
  if (is("two of one chip")) {
    *out_count = 2;
    if (capacity > 1) out_infos[1] = out_infos[0];
  }
  if (capacity == 0) return status;
  if (is("device name long")) out_infos[0].name.length = UINT64_MAX;
  if (is("device vendor null")) out_infos[0].vendor.data = NULL;
  return status;
}

static hal_status_t* open_device(hal_instance_t* instance, uint32_t index, hal_device_t** out_device) {
  hal_status_t* status = is("device null") ? NULL : zoo_open(instance, index, out_device);
  if (is("device kind")) ((hal_object_t*)*out_device)->kind = 7;
  return status;
}

static void spoil(void) {
  zoo_device.initialize = initialize;
  zoo_device.enumerate = enumerate;
  zoo_device.open = open_device;
}

ZOO_QUERY_SPOILT(spoil())
