// SPDX-License-Identifier: Apache-2.0
//
// Every chip once, however many plugins claim it (HAL-ABI-12), and how a name leads to one.
#ifndef LOADER_CHIPS_HPP_
#define LOADER_CHIPS_HPP_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plugin.hpp"

namespace hal::loader {

// One chip: the plugin that gives it, and how many other plugins claim it.
struct Chip {
  uint32_t plugin = 0;  // position in the plugin list
  uint32_t index = 0;   // in that plugin
  uint32_t also_count = 0;
  const DeviceRecord* device = nullptr;
  const hal_device_info_t* info = nullptr;  // the same for C
};

// A plugin that is up, and when its file was found: of several that claim a chip the first one found gives it.
struct Claimant {
  uint32_t plugin = 0;  // position in the plugin list
  size_t found = 0;
  const std::vector<DeviceRecord>* devices = nullptr;
  const std::vector<hal_device_info_t>* infos = nullptr;
};

// By plugin and index. `claimants` are in the order of the plugin list.
std::vector<Chip> list_chips(const std::vector<Claimant>& claimants);

// 0123abcd-...: 32 hexadecimal digits with dashes anywhere.
std::optional<std::array<uint8_t, 16>> parse_uuid(std::string_view text);

// "cpu" of "cpu:0" and of "cpu".
inline std::string_view plugin_of(std::string_view name) { return name.substr(0, name.find(':')); }

// "0" of "cpu:0" and of "cpu".
inline std::string_view index_of(std::string_view name) {
  const std::string_view plugin = plugin_of(name);
  return plugin.size() == name.size() ? "0" : name.substr(plugin.size() + 1);
}

}  // namespace hal::loader

#endif  // LOADER_CHIPS_HPP_
