/* SPDX-License-Identifier: Apache-2.0
 *
 * Slots of the device and executable groups that are the same for every plugin: hal/sdk/device.h.
 */
#include "hal/sdk/device.h"

#include "hal/sdk/structs.h"

hal_status_t* hal_sdk_check_device(const void* device, const char* call) {
  hal_status_t* status = hal_sdk_check_object(device, HAL_OBJECT_DEVICE, call);
  if (status != NULL) return status;
  if (__atomic_load_n(&((const hal_sdk_device_t*)device)->state, __ATOMIC_ACQUIRE) == HAL_DEVICE_STATE_READY)
    return NULL;
  return hal_sdk_status(HAL_STATUS_DEVICE_LOST, call, "the device is lost; reset it, or close and reopen it");
}

void hal_sdk_device_set_state(hal_sdk_device_t* device, hal_device_state_t state) {
  __atomic_store_n(&device->state, state, __ATOMIC_RELEASE);
}

hal_status_t* hal_sdk_device_capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  static const char call[] = "device.capabilities";
  hal_status_t* status;
  hal_sdk_clear_struct(sizeof *out_caps, out_caps);
  if ((status = hal_sdk_check_object(device, HAL_OBJECT_DEVICE, call)) != NULL) return status;
  return hal_sdk_write_struct(call, "hal_device_caps_t", ((hal_sdk_device_t*)device)->caps, sizeof(hal_device_caps_t),
                              out_caps);
}

hal_status_t* hal_sdk_device_state(hal_device_t* device, hal_device_state_t* out_state) {
  static const char call[] = "device.state";
  hal_status_t* status;
  if (out_state == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_state is NULL");
  *out_state = HAL_DEVICE_STATE_READY;
  if ((status = hal_sdk_check_object(device, HAL_OBJECT_DEVICE, call)) != NULL) return status;
  *out_state = __atomic_load_n(&((hal_sdk_device_t*)device)->state, __ATOMIC_ACQUIRE);
  return NULL;
}

void hal_sdk_device_close(hal_device_t* device) { hal_sdk_object_destroy(device); }

hal_status_t* hal_sdk_config_keys(const hal_config_key_t* keys, uint32_t count, uint32_t capacity, uint32_t* out_count,
                                  hal_config_key_t* out_keys) {
  static const char call[] = "device.config_keys";
  uint32_t i;
  if (out_count == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_count is NULL");
  *out_count = 0;
  if (capacity != 0 && out_keys == NULL) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_keys is NULL and capacity is %u", capacity);
  }
  for (i = 0; i < count && i < capacity; i++) out_keys[i] = keys[i];
  *out_count = count;
  return NULL;
}

hal_status_t* hal_sdk_read_support_query(const hal_support_query_t* query, hal_support_query_t* out_query) {
  static const char call[] = "device.query_support";
  hal_status_t* status = HAL_SDK_READ(call, hal_support_query_t, query, out_query);
  if (status != NULL) return status;
  if (out_query->operator_name.length != 0 && out_query->operator_name.data == NULL) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "operator_name has a length and no data");
  }
  return hal_sdk_check_chain(call, out_query->next);
}

hal_status_t* hal_sdk_executable_entries(hal_executable_t* executable, uint32_t capacity, uint32_t* out_count,
                                         hal_entry_info_t* out_infos) {
  static const char call[] = "executable.entries";
  const hal_sdk_executable_t* base = (const hal_sdk_executable_t*)executable;
  hal_status_t* status;
  if (out_count != NULL) *out_count = 0;
  if ((status = hal_sdk_check_object(executable, HAL_OBJECT_EXECUTABLE, call)) != NULL) return status;
  return hal_sdk_write_array(call, "hal_entry_info_t", base->entries, base->entry_count, sizeof(hal_entry_info_t),
                             capacity, out_count, out_infos);
}

void hal_sdk_executable_destroy(hal_executable_t* executable) { hal_sdk_object_destroy(executable); }
