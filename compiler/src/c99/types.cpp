// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace hal::compiler::c99 {
namespace {

// Hexadecimal, so that the bits are kept. A NaN keeps that it is one.
std::string float_literal(double value, bool single) {
  if (std::isnan(value)) return single ? "NAN" : "((double)NAN)";
  std::string magnitude = single ? "INFINITY" : "((double)INFINITY)";
  if (!std::isinf(value)) {
    char text[40];
    std::snprintf(text, sizeof text, "%a%s", std::fabs(value), single ? "f" : "");
    magnitude = text;
  }
  return std::signbit(value) ? "(-" + magnitude + ")" : magnitude;
}

double half_value(DType dtype, uint64_t bits) {
  int mantissa = info(dtype).mantissa_bits, exponent_bits = info(dtype).exponent_bits;
  int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent = static_cast<int>(bits >> mantissa & ((1u << exponent_bits) - 1));
  double fraction = static_cast<double>(bits & ((1u << mantissa) - 1));
  double sign = bits >> 15 & 1 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - mantissa);
  return sign * std::ldexp(fraction + (1 << mantissa), exponent - bias - mantissa);
}

}  // namespace

bool has_type(DType dtype) {
  if (is_integer(dtype)) return info(dtype).bits >= 8;
  return dtype == DType::kBOOL || dtype == DType::kF32 || dtype == DType::kF64 || is_half(dtype);
}

std::string variable_type(DType dtype) {
  if (dtype == DType::kF64) return "double";
  if (is_float(dtype)) return "float";
  if (dtype == DType::kBOOL) return "uint8_t";
  return (is_signed(dtype) ? "int" : "uint") + std::to_string(info(dtype).bits) + "_t";
}

std::string memory_type(DType dtype) { return is_half(dtype) ? "uint16_t" : variable_type(dtype); }

std::string unsigned_type(DType dtype) { return "uint" + std::to_string(info(dtype).bits) + "_t"; }

std::string integer_literal(int64_t value) {
  if (value == INT64_MIN) return "(-INT64_C(9223372036854775807) - 1)";
  std::string text = "INT64_C(" + std::to_string(value < 0 ? -value : value) + ")";
  return value < 0 ? "(-" + text + ")" : text;
}

std::string literal(DType dtype, uint64_t bits) {
  if (dtype == DType::kF32) {
    float value;
    auto low = static_cast<uint32_t>(bits);
    std::memcpy(&value, &low, sizeof value);
    return float_literal(static_cast<double>(value), true);
  }
  if (dtype == DType::kF64) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return float_literal(value, false);
  }
  if (is_half(dtype)) return float_literal(half_value(dtype, bits & 0xFFFF), true);
  if (dtype == DType::kBOOL) return bits != 0 ? "1" : "0";
  int width = info(dtype).bits;
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  if (!is_signed(dtype)) return "UINT64_C(" + std::to_string(bits) + ")";
  return integer_literal(static_cast<int64_t>(bits << (64 - width)) >> (64 - width));
}

}  // namespace hal::compiler::c99
