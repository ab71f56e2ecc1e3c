// SPDX-License-Identifier: Apache-2.0
//
// One value, one text: the form of JSON that is hashed and signed. It is RFC 8785 on the values that it admits: keys
// sorted, no space, and the only numbers are integers within 2^53 - 1 of zero (greater ones, and hashes, are strings).
// What RFC 8785 leaves to be got wrong (fractions, keys that are not ASCII) is an error here instead.
#ifndef HAL_CONFORMANCE_CANONICAL_JSON_HPP_
#define HAL_CONFORMANCE_CANONICAL_JSON_HPP_

#include <nlohmann/json.hpp>
#include <string>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

// INVALID_ARGUMENT, with the place, for a value without a canonical form here.
Result<std::string> canonical_json(const nlohmann::json& value);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_CANONICAL_JSON_HPP_
