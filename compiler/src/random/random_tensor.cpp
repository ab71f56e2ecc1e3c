// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "random_program.hpp"

namespace hal::compiler::random {
namespace {

// Bits of a float format with the value sign * n, n a small whole number.
uint64_t whole(DType dtype, int64_t n) {
  DTypeInfo format = info(dtype);
  uint64_t sign = n < 0 ? uint64_t{1} << (format.bits - 1) : 0;
  uint64_t magnitude = static_cast<uint64_t>(n < 0 ? -n : n);
  if (magnitude == 0) return sign;
  int exponent = 63 - __builtin_clzll(magnitude);
  uint64_t bias = (uint64_t{1} << (format.exponent_bits - 1)) - 1;
  uint64_t fraction = (magnitude - (uint64_t{1} << exponent)) << (format.mantissa_bits - exponent);
  return sign | (bias + static_cast<uint64_t>(exponent)) << format.mantissa_bits | fraction;
}

// Zero, the least, the greatest, infinity and NaN of a float format; the ends of an integer.
uint64_t special(DType dtype, Counter& counter) {
  DTypeInfo format = info(dtype);
  uint64_t sign = counter.chance(50) ? uint64_t{1} << (format.bits - 1) : 0;
  if (!is_float(dtype)) {
    uint64_t top = uint64_t{1} << (format.bits - 1);
    return counter.pick<uint64_t>({0, 1, top, top - 1, ~uint64_t{0}});
  }
  uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  return sign | counter.pick<uint64_t>({0, 1, infinity, infinity - 1, infinity | quiet, whole(dtype, 1)});
}

uint64_t element(DType dtype, bool wild, Counter& counter) {
  if (dtype == DType::kBOOL) return counter.next() & 1;
  if (!wild) {
    int64_t n = counter.below(is_unsigned(dtype) ? 5 : 9) - (is_unsigned(dtype) ? 0 : 4);
    return is_float(dtype) ? whole(dtype, n) : static_cast<uint64_t>(n);
  }
  if (counter.chance(20)) return special(dtype, counter);
  uint64_t bits = counter.next();
  if (!is_float(dtype)) return counter.chance(50) ? bits : bits % 256;
  // Of moderate size, with every bit of the fraction in use.
  DTypeInfo format = info(dtype);
  uint64_t bias = (uint64_t{1} << (format.exponent_bits - 1)) - 1;
  uint64_t exponent = bias - 4 + counter.next() % 8;
  uint64_t fraction = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  return (bits >> 63) << (format.bits - 1) | exponent << format.mantissa_bits | fraction;
}

}  // namespace

Tensor random_tensor(DType dtype, std::vector<int64_t> shape, bool wild, Counter& counter) {
  Tensor tensor = Tensor::make(dtype, std::move(shape));
  size_t width = static_cast<size_t>(info(dtype).bits) / 8;
  if (dtype == DType::kBOOL) width = 1;
  for (size_t i = 0; i < tensor.size(); ++i) {
    uint64_t bits = element(dtype, wild, counter);
    std::memcpy(tensor.storage->data() + i * width, &bits, width);
  }
  return tensor;
}

}  // namespace hal::compiler::random
