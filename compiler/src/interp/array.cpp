// SPDX-License-Identifier: Apache-2.0
#include "array.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace hal::compiler::interp {
namespace {

// How a small float format treats its top exponent (hal/dtype.h).
bool has_infinity(DType dtype) {
  return dtype != DType::kF8E4M3 && dtype != DType::kF8E4M3FNUZ && dtype != DType::kF8E5M2FNUZ;
}
bool is_fnuz(DType dtype) { return dtype == DType::kF8E4M3FNUZ || dtype == DType::kF8E5M2FNUZ; }

template <typename Stored, typename Held>
std::vector<Held> widen(const Tensor& tensor) {
  const Stored* from = tensor.data<Stored>();
  return std::vector<Held>(from, from + tensor.size());
}

template <typename Stored, typename Held>
void narrow(const std::vector<Held>& from, Tensor* tensor) {
  Stored* to = tensor->data<Stored>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<Stored>(from[i]);
}

template <typename Stored>
std::vector<float> decode_all(const Tensor& tensor) {
  std::vector<float> out(tensor.size());
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<float>(decode_float(tensor.dtype, tensor.data<Stored>()[i]));
  }
  return out;
}

template <typename Stored, typename Held>
void encode_all(const std::vector<Held>& from, Tensor* tensor) {
  for (size_t i = 0; i < from.size(); ++i) {
    tensor->data<Stored>()[i] = static_cast<Stored>(encode_float(tensor->dtype, from[i]));
  }
}

template <typename T>
std::vector<long double> lengthen(const std::vector<T>& from) {
  return std::vector<long double>(from.begin(), from.end());
}

Result<Carrier> read(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::kBOOL:
      return Carrier(widen<uint8_t, int64_t>(tensor));
    case DType::kI8:
      return Carrier(widen<int8_t, int64_t>(tensor));
    case DType::kI16:
      return Carrier(widen<int16_t, int64_t>(tensor));
    case DType::kI32:
      return Carrier(widen<int32_t, int64_t>(tensor));
    case DType::kI64:
      return Carrier(widen<int64_t, int64_t>(tensor));
    case DType::kU8:
      return Carrier(widen<uint8_t, uint64_t>(tensor));
    case DType::kU16:
      return Carrier(widen<uint16_t, uint64_t>(tensor));
    case DType::kU32:
      return Carrier(widen<uint32_t, uint64_t>(tensor));
    case DType::kU64:
      return Carrier(widen<uint64_t, uint64_t>(tensor));
    case DType::kF16:
    case DType::kBF16:
      return Carrier(decode_all<uint16_t>(tensor));
    case DType::kF8E4M3:
    case DType::kF8E5M2:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2FNUZ:
      return Carrier(decode_all<uint8_t>(tensor));
    case DType::kF32:
      return Carrier(widen<float, float>(tensor));
    case DType::kF64:
      return Carrier(widen<double, double>(tensor));
    default:
      return unsupported(std::string("the interpreter does not hold ") + name(tensor.dtype) + " yet");
  }
}

}  // namespace

Carrier make_carrier(DType dtype, Precision precision, int64_t n) {
  size_t size = static_cast<size_t>(n);
  if (is_float(dtype) && precision == Precision::kHigh) return std::vector<long double>(size);
  if (dtype == DType::kF64) return std::vector<double>(size);
  if (is_float(dtype)) return std::vector<float>(size);
  if (is_unsigned(dtype)) return std::vector<uint64_t>(size);
  return std::vector<int64_t>(size);
}

Result<Array> from_tensor(const Tensor& tensor, Precision precision) {
  HAL_TRY_ASSIGN(Carrier data, read(tensor));
  if (precision == Precision::kHigh && is_float(tensor.dtype)) {
    if (auto* floats = std::get_if<std::vector<float>>(&data))
      data = lengthen(*floats);
    else
      data = lengthen(std::get<std::vector<double>>(data));
  }
  return Array{tensor.dtype, tensor.shape, std::move(data)};
}

Tensor to_tensor(const Array& array) {
  Tensor tensor = Tensor::make(array.dtype, array.shape);
  std::visit(
      [&](const auto& data) {
        switch (info(array.dtype).bits * 10 + (is_float(array.dtype) ? 1 : 0)) {
          case 81:
            return encode_all<uint8_t>(data, &tensor);
          case 161:
            return encode_all<uint16_t>(data, &tensor);
          case 321:
            return narrow<float>(data, &tensor);
          case 641:
            return narrow<double>(data, &tensor);
          case 80:
            return narrow<uint8_t>(data, &tensor);
          case 160:
            return narrow<uint16_t>(data, &tensor);
          case 320:
            return narrow<uint32_t>(data, &tensor);
          default:
            return narrow<uint64_t>(data, &tensor);
        }
      },
      array.data);
  return tensor;
}

