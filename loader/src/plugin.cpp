// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <algorithm>

#include "absent.hpp"
#include "slots.hpp"
#include "status.hpp"
#include "text.hpp"

namespace hal::loader {
namespace {

constexpr uint32_t kMaxDevices = 4096;
constexpr uint64_t kMaxText = 1024;

// What a create call gave: its header, if it is what it should be.
Result<hal_object_t*> check_object(void* object, hal_object_kind_t kind, const std::string& call) {
  auto* const header = static_cast<hal_object_t*>(object);
  if (header == nullptr) return internal_error(call + " returned success but no object");
  if (reinterpret_cast<uintptr_t>(header) % alignof(hal_object_t) != 0) {
    return internal_error(call + " returned an object that is not aligned to 8 bytes");
  }
  if (header->kind != kind || header->generation == 0) {
    return internal_error(call + " returned an object with kind " + std::to_string(header->kind) + " and generation " +
                          std::to_string(header->generation) + "; expected kind " + std::to_string(kind) +
                          " and a generation that is not 0");
  }
  return header;
}

Result<DeviceRecord> read_device(const hal_device_info_t& info, uint32_t index) {
  const std::string where = "device " + std::to_string(index) + " ";
  DeviceRecord device;
  device.type = info.type;
  std::copy(std::begin(info.uuid), std::end(info.uuid), device.uuid.begin());
  HAL_TRY_ASSIGN(device.name, read_plugin_string(info.name, where + "name", kMaxText));
  HAL_TRY_ASSIGN(device.vendor, read_plugin_string(info.vendor, where + "vendor", kMaxText));
  HAL_TRY_ASSIGN(device.pci_address, read_plugin_string(info.pci_address, where + "pci_address", kMaxText));
  HAL_TRY_ASSIGN(device.partition, read_plugin_string(info.partition, where + "partition", kMaxText));
  HAL_TRY_ASSIGN(device.driver_version, read_plugin_string(info.driver_version, where + "driver_version", kMaxText));
  return device;
}

bool is_zero(const std::array<uint8_t, 16>& uuid) {
  return std::all_of(uuid.begin(), uuid.end(), [](uint8_t byte) { return byte == 0; });
}

}  // namespace

hal_device_info_t DeviceRecord::info() const {
  hal_device_info_t info{};
  info.struct_size = sizeof info;
  info.type = type;
  std::copy(uuid.begin(), uuid.end(), std::begin(info.uuid));
  info.name = to_hal(name);
  info.vendor = to_hal(vendor);
  info.pci_address = to_hal(pci_address);
  info.partition = to_hal(partition);
  info.driver_version = to_hal(driver_version);
  return info;
}

bool DeviceRecord::is_same_chip(const DeviceRecord& other) const {
  if (!is_zero(uuid) && uuid == other.uuid) return true;
  return !pci_address.empty() && pci_address == other.pci_address && partition == other.partition;
}

Result<void> Plugin::bring_up() {
  const ThreadIds before = thread_ids();
  Result<void> result = initialize();
  if (result) result = enumerate();
  note_new_threads(before);
  if (!result && instance_ != nullptr && !shut_down()) abandon();
  return result;
}

Result<void> Plugin::initialize() {
  std::vector<hal_key_value_t> values;
  for (const auto& [key, value] : config_) values.push_back({to_hal(key), to_hal(value)});
  const hal_layer_stack_node_t stack = layers_ != nullptr ? layers_->node() : hal_layer_stack_node_t{};
  const hal_instance_desc_t desc = {sizeof desc, static_cast<uint32_t>(values.size()), values.data(),
                                    layers_ != nullptr ? &stack.chain : nullptr};
  hal_instance_t* instance = nullptr;
  HAL_TRY(call_plugin("device.initialize", [&] { return calls()->device->initialize(&desc, &instance); }));
  instance_ = instance;  // even if it is odd: shutting it down is then the plugin's own affair
  HAL_TRY_ASSIGN(hal_object_t* const header, check_object(instance, HAL_OBJECT_INSTANCE, "device.initialize"));
  header->calls = calls();
  return {};
}

Result<void> Plugin::enumerate() {
  const hal_device_group_t& slots = *calls()->device;
  uint32_t count = 0;
  HAL_TRY(call_plugin("device.enumerate", [&] { return slots.enumerate(instance_, 0, &count, nullptr); }));
  if (count > kMaxDevices) {
    return data_corrupt("device.enumerate says that there are " + std::to_string(count) +
                        " devices; expected at most " + std::to_string(kMaxDevices));
  }
  std::vector<hal_device_info_t> infos(count);
  for (hal_device_info_t& info : infos) info.struct_size = sizeof info;
  uint32_t filled = 0;
  HAL_TRY(call_plugin("device.enumerate", [&] { return slots.enumerate(instance_, count, &filled, infos.data()); }));
  infos.resize(std::min(count, filled));
  std::vector<DeviceRecord> devices;
  for (const hal_device_info_t& info : infos) {
    const auto index = static_cast<uint32_t>(devices.size());
    HAL_TRY_ASSIGN(DeviceRecord device, read_device(info, index));
    device.listed_name = about().name + ":" + std::to_string(index);
    for (size_t other = 0; other < devices.size(); ++other) {
      if (!device.is_same_chip(devices[other])) continue;
      return data_corrupt("devices " + std::to_string(other) + " and " + std::to_string(index) +
                          " report the same UUID, or the same PCI address and partition");
    }
    devices.push_back(std::move(device));
  }
  if (devices != devices_) devices_ = std::move(devices);  // the same again: what was shown before stays valid
  return {};
}

Result<void> Plugin::shut_down() {
  if (instance_ == nullptr) return {};
  HAL_TRY(call_plugin("device.shutdown", [&] { return calls()->device->shutdown(instance_); }));
  instance_ = nullptr;
  return {};
}

void Plugin::keep_for_left_threads(const Log& log) {
  const ThreadIds now = thread_ids();
  const std::lock_guard lock(threads_mutex_);
  for (const int thread : threads_) {
    if (now.count(thread) == 0) continue;
    log.write(HAL_LOG_WARNING, "plugin " + about().name + " may have left thread " + std::to_string(thread) + " (\"" +
                                   thread_name(thread) + "\") behind; its library stays mapped");
    library_->keep_mapped();
  }
  threads_.clear();
}

void Plugin::abandon() {
  instance_ = nullptr;
  library_->keep_mapped();
  if (layers_ != nullptr) LayeredCalls::keep(std::move(layers_));
}

Result<hal_device_t*> Plugin::open(uint32_t index) {
  const ThreadIds before = thread_ids();
  hal_device_t* device = nullptr;
  HAL_TRY(call_plugin("device.open", [&] { return calls()->device->open(instance_, index, &device); }));
  note_new_threads(before);
  Result<hal_object_t*> header = check_object(device, HAL_OBJECT_DEVICE, "device.open");
  if (header) (*header)->calls = calls();
  const Result<void> checked = header ? check_device(device) : Result<void>(header.error());
  if (!checked) {
    if (device != nullptr) close(device);
    return checked.error();
  }
  return device;
}

// A feature that a device claims must have its slots (HAL-ABI-11): found here, not in the middle of someone's work.
Result<void> Plugin::check_device(hal_device_t* device) {
  hal_device_caps_t caps{};
  caps.struct_size = sizeof caps;
  HAL_TRY(call_plugin("device.capabilities", [&] { return hal_device_capabilities(device, &caps); }));
  for (const SlotInfo& slot : kSlots) {
    if (slot.needed_for == kRequired || (slot.needed_for & caps.features) == 0) continue;
    if (is_absent(about().tables, slot.offset)) {
      return internal_error("device.capabilities claims feature bit " +
                            std::to_string(__builtin_ctzll(slot.needed_for)) + ", but the slot " + slot.name +
                            " that it needs is absent");
    }
  }
  return {};
}

void Plugin::close(hal_device_t* device) {
  (void)call_plugin("device.close", [&]() -> hal_status_t* {
    calls()->device->close(device);
    return nullptr;
  });
}

void Plugin::note_new_threads(const ThreadIds& before) {
  const std::lock_guard lock(threads_mutex_);
  for (const int thread : thread_ids()) {
    if (before.count(thread) == 0) threads_.insert(thread);
  }
}

}  // namespace hal::loader
