// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/canonical_json.hpp"

#include <algorithm>

namespace hal::conformance {
namespace {

constexpr int64_t kMost = (int64_t{1} << 53) - 1;

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool is_admitted_number(const nlohmann::json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>() <= static_cast<uint64_t>(kMost);
  return value.is_number_integer() && value.get<int64_t>() >= -kMost && value.get<int64_t>() <= kMost;
}

Result<void> check(const nlohmann::json& value, const std::string& place) {
  if (value.is_number() && !is_admitted_number(value)) {
    return invalid_argument(place + " is " + value.dump() + "; a number here is an integer within 2^53 - 1 of zero");
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      if (!is_ascii(key)) return invalid_argument(place + " has a key that is not ASCII");
      HAL_TRY(check(member, place + "." + key));
    }
  }
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); i++) HAL_TRY(check(value[i], place + "[" + std::to_string(i) + "]"));
  }
  return {};
}

}  // namespace

// nlohmann::json keeps members sorted by the bytes of their keys, which for ASCII is RFC 8785's order, and escapes what
// RFC 8785 escapes and nothing else.
Result<std::string> canonical_json(const nlohmann::json& value) {
  HAL_TRY(check(value, "$"));
  try {
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
  } catch (const nlohmann::json::exception& error) {
    return invalid_argument(std::string("no canonical form: ") + error.what());
  }
}

}  // namespace hal::conformance
