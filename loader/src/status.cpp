// SPDX-License-Identifier: Apache-2.0
#include "status.hpp"

#include <cxxabi.h>
#include <algorithm>
#include <new>
#include <utility>

#include "memory_check.hpp"
#include "structs.hpp"
#include "text.hpp"
#include "utf8.hpp"

namespace hal::loader {
namespace {

constexpr uint64_t kMaxText = 4096;           // of one message of a plugin
constexpr uint64_t kMaxLength = 1024 * 1024;  // a longer one is garbage, of which nothing is shown
constexpr uint32_t kMaxCauses = 16;

struct OwnedStatus {
  hal_status_t status;
  std::string message;
};

void release_owned(hal_status_t* self) { delete reinterpret_cast<OwnedStatus*>(self); }
void release_static(hal_status_t*) {}

hal_status_t* out_of_memory_status() {
  static constexpr std::string_view kText = "the host is out of memory";
  static hal_status_t status = {
      sizeof(hal_status_t), HAL_STATUS_OUT_OF_MEMORY, 0, to_hal(kText), {nullptr, 0}, {nullptr, 0}, nullptr,
      release_static};
  return &status;
}

// A text of a plugin's status; what cannot be one is named instead of read.
std::string plugin_text(hal_string_t text) {
  if (text.length == 0) return {};
  const uint64_t shown = std::min(text.length, kMaxText);
  if (text.data == nullptr || text.length > kMaxLength || !is_readable(text.data, text.length)) {
    return "(its message is NULL, or cannot be read with length " + std::to_string(text.length) + ")";
  }
  return printable({text.data, shown}) + (text.length > kMaxText ? "..." : "");
}

bool is_status(const hal_status_t* status) {
  return reinterpret_cast<uintptr_t>(status) % alignof(hal_status_t) == 0 && is_readable(status, kFirstStatusSize) &&
         status->struct_size >= kFirstStatusSize && status->struct_size <= kMaxStructSize &&
         status->code != HAL_STATUS_OK && status->release != nullptr;
}

}  // namespace

hal_status_t* make_status(const Error& error) noexcept {
  auto* owned = new (std::nothrow) OwnedStatus{};
  if (owned == nullptr) return out_of_memory_status();
  try {
    owned->message = error.message;
  } catch (const std::bad_alloc&) {
    delete owned;
    return out_of_memory_status();
  }
  owned->status = {sizeof(hal_status_t), error.code,   0,       to_hal(owned->message),
                   {nullptr, 0},         {nullptr, 0}, nullptr, release_owned};
  return &owned->status;
}

Result<void> take_plugin_status(hal_status_t* status, const std::string& call) {
  if (status == nullptr) return {};
  if (!is_status(status)) {
    return internal_error(call + " returned a malformed status (struct_size, code or release is wrong)");
  }
  Error error{status->code, call + ": "};
  uint32_t depth = 0;
  for (const hal_status_t* at = status; at != nullptr && depth < kMaxCauses && is_status(at); at = at->cause) {
    const std::string text = plugin_text(at->message);
    error.message += (depth++ == 0 ? "" : ": ") + (text.empty() ? hal_status_code_name(at->code) : text);
  }
  status->release(status);
  return error;
}

Result<void> call_plugin(const std::string& call, const std::function<hal_status_t*()>& body) {
  try {
    return take_plugin_status(body(), call);
  } catch (const abi::__forced_unwind&) {
    throw;  // a cancelled thread must go on unwinding
  } catch (const std::exception& error) {
    return internal_error(call + " threw a C++ exception, which must not cross the ABI: " + error.what());
  } catch (...) {
    return internal_error(call + " threw something, which must not cross the ABI");
  }
}

}  // namespace hal::loader
