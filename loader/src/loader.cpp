// SPDX-License-Identifier: Apache-2.0
#include "loader.hpp"

#include <algorithm>

#include "layer_library.hpp"
#include "lifetime.hpp"
#include "open_libraries.hpp"
#include "text.hpp"

namespace hal::loader {

Loader::Loader(Options options)
    : generation_(process_generation()),
      options_(std::move(options)),
      log_(std::make_shared<const Log>(options_.log)) {}

Loader::~Loader() {
  plugins_.clear();  // libraries write their last words while they are unloaded
  log_->close();
}

Result<std::unique_ptr<Loader>> Loader::create(const hal_loader_desc_t* desc) {
  HAL_TRY(check_alive(process_generation()));
  HAL_TRY_ASSIGN(Options options, read_options(desc));
  std::unique_ptr<Loader> loader(new Loader(std::move(options)));
  loader->reports_ = discover(loader->options_, own_folder());
  loader->take_plugins();
  HAL_TRY(loader->first_explicit_refusal());
  loader->take_layers();
  return loader;
}

// Layers that are asked for and can be used go over every plugin; what is wrong with the others is reported.
void Loader::take_layers() {
  layer_reports_ = discover_layers(options_, own_folder());
  const std::vector<ActiveLayer> layers = open_layers(options_, layer_reports_);
  if (!layers.empty()) {
    for (const auto& plugin : plugins_) {
      plugin->set_layers(LayeredCalls::make(layers, plugin->own_calls(), plugin->about().name, log_));
    }
  }
  for (LayerReport& report : layer_reports_) {
    if (report.verdict == HAL_LOADER_TAKEN && !report.reason.empty() && report.attached == 0)
      report.refuse(report.reason);
    if (!report.reason.empty() && report.verdict != HAL_LOADER_SKIPPED) {
      log_->write(HAL_LOG_WARNING, "layer " + report.name + ": " + report.reason);
    }
  }
}

void Loader::take_plugins() {
  std::vector<Result<std::shared_ptr<PluginLibrary>>> opened =
      open_plugin_libraries(reports_, log_, options_.probe_timeout);
  for (size_t i = 0, next = 0; i < reports_.size(); ++i) {
    FileReport& report = reports_[i];
    if (report.verdict != HAL_LOADER_TAKEN) continue;
    if (Result<void> taken = take_plugin(report, std::move(opened[next++])); !taken) report.refuse(taken.error());
    if (report.verdict == HAL_LOADER_TAKEN) report_of_[report.plugin] = i;
    if (report.verdict == HAL_LOADER_REFUSED) log_->write(HAL_LOG_WARNING, report.path + ": " + report.reason);
  }
  std::sort(plugins_.begin(), plugins_.end(),
            [](const auto& a, const auto& b) { return a->about().name < b->about().name; });
  states_.resize(plugins_.size(), State::kDown);
}

Result<void> Loader::take_plugin(FileReport& report, Result<std::shared_ptr<PluginLibrary>> opened) {
  HAL_TRY_ASSIGN(std::shared_ptr<PluginLibrary> library, std::move(opened));
  const std::string& name = library->about().name;
  if (!report.plugin.empty() && report.plugin != name) {
    return Error{HAL_STATUS_INCOMPATIBLE,
                 "the manifest names plugin \"" + report.plugin + "\", its library says \"" + name + "\""};
  }
  report.plugin = name;
  if (!options_.takes(name)) {
    report.skip("the filter leaves out \"" + name + "\"");
    return {};
  }
  if (is_duplicate(*library, report)) return {};
  Config config = report.config;
  if (const auto given = options_.config.find(name); given != options_.config.end()) {
    for (const auto& [key, value] : given->second) config[key] = value;
  }
  plugins_.push_back(std::make_shared<Plugin>(std::move(library), report.library, std::move(config)));
  return {};
}

// Device names begin with the plugin's, so the first of a name wins; the reason says whether it is the same one.
bool Loader::is_duplicate(const PluginLibrary& library, FileReport& report) const {
  const auto& about = library.about();
  const auto first = std::find_if(plugins_.begin(), plugins_.end(),
                                  [&](const auto& plugin) { return plugin->about().name == about.name; });
  if (first == plugins_.end()) return false;
  const Plugin& other = **first;
  if (&other.about() == &about) {
    report.skip("a second path to " + other.path());
  } else if (other.about().build_id == about.build_id) {
    report.skip("the same build (" + about.build_id + ") as " + other.path());
  } else {
    report.skip("the name \"" + about.name + "\" is taken by " + other.path() + ", build " + other.about().build_id +
                "; this one is build " + about.build_id);
  }
  return true;
}

Result<void> Loader::first_explicit_refusal() const {
  for (const FileReport& report : reports_) {
    if (report.is_explicit && report.verdict == HAL_LOADER_REFUSED) {
      return Error{report.code, report.path + ": " + report.reason};
    }
  }
  return {};
}

void Loader::show_files(const std::function<void(const std::vector<FileReport>&)>& show) const {
  const std::lock_guard lock(mutex_);
  show(reports_);
}

std::vector<Chip> Loader::list_chips() const {
  std::vector<Claimant> claimants;
  for (uint32_t i = 0; i < plugins_.size(); ++i) {
    if (states_[i] != State::kUp) continue;
    claimants.push_back({i, report_of_.at(plugins_[i]->about().name), &plugins_[i]->devices(), &plugins_[i]->infos()});
  }
  return loader::list_chips(claimants);
}

Result<std::vector<Chip>> Loader::chips() {
  HAL_TRY(bring_up(wanted_for("")));
  const std::lock_guard lock(mutex_);
  return list_chips();
}

Result<hal_device_t*> Loader::open(std::string_view name) {
  HAL_TRY(bring_up(wanted_for(name)));
  Target target;
  {
    const std::lock_guard lock(mutex_);
    if (is_going_down_) return Error{HAL_STATUS_FAILED_PRECONDITION, "the loader is being destroyed"};
    HAL_TRY_ASSIGN(target, find(name));
    ++opening_;
  }
  Result<hal_device_t*> device = target.plugin->open(target.index);
  const std::lock_guard lock(mutex_);
  --opening_;
  if (device) open_devices_[*device] = target.plugin;
  return device;
}

void Loader::close(hal_device_t* device) {
  Plugin* plugin = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_devices_.find(device);
    if (found != open_devices_.end()) {
      plugin = found->second;
      open_devices_.erase(found);
      ++opening_;  // keeps the plugin up until close has returned
    }
  }
  if (plugin == nullptr) {
    log_->write(HAL_LOG_ERROR, "hal_loader_close: not a device that this loader opened, or closed twice");
    return;
  }
  plugin->close(device);
  const std::lock_guard lock(mutex_);
  --opening_;
}

