// SPDX-License-Identifier: Apache-2.0
//
// What a device says of itself, judged field by field before an application reads it: identity when it is listed,
// capabilities and heaps when it is opened. Whatever cannot be is an error that names the field.
#ifndef LOADER_DEVICE_CHECK_HPP_
#define LOADER_DEVICE_CHECK_HPP_

#include <array>
#include <cstdint>
#include <string>

#include "hal/calls.h"
#include "hal/cxx/result.hpp"

namespace hal::loader {

// A device as its plugin reported it, checked and copied.
struct DeviceRecord {
  hal_device_type_t type = HAL_DEVICE_TYPE_OTHER;
  std::array<uint8_t, 16> uuid{};
  std::string listed_name;  // "cpu:0"
  std::string name;
  std::string vendor;
  std::string pci_address;
  std::string partition;
  std::string driver_version;

  // Borrows from this record.
  hal_device_info_t info() const;
  bool is_same_chip(const DeviceRecord& other) const;
  bool operator==(const DeviceRecord&) const = default;
};

Result<DeviceRecord> read_device(const hal_device_info_t& info, uint32_t index);

// As the plugin filled it in, struct_size included.
Result<void> check_capabilities(const hal_device_caps_t& caps);

Result<void> check_heap(const hal_heap_info_t& heap, uint32_t index);

// More than this is garbage.
inline constexpr uint32_t kMaxHeaps = 1024;

}  // namespace hal::loader

#endif  // LOADER_DEVICE_CHECK_HPP_
