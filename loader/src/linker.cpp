// SPDX-License-Identifier: Apache-2.0
#include "linker.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <vector>

namespace hal::loader {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 1s;  // of who cannot go on without the linker: fork, unload

// Never destroyed: a library may be closed by another library's exit handlers.
struct State {
  std::recursive_timed_mutex linking;
  std::mutex mutex;  // of what follows
  std::string opening;
  std::string lost_in;  // set in a child that was forked while this library was being opened
  std::vector<boost::dll::shared_library> kept;
  bool is_forking_with_linker = false;
};
State& state() {
  static auto* const instance = new State;
  return *instance;
}

void set_opening(const std::string& path) {
  const std::lock_guard lock(state().mutex);
  state().opening = path;
}

// dlerror's text, without the path that the caller names anyway.
std::string dl_message(const std::string& path) {
  const char* const text = dlerror();
  std::string message = text == nullptr ? "the dynamic linker gave no reason" : text;
  const std::string prefix = path + ": ";
  if (message.rfind(prefix, 0) == 0) message.erase(0, prefix.size());
  return message;
}

Result<void> check_usable() {
  const std::lock_guard lock(state().mutex);
  if (state().lost_in.empty()) return {};
  return Error{HAL_STATUS_UNAVAILABLE, "this process was forked while " + state().lost_in +
                                           " was being opened; it can open no library before it calls exec"};
}

}  // namespace

Result<void> Linker::load(boost::dll::shared_library& library, const std::string& path,
                          std::chrono::nanoseconds patience) {
  using boost::dll::load_mode::rtld_local;
  using boost::dll::load_mode::rtld_now;
  HAL_TRY(check_usable());
  std::unique_lock lock(state().linking, std::defer_lock);
  // A recursive caller is a constructor that opens plugins of its own: it holds the lock already.
  if (!lock.try_lock_for(std::min<std::chrono::nanoseconds>(patience, 24h))) {
    return Error{HAL_STATUS_TIMEOUT, "the dynamic linker is still opening " + now_opening()};
  }
  const std::string outer = now_opening();
  set_opening(path);
  std::error_code failed;
  library.load(path, failed, rtld_now | rtld_local);
  Result<void> result;
  if (failed) result = Error{HAL_STATUS_UNAVAILABLE, "the dynamic linker refused it: " + dl_message(path)};
  set_opening(outer);
  return result;
}

void Linker::unload(boost::dll::shared_library& library) {
  std::unique_lock lock(state().linking, std::defer_lock);
  if (check_usable() && lock.try_lock_for(kPatience)) return library.unload();
  keep(library);
}

void Linker::keep(boost::dll::shared_library& library) {
  const std::lock_guard lock(state().mutex);
  state().kept.push_back(std::move(library));
}

std::string Linker::now_opening() {
  const std::lock_guard lock(state().mutex);
  return state().opening;
}

void Linker::before_fork() {
  const bool has_linker = state().linking.try_lock_for(kPatience);
  state().mutex.lock();
  state().is_forking_with_linker = has_linker;
}

void Linker::after_fork(bool is_child) {
  State& all = state();
  const bool has_linker = all.is_forking_with_linker;
  if (is_child && !has_linker) all.lost_in = all.opening;
  all.mutex.unlock();
  // A recursive lock knows its thread by a number that changes in the child, so there it is made anew.
  if (is_child) {
    new (&all.linking) std::recursive_timed_mutex;
  } else if (has_linker) {
    all.linking.unlock();
  }
}

}  // namespace hal::loader
