// SPDX-License-Identifier: Apache-2.0
#include "device_check.hpp"

#include <algorithm>
#include <cmath>

#include "memory_check.hpp"
#include "negotiate.hpp"
#include "text.hpp"

namespace hal::loader {
namespace {

constexpr uint64_t kMaxText = 1024;
constexpr uint32_t kMaxListed = 4096;  // formats, compute units, caches
constexpr uint32_t kMinBindings = 64;  // promised in hal/device.h
constexpr uint32_t kMinConstants = 1024;
constexpr uint64_t kMinAlignment = 64;  // promised in hal/memory.h

bool is_zero(const std::array<uint8_t, 16>& uuid) {
  return std::all_of(uuid.begin(), uuid.end(), [](uint8_t byte) { return byte == 0; });
}

// "0000:3b:00.0"
bool is_pci_address(std::string_view text) {
  constexpr std::string_view kShape = "xxxx:xx:xx.x";
  if (text.size() != kShape.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (kShape[i] == 'x' ? !is_hex : c != kShape[i]) return false;
  }
  return true;
}

Result<void> check_size(uint32_t size, uint32_t expected, const std::string& what) {
  if (size == expected) return {};
  return data_corrupt("the plugin changed struct_size of " + what + " from " + std::to_string(expected) + " to " +
                      std::to_string(size) + "; it is the caller's");
}

Error wrong(const std::string& field, const std::string& value, const std::string& expected) {
  return data_corrupt("the plugin's " + field + " is " + value + "; expected " + expected);
}

Result<void> check_least(uint64_t value, uint64_t least, const std::string& field) {
  if (value >= least) return {};
  return wrong(field, std::to_string(value), "at least " + std::to_string(least));
}

Result<void> check_rate(double value, const std::string& field) {
  if (std::isfinite(value) && value >= 0) return {};
  return wrong(field, std::to_string(value), "a number that is not negative, 0 where it is not known");
}

template <typename T>
Result<void> check_array(const T* items, uint32_t count, const std::string& items_field,
                         const std::string& count_field) {
  if (count > kMaxListed) return wrong(count_field, std::to_string(count), "at most " + std::to_string(kMaxListed));
  if (count == 0 || is_array(items, count)) return {};
  return data_corrupt("the plugin's " + items_field + " is NULL, not aligned or not readable with " +
                      std::to_string(count) + " items");
}

Result<void> check_compute_unit(const hal_compute_unit_t& unit, const std::string& where) {
  HAL_TRY(check_least(unit.m, 1, where + ".m"));
  HAL_TRY(check_least(unit.n, 1, where + ".n"));
  HAL_TRY(check_least(unit.k, 1, where + ".k"));
  return check_rate(unit.operations_per_second, where + ".operations_per_second");
}

Result<void> check_lists(const hal_device_caps_t& caps) {
  HAL_TRY(check_array(caps.formats, caps.format_count, "capabilities.formats", "capabilities.format_count"));
  for (uint32_t i = 0; i < caps.format_count; ++i) {
    HAL_TRY(read_plugin_string(caps.formats[i], "capabilities.formats[" + std::to_string(i) + "]", kMaxText));
  }
  HAL_TRY(check_array(caps.compute_units, caps.compute_unit_count, "capabilities.compute_units",
                      "capabilities.compute_unit_count"));
  for (uint32_t i = 0; i < caps.compute_unit_count; ++i) {
    HAL_TRY(check_compute_unit(caps.compute_units[i], "capabilities.compute_units[" + std::to_string(i) + "]"));
  }
  return check_array(caps.cache_levels, caps.cache_level_count, "capabilities.cache_levels",
                     "capabilities.cache_level_count");
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

Result<DeviceRecord> read_device(const hal_device_info_t& info, uint32_t index) {
  const std::string where = "device " + std::to_string(index) + " ";
  HAL_TRY(check_size(info.struct_size, sizeof info, where + "(hal_device_info_t)"));
  DeviceRecord device;
  device.type = info.type;
  std::copy(std::begin(info.uuid), std::end(info.uuid), device.uuid.begin());
  HAL_TRY_ASSIGN(device.name, read_plugin_string(info.name, where + "name", kMaxText));
  HAL_TRY_ASSIGN(device.vendor, read_plugin_string(info.vendor, where + "vendor", kMaxText));
  HAL_TRY_ASSIGN(device.pci_address, read_plugin_string(info.pci_address, where + "pci_address", kMaxText));
  HAL_TRY_ASSIGN(device.partition, read_plugin_string(info.partition, where + "partition", kMaxText));
  HAL_TRY_ASSIGN(device.driver_version, read_plugin_string(info.driver_version, where + "driver_version", kMaxText));
  if (!device.pci_address.empty() && !is_pci_address(device.pci_address)) {
    return wrong(where + "pci_address", "\"" + device.pci_address + "\"",
                 "domain:bus:device.function, \"0000:3b:00.0\"");
  }
  return device;
}

Result<void> check_capabilities(const hal_device_caps_t& caps) {
  HAL_TRY(check_size(caps.struct_size, sizeof caps, "capabilities (hal_device_caps_t)"));
  if ((caps.emulated & ~caps.features) != 0) {
    return wrong("capabilities.emulated", "bits " + std::to_string(caps.emulated),
                 "some of features, " + std::to_string(caps.features));
  }
  HAL_TRY(check_least(caps.max_bindings, kMinBindings, "capabilities.max_bindings"));
  HAL_TRY(check_least(caps.max_constant_bytes, kMinConstants, "capabilities.max_constant_bytes"));
  HAL_TRY(read_plugin_string(caps.target, "capabilities.target", kMaxText));
  HAL_TRY(check_rate(caps.memory_bandwidth, "capabilities.memory_bandwidth"));
  HAL_TRY(check_rate(caps.timestamp_period, "capabilities.timestamp_period"));
  if (caps.timestamp_bits > 64) {
    return wrong("capabilities.timestamp_bits", std::to_string(caps.timestamp_bits), "at most 64");
  }
  return check_lists(caps);
}

Result<void> check_heap(const hal_heap_info_t& heap, uint32_t index) {
  const std::string where = "heap " + std::to_string(index);
  HAL_TRY(check_size(heap.struct_size, sizeof heap, where + " (hal_heap_info_t)"));
  const bool is_power = (heap.alignment & (heap.alignment - 1)) == 0;
  if (heap.alignment < kMinAlignment || !is_power) {
    return wrong(where + " alignment", std::to_string(heap.alignment), "a power of two, at least 64");
  }
  return check_least(heap.granularity, 1, where + " granularity");
}

}  // namespace hal::loader
