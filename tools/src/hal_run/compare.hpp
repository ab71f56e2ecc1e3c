// SPDX-License-Identifier: Apache-2.0
//
// Results against expected tensors, for hal-run. Conformance has its own, stricter comparison.
#ifndef TOOLS_HAL_RUN_COMPARE_HPP_
#define TOOLS_HAL_RUN_COMPARE_HPP_

#include <string>

#include "hal/compiler/tensor.hpp"

namespace hal::tools {

// An element passes when |got - expected| <= absolute + relative * |expected|. The defaults are those of ONNX's own
// backend test runner. With scale > 0, `absolute` is scale times the largest finite |expected|, and relative is 0.
// NaN equals NaN, and infinities equal themselves alone.
struct Tolerance {
  double relative = 1e-3;
  double absolute = 1e-7;
  double scale = 0;
};

struct Comparison {
  bool equal = true;
  double largest_difference = 0;  // over finite pairs
  double largest_expected = 0;    // |expected|, finite
  std::string first_mismatch;     // "element [0, 3]: expected 1.5, got 2"; or dtypes, or shapes
};

Comparison compare(const compiler::Tensor& expected, const compiler::Tensor& got, const Tolerance& tolerance);

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_COMPARE_HPP_
