// SPDX-License-Identifier: Apache-2.0
//
// A plugin in host memory that is wrong in one way at a time: config key "fault", or the environment variable
// MORTISE_FAULT for what happens before there is a configuration. It proves that the suite can fail.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "state.hpp"

struct hal_instance {
  hal_sdk_instance_t base;
};

struct hal_device {
  hal_sdk_device_t base;
  hal_device_caps_t caps;
  hal_sdk_heap_t heap;
};

namespace hal::faulty {

std::atomic<Fault> fault{Fault::none};

bool set_fault(hal_string_t name) {
  constexpr std::pair<const char*, Fault> names[] = {{"none", Fault::none},
                                                     {"slow", Fault::slow},
#define FAULT_ROW_(name, cases, text) {#name, Fault::name},
                                                     FAULT_TABLE(FAULT_ROW_)
#undef FAULT_ROW_
  };
  for (const auto& [text, value] : names) {
    if (!hal_sdk_string_equals(name, text)) continue;
    fault = value;
    return true;
  }
  return false;
}

namespace {

constexpr hal_config_key_t kKeys[] = {
    {HAL_SDK_STRING_INIT("fault"), HAL_SDK_STRING_INIT("none"), HAL_SDK_STRING_INIT("the wrong behaviour to have")}};

// What a careless plugin does to the process that loads it.
void disturb_process() {
  if (is(Fault::signal_handler)) signal(SIGUSR2, [](int) {});
  if (is(Fault::directory_changed) && chdir("/") != 0) std::abort();
  if (is(Fault::descriptor_left) && open("/dev/null", O_RDONLY | O_CLOEXEC) < 0) std::abort();
  if (is(Fault::thread_left)) std::thread([] { pause(); }).detach();
}

hal_status_t* take_config(const hal_instance_desc_t& desc) {
  if (!is(Fault::unknown_key_taken)) {
    if (hal_status_t* status = hal_sdk_check_config(&desc, kKeys, 1)) return status;
  }
  for (uint32_t i = 0; i < desc.config_count; i++) {
    if (!hal_sdk_string_equals(desc.config[i].key, "fault")) continue;
    if (set_fault(desc.config[i].value)) continue;
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, "device.initialize", "no fault is called '%.*s'; see faults.hpp",
                          HAL_SDK_STRING_ARGS(desc.config[i].value));
  }
  return nullptr;
}

hal_status_t* initialize(const hal_instance_desc_t* in, hal_instance_t** out_instance) {
  static constexpr char call[] = "device.initialize";
  hal_instance_desc_t desc;
  if (out_instance == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_instance is NULL");
  *out_instance = nullptr;
  if (hal_status_t* status = HAL_SDK_READ(call, hal_instance_desc_t, in, &desc)) return status;
  if (hal_status_t* status = hal_sdk_check_chain(call, desc.next)) return status;
  if (hal_status_t* status = take_config(desc)) return status;
  disturb_process();
  auto* instance = static_cast<hal_instance_t*>(std::calloc(1, sizeof(hal_instance_t)));
  if (instance == nullptr) return hal_sdk_status_out_of_memory();
  if (hal_status_t* status = hal_sdk_instance_init(&instance->base, nullptr)) return std::free(instance), status;
  *out_instance = instance;
  return nullptr;
}

hal_status_t* shutdown(hal_instance_t* instance) {
  hal_status_t* status = hal_sdk_instance_shutdown(&instance->base);
  if (status == nullptr) std::free(instance);
  if (status == nullptr || !is(Fault::shutdown_never_busy)) return status;
  hal_status_release(status);
  return nullptr;
}

hal_status_t* config_keys(uint32_t capacity, uint32_t* out_count, hal_config_key_t* out_keys) {
  return hal_sdk_config_keys(kKeys, 1, capacity, out_count, out_keys);
}

hal_device_info_t info_of(uint32_t index) {
  static std::atomic<uint8_t> enumerations{0};
  hal_device_info_t info = {sizeof info,
                            HAL_DEVICE_TYPE_SIMULATOR,
                            {0xfa, 0x17},
                            HAL_SDK_STRING_INIT("Faulty device"),
                            HAL_SDK_STRING_INIT("Mortise"),
                            {},
                            {},
                            {}};
  info.uuid[15] = static_cast<uint8_t>(index + 1);
  if (is(Fault::uuid_changes)) info.uuid[14] = static_cast<uint8_t>(getpid() + enumerations++);
  return info;
}

hal_status_t* enumerate(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                        hal_device_info_t* out_infos) {
  static constexpr char call[] = "device.enumerate";
  if (out_count != nullptr) *out_count = 0;
  if (hal_status_t* status = hal_sdk_check_instance(instance, call)) return status;
  const hal_device_info_t infos[] = {info_of(0), info_of(1)};
  const uint32_t count = is(Fault::open_last_fails) ? 2 : 1;
  if (is(Fault::enumerate_overruns) && capacity > count && out_infos != nullptr)
    std::memset(&out_infos[count], 1, sizeof *infos);
  return hal_sdk_write_array(call, "hal_device_info_t", infos, count, sizeof *infos, capacity, out_count, out_infos);
}

void describe(hal_device_t& device) {
  device.heap.info = {
      sizeof(hal_heap_info_t),    UINT32_MAX, HAL_HEAP_DEVICE_LOCAL | HAL_HEAP_HOST_VISIBLE | HAL_HEAP_HOST_COHERENT,
      hal_sdk_host_memory_size(), 64,         64};
  hal_device_caps_t& caps = device.caps;
  caps.struct_size = sizeof caps;
  caps.core_count = 1;
  caps.features = HAL_FEATURE_ASYNC_SUBMIT | HAL_FEATURE_HOST_CALL | HAL_FEATURE_COPY_2D;
  caps.max_buffer_size = device.heap.info.size;
  for (int i = 0; i < 3; i++) caps.max_workgroup_size[i] = caps.max_workgroup_count[i] = 1;
  caps.max_bindings = is(Fault::few_bindings) ? 8 : 64;
  caps.max_constant_bytes = 1024;
  caps.max_queues = 64;
  caps.numa_node_count = 1;
  device.base.driver = &driver;
  device.base.heaps = &device.heap;
  device.base.heap_count = 1;
  device.base.caps = &caps;
}

hal_status_t* open_device(hal_instance_t* instance, uint32_t index, hal_device_t** out_device) {
  static constexpr char call[] = "device.open";
  if (out_device == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_device is NULL");
  *out_device = nullptr;
  if (hal_status_t* status = hal_sdk_check_instance(instance, call)) return status;
  if (index != 0) return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "device %u of a list of 1", index);
  auto* device = static_cast<hal_device_t*>(std::calloc(1, sizeof(hal_device_t)));
  if (device == nullptr) return hal_sdk_status_out_of_memory();
  describe(*device);
  hal_sdk_object_init(&device->base.object, HAL_OBJECT_DEVICE, &instance->base, nullptr,
                      [](hal_sdk_object_t* self) { std::free(self); });
  *out_device = device;
  return nullptr;
}

hal_status_t* capabilities(hal_device_t* device, hal_device_caps_t* out) {
  if (is(Fault::caps_change)) device->caps.core_count++;
  if (is(Fault::caps_ignore_size) && out != nullptr && out->struct_size < sizeof *out) {
    const uint32_t size = out->struct_size;
    std::memcpy(out, &device->caps, sizeof *out);
    out->struct_size = size;
    return nullptr;
  }
  hal_status_t* status = hal_sdk_device_capabilities(device, out);
  if (status == nullptr && is(Fault::caps_write_tail) && out->struct_size > sizeof *out) std::memset(out + 1, 1, 8);
  return status;
}

hal_status_t* query_support(hal_device_t* device, const hal_support_query_t* in, hal_support_t* out) {
  static constexpr char call[] = "device.query_support";
  hal_support_query_t query;
  if (out == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_support is NULL");
  *out = is(Fault::support_garbage) ? HAL_SUPPORT_NATIVE : HAL_SUPPORT_NONE;
  if (hal_status_t* status = hal_sdk_check_device(device, call)) return status;
  return hal_sdk_read_support_query(in, &query);
}

const hal_device_group_t device_group = {sizeof(hal_device_group_t),
                                         1,
                                         initialize,
                                         shutdown,
                                         config_keys,
                                         enumerate,
                                         open_device,
                                         hal_sdk_device_close,
                                         capabilities,
                                         query_support,
                                         hal_sdk_device_state,
                                         nullptr};
const hal_memory_group_t memory_table = memory_group();
const hal_queue_group_t queue_table = queue_group();
const hal_group_t groups[] = {
    {HAL_GROUP_DEVICE, 0, &device_group}, {HAL_GROUP_MEMORY, 0, &memory_table}, {HAL_GROUP_QUEUE, 0, &queue_table}};

hal_plugin_t plugin = {sizeof(hal_plugin_t),
                       HAL_ABI_VERSION,
                       HAL_SDK_STRING_INIT("faulty"),
                       HAL_SDK_STRING_INIT("1.0.0"),
                       HAL_SDK_STRING_INIT("Mortise"),
                       {},
                       HAL_SDK_SANITIZER,
                       sizeof groups / sizeof *groups,
                       groups};

}  // namespace
}  // namespace hal::faulty

hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin) {
  using namespace hal::faulty;
  if (const char* name = std::getenv("MORTISE_FAULT")) set_fault(hal_sdk_string(name));
  if (is(Fault::old_host_taken) && host != nullptr && host->abi_version < HAL_ABI_VERSION && out_plugin != nullptr)
    return *out_plugin = &plugin, nullptr;
  hal_status_t* status = hal_sdk_query(host, &plugin, out_plugin);
  if (status == nullptr && is(Fault::version_echo)) plugin.abi_version = host->abi_version;
  return status;
}
