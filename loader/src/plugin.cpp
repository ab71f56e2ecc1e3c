// SPDX-License-Identifier: Apache-2.0
#include "plugin.hpp"

#include <algorithm>

#include "absent.hpp"
#include "memory_check.hpp"
#include "slots.hpp"
#include "status.hpp"
#include "text.hpp"

namespace hal::loader {
namespace {

constexpr uint32_t kMaxDevices = 4096;

// What a create call gave: its header, if it is what it should be.
Result<hal_object_t*> check_object(void* object, hal_object_kind_t kind, const std::string& call) {
  auto* const header = static_cast<hal_object_t*>(object);
  if (header == nullptr) return internal_error(call + " returned success but no object");
  if (!is_array(header)) {
    return internal_error(call + " returned an object that is not aligned to 8 bytes or not readable");
  }
  if (header->kind != kind || header->generation == 0) {
    return internal_error(call + " returned an object with kind " + std::to_string(header->kind) + " and generation " +
                          std::to_string(header->generation) + "; expected kind " + std::to_string(kind) +
                          " and a generation that is not 0");
  }
  return header;
}

Result<void> check_count(uint32_t count, const std::string& call, const std::string& things, uint32_t most) {
  if (count <= most) return {};
  return data_corrupt(call + " says that there are " + std::to_string(count) + " " + things + "; expected at most " +
                      std::to_string(most));
}

}  // namespace

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
  Result<hal_object_t*> header = check_object(instance, HAL_OBJECT_INSTANCE, "device.initialize");
  if (is_array(reinterpret_cast<hal_object_t*>(instance))) {
    instance_ = instance;  // of whatever kind: shutting it down is then the plugin's own affair
  } else {
    abandon();
  }
  HAL_TRY_ASSIGN(hal_object_t* const object, std::move(header));
  object->calls = calls();
  return {};
}

Result<void> Plugin::enumerate() {
  const hal_device_group_t& slots = *calls()->device;
  uint32_t count = 0;
  HAL_TRY(call_plugin("device.enumerate", [&] { return slots.enumerate(instance_, 0, &count, nullptr); }));
  HAL_TRY(check_count(count, "device.enumerate", "devices", kMaxDevices));
  std::vector<hal_device_info_t> infos(count);
  for (hal_device_info_t& info : infos) info.struct_size = sizeof info;
  uint32_t filled = 0;
  HAL_TRY(call_plugin("device.enumerate", [&] { return slots.enumerate(instance_, count, &filled, infos.data()); }));
  HAL_TRY(check_count(filled, "device.enumerate", "devices", kMaxDevices));
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
  if (devices == devices_) return {};  // what was shown before stays valid
  retired_.emplace_back(std::move(devices_), std::move(infos_));
  devices_ = std::move(devices);
  infos_.clear();
  for (const DeviceRecord& device : devices_) infos_.push_back(device.info());
  return {};
}

Result<void> Plugin::shut_down() {
  if (instance_ == nullptr) return {};
  const Result<void> stopped = call_plugin("device.shutdown", [&] { return calls()->device->shutdown(instance_); });
  if (!stopped && lost_objects_ != 0) {
    return internal_error(stopped.error().message + "; it returned " + std::to_string(lost_objects_) +
                          " objects that were no objects");
  }
  if (!stopped) return stopped.error();
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
    if (is_array(reinterpret_cast<hal_object_t*>(device))) {
      close(device);
    } else {
      ++lost_objects_;
    }
    return checked.error();
  }
  return device;
}

// Found here, and not in the middle of someone's work.
Result<void> Plugin::check_device(hal_device_t* device) {
  hal_device_caps_t caps{};
  caps.struct_size = sizeof caps;
  HAL_TRY(call_plugin("device.capabilities", [&] { return hal_device_capabilities(device, &caps); }));
  HAL_TRY(check_capabilities(caps));
  HAL_TRY(check_features(caps.features));
  return check_heaps(device);
}

// A feature that a device claims must have its slots (HAL-ABI-11).
Result<void> Plugin::check_features(uint64_t features) {
  for (const SlotInfo& slot : kSlots) {
    if (slot.needed_for == kRequired || (slot.needed_for & features) == 0) continue;
    if (is_absent(about().tables, slot.offset)) {
      return internal_error("device.capabilities claims feature bit " +
                            std::to_string(__builtin_ctzll(slot.needed_for)) + ", but the slot " + slot.name +
                            " that it needs is absent");
    }
  }
  return {};
}

Result<void> Plugin::check_heaps(hal_device_t* device) {
  uint32_t count = 0;
  HAL_TRY(call_plugin("memory.heaps", [&] { return hal_device_heaps(device, 0, &count, nullptr); }));
  HAL_TRY(check_count(count, "memory.heaps", "heaps", kMaxHeaps));
  std::vector<hal_heap_info_t> heaps(count);
  for (hal_heap_info_t& heap : heaps) heap.struct_size = sizeof heap;
  uint32_t filled = 0;
  HAL_TRY(call_plugin("memory.heaps", [&] { return hal_device_heaps(device, count, &filled, heaps.data()); }));
  HAL_TRY(check_count(filled, "memory.heaps", "heaps", kMaxHeaps));
  for (uint32_t i = 0; i < std::min(count, filled); ++i) HAL_TRY(check_heap(heaps[i], i));
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
