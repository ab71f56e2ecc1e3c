// SPDX-License-Identifier: Apache-2.0
//
// The device group: an instance with its configuration, machine and workers, and its one device.
#include <charconv>
#include <string_view>

#include "plugin.hpp"

namespace hal::cpu {
namespace {

constexpr hal_config_key_t kConfigKeys[] = {
    {HAL_SDK_STRING_INIT("threads"), HAL_SDK_STRING_INIT("0"),
     HAL_SDK_STRING_INIT("worker threads, at most 1024; 0: one for each core that the process may use")},
    {HAL_SDK_STRING_INIT("pin"), HAL_SDK_STRING_INIT("0"),
     HAL_SDK_STRING_INIT("1: each worker stays on its core; 0: the system decides")},
};
constexpr uint32_t kConfigKeyCount = sizeof kConfigKeys / sizeof *kConfigKeys;

struct Config {
  unsigned threads = 0;
  unsigned pin = 0;
};

Result<unsigned> parse_number(const hal_key_value_t& item, unsigned largest) {
  const std::string_view key(item.key.data, item.key.length), text(item.value.data, item.value.length);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc{} && end == text.data() + text.size() && number <= largest) return number;
  return invalid_argument("the configuration key '" + std::string(key) + "' is a number from 0 to " +
                          std::to_string(largest) + "; got '" + std::string(text) + "'");
}

Result<Config> parse_config(const hal_instance_desc_t& desc) {
  Config config;
  for (uint32_t i = 0; i < desc.config_count; i++) {
    if (hal_sdk_string_equals(desc.config[i].key, "threads")) {
      HAL_TRY_ASSIGN(config.threads, parse_number(desc.config[i], 1024));
    } else {
      HAL_TRY_ASSIGN(config.pin, parse_number(desc.config[i], 1));
    }
  }
  return config;
}

// Which processor each worker would be pinned to: the cores in turn.
std::vector<unsigned> choose_processors(const Machine& machine, const Config& config) {
  if (config.threads == 0) return machine.cores;
  std::vector<unsigned> processors;
  for (unsigned i = 0; i < config.threads; i++) processors.push_back(machine.cores[i % machine.cores.size()]);
  return processors;
}

Result<std::unique_ptr<hal_instance>> make_instance(const hal_instance_desc_t& desc) {
  auto instance = std::make_unique<hal_instance>();
  HAL_TRY_ASSIGN(const Config config, parse_config(desc));
  HAL_TRY_ASSIGN(instance->machine, read_machine());
  const Machine& machine = instance->machine;
  HAL_TRY_ASSIGN(instance->pool,
                 Pool::start(choose_processors(machine, config), config.pin != 0, machine.cores.size()));
  return instance;
}

hal_status_t* start(const hal_instance_desc_t& desc, hal_instance_t** out_instance) {
  auto instance = make_instance(desc);
  if (!instance) return to_status(instance.error(), "device.initialize");
  const hal_sdk_scheduler_t scheduler = {
      (*instance)->pool.get(),
      [](void* pool, hal_sdk_submission_t* submission) { static_cast<Pool*>(pool)->push(submission); },
      [](void* pool) { static_cast<Pool*>(pool)->stop(); }};
  if (hal_status_t* status = hal_sdk_instance_init(&(*instance)->base, &scheduler)) return status;
  *out_instance = instance->release();
  return nullptr;
}

hal_status_t* initialize(const hal_instance_desc_t* in, hal_instance_t** out_instance) {
  static constexpr char call[] = "device.initialize";
  hal_instance_desc_t desc;
  if (out_instance == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_instance is NULL");
  *out_instance = nullptr;
  if (hal_status_t* status = HAL_SDK_READ(call, hal_instance_desc_t, in, &desc)) return status;
  if (hal_status_t* status = hal_sdk_check_chain(call, desc.next)) return status;
  if (hal_status_t* status = hal_sdk_check_config(&desc, kConfigKeys, kConfigKeyCount)) return status;
  return guarded(call, [&] { return start(desc, out_instance); });
}

hal_status_t* shutdown(hal_instance_t* instance) {
  hal_status_t* status = hal_sdk_instance_shutdown(reinterpret_cast<hal_sdk_instance_t*>(instance));
  if (status == nullptr) delete instance;
  return status;
}

hal_status_t* config_keys(uint32_t capacity, uint32_t* out_count, hal_config_key_t* out_keys) {
  return hal_sdk_config_keys(kConfigKeys, kConfigKeyCount, capacity, out_count, out_keys);
}

hal_status_t* enumerate(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                        hal_device_info_t* out_infos) {
  static constexpr char call[] = "device.enumerate";
  if (out_count != nullptr) *out_count = 0;
  if (hal_status_t* status = hal_sdk_check_instance(instance, call)) return status;
  hal_device_info_t info{};
  info.struct_size = sizeof info;
  info.type = HAL_DEVICE_TYPE_CPU;
  std::copy(instance->machine.uuid.begin(), instance->machine.uuid.end(), info.uuid);
  info.name = to_string(instance->machine.name);
  info.vendor = to_string(instance->machine.vendor);
  return hal_sdk_write_array(call, "hal_device_info_t", &info, 1, sizeof info, capacity, out_count, out_infos);
}

hal_status_t* open(hal_instance_t* instance, uint32_t index, hal_device_t** out_device) {
  static constexpr char call[] = "device.open";
  if (out_device == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_device is NULL");
  *out_device = nullptr;
  if (hal_status_t* status = hal_sdk_check_instance(instance, call)) return status;
  if (index != 0) return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "device %u of a list of 1", index);
  return guarded(call, [&]() -> hal_status_t* {
    auto device = std::make_unique<hal_device>();
    device->instance = instance;
    describe(*device);
    hal_sdk_object_init(&device->base.object, HAL_OBJECT_DEVICE, &instance->base, nullptr,
                        [](hal_sdk_object_t* self) { delete reinterpret_cast<hal_device_t*>(self); });
    *out_device = device.release();
    return nullptr;
  });
}

hal_status_t* query_support(hal_device_t* device, const hal_support_query_t* in, hal_support_t* out_support) {
  static constexpr char call[] = "device.query_support";
  hal_support_query_t query;
  if (out_support == nullptr) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_support is NULL");
  *out_support = HAL_SUPPORT_NONE;
  if (hal_status_t* status = hal_sdk_check_device(device, call)) return status;
  if (hal_status_t* status = hal_sdk_read_support_query(in, &query)) return status;
  *out_support = support_of(query);
  return nullptr;
}

}  // namespace

const hal_device_group_t device_group = {sizeof(hal_device_group_t),
                                         1,
                                         initialize,
                                         shutdown,
                                         config_keys,
                                         enumerate,
                                         open,
                                         hal_sdk_device_close,
                                         hal_sdk_device_capabilities,
                                         query_support,
                                         hal_sdk_device_state,
                                         nullptr};

}  // namespace hal::cpu
