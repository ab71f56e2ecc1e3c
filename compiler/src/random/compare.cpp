// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <cmath>
#include <cstring>

namespace hal::compiler::random {
namespace {

uint64_t bits_at(const Tensor& tensor, uint64_t i) {
  size_t width = tensor.storage->size() / tensor.size();
  uint64_t bits = 0;
  std::memcpy(&bits, tensor.storage->data() + i * width, width);
  return bits;
}

// The value of an IEEE format of at most 64 bits.
double value_of(DType dtype, uint64_t bits) {
  DTypeInfo format = info(dtype);
  double sign = (bits >> (format.bits - 1)) != 0 ? -1 : 1;
  uint64_t top = (uint64_t{1} << format.exponent_bits) - 1;
  uint64_t exponent = (bits >> format.mantissa_bits) & top;
  double fraction = static_cast<double>(bits & ((uint64_t{1} << format.mantissa_bits) - 1));
  if (exponent == top) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - static_cast<int>(top / 2) - format.mantissa_bits;
  return sign * std::ldexp(fraction + (exponent == 0 ? 0 : std::ldexp(1.0, format.mantissa_bits)), scale);
}

// The order of the numbers as integers, in which neighbours differ by one.
int64_t rank_of(DType dtype, uint64_t bits) {
  uint64_t sign = uint64_t{1} << (info(dtype).bits - 1);
  return (bits & sign) != 0 ? -static_cast<int64_t>(bits & ~sign) : static_cast<int64_t>(bits);
}

bool close(DType dtype, uint64_t want, uint64_t got, int ulps) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(rank_of(dtype, want), rank_of(dtype, got), &difference)) return false;
  return std::abs(difference) <= ulps;
}

}  // namespace

std::string find_difference(const Tensor& want, const Tensor& got, int ulps) {
  if (want.dtype != got.dtype || want.shape != got.shape) return "the types differ";
  for (uint64_t i = 0; i < want.size(); ++i) {
    uint64_t w = bits_at(want, i), g = bits_at(got, i);
    if (w == g) continue;
    std::string what =
        "element " + std::to_string(i) + ": expected bits " + std::to_string(w) + ", got " + std::to_string(g);
    if (!is_float(want.dtype)) return what;
    double x = value_of(want.dtype, w), y = value_of(want.dtype, g);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (ulps > 0 && close(want.dtype, w, g, ulps)) continue;
    return what + " (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  }
  return "";
}

}  // namespace hal::compiler::random