float round_to(DType dtype, float value) {
  if (dtype == DType::kF32) return value;
  if (dtype == DType::kBF16) {  // the hot case: round the low half of the word away
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (std::isnan(value)) return value;
    bits += 0x7FFFu + ((bits >> 16) & 1u);
    bits &= 0xFFFF0000u;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
  }
  return static_cast<float>(decode_float(dtype, encode_float(dtype, value)));
}

int64_t round_to(DType dtype, int64_t value) {
  int bits = info(dtype).bits;
  if (dtype == DType::kBOOL) return value & 1;
  return bits >= 64 ? value : static_cast<int64_t>(static_cast<uint64_t>(value) << (64 - bits)) >> (64 - bits);
}

uint64_t round_to(DType dtype, uint64_t value) {
  int bits = info(dtype).bits;
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

uint32_t encode_float(DType dtype, long double value) {
  const DTypeInfo format = info(dtype);
  const int bias = (1 << (format.exponent_bits - 1)) - 1 + (is_fnuz(dtype) ? 1 : 0);
  const uint32_t top = (1u << format.exponent_bits) - 1, mantissa_mask = (1u << format.mantissa_bits) - 1;
  const uint32_t sign = std::signbit(value) ? 1u << (format.bits - 1) : 0;
  const uint32_t nan = is_fnuz(dtype) ? 1u << (format.bits - 1)
                       : dtype == DType::kF8E4M3
                           ? sign | (top << format.mantissa_bits) | mantissa_mask
                           : sign | (top << format.mantissa_bits) | (1u << (format.mantissa_bits - 1));
  if (std::isnan(value)) return nan;
  const uint32_t infinity = has_infinity(dtype) ? sign | (top << format.mantissa_bits) : nan;
  if (std::isinf(value)) return infinity;
  long double magnitude = std::fabs(value);
  if (magnitude == 0) return is_fnuz(dtype) ? 0 : sign;
  int exponent;
  std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent with m in [0.5, 1)
  int unit = std::max(exponent - 1, 1 - bias) - format.mantissa_bits;
  // nearbyint rounds to nearest even in the default mode; the scaling is by a power of two and exact.
  uint64_t steps = static_cast<uint64_t>(std::nearbyint(std::ldexp(magnitude, -unit)));
  uint32_t code = static_cast<uint32_t>(steps);
  int biased = unit + format.mantissa_bits + bias;
  uint64_t packed = steps <= mantissa_mask && biased == 1
                        ? steps
                        : (static_cast<uint64_t>(biased - 1) << format.mantissa_bits) + code;
  uint64_t limit = has_infinity(dtype)       ? uint64_t{top} << format.mantissa_bits
                   : dtype == DType::kF8E4M3 ? (uint64_t{top} << format.mantissa_bits) | mantissa_mask
                                             : uint64_t{1} << (format.bits - 1);
  if (packed >= limit) return infinity;
  return packed == 0 && is_fnuz(dtype) ? 0 : sign | static_cast<uint32_t>(packed);
}

long double decode_float(DType dtype, uint32_t bits) {
  const DTypeInfo format = info(dtype);
  const int bias = (1 << (format.exponent_bits - 1)) - 1 + (is_fnuz(dtype) ? 1 : 0);
  const uint32_t top = (1u << format.exponent_bits) - 1, mantissa_mask = (1u << format.mantissa_bits) - 1;
  bool negative = (bits >> (format.bits - 1)) & 1u;
  uint32_t exponent = (bits >> format.mantissa_bits) & top, mantissa = bits & mantissa_mask;
  constexpr long double kNan = std::numeric_limits<long double>::quiet_NaN();
  if (is_fnuz(dtype) && bits == 1u << (format.bits - 1)) return kNan;
  if (exponent == top && has_infinity(dtype)) return mantissa ? kNan : (negative ? -HUGE_VALL : HUGE_VALL);
  if (dtype == DType::kF8E4M3 && exponent == top && mantissa == mantissa_mask) return kNan;
  long double magnitude = exponent == 0
                              ? std::ldexp(static_cast<long double>(mantissa), 1 - bias - format.mantissa_bits)
                              : std::ldexp(static_cast<long double>(mantissa + mantissa_mask + 1),
                                           static_cast<int>(exponent) - bias - format.mantissa_bits);
  return negative ? -magnitude : magnitude;
}

}  // namespace hal::compiler::interp
