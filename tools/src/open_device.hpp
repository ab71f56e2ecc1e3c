// SPDX-License-Identifier: Apache-2.0
//
// A device by name, with the loader that it needs, closed together.
#ifndef TOOLS_OPEN_DEVICE_HPP_
#define TOOLS_OPEN_DEVICE_HPP_

#include <string>
#include <utility>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/loader.h"

namespace hal::tools {

class OpenDevice {
 public:
  // `plugins` are libraries or manifests to load besides those that the loader finds.
  static Result<OpenDevice> open(const std::string& name, const std::vector<std::string>& plugins) {
    std::vector<hal_string_t> paths;
    for (const std::string& plugin : plugins) paths.push_back({plugin.data(), plugin.size()});
    hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
    desc.plugin_paths = paths.data();
    desc.plugin_path_count = static_cast<uint32_t>(paths.size());
    OpenDevice opened;
    HAL_TRY(take_status(hal_loader_create(&desc, &opened.loader_)));
    HAL_TRY(take_status(hal_loader_open(opened.loader_, {name.data(), name.size()}, &opened.device_)));
    return opened;
  }

  OpenDevice(OpenDevice&& other) noexcept
      : loader_(std::exchange(other.loader_, nullptr)), device_(std::exchange(other.device_, nullptr)) {}
  OpenDevice& operator=(OpenDevice&& other) noexcept {
    std::swap(loader_, other.loader_);
    std::swap(device_, other.device_);
    return *this;
  }
  ~OpenDevice() {
    if (loader_ == nullptr) return;
    hal_loader_close(loader_, device_);
    hal_status_release(hal_loader_destroy(loader_));
  }

  hal_device_t* get() const { return device_; }

 private:
  OpenDevice() = default;
  hal_loader_t* loader_ = nullptr;
  hal_device_t* device_ = nullptr;
};

}  // namespace hal::tools

#endif  // TOOLS_OPEN_DEVICE_HPP_
