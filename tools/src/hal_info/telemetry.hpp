// SPDX-License-Identifier: Apache-2.0
//
// A device's metrics by name (HAL-ABI-18), and hal-info --watch: readings of them again and again.
#ifndef TOOLS_HAL_INFO_TELEMETRY_HPP_
#define TOOLS_HAL_INFO_TELEMETRY_HPP_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "snapshot.hpp"

namespace hal::tools {

struct Metric {
  std::string name;
  std::string unit;  // UCUM
  std::string description;
  bool is_counter = false;  // since the device was opened; else now
};

// Empty for a device without telemetry. Errors: what the plugin says, DATA_CORRUPT for a list that cannot be.
Result<std::vector<Metric>> read_metrics(const DeviceSnapshot& device);

// One value for each metric; nothing where this reading could not be taken.
Result<std::vector<std::optional<double>>> read_values(const DeviceSnapshot& device, size_t metric_count);

struct Watch {
  double seconds = 0;  // between readings; 0: do not watch
  uint64_t count = 0;  // readings; 0: until interrupted
  bool json = false;   // a line of JSON per device and reading (docs/schemas/hal-info-watch.schema.json)
};

// Prints readings of every device of the snapshot that has telemetry. NOT_FOUND where none has.
Result<void> watch(std::ostream& out, const Snapshot& snapshot, const Watch& how);

}  // namespace hal::tools

#endif  // TOOLS_HAL_INFO_TELEMETRY_HPP_
