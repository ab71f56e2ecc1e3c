// SPDX-License-Identifier: Apache-2.0
//
// Work on a plugin that may take for ever, on a thread of its own with a deadline: so that one that hangs neither
// delays the others nor takes the application with it. A thread cannot be stopped from outside: a late one goes on, and
// when it comes back undoes what it did.
#ifndef LOADER_PROBE_HPP_
#define LOADER_PROBE_HPP_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "hal/cxx/result.hpp"

namespace hal::loader {

class Probe {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;  // nothing: wait for ever

  // Runs `work` on a thread with all signals blocked. If nobody waits for its end any more, `undo` follows there. Both
  // own what they touch. `caller` is whom is_within recognises on that thread.
  Probe(const void* caller, std::function<Result<void>()> work, std::function<void()> undo);
  ~Probe();
  Probe(Probe&&) = default;
  Probe& operator=(Probe&&) = delete;

  // What the work came to, or nothing if it is late; then it is on its own. Once.
  std::optional<Result<void>> wait_until(const Deadline& deadline);

  // On a thread that works for `caller` now.
  static bool is_within(const void* caller);

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Result<void>> result;
    bool is_late = false;
  };
  static void run(const std::shared_ptr<State>& state, const void* caller, const std::function<Result<void>()>& work,
                  const std::function<void()>& undo);

  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::thread thread_;
};

// The deadline that lies `nanoseconds` ahead; HAL_TIME_FOREVER is none.
Probe::Deadline deadline_in(uint64_t nanoseconds);

}  // namespace hal::loader

#endif  // LOADER_PROBE_HPP_
