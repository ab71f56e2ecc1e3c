// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/compare.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>

namespace hal::conformance {
namespace {

int bias_of(const FloatFormat& format) { return (1 << (format.exponent_bits - 1)) - 1; }
size_t bytes_of(const FloatFormat& format) {
  return static_cast<size_t>(1 + format.exponent_bits + format.mantissa_bits) / 8;
}

double largest_of(const FloatFormat& format) {
  return std::ldexp(2.0 - std::ldexp(1.0, -format.mantissa_bits), bias_of(format));
}
double smallest_normal(const FloatFormat& format) { return std::ldexp(1.0, 1 - bias_of(format)); }

double decode(const FloatFormat& format, uint64_t bits) {
  if (format.exponent_bits == 11) return std::bit_cast<double>(bits);
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
  const double sign = (bits >> (format.exponent_bits + format.mantissa_bits)) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << format.exponent_bits) - 1) return mantissa != 0 ? NAN : sign * INFINITY;
  const double fraction =
      std::ldexp(static_cast<double>(mantissa), -format.mantissa_bits) + (exponent != 0 ? 1.0 : 0.0);
  return sign * std::ldexp(fraction, std::max(exponent, 1) - bias_of(format));
}

uint64_t encode(const FloatFormat& format, double value) {
  if (format.exponent_bits == 11) return std::bit_cast<uint64_t>(value);
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (format.exponent_bits + format.mantissa_bits) : 0;
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  if (std::isnan(value)) return infinity | uint64_t{1} << (format.mantissa_bits - 1);
  const double unit = ulp_at(format, value);
  const double rounded = std::nearbyint(std::fabs(value) / unit) * unit;  // exact: unit is a power of two
  if (std::isinf(value) || rounded > largest_of(format)) return sign | infinity;
  if (rounded < smallest_normal(format)) return sign | static_cast<uint64_t>(rounded / unit);
  const int exponent = std::ilogb(rounded);
  const double fraction = std::ldexp(rounded, -exponent) - 1.0;
  return sign | static_cast<uint64_t>(exponent + bias_of(format)) << format.mantissa_bits |
         static_cast<uint64_t>(std::ldexp(fraction, format.mantissa_bits));
}

std::string show(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

// The distance in ULP, or infinity where no distance makes it right.
double distance(const FloatFormat& format, double got, double expected, double magnitude, const Tolerance& tolerance) {
  if (std::isnan(expected)) return tolerance.nan == NanPolicy::kAnything || std::isnan(got) ? 0.0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  if (got == expected) return tolerance.sign_of_zero && std::signbit(got) != std::signbit(expected) ? INFINITY : 0.0;
  if (std::isinf(expected)) return INFINITY;
  const double unit = ulp_at(format, std::max(std::fabs(expected), magnitude));
  if (std::isinf(got)) {
    // An infinity stands for the first number past the largest: right only where the tolerance reaches it.
    const double past = largest_of(format) + ulp_at(format, largest_of(format));
    return std::signbit(got) == std::signbit(expected) ? (past - std::fabs(expected)) / unit : INFINITY;
  }
  if (tolerance.flushes && got == 0.0 && std::fabs(expected) < smallest_normal(format)) return 0.0;
  return std::fabs(got - expected) / unit;
}

void note_wrong(Comparison& comparison, uint64_t index, double got, double expected, double ulp) {
  comparison.wrong++;
  if (!comparison.first) comparison.first = Mismatch{index, show(expected), show(got), ulp};
}

void conclude(Comparison& comparison, size_t count, const Tolerance& tolerance) {
  if (comparison.wrong != 0) {
    comparison.holds = false;
    comparison.why = std::to_string(comparison.wrong) + " of " + std::to_string(count) + " elements are over " +
                     show(tolerance.ulp) + " ULP; the worst is " + show(comparison.worst_ulp);
  } else if (comparison.rms_ulp > tolerance.rms_ulp) {
    comparison.holds = false;
    comparison.why = "each element is within " + show(tolerance.ulp) + " ULP, but the root mean square is " +
                     show(comparison.rms_ulp) + "; the most is " + show(tolerance.rms_ulp);
  }
}

}  // namespace

std::optional<FloatFormat> float_format(hal_dtype_t dtype) {
  switch (dtype) {
#define HAL_CONFORMANCE_FORMAT_(code, NAME, text, kind, bits, exponent, mantissa) \
  case HAL_DTYPE_##NAME:                                                          \
    if (#kind[0] == 'F' && bits >= 16) return FloatFormat{exponent, mantissa};    \
    return std::nullopt;
    HAL_DTYPE_TABLE(HAL_CONFORMANCE_FORMAT_)
#undef HAL_CONFORMANCE_FORMAT_
    default:
      return std::nullopt;
  }
}

double ulp_at(const FloatFormat& format, double value) {
  const int lowest = 1 - bias_of(format);
  const int exponent = value == 0.0 || !std::isfinite(value) ? lowest : std::max(std::ilogb(value), lowest);
  return std::ldexp(1.0, std::min(exponent, bias_of(format)) - format.mantissa_bits);
}

std::vector<double> decode_floats(hal_dtype_t dtype, std::span<const std::byte> bytes) {
  const FloatFormat format = float_format(dtype).value();
  const size_t size = bytes_of(format);
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); i++) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size], size);
    values[i] = decode(format, bits);
  }
  return values;
}

std::vector<std::byte> encode_floats(hal_dtype_t dtype, std::span<const double> values) {
  const FloatFormat format = float_format(dtype).value();
  const size_t size = bytes_of(format);
  std::vector<std::byte> bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); i++) {
    const uint64_t bits = encode(format, values[i]);
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

Comparison compare_floats(hal_dtype_t dtype, std::span<const double> got, std::span<const double> expected,
                          std::span<const double> magnitudes, const Tolerance& tolerance) {
  const FloatFormat format = float_format(dtype).value();
  Comparison comparison;
  if (got.size() != expected.size()) {
    comparison.holds = false;
    comparison.why = std::to_string(expected.size()) + " elements expected, " + std::to_string(got.size()) + " came";
    return comparison;
  }
  double squares = 0.0;
  for (size_t i = 0; i < got.size(); i++) {
    const double ulp =
        distance(format, got[i], expected[i], magnitudes.empty() ? 0.0 : std::fabs(magnitudes[i]), tolerance);
    comparison.worst_ulp = std::max(comparison.worst_ulp, ulp);
    // A wrong element is counted on its own, so that its infinity hides nothing in the sum.
    if (!(ulp <= tolerance.ulp)) {
      note_wrong(comparison, i, got[i], expected[i], ulp);
    } else {
      squares += ulp * ulp;
    }
  }
  if (!got.empty()) comparison.rms_ulp = std::sqrt(squares / static_cast<double>(got.size()));
  conclude(comparison, got.size(), tolerance);
  return comparison;
}

double share_of_commonest(std::span<const std::byte> bytes, size_t element_bytes) {
  if (bytes.empty() || element_bytes == 0) return 0.0;
  std::map<std::string_view, uint64_t> counts;
  uint64_t most = 0;
  for (size_t at = 0; at + element_bytes <= bytes.size(); at += element_bytes) {
    most = std::max(most, ++counts[{reinterpret_cast<const char*>(&bytes[at]), element_bytes}]);
  }
  return static_cast<double>(most) / static_cast<double>(bytes.size() / element_bytes);
}

}  // namespace hal::conformance
