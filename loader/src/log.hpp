// SPDX-License-Identifier: Apache-2.0
//
// Where messages go: the application's callback, or nowhere.
#ifndef LOADER_LOG_HPP_
#define LOADER_LOG_HPP_

#include <atomic>
#include <string>
#include <thread>

#include "hal/loader.h"
#include "text.hpp"

namespace hal::loader {

class Log {
 public:
  using Callback = void (*)(void* context, hal_log_level_t level, hal_string_t message);

  Log() = default;
  Log(Callback callback, void* context) : callback_(callback), context_(context) {}
  Log(const Log& other) : callback_(other.callback_), context_(other.context_) {}
  Log& operator=(const Log& other) {
    callback_ = other.callback_;
    context_ = other.context_;
    return *this;
  }

  void write(hal_log_level_t level, const std::string& message) const {
    if (callback_ == nullptr) return;
    ++writers_;
    if (!is_closed_) callback_(context_, level, to_hal(message));
    --writers_;
  }

  // Afterwards the callback is never called again, and no call of it is under way: the application may free the
  // context, even while a plugin that is late still writes. Not from within the callback.
  void close() const {
    is_closed_ = true;
    while (writers_ != 0) std::this_thread::yield();
  }

 private:
  Callback callback_ = nullptr;
  void* context_ = nullptr;
  mutable std::atomic<int> writers_{0};
  mutable std::atomic<bool> is_closed_{false};
};

}  // namespace hal::loader

#endif  // LOADER_LOG_HPP_
