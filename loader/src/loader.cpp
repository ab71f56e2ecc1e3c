// SPDX-License-Identifier: Apache-2.0
#include "loader.hpp"

#include <algorithm>

#include "layer_library.hpp"
#include "lifetime.hpp"
#include "status.hpp"
#include "text.hpp"

namespace hal::loader {

Loader::Loader(Options options)
    : generation_(process_generation()),
      options_(std::move(options)),
      log_(std::make_shared<const Log>(options_.log)) {}

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
  for (size_t i = 0; i < reports_.size(); ++i) {
    FileReport& report = reports_[i];
    if (report.verdict != HAL_LOADER_TAKEN) continue;
    log_->write(HAL_LOG_DEBUG, "opening " + report.library);  // who crashes in there is the last one named
    if (Result<void> taken = take_plugin(report); !taken) report.refuse(taken.error());
    if (report.verdict == HAL_LOADER_TAKEN) report_of_[report.plugin] = i;
    if (report.verdict == HAL_LOADER_REFUSED) log_->write(HAL_LOG_WARNING, report.path + ": " + report.reason);
  }
  std::sort(plugins_.begin(), plugins_.end(),
            [](const auto& a, const auto& b) { return a->about().name < b->about().name; });
}

Result<void> Loader::take_plugin(FileReport& report) {
  HAL_TRY_ASSIGN(std::shared_ptr<PluginLibrary> library, PluginLibrary::open(report.library, log_));
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
  plugins_.push_back(std::make_unique<Plugin>(std::move(library), report.library, std::move(config)));
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

Result<void> Loader::bring_up() {
  std::unique_lock lock(mutex_);
  if (phase_ == Phase::kChanging && changer_ == std::this_thread::get_id()) {
    return Error{HAL_STATUS_FAILED_PRECONDITION, "a plugin called back into libhal from its initialize or shutdown"};
  }
  changed_.wait(lock, [this] { return phase_ != Phase::kChanging; });
  if (phase_ == Phase::kUp) return {};
  phase_ = Phase::kChanging;
  changer_ = std::this_thread::get_id();
  lock.unlock();
  try {
    bring_up_plugins();
  } catch (...) {
    finish_change(false);
    throw;
  }
  finish_change(true);
  return {};
}

void Loader::finish_change(bool is_up) {
  const std::lock_guard lock(mutex_);
  if (is_up) list_chips();
  phase_ = is_up ? Phase::kUp : Phase::kDown;
  changer_ = {};
  changed_.notify_all();
}

void Loader::bring_up_plugins() {
  for (const auto& plugin : plugins_) {
    if (plugin->is_up()) continue;
    log_->write(HAL_LOG_DEBUG, "initialising plugin " + plugin->about().name);
    Result<void> result = plugin->bring_up();
    if (result) continue;
    log_->write(HAL_LOG_WARNING, "plugin " + plugin->about().name + ": " + result.error().message);
    const std::lock_guard lock(mutex_);
    FileReport& report = reports_[report_of_.at(plugin->about().name)];
    // The first reason stays: its text may be in someone's hands.
    if (report.verdict == HAL_LOADER_TAKEN) report.refuse(result.error());
  }
}

// A chip that several plugins claim is given by the one that was found first.
void Loader::list_chips() {
  std::vector<Chip> chips;
  const auto found_sooner = [&](const Chip& a, const Chip& b) {
    return report_of_.at(plugins_[a.plugin]->about().name) < report_of_.at(plugins_[b.plugin]->about().name);
  };
  for (uint32_t p = 0; p < plugins_.size(); ++p) {
    if (!plugins_[p]->is_up()) continue;
    const auto& devices = plugins_[p]->devices();
    for (uint32_t i = 0; i < devices.size(); ++i) {
      Chip chip{p, i, 0, plugins_[p]->about().name + ":" + std::to_string(i), &devices[i]};
      const auto same = std::find_if(chips.begin(), chips.end(),
                                     [&](const Chip& other) { return other.device->is_same_chip(devices[i]); });
      if (same == chips.end()) {
        chips.push_back(std::move(chip));
        continue;
      }
      chip.also_count = ++same->also_count;
      if (found_sooner(chip, *same)) *same = std::move(chip);
    }
  }
  std::sort(chips.begin(), chips.end(),
            [](const Chip& a, const Chip& b) { return std::tie(a.plugin, a.index) < std::tie(b.plugin, b.index); });
  if (chips != chips_) chips_ = std::move(chips);
}

Result<const std::vector<Chip>*> Loader::chips() {
  HAL_TRY(bring_up());
  return &chips_;
}

Result<hal_device_t*> Loader::open(std::string_view name) {
  HAL_TRY(bring_up());
  Target target;
  {
    const std::lock_guard lock(mutex_);
    if (phase_ != Phase::kUp) return Error{HAL_STATUS_FAILED_PRECONDITION, "the loader is being destroyed"};
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

Result<void> Loader::shut_down() {
  {
    std::unique_lock lock(mutex_);
    if (phase_ == Phase::kChanging) return Error{HAL_STATUS_BUSY, "plugins are coming up or going down now"};
    const size_t open_count = open_devices_.size() + opening_;
    if (open_count != 0) {
      return Error{HAL_STATUS_BUSY, std::to_string(open_count) + " devices are open; close them first"};
    }
    phase_ = Phase::kChanging;
    changer_ = std::this_thread::get_id();
  }
  Result<void> result = shut_down_plugins();
  finish_change(false);
  return result;
}

// One that is BUSY ends it: those that are down already come up again with the next call that needs them. One that
// fails otherwise cannot be helped, and does not keep the others up.
Result<void> Loader::shut_down_plugins() {
  for (const auto& plugin : plugins_) {
    Result<void> result = plugin->shut_down(*log_);
    if (result) continue;
    const std::string message = "plugin " + plugin->about().name + ": " + result.error().message;
    if (result.error().code == HAL_STATUS_BUSY) return Error{HAL_STATUS_BUSY, message};
    log_->write(HAL_LOG_ERROR, message);
    plugin->abandon();
  }
  return {};
}

namespace {

// 0123abcd-...: 32 hexadecimal digits with dashes anywhere.
bool parse_uuid(std::string_view text, std::array<uint8_t, 16>& uuid) {
  size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int value = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
    if (value < 0 || digits == 32) return false;
    uuid[digits / 2] = static_cast<uint8_t>(uuid[digits / 2] << 4 | value);
    ++digits;
  }
  return digits == 32;
}

}  // namespace

Result<Loader::Target> Loader::find(std::string_view name) const {
  std::array<uint8_t, 16> uuid{};
  if (parse_uuid(name, uuid)) {
    for (const Chip& chip : chips_) {
      if (chip.device->uuid == uuid) return Target{plugins_[chip.plugin].get(), chip.index};
    }
    return no_such_device(name);
  }
  // A plugin's own name for a chip works even where another plugin's is listed.
  const std::string_view plugin_name = name.substr(0, name.find(':'));
  const std::string_view position = plugin_name.size() == name.size() ? "0" : name.substr(plugin_name.size() + 1);
  for (const auto& plugin : plugins_) {
    if (!plugin->is_up() || plugin->about().name != plugin_name) continue;
    for (uint32_t i = 0; i < plugin->devices().size(); ++i) {
      if (std::to_string(i) == position) return Target{plugin.get(), i};
    }
  }
  return no_such_device(name);
}

Error Loader::no_such_device(std::string_view name) const {
  std::string message = "no device \"" + std::string(name) + "\"; ";
  std::vector<std::string> words;
  for (const Chip& chip : chips_) words.push_back(chip.name);
  if (!words.empty()) return not_found(message + "there are: " + join(words, ", "));
  for (const FileReport& report : reports_) {
    if (report.verdict != HAL_LOADER_TAKEN) words.push_back(report.path + ": " + report.reason);
  }
  message += plugins_.empty() ? "no plugin could be used" : "the plugins report no device";
  return not_found(words.empty() ? message : message + ": " + join(words, "; "));
}

}  // namespace hal::loader
