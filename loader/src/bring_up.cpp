// SPDX-License-Identifier: Apache-2.0
//
// How a loader's plugins come up and go down: side by side, each on a thread of its own with a deadline, so that one
// that hangs delays nobody for longer and another's device can be opened at once.
#include <algorithm>

#include "loader.hpp"
#include "probe.hpp"

namespace hal::loader {
namespace {

// What a late probe does with the plugin that came up after all: nobody knows of it any more.
void take_down(Plugin& plugin) {
  if (!plugin.shut_down()) plugin.abandon();
}

Error is_late(const Plugin& plugin, uint64_t timeout) {
  return Error{HAL_STATUS_TIMEOUT, "TIMEOUT: initialize and enumerate of plugin " + plugin.about().name +
                                       " have not returned within " + std::to_string(timeout / 1000000) +
                                       " ms; it is left alone. MORTISE_PROBE_TIMEOUT=<milliseconds> gives more time"};
}

}  // namespace

std::vector<size_t> Loader::wanted_for(std::string_view name) const {
  std::vector<size_t> all;
  for (size_t i = 0; i < plugins_.size(); ++i) {
    if (plugins_[i]->about().name == plugin_of(name)) return {i};
    all.push_back(i);
  }
  return all;
}

bool Loader::is_any(State state, const std::vector<size_t>& plugins) const {
  return std::any_of(plugins.begin(), plugins.end(), [&](size_t i) { return states_[i] == state; });
}

// Each plugin is brought up by the first caller who wants it; the others wait for that one to be done.
Result<void> Loader::bring_up(const std::vector<size_t>& wanted) {
  std::unique_lock lock(mutex_);
  if (Probe::is_within(this) || destroyer_ == std::this_thread::get_id()) {
    return Error{HAL_STATUS_FAILED_PRECONDITION, "a plugin called back into libhal from its initialize or shutdown"};
  }
  changed_.wait(lock, [this] { return !is_going_down_; });
  std::vector<size_t> ours;
  for (const size_t i : wanted) {
    if (states_[i] == State::kDown) ours.push_back(i);
  }
  for (const size_t i : ours) states_[i] = State::kComing;
  lock.unlock();
  if (!ours.empty()) probe(ours);
  lock.lock();
  changed_.wait(lock, [&] { return !is_any(State::kComing, wanted); });
  return {};
}

void Loader::probe(const std::vector<size_t>& plugins) {
  std::vector<bool> is_up(plugins.size());
  try {
    const Probe::Deadline deadline = deadline_in(options_.probe_timeout);
    std::vector<Probe> probes;
    for (const size_t i : plugins) {
      const std::shared_ptr<Plugin>& plugin = plugins_[i];
      log_->write(HAL_LOG_DEBUG, "initialising plugin " + plugin->about().name);
      probes.emplace_back(
          this, [plugin] { return plugin->bring_up(); }, [plugin] { take_down(*plugin); });
    }
    for (size_t i = 0; i < plugins.size(); ++i) {
      const std::optional<Result<void>> result = probes[i].wait_until(deadline);
      const Plugin& plugin = *plugins_[plugins[i]];
      is_up[i] = result && *result;
      if (!is_up[i]) note_failure(plugin, result ? result->error() : is_late(plugin, options_.probe_timeout));
    }
  } catch (...) {
    finish(plugins, is_up);
    throw;
  }
  finish(plugins, is_up);
}

void Loader::finish(const std::vector<size_t>& plugins, const std::vector<bool>& is_up) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < plugins.size(); ++i) states_[plugins[i]] = is_up[i] ? State::kUp : State::kFailed;
  changed_.notify_all();
}

void Loader::note_failure(const Plugin& plugin, const Error& error) {
  log_->write(HAL_LOG_WARNING, "plugin " + plugin.about().name + ": " + error.message);
  const std::lock_guard lock(mutex_);
  reports_[report_of_.at(plugin.about().name)].refuse(error);
}

Result<void> Loader::shut_down() {
  {
    const std::lock_guard lock(mutex_);
    const bool is_coming = std::count(states_.begin(), states_.end(), State::kComing) != 0;
    if (is_going_down_ || is_coming) return Error{HAL_STATUS_BUSY, "plugins are coming up or going down now"};
    const size_t open_count = open_devices_.size() + opening_;
    if (open_count != 0) {
      return Error{HAL_STATUS_BUSY, std::to_string(open_count) + " devices are open; close them first"};
    }
    is_going_down_ = true;
    destroyer_ = std::this_thread::get_id();
  }
  Result<void> result = shut_down_plugins();
  const std::lock_guard lock(mutex_);
  is_going_down_ = false;
  destroyer_ = {};
  changed_.notify_all();
  return result;
}

// One that is BUSY ends it: those that are down already come up again with the next call that needs them. One that
// fails otherwise cannot be helped, and does not keep the others up. Threads are looked for once all are down, since
// plugins that came up side by side cannot tell whose is whose.
Result<void> Loader::shut_down_plugins() {
  Result<void> result;
  std::vector<Plugin*> down;
  for (size_t i = 0; i < plugins_.size() && result; ++i) {
    if (states_[i] != State::kUp) continue;
    const Result<void> stopped = plugins_[i]->shut_down();
    const std::string message = stopped ? "" : "plugin " + plugins_[i]->about().name + ": " + stopped.error().message;
    if (!stopped && stopped.error().code == HAL_STATUS_BUSY) {
      result = Error{HAL_STATUS_BUSY, message};
      continue;
    }
    if (!stopped) {
      log_->write(HAL_LOG_ERROR, message);
      plugins_[i]->abandon();
    }
    down.push_back(plugins_[i].get());
    const std::lock_guard lock(mutex_);
    states_[i] = State::kDown;
  }
  for (Plugin* plugin : down) plugin->keep_for_left_threads(*log_);
  return result;
}

}  // namespace hal::loader
