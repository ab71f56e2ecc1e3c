// SPDX-License-Identifier: Apache-2.0
#include "status.hpp"

namespace hal::layers {
namespace {

struct OwnedStatus {
  hal_status_t status{};
  std::string message, maker, call;
};

hal_string_t text(const std::string& value) { return {value.data(), value.size()}; }

hal_status_t* out_of_memory() {
  static hal_status_t status = {sizeof(hal_status_t),
                                HAL_STATUS_OUT_OF_MEMORY,
                                0,
                                {"the host is out of memory", 25},
                                {nullptr, 0},
                                {nullptr, 0},
                                nullptr,
                                [](hal_status_t*) {}};
  return &status;
}

}  // namespace

hal_status_t* make_status(hal_status_code_t code, std::string_view message, std::string_view maker,
                          std::string_view call) noexcept {
  try {
    auto* const owned = new OwnedStatus{{}, std::string(message), std::string(maker), std::string(call)};
    owned->status = {sizeof(hal_status_t),
                     code,
                     0,
                     text(owned->message),
                     text(owned->maker),
                     text(owned->call),
                     nullptr,
                     [](hal_status_t* self) { delete reinterpret_cast<OwnedStatus*>(self); }};
    return &owned->status;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace hal::layers