Result<Loader::Target> Loader::find(std::string_view name) const {
  if (const auto uuid = parse_uuid(name)) {
    for (const Chip& chip : list_chips()) {
      if (chip.device->uuid == *uuid) return Target{plugins_[chip.plugin].get(), chip.index};
    }
    return no_such_device(name);
  }
  // A plugin's own name for a chip works even where another plugin's is listed.
  for (size_t p = 0; p < plugins_.size(); ++p) {
    if (states_[p] != State::kUp || plugins_[p]->about().name != plugin_of(name)) continue;
    for (uint32_t i = 0; i < plugins_[p]->devices().size(); ++i) {
      if (std::to_string(i) == index_of(name)) return Target{plugins_[p].get(), i};
    }
  }
  return no_such_device(name);
}

Error Loader::no_such_device(std::string_view name) const {
  std::string message = "no device \"" + std::string(name) + "\"; ";
  const auto refused = std::find_if(reports_.begin(), reports_.end(), [&](const FileReport& report) {
    return report.verdict == HAL_LOADER_REFUSED && !report.plugin.empty() && report.plugin == plugin_of(name);
  });
  if (refused != reports_.end()) message += "plugin " + refused->plugin + ": " + refused->reason + "; ";
  std::vector<std::string> words;
  for (const Chip& chip : list_chips()) words.push_back(chip.device->listed_name);
  if (!words.empty()) return not_found(message + "there are: " + join(words, ", "));
  for (const FileReport& report : reports_) {
    if (report.verdict != HAL_LOADER_TAKEN) words.push_back(report.path + ": " + report.reason);
  }
  message += plugins_.empty() ? "no plugin could be used" : "the plugins report no device";
  return not_found(words.empty() ? message : message + ": " + join(words, "; "));
}

}  // namespace hal::loader
