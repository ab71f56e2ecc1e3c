// SPDX-License-Identifier: Apache-2.0
//
// The loader itself: what was found, the plugins in use, the chips, and who has which device open. hal/loader.h is a
// thin C edge over this class (api.cpp). No lock is held across a call into a plugin (HAL-ABI-21).
#ifndef LOADER_LOADER_HPP_
#define LOADER_LOADER_HPP_

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "discovery.hpp"
#include "layer_discovery.hpp"
#include "plugin.hpp"

namespace hal::loader {

// One chip: the plugin that gives it, and how many other plugins claim it.
struct Chip {
  uint32_t plugin = 0;  // position in the plugin list
  uint32_t index = 0;   // in that plugin
  uint32_t also_count = 0;
  std::string name;
  const DeviceRecord* device = nullptr;

  bool operator==(const Chip&) const = default;
};

class Loader {
 public:
  // Finds and opens the plugins. An explicit path that cannot be used is an error.
  static Result<std::unique_ptr<Loader>> create(const hal_loader_desc_t* desc);

  uint64_t generation() const { return generation_; }
  const std::vector<std::unique_ptr<Plugin>>& plugins() const { return plugins_; }

  // Fixed once created.
  const std::vector<LayerReport>& layers() const { return layer_reports_; }

  // Shows the reports while nobody changes them. Their strings live as long as the loader.
  void show_files(const std::function<void(const std::vector<FileReport>&)>& show) const;

  // Every chip once. Brings the plugins up first. Lives as long as the loader.
  Result<const std::vector<Chip>*> chips();

  Result<hal_device_t*> open(std::string_view name);
  void close(hal_device_t* device);

  // Takes every plugin down. BUSY while devices are open, or while a plugin says that objects of it live.
  Result<void> shut_down();

 private:
  struct Target {
    Plugin* plugin = nullptr;
    uint32_t index = 0;
  };

  explicit Loader(Options options);
  void take_plugins();
  void take_layers();
  Result<void> take_plugin(FileReport& report);
  bool is_duplicate(const PluginLibrary& library, FileReport& report) const;
  Result<void> first_explicit_refusal() const;

  Result<void> bring_up();
  void bring_up_plugins();
  void list_chips();
  Result<void> shut_down_plugins();
  void finish_change(bool is_up);

  Result<Target> find(std::string_view name) const;
  Error no_such_device(std::string_view name) const;

  const uint64_t generation_;
  const Options options_;
  const std::shared_ptr<const Log> log_;
  std::vector<std::unique_ptr<Plugin>> plugins_;  // by name; fixed once created
  std::vector<LayerReport> layer_reports_;
  std::map<std::string, size_t> report_of_;  // by plugin name; smaller is found sooner

  enum class Phase { kDown, kChanging, kUp };
  mutable std::mutex mutex_;  // of everything below
  std::condition_variable changed_;
  Phase phase_ = Phase::kDown;
  std::thread::id changer_;
  std::vector<FileReport> reports_;
  std::vector<Chip> chips_;
  std::map<hal_device_t*, Plugin*> open_devices_;
  size_t opening_ = 0;  // calls of open that are in a plugin now
};

}  // namespace hal::loader

#endif  // LOADER_LOADER_HPP_
