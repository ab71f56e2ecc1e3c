// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a call: the rule it breaks, the call, the argument, what came, and what to do.
#ifndef LOADER_LAYERS_VALIDATION_VIOLATION_HPP_
#define LOADER_LAYERS_VALIDATION_VIOLATION_HPP_

#include <cstdint>
#include <string>

#include "hal/cxx/result.hpp"

namespace hal::layers::validation {

// Rules of the ABI by number: docs of the C ABI list them.
enum class Rule : uint32_t {
  kZeroTail = 4,
  kChain = 5,
  kHandle = 7,
  kStrings = 8,
  kOrder = 10,
  kMemory = 13,
  kProgram = 14,
  kCommandBuffer = 15,
  kLifetime = 19,
};

inline std::string cite(Rule rule) {
  const uint32_t number = static_cast<uint32_t>(rule);
  return (number < 10 ? "HAL-ABI-0" : "HAL-ABI-") + std::to_string(number);
}

// "HAL-ABI-13: work[0].target: bytes 60 to 68 of a buffer of 64; keep to it"
inline Error violation(hal_status_code_t code, Rule rule, const std::string& argument, const std::string& what) {
  return {code, cite(rule) + ": " + argument + ": " + what};
}

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_VIOLATION_HPP_
