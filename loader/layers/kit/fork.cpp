// SPDX-License-Identifier: Apache-2.0
#include "fork.hpp"

#include <pthread.h>

#include <atomic>

namespace hal::layers {
namespace {
std::atomic<bool> forked{false};
}

void watch_forks() {
  static const int installed = pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  (void)installed;
}

bool is_forked() { return forked.load(std::memory_order_relaxed); }

}  // namespace hal::layers
