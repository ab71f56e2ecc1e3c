// SPDX-License-Identifier: Apache-2.0
//
// What is certified: a plugin file or a device, with its configuration, and the snapshot of what it declared before the
// run. The snapshot is taken in a process of its own: the runner itself never loads a plugin.
#ifndef HAL_CONFORMANCE_TARGET_HPP_
#define HAL_CONFORMANCE_TARGET_HPP_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

struct Target {
  std::string plugin;  // a library (.so) or manifest (.json); empty: the loader finds it
  std::string device;  // "cpu:0"; empty: the first device of `plugin`
  std::vector<std::pair<std::string, std::string>> config;  // "plugin.key" = value
};

// What a device said of itself. Everything in it is data of the plugin's and untrusted.
struct Snapshot {
  std::string device;  // "cpu:0"
  std::string device_name;
  std::string uuid;  // 32 hexadecimal digits
  std::string plugin;
  std::string plugin_version;
  std::string plugin_vendor;
  std::string plugin_path;
  std::string build_id;
  std::string plugin_sha256;  // of the file at plugin_path, taken by the runner and not by the plugin
  uint64_t groups = 0;        // bit HAL_GROUP_*
  uint64_t features = 0;      // HAL_FEATURE_*
  std::string capabilities;   // a rendering of the whole snapshot, to compare between processes
  std::vector<std::string> formats;
};

void to_json(nlohmann::json& json, const Snapshot& snapshot);
void from_json(const nlohmann::json& json, Snapshot& snapshot);

// Asks the target in a process of its own. Errors: NOT_FOUND, INCOMPATIBLE and so on from the loader; UNAVAILABLE where
// the plugin crashed or hung.
Result<Snapshot> probe(const Target& target, double deadline_seconds);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_TARGET_HPP_
