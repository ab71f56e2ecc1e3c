// SPDX-License-Identifier: Apache-2.0
//
// hal/loader.h for C++: a Loader and the Devices that it opens, each closed at the end of its scope. Header-only.
//
//   HAL_TRY_ASSIGN(hal::Loader loader, hal::Loader::create());
//   HAL_TRY_ASSIGN(hal::Device device, loader.open("cpu:0"));
#ifndef HAL_LOADER_HPP_
#define HAL_LOADER_HPP_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/cxx/hal.hpp"
#include "hal/loader.h"

namespace hal {

struct LoaderOptions {
  std::vector<std::string> plugin_paths{};   // libraries or manifests; one that cannot be used is an error
  std::vector<std::string> manifest_dirs{};  // searched before the documented folders
  std::vector<std::pair<std::string, std::string>> config{};  // "cpu.threads", "2"
  std::string filter{};                                       // "cpu,opencl" or "*,-cpu"
  std::vector<std::string> layers{};  // outermost first; names or paths. One that cannot be used is left out: layers()
  std::vector<std::pair<std::string, std::string>> layer_config{};  // "trace.file", "trace.json"
  uint64_t probe_timeout = 0;  // nanoseconds for each plugin; 0: MORTISE_PROBE_TIMEOUT, or else 30 seconds
  bool explicit_only = false;  // neither documented folders nor the environment
  std::function<void(hal_log_level_t, std::string_view)> log{};  // from any thread
};

// An open device. Must not outlive the Loader that opened it.
class Device {
 public:
  Device(hal_loader_t* loader, hal_device_t* device) : loader_(loader), device_(device) {}
  ~Device() { hal_loader_close(loader_, device_); }
  Device(Device&& other) noexcept : loader_(other.loader_), device_(std::exchange(other.device_, nullptr)) {}
  Device& operator=(Device&& other) noexcept {
    std::swap(loader_, other.loader_);
    std::swap(device_, other.device_);
    return *this;
  }

  hal_device_t* get() const { return device_; }

 private:
  hal_loader_t* loader_;
  hal_device_t* device_;
};

class Loader {
 public:
  static Result<Loader> create(const LoaderOptions& options = {}) {
    Loader loader;
    loader.log_ = std::make_unique<Log>(options.log);
    const std::vector<hal_string_t> paths = texts(options.plugin_paths), dirs = texts(options.manifest_dirs);
    std::vector<hal_key_value_t> config;
    for (const auto& [key, value] : options.config) config.push_back({text(key), text(value)});
    hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
    desc.plugin_paths = paths.data();
    desc.plugin_path_count = static_cast<uint32_t>(paths.size());
    desc.manifest_dirs = dirs.data();
    desc.manifest_dir_count = static_cast<uint32_t>(dirs.size());
    desc.config = config.data();
    const std::vector<hal_string_t> layers = texts(options.layers);
    std::vector<hal_key_value_t> layer_config;
    for (const auto& [key, value] : options.layer_config) layer_config.push_back({text(key), text(value)});
    desc.layers = layers.data();
    desc.layer_count = static_cast<uint32_t>(layers.size());
    desc.layer_config = layer_config.data();
    desc.layer_config_count = static_cast<uint32_t>(layer_config.size());
    desc.config_count = static_cast<uint32_t>(config.size());
    desc.filter = text(options.filter);
    desc.probe_timeout = options.probe_timeout;
    desc.flags = options.explicit_only ? HAL_LOADER_EXPLICIT_ONLY : 0;
    desc.log = options.log ? write_log : nullptr;
    desc.log_context = loader.log_.get();
    HAL_TRY(take_status(hal_loader_create(&desc, &loader.handle_)));
    return loader;
  }

  // While devices are open the loader stays (and is lost): close them first.
  ~Loader() {
    if (handle_ == nullptr) return;
    hal_status_t* const status = hal_loader_destroy(handle_);
    if (status != nullptr) (void)log_.release();
    hal_status_release(status);
  }
  Loader(Loader&& other) noexcept : log_(std::move(other.log_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Loader& operator=(Loader&& other) noexcept {
    std::swap(log_, other.log_);
    std::swap(handle_, other.handle_);
    return *this;
  }

  hal_loader_t* get() const { return handle_; }

  // Strings in what these return live as long as the loader.
  Result<std::vector<hal_loader_file_t>> files() const { return list<hal_loader_file_t>(hal_loader_files); }
  Result<std::vector<hal_loader_plugin_t>> plugins() const { return list<hal_loader_plugin_t>(hal_loader_plugins); }
  Result<std::vector<hal_loader_layer_t>> layers() const { return list<hal_loader_layer_t>(hal_loader_layers); }
  Result<std::vector<hal_loader_device_t>> devices() const { return list<hal_loader_device_t>(hal_loader_devices); }

  // "cpu:0", "cpu" or a UUID.
  Result<Device> open(std::string_view name) const {
    hal_device_t* device = nullptr;
    HAL_TRY(take_status(hal_loader_open(handle_, text(name), &device)));
    return Device(handle_, device);
  }

 private:
  using Log = std::function<void(hal_log_level_t, std::string_view)>;

  Loader() = default;

  static std::vector<hal_string_t> texts(const std::vector<std::string>& values) {
    std::vector<hal_string_t> result;
    for (const std::string& value : values) result.push_back(text(value));
    return result;
  }
  static void write_log(void* context, hal_log_level_t level, hal_string_t message) {
    (*static_cast<Log*>(context))(level, view(message));
  }
  template <typename T, typename Call>
  Result<std::vector<T>> list(Call call) const {
    return detail::list_structs<T>(
        [&](uint32_t capacity, uint32_t* count, T* out) { return call(handle_, capacity, count, out); });
  }

  std::unique_ptr<Log> log_;
  hal_loader_t* handle_ = nullptr;
};

}  // namespace hal

#endif  // HAL_LOADER_HPP_
