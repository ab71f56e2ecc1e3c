// SPDX-License-Identifier: Apache-2.0
//
// Where messages go: the application's callback, or nowhere.
#ifndef LOADER_LOG_HPP_
#define LOADER_LOG_HPP_

#include <string>

#include "hal/loader.h"
#include "text.hpp"

namespace hal::loader {

struct Log {
  void (*callback)(void* context, hal_log_level_t level, hal_string_t message) = nullptr;
  void* context = nullptr;

  void write(hal_log_level_t level, const std::string& message) const {
    if (callback != nullptr) callback(context, level, to_hal(message));
  }
};

}  // namespace hal::loader

#endif  // LOADER_LOG_HPP_
