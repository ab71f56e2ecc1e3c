// SPDX-License-Identifier: Apache-2.0
//
// Is a result right? Element by element in units in the last place (ULP) of the result's dtype against a wider oracle,
// and in aggregate. NaN, infinities and the sign of zero follow a declared policy and never hide another element.
#ifndef HAL_CONFORMANCE_COMPARE_HPP_
#define HAL_CONFORMANCE_COMPARE_HPP_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hal/conformance/expect.hpp"
#include "hal/dtype.h"

namespace hal::conformance {

struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;  // stored
};

// The format of f16, bf16, f32 or f64; empty for any other dtype.
std::optional<FloatFormat> float_format(hal_dtype_t dtype);

// Elements of such a dtype as doubles. The number of bytes is a multiple of the element's.
std::vector<double> decode_floats(hal_dtype_t dtype, std::span<const std::byte> bytes);

// Doubles rounded to such a dtype, ties to even.
std::vector<std::byte> encode_floats(hal_dtype_t dtype, std::span<const double> values);

// One ULP of the format at `value`: the distance of its neighbours, never below that of the subnormals.
double ulp_at(const FloatFormat& format, double value);

// What a NaN in the oracle asks for. Elsewhere a NaN is always wrong.
enum class NanPolicy { kNan, kAnything };

struct Tolerance {
  double ulp = 0.0;      // of each element
  double rms_ulp = 0.0;  // of all: root of the mean square
  NanPolicy nan = NanPolicy::kNan;
  bool sign_of_zero = false;  // -0 and +0 differ
  bool flushes = false;       // the device declared that subnormals may be zero
};

struct Comparison {
  bool holds = true;
  std::string why;                // empty if it holds
  std::optional<Mismatch> first;  // the first element that is wrong
  uint64_t wrong = 0;             // elements that are wrong
  double worst_ulp = 0.0;
  double rms_ulp = 0.0;
};

// `magnitudes`, if not empty, is for each element the sum of the absolute terms that made it: where terms cancel, the
// error that rounding may leave is relative to them and not to the small result (N. Higham, "Accuracy and Stability of
// Numerical Algorithms", 2nd ed., section 4.2).
Comparison compare_floats(hal_dtype_t dtype, std::span<const double> got, std::span<const double> expected,
                          std::span<const double> magnitudes, const Tolerance& tolerance);

// The share of the commonest element, 0 to 1. A case whose expected output is over half one value proves little.
double share_of_commonest(std::span<const std::byte> bytes, size_t element_bytes);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_COMPARE_HPP_
