// SPDX-License-Identifier: Apache-2.0
//
// The instruction-set features of this processor, by LLVM's names, and target strings: "x86-64+avx2+fma". A feature
// counts only where the operating system saves its registers.
#ifndef HAL_REFERENCE_BACKEND_FEATURES_HPP_
#define HAL_REFERENCE_BACKEND_FEATURES_HPP_

#include <string>
#include <string_view>

namespace hal::cpu {

// What a target string asks for, against this machine.
struct TargetVerdict {
  bool runs = false;
  std::string_view missing;  // the first feature or architecture that is not there; part of the text that was asked for
  const char* reason = "";   // static
};

// The architecture's name in target strings, "x86-64"; empty where this plugin loads no code.
std::string_view architecture();

// This machine's target string: the features that it has and that code generators choose by.
const std::string& machine_target();

// Whether this machine has a feature.
bool has_feature(std::string_view name);

TargetVerdict check_target(std::string_view target);

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_FEATURES_HPP_
