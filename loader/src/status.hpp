// SPDX-License-Identifier: Apache-2.0
//
// The edge between C++ errors and C statuses: makes statuses of our own, and takes those of plugins without trust.
#ifndef LOADER_STATUS_HPP_
#define LOADER_STATUS_HPP_

#include <exception>
#include <functional>
#include <string>

#include "hal/cxx/result.hpp"
#include "hal/status.h"

namespace hal::loader {

// A status that owns its text. When memory is short it is a static one: this never fails.
hal_status_t* make_status(const Error& error) noexcept;

// Reads and releases a status that a plugin returned. `call` names the slot in the message.
Result<void> take_plugin_status(hal_status_t* status, const std::string& call);

// Calls into a plugin. An exception that leaves it is an error of the plugin, not the end of the process.
Result<void> call_plugin(const std::string& call, const std::function<hal_status_t*()>& body);

// The one guard at the loader's C edge: a Result in, a status out, and no exception passes.
template <typename Body>
hal_status_t* at_edge(Body&& body) noexcept {
  try {
    Result<void> result = body();
    return result ? nullptr : make_status(result.error());
  } catch (const std::bad_alloc&) {
    return make_status({HAL_STATUS_OUT_OF_MEMORY, {}});
  } catch (const std::exception& error) {
    return make_status(internal_error(std::string("libhal: unexpected: ") + error.what()));
  }
}

}  // namespace hal::loader

#endif  // LOADER_STATUS_HPP_
