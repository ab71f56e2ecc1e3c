// SPDX-License-Identifier: Apache-2.0
//
// One plugin as one loader uses it: its library, its instance once it is up, and the devices that it reported.
#ifndef LOADER_PLUGIN_HPP_
#define LOADER_PLUGIN_HPP_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device_check.hpp"
#include "layered_calls.hpp"
#include "manifest.hpp"
#include "plugin_library.hpp"
#include "threads.hpp"

namespace hal::loader {

class Plugin {
 public:
  Plugin(std::shared_ptr<PluginLibrary> library, std::string path, Config config)
      : library_(std::move(library)), path_(std::move(path)), config_(std::move(config)) {}

  // The layers that stand over this plugin. Before bring_up.
  void set_layers(std::unique_ptr<LayeredCalls> layers) { layers_ = std::move(layers); }

  // What objects of this plugin lead to: the layers, or the plugin's own.
  const hal_calls_t* calls() const { return layers_ != nullptr ? layers_->calls() : library_->calls(); }
  const hal_calls_t* own_calls() const { return library_->calls(); }

  const Negotiated& about() const { return library_->about(); }
  const std::string& path() const { return path_; }
  const std::vector<DeviceRecord>& devices() const { return devices_; }
  const std::vector<hal_device_info_t>& infos() const { return infos_; }  // of devices()

  // initialize and enumerate. On failure the plugin is down again.
  Result<void> bring_up();

  // Errors of the plugin, BUSY among them: then it is still up. A plugin that is not up has nothing to do.
  Result<void> shut_down();

  // After shut_down: the library stays mapped if a thread that came with the plugin lives on.
  void keep_for_left_threads(const Log& log);

  // For an instance that could not be shut down: its library stays, since its threads may still run.
  void abandon();

  Result<hal_device_t*> open(uint32_t index);
  void close(hal_device_t* device);

 private:
  Result<void> initialize();
  Result<void> enumerate();
  Result<void> check_device(hal_device_t* device);
  Result<void> check_features(uint64_t features);
  Result<void> check_heaps(hal_device_t* device);
  void note_new_threads(const ThreadIds& before);

  std::shared_ptr<PluginLibrary> library_;
  std::unique_ptr<LayeredCalls> layers_;
  std::string path_;
  Config config_;
  hal_instance_t* instance_ = nullptr;
  std::vector<DeviceRecord> devices_;
  std::vector<hal_device_info_t> infos_;
  // Earlier lists, which someone may hold: a plugin that came up again with other devices.
  std::vector<std::pair<std::vector<DeviceRecord>, std::vector<hal_device_info_t>>> retired_;
  std::atomic<uint32_t> lost_objects_{0};  // that cannot be closed, and would keep the plugin busy for ever
  std::mutex threads_mutex_;
  ThreadIds threads_;  // that appeared while the plugin was called
};

}  // namespace hal::loader

#endif  // LOADER_PLUGIN_HPP_
