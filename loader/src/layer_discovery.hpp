// SPDX-License-Identifier: Apache-2.0
//
// Which layers there are and which of them are wanted, in which order (docs/write-a-layer.md). Opens no library.
#ifndef LOADER_LAYER_DISCOVERY_HPP_
#define LOADER_LAYER_DISCOVERY_HPP_

#include <filesystem>
#include <string>
#include <vector>

#include "hal/loader.h"
#include "options.hpp"

namespace hal::loader {

// hal_loader_layer_t with its own strings.
struct LayerReport {
  hal_loader_verdict_t verdict = HAL_LOADER_SKIPPED;
  std::string name;
  std::string version;
  std::string path;
  std::string library;
  std::string reason;
  std::string origin;
  Config config;  // of the manifest; then also the environment's and the application's, the later above the earlier
  int64_t priority = 0;
  bool enabled = false;  // by its manifest
  size_t attached = 0;   // plugins that it stands over

  void refuse(std::string why) {
    verdict = HAL_LOADER_REFUSED;
    reason = std::move(why);
  }
};

// Those that are wanted (TAKEN), outermost first: enabled by manifest, named by MORTISE_LAYERS, named by the
// application. Then those that are refused, then the others. The first mention of a layer counts.
std::vector<LayerReport> discover_layers(const Options& options, const std::filesystem::path& library_folder);

// Adds what environment and application say to the manifest's configuration, once the layer's name is known for sure.
void add_configuration(const Options& options, LayerReport& report);

}  // namespace hal::loader

#endif  // LOADER_LAYER_DISCOVERY_HPP_
