// SPDX-License-Identifier: Apache-2.0
#include "lifetime.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

#include "absent.hpp"
#include "linker.hpp"
#include "plugin_library.hpp"
#include "threads.hpp"

namespace hal::loader {
namespace {

std::atomic<uint64_t> generation{1};
std::atomic<bool> exiting{false};

// The registers are locked over a fork, so that no child inherits one that another thread was changing.
void before_fork() {
  Linker::before_fork();
  lock_libraries();
  lock_calls_register();
  lock_own_threads();
}
void in_parent() {
  unlock_own_threads(false);
  unlock_calls_register();
  unlock_libraries(false);
  Linker::after_fork(false);
}
void in_child() {
  unlock_own_threads(true);
  unlock_calls_register();
  unlock_libraries(true);
  Linker::after_fork(true);
  generation.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

uint64_t process_generation() {
  static const bool installed = [] {
    pthread_atfork(before_fork, in_parent, in_child);
    std::atexit([] { exiting.store(true, std::memory_order_relaxed); });
    return true;
  }();
  (void)installed;
  return generation.load(std::memory_order_relaxed);
}

Result<void> check_alive(uint64_t of_loader) {
  if (exiting.load(std::memory_order_relaxed)) {
    return Error{HAL_STATUS_SHUTDOWN, "the process is exiting; libhal answers no more calls"};
  }
  if (of_loader != generation.load(std::memory_order_relaxed)) {
    return Error{HAL_STATUS_FORKED,
                 "this loader was made before fork; create one of your own in the child, with hal_loader_create"};
  }
  return {};
}

}  // namespace hal::loader
