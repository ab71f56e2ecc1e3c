// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace hal::tools {

using compiler::DType;
using compiler::Tensor;

namespace {

std::string type_text(const Tensor& tensor) {
  std::string out = std::string(name(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i) out += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  return out + "]";
}

template <typename T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

double half_to_double(uint16_t bits, int exponent_bits, int mantissa_bits) {
  int exponent = (bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  int mantissa = bits & ((1 << mantissa_bits) - 1);
  int bias = (1 << (exponent_bits - 1)) - 1;
  double sign = (bits >> 15) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
}

// A float element as double; exact for each of these dtypes.
double float_element(const Tensor& tensor, uint64_t i) {
  const std::byte* base = tensor.storage->data();
  switch (tensor.dtype) {
    case DType::kF64:
      return load<double>(base + i * 8);
    case DType::kF32:
      return load<float>(base + i * 4);
    case DType::kF16:
      return half_to_double(load<uint16_t>(base + i * 2), 5, 10);
    case DType::kBF16:
      return half_to_double(load<uint16_t>(base + i * 2), 8, 7);
    default:
      return std::nan("");
  }
}

std::string index_text(const Tensor& tensor, uint64_t flat) {
  std::string out = "]";
  for (size_t axis = tensor.shape.size(); axis-- > 0;) {
    uint64_t extent = static_cast<uint64_t>(tensor.shape[axis]);
    out = std::to_string(flat % extent) + (axis + 1 < tensor.shape.size() ? ", " : "") + out;
    flat /= extent;
  }
  return "[" + out;
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

void compare_floats(const Tensor& expected, const Tensor& got, const Tolerance& tolerance, Comparison* out) {
  uint64_t count = expected.size();
  for (uint64_t i = 0; i < count; ++i) {
    double e = float_element(expected, i);
    if (std::isfinite(e)) out->largest_expected = std::max(out->largest_expected, std::fabs(e));
  }
  double absolute = tolerance.scale > 0 ? tolerance.scale * out->largest_expected : tolerance.absolute;
  double relative = tolerance.scale > 0 ? 0 : tolerance.relative;
  for (uint64_t i = 0; i < count; ++i) {
    double e = float_element(expected, i), g = float_element(got, i);
    bool both_finite = std::isfinite(e) && std::isfinite(g);
    double difference = both_finite ? std::fabs(e - g) : 0;
    out->largest_difference = std::max(out->largest_difference, difference);
    bool good = both_finite ? difference <= absolute + relative * std::fabs(e)
                            : (std::isnan(e) && std::isnan(g)) || (std::isinf(e) && e == g);
    if (!good && out->equal) {
      out->equal = false;
      out->first_mismatch =
          "element " + index_text(expected, i) + ": expected " + number(e) + ", got " + number(g);
    }
  }
}

void compare_bytes(const Tensor& expected, const Tensor& got, Comparison* out) {
  uint64_t width = static_cast<uint64_t>(info(expected.dtype).bits) / 8;
  const std::byte* e = expected.storage->data();
  const std::byte* g = got.storage->data();
  for (uint64_t i = 0; width > 0 && i < expected.size(); ++i) {
    if (std::memcmp(e + i * width, g + i * width, width) == 0) continue;
    out->equal = false;
    auto integer = [&](const std::byte* base) {
      int64_t value = 0;
      std::memcpy(&value, base + i * width, width);
      if (compiler::is_signed(expected.dtype)) value = value << (64 - 8 * width) >> (64 - 8 * width);
      return std::to_string(value);
    };
    out->first_mismatch = "element " + index_text(expected, i) + ": expected " + integer(e) + ", got " + integer(g);
    return;
  }
  if (width == 0 && !std::equal(expected.storage->begin(), expected.storage->end(), got.storage->begin())) {
    out->equal = false;
    out->first_mismatch = "packed bytes differ";
  }
}

}  // namespace

Comparison compare(const Tensor& expected, const Tensor& got, const Tolerance& tolerance) {
  Comparison out;
  if (expected.dtype != got.dtype || expected.shape != got.shape) {
    out.equal = false;
    out.first_mismatch = "expected " + type_text(expected) + ", got " + type_text(got);
    return out;
  }
  bool known_float = expected.dtype == DType::kF64 || expected.dtype == DType::kF32 || expected.dtype == DType::kF16 ||
                     expected.dtype == DType::kBF16;
  if (known_float) {
    compare_floats(expected, got, tolerance, &out);
  } else {
    compare_bytes(expected, got, &out);
  }
  return out;
}

}  // namespace hal::tools
