// SPDX-License-Identifier: Apache-2.0
#include "linker.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace hal::loader {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 1s;  // of who cannot go on without the linker: fork, unload

// A recursive lock that one can give up waiting for. Not std::recursive_timed_mutex, since ThreadSanitizer does not
// know of its timed wait.
class PatientLock {
 public:
  bool lock_within(std::chrono::nanoseconds patience) {
    const std::thread::id self = std::this_thread::get_id();
    std::unique_lock lock(mutex_);
    const auto is_free = [&] { return depth_ == 0 || owner_ == self; };
    if (!changed_.wait_for(lock, std::min<std::chrono::nanoseconds>(patience, 24h), is_free)) return false;
    owner_ = self;
    ++depth_;
    return true;
  }
  void unlock() {
    const std::lock_guard lock(mutex_);
    if (--depth_ == 0) changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread::id owner_;
  int depth_ = 0;
};

// Never destroyed: a library may be closed by another library's exit handlers.
struct State {
  PatientLock linking;
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
  // A recursive caller is a constructor that opens plugins of its own: it holds the lock already.
  if (!state().linking.lock_within(patience)) {
    return Error{HAL_STATUS_TIMEOUT, "the dynamic linker is still opening " + now_opening()};
  }
  const std::lock_guard lock(state().linking, std::adopt_lock);
  const std::string outer = now_opening();
  set_opening(path);
  std::error_code failed;
  library.load(path, failed, rtld_now | rtld_local);
  Result<void> result;
  if (failed) result = Error{HAL_STATUS_UNAVAILABLE, "the dynamic linker refused it: " + dl_message(path)};
  set_opening(outer);
  return result;
}

void* Linker::find(boost::dll::shared_library& library, const char* symbol) {
  while (!state().linking.lock_within(24h)) continue;
  const std::lock_guard lock(state().linking, std::adopt_lock);
  return dlsym(library.native(), symbol);
}

void Linker::unload(boost::dll::shared_library& library) {
  if (!check_usable() || !state().linking.lock_within(kPatience)) return keep(library);
  const std::lock_guard lock(state().linking, std::adopt_lock);
  library.unload();
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
  const bool has_linker = state().linking.lock_within(kPatience);
  state().mutex.lock();
  state().is_forking_with_linker = has_linker;
}

void Linker::after_fork(bool is_child) {
  State& all = state();
  const bool has_linker = all.is_forking_with_linker;
  if (is_child && !has_linker) all.lost_in = all.opening;
  all.mutex.unlock();
  // In the child, other threads' part in the lock is gone with them.
  if (is_child) {
    new (&all.linking) PatientLock;
  } else if (has_linker) {
    all.linking.unlock();
  }
}

}  // namespace hal::loader
