// SPDX-License-Identifier: Apache-2.0
//
// One step of a reduction, a scan or a combining scatter.
#ifndef COMPILER_INTERP_COMBINE_HPP_
#define COMPILER_INTERP_COMBINE_HPP_

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "hal/compiler/portable.hpp"

namespace hal::compiler::interp {

// Integers wrap; min and max propagate NaN and hold -0 below +0; `and` and `or` are of truth.
template <typename S>
S combine(ReduceKind kind, S a, S b) {
  if constexpr (std::is_floating_point_v<S>) {
    if (kind == ReduceKind::kMin || kind == ReduceKind::kMax) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<S>::quiet_NaN();
      if (a == b) return std::signbit(a) == (kind == ReduceKind::kMin) ? a : b;
    }
  }
  switch (kind) {
    case ReduceKind::kAdd:
      if constexpr (std::is_integral_v<S>) return static_cast<S>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
      return static_cast<S>(a + b);
    case ReduceKind::kMul:
      if constexpr (std::is_integral_v<S>) return static_cast<S>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
      return static_cast<S>(a * b);
    case ReduceKind::kMin:
      return std::min(a, b);
    case ReduceKind::kMax:
      return std::max(a, b);
    case ReduceKind::kAnd:
      return a != 0 && b != 0;
    case ReduceKind::kOr:
      return a != 0 || b != 0;
    default:
      return b;
  }
}

}  // namespace hal::compiler::interp

#endif  // COMPILER_INTERP_COMBINE_HPP_
