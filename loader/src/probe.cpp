// SPDX-License-Identifier: Apache-2.0
#include "probe.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "hal/base.h"
#include "threads.hpp"

namespace hal::loader {
namespace {

thread_local const void* working_for = nullptr;

// The application's signal handlers must not run on our threads; a new thread inherits the mask.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

Result<void> guarded(const std::function<Result<void>()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{HAL_STATUS_OUT_OF_MEMORY, {}};
  } catch (const std::exception& error) {
    return internal_error(std::string("libhal: unexpected: ") + error.what());
  }
}

}  // namespace

Probe::Probe(const void* caller, std::function<Result<void>()> work, std::function<void()> undo) {
  const SignalsBlocked blocked;
  const std::lock_guard creation(thread_creation());
  try {
    thread_ = std::thread(
        [state = state_, caller, work = std::move(work), undo = std::move(undo)] { run(state, caller, work, undo); });
  } catch (const std::system_error& error) {
    state_->result = Error{HAL_STATUS_UNAVAILABLE, std::string("no thread could be started for it: ") + error.what()};
  }
}

Probe::~Probe() {
  if (thread_.joinable()) (void)wait_until(std::chrono::steady_clock::now());
}

void Probe::run(const std::shared_ptr<State>& state, const void* caller, const std::function<Result<void>()>& work,
                const std::function<void()>& undo) {
  const OwnThread own;
  working_for = caller;
  pthread_setname_np(pthread_self(), "hal-probe");
  Result<void> result = guarded(work);
  {
    const std::lock_guard lock(state->mutex);
    if (!state->is_late) {
      state->result = std::move(result);
      state->changed.notify_all();
      return;
    }
  }
  undo();
}

std::optional<Result<void>> Probe::wait_until(const Deadline& deadline) {
  {
    std::unique_lock lock(state_->mutex);
    const auto is_done = [this] { return state_->result.has_value(); };
    if (!deadline) state_->changed.wait(lock, is_done);
    if (deadline) state_->changed.wait_until(lock, *deadline, is_done);
    state_->is_late = !is_done();
  }
  if (state_->is_late) {
    thread_.detach();
    return std::nullopt;
  }
  if (thread_.joinable()) thread_.join();
  return std::move(state_->result);
}

bool Probe::is_within(const void* caller) { return caller != nullptr && working_for == caller; }

Probe::Deadline deadline_in(uint64_t nanoseconds) {
  if (nanoseconds == HAL_TIME_FOREVER) return std::nullopt;
  constexpr uint64_t kCentury = UINT64_C(3155760000) * 1000000000;
  return std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::min(nanoseconds, kCentury));
}

}  // namespace hal::loader
