/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest honest plugin: one device made of host memory, one thread that runs work in order, no executables. Copy
 * this folder; README.md says what to replace for a real chip. Everything not here is the SDK's: hal/sdk/sdk.h.
 */
#include <stdlib.h>

#include "hal/sdk/sdk.h"

struct hal_instance {
  hal_sdk_instance_t base;
};

struct hal_device {
  hal_sdk_device_t base;
  hal_device_caps_t caps;
  hal_sdk_heap_t heap;
};

/* ---- the driver: replace these with calls of your chip's ---- */

static const hal_sdk_driver_t driver = {hal_sdk_host_allocate, hal_sdk_host_release, hal_sdk_host_copy,
                                        hal_sdk_host_fill,     hal_sdk_host_update,  NULL};

static void describe_memory(hal_device_t* device) {
  hal_heap_info_t info = {
      sizeof info, UINT32_MAX, HAL_HEAP_DEVICE_LOCAL | HAL_HEAP_HOST_VISIBLE | HAL_HEAP_HOST_COHERENT, 0, 64, 64};
  info.size = hal_sdk_host_memory_size();
  device->heap.info = info;
  device->base.heaps = &device->heap;
  device->base.heap_count = 1;
}

static void describe_device(hal_device_t* device) {
  hal_device_caps_t* caps = &device->caps;
  int i;
  caps->struct_size = sizeof *caps;
  caps->core_count = 1;
  caps->features = HAL_FEATURE_ASYNC_SUBMIT | HAL_FEATURE_HOST_CALL | HAL_FEATURE_COPY_2D;
  caps->emulated = 0;
  caps->max_buffer_size = device->heap.info.size;
  for (i = 0; i < 3; i++) caps->max_workgroup_size[i] = 1;
  for (i = 0; i < 3; i++) caps->max_workgroup_count[i] = 1;
  caps->max_bindings = 64;
  caps->max_constant_bytes = 1024;
  caps->max_queues = 64;
  caps->numa_node_count = 1;
  device->base.caps = caps;
}

/* ---- the device group ---- */

static hal_status_t* initialize(const hal_instance_desc_t* in, hal_instance_t** out_instance) {
  static const char call[] = "device.initialize";
  hal_instance_desc_t desc;
  hal_instance_t* instance;
  hal_status_t* status;
  if (out_instance == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_instance is NULL");
  *out_instance = NULL;
  if ((status = HAL_SDK_READ(call, hal_instance_desc_t, in, &desc)) != NULL) return status;
  if ((status = hal_sdk_check_chain(call, desc.next)) != NULL) return status;
  if ((status = hal_sdk_check_config(&desc, NULL, 0)) != NULL) return status;
  if ((instance = calloc(1, sizeof *instance)) == NULL) return hal_sdk_status_out_of_memory();
  if ((status = hal_sdk_instance_init(&instance->base, NULL)) != NULL) {
    free(instance);
    return status;
  }
  *out_instance = instance;
  return NULL;
}

static hal_status_t* shutdown(hal_instance_t* instance) {
  hal_status_t* status = hal_sdk_instance_shutdown((hal_sdk_instance_t*)instance);
  if (status == NULL) free(instance);
  return status;
}

static hal_status_t* config_keys(uint32_t capacity, uint32_t* out_count, hal_config_key_t* out_keys) {
  return hal_sdk_config_keys(NULL, 0, capacity, out_count, out_keys);
}

static hal_status_t* enumerate(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                               hal_device_info_t* out_infos) {
  static const char call[] = "device.enumerate";
  hal_device_info_t info = {
      sizeof info,
      HAL_DEVICE_TYPE_OTHER,
      {0x6d, 0x6f, 0x72, 0x74, 0x69, 0x73, 0x85, 0x00, 0x80, 0x74, 0x65, 0x6d, 0x70, 0x6c, 0x61, 0x74},
      HAL_SDK_STRING_INIT("Template device"),
      HAL_SDK_STRING_INIT("Mortise"),
      {NULL, 0},
      {NULL, 0},
      {NULL, 0}};
  hal_status_t* status;
  if (out_count != NULL) *out_count = 0;
  if ((status = hal_sdk_check_instance(instance, call)) != NULL) return status;
  return hal_sdk_write_array(call, "hal_device_info_t", &info, 1, sizeof info, capacity, out_count, out_infos);
}

static void dispose_device(hal_sdk_object_t* self) { free(self); }

static hal_status_t* open_device(hal_instance_t* instance, uint32_t index, hal_device_t** out_device) {
  static const char call[] = "device.open";
  hal_device_t* device;
  hal_status_t* status;
  if (out_device == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_device is NULL");
  *out_device = NULL;
  if ((status = hal_sdk_check_instance(instance, call)) != NULL) return status;
  if (index != 0) return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "device %u of a list of 1", index);
  if ((device = calloc(1, sizeof *device)) == NULL) return hal_sdk_status_out_of_memory();
  device->base.driver = &driver;
  describe_memory(device);
  describe_device(device);
  hal_sdk_object_init(&device->base.object, HAL_OBJECT_DEVICE, &instance->base, NULL, dispose_device);
  *out_device = device;
  return NULL;
}

/* It computes nothing, so it claims nothing. */
static hal_status_t* query_support(hal_device_t* device, const hal_support_query_t* in, hal_support_t* out_support) {
  static const char call[] = "device.query_support";
  hal_support_query_t query;
  hal_status_t* status;
  if (out_support == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_support is NULL");
  *out_support = HAL_SUPPORT_NONE;
  if ((status = hal_sdk_check_device(device, call)) != NULL) return status;
  return hal_sdk_read_support_query(in, &query);
}

/* ---- what the host gets ---- */

static const hal_device_group_t device_group = {sizeof(hal_device_group_t),
                                                1,
                                                initialize,
                                                shutdown,
                                                config_keys,
                                                enumerate,
                                                open_device,
                                                hal_sdk_device_close,
                                                hal_sdk_device_capabilities,
                                                query_support,
                                                hal_sdk_device_state,
                                                NULL};

static const hal_group_t groups[] = {{HAL_GROUP_DEVICE, 0, &device_group},
                                     {HAL_GROUP_MEMORY, 0, &hal_sdk_memory_group},
                                     {HAL_GROUP_QUEUE, 0, &hal_sdk_queue_group}};

static hal_plugin_t plugin = {sizeof(hal_plugin_t),
                              HAL_ABI_VERSION,
                              HAL_SDK_STRING_INIT("template"),
                              HAL_SDK_STRING_INIT("1.0.0"),
                              HAL_SDK_STRING_INIT("Mortise"),
                              {NULL, 0},
                              HAL_SDK_SANITIZER,
                              sizeof groups / sizeof *groups,
                              groups};

hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin) {
  return hal_sdk_query(host, &plugin, out_plugin);
}
