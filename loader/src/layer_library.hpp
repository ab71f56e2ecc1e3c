// SPDX-License-Identifier: Apache-2.0
//
// One opened layer library, and what it says of itself, checked.
#ifndef LOADER_LAYER_LIBRARY_HPP_
#define LOADER_LAYER_LIBRARY_HPP_

#define BOOST_DLL_USE_STD_FS
#include <boost/dll/shared_library.hpp>
#include <memory>
#include <string>
#include <vector>

#include "hal/layer.h"
#include "layer_discovery.hpp"

namespace hal::loader {

class LayerLibrary {
 public:
  // Opens the library (RTLD_NOW | RTLD_LOCAL) and asks it.
  static Result<std::shared_ptr<LayerLibrary>> open(const std::string& path);

  ~LayerLibrary();
  LayerLibrary(const LayerLibrary&) = delete;
  LayerLibrary& operator=(const LayerLibrary&) = delete;

  const hal_layer_t& layer() const { return *layer_; }
  const std::string& name() const { return name_; }
  const std::string& version() const { return version_; }

 private:
  LayerLibrary() = default;
  Result<void> load(const std::string& path);

  boost::dll::shared_library library_;
  const hal_layer_t* layer_ = nullptr;
  std::string name_;
  std::string version_;
};

// A layer that is on. The report's reason takes what goes wrong with it later.
struct ActiveLayer {
  std::shared_ptr<LayerLibrary> library;
  LayerReport* report;
};

// Opens those that are TAKEN; one that cannot be used becomes REFUSED.
std::vector<ActiveLayer> open_layers(const Options& options, std::vector<LayerReport>& reports);

}  // namespace hal::loader

#endif  // LOADER_LAYER_LIBRARY_HPP_
