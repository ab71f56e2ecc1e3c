// SPDX-License-Identifier: Apache-2.0
//
// All that hal-info shows, read once through libhal, so that text and JSON say the same.
#ifndef TOOLS_HAL_INFO_SNAPSHOT_HPP_
#define TOOLS_HAL_INFO_SNAPSHOT_HPP_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/loader.hpp"

namespace hal::tools {

struct Heap {
  hal_heap_info_t info{};
  hal_heap_statistics_t statistics{};
};

struct DeviceSnapshot {
  hal_loader_device_t listed{};
  std::string plugin;
  std::optional<Device> device;  // open, since the strings of `caps` live as long
  hal_device_caps_t caps{};
  std::vector<Heap> heaps;
  std::string problem;  // why the device could not be asked; then caps and heaps are empty
};

struct Snapshot {
  std::vector<hal_loader_plugin_t> plugins;
  std::vector<hal_loader_file_t> files;
  std::vector<DeviceSnapshot> devices;
};

// Plugins, files and devices. `device`: that one alone ("" for all); NOT_FOUND lists the names that exist. A device
// that cannot be opened is listed with its problem. The loader must outlive the result.
Result<Snapshot> take_snapshot(const Loader& loader, const std::string& device);

}  // namespace hal::tools

#endif  // TOOLS_HAL_INFO_SNAPSHOT_HPP_
