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

#include "chips.hpp"
#include "discovery.hpp"
#include "layer_discovery.hpp"
#include "plugin.hpp"

namespace hal::loader {

class Loader {
 public:
  // Finds and opens the plugins. An explicit path that cannot be used is an error.
  static Result<std::unique_ptr<Loader>> create(const hal_loader_desc_t* desc);

  // Afterwards nothing is written to the application's log.
  ~Loader();

  uint64_t generation() const { return generation_; }
  const std::vector<std::shared_ptr<Plugin>>& plugins() const { return plugins_; }

  // Fixed once created.
  const std::vector<LayerReport>& layers() const { return layer_reports_; }

  // Shows the reports while nobody changes them. Their strings live as long as the loader.
  void show_files(const std::function<void(const std::vector<FileReport>&)>& show) const;

  // Every chip once. Brings all plugins up first, each for at most the deadline.
  Result<std::vector<Chip>> chips();

  // Brings up the one plugin that the name begins with; all of them for a UUID.
  Result<hal_device_t*> open(std::string_view name);
  void close(hal_device_t* device);

  // Takes every plugin down. BUSY while devices are open, or while a plugin says that objects of it live.
  Result<void> shut_down();

 private:
  // Of one plugin. A failure is final: its reason stays, and a late one is on its own.
  enum class State { kDown, kComing, kUp, kFailed };

  struct Target {
    Plugin* plugin = nullptr;
    uint32_t index = 0;
  };

  explicit Loader(Options options);
  void take_plugins();
  void take_layers();
  Result<void> take_plugin(FileReport& report, Result<std::shared_ptr<PluginLibrary>> opened);
  bool is_duplicate(const PluginLibrary& library, FileReport& report) const;
  Result<void> first_explicit_refusal() const;

  std::vector<size_t> wanted_for(std::string_view name) const;
  Result<void> bring_up(const std::vector<size_t>& wanted);
  void probe(const std::vector<size_t>& plugins);
  void note_failure(const Plugin& plugin, const Error& error);
  void finish(const std::vector<size_t>& plugins, const std::vector<bool>& is_up);
  bool is_any(State state, const std::vector<size_t>& plugins) const;
  Result<void> shut_down_plugins();
  std::vector<Chip> list_chips() const;

  Result<Target> find(std::string_view name) const;
  Error no_such_device(std::string_view name) const;

  const uint64_t generation_;
  const Options options_;
  const std::shared_ptr<const Log> log_;
  std::vector<std::shared_ptr<Plugin>> plugins_;  // by name; fixed once created; shared with late probes
  std::vector<LayerReport> layer_reports_;
  std::map<std::string, size_t> report_of_;  // by plugin name; smaller is found sooner

  mutable std::mutex mutex_;  // of everything below
  std::condition_variable changed_;
  std::vector<State> states_;  // of plugins_
  bool is_going_down_ = false;
  std::thread::id destroyer_;  // who takes the plugins down
  std::vector<FileReport> reports_;
  std::map<hal_device_t*, Plugin*> open_devices_;
  size_t opening_ = 0;  // calls of open that are in a plugin now
};

}  // namespace hal::loader

#endif  // LOADER_LOADER_HPP_
