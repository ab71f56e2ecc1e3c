// SPDX-License-Identifier: Apache-2.0
//
// Statuses that a layer makes, and the guard at its edge.
#ifndef LOADER_LAYERS_KIT_STATUS_HPP_
#define LOADER_LAYERS_KIT_STATUS_HPP_

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "hal/cxx/result.hpp"
#include "hal/layer.h"

namespace hal::layers {

// `maker`: "layer fault"; `call`: the slot. Never fails: a static "out of memory" stands in.
hal_status_t* make_status(hal_status_code_t code, std::string_view message, std::string_view maker,
                          std::string_view call) noexcept;

// A Result as a status; no exception passes.
template <typename Body>
hal_status_t* guarded(std::string_view maker, std::string_view call, Body&& body) noexcept {
  try {
    const Result<void> result = body();
    return result ? nullptr : make_status(result.error().code, result.error().message, maker, call);
  } catch (const std::bad_alloc&) {
    return make_status(HAL_STATUS_OUT_OF_MEMORY, "the host is out of memory", maker, call);
  } catch (const std::exception& error) {
    return make_status(HAL_STATUS_INTERNAL, error.what(), maker, call);
  }
}

}  // namespace hal::layers

#endif  // LOADER_LAYERS_KIT_STATUS_HPP_
