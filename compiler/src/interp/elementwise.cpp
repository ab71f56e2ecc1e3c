// SPDX-License-Identifier: Apache-2.0
//
// The elementwise primitives, one small function each, by carrier. Transcendental functions of f16, bf16 and f32 are
// computed in double and rounded once; of f64 in long double; in high precision in long double.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "array.hpp"

namespace hal::compiler::interp {
namespace {

template <typename T>
using Wider = std::conditional_t<std::is_same_v<T, float>, double, long double>;

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

template <typename T>
T sign_of(T x) {
  if (x > 0) return 1;
  if constexpr (!std::is_unsigned_v<T>) {
    if (x < 0) return -1;
  }
  return x;
}

template <typename T>
T float_unary(Prim prim, T x) {
  using W = Wider<T>;
  W w = x;
  switch (prim) {
    case Prim::kFloor:
      return std::floor(x);
    case Prim::kCeil:
      return std::ceil(x);
    case Prim::kTrunc:
      return std::trunc(x);
    case Prim::kRoundEven:
      return std::nearbyint(x);
    case Prim::kSqrt:
      return std::sqrt(x);
    case Prim::kExp:
      return static_cast<T>(std::exp(w));
    case Prim::kLog:
      return static_cast<T>(std::log(w));
    case Prim::kSin:
      return static_cast<T>(std::sin(w));
    case Prim::kCos:
      return static_cast<T>(std::cos(w));
    case Prim::kTanh:
      return static_cast<T>(std::tanh(w));
    case Prim::kErf:
      return static_cast<T>(std::erf(w));
    case Prim::kLog1p:
      return static_cast<T>(std::log1p(w));
    case Prim::kExpm1:
      return static_cast<T>(std::expm1(w));
    case Prim::kAtan:
      return static_cast<T>(std::atan(w));
    default:
      return x;
  }
}

template <typename T>
T unary(Prim prim, T x) {
  switch (prim) {
    case Prim::kNeg:
      if constexpr (kIsFloat<T>)
        return -x;
      else
        return static_cast<T>(0 - static_cast<uint64_t>(x));
    case Prim::kAbs:
      if constexpr (kIsFloat<T>)
        return std::fabs(x);
      else if constexpr (std::is_unsigned_v<T>)
        return x;
      else
        return x < 0 ? static_cast<T>(0 - static_cast<uint64_t>(x)) : x;
    case Prim::kSign:
      return sign_of(x);
    case Prim::kNot:
      if constexpr (!kIsFloat<T>) return ~x;
      return x;
    default:
      if constexpr (kIsFloat<T>) return float_unary(prim, x);
      return x;
  }
}

// NaN wins; -0 is below +0.
template <typename T>
T lesser(T x, T y) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
    if (x == y) return std::signbit(x) ? x : y;
  }
  return x < y ? x : y;
}
template <typename T>
T greater(T x, T y) {
  if constexpr (kIsFloat<T>) {
    if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<T>::quiet_NaN();
    if (x == y) return std::signbit(x) ? y : x;
  }
  return x > y ? x : y;
}

template <typename T>
T integer_divide(T x, T y) {
  if (y == 0) return 0;
  if constexpr (!std::is_unsigned_v<T>) {
    if (y == -1) return static_cast<T>(0 - static_cast<uint64_t>(x));
  }
  return x / y;
}

template <typename T>
T integer_binary(Prim prim, T x, T y, int bits) {
  switch (prim) {
    case Prim::kAdd:
      return static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(y));
    case Prim::kSub:
      return static_cast<T>(static_cast<uint64_t>(x) - static_cast<uint64_t>(y));
    case Prim::kMul:
      return static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
    case Prim::kDiv:
      return integer_divide(x, y);
    case Prim::kRem:
      return static_cast<T>(static_cast<uint64_t>(x) -
                            static_cast<uint64_t>(integer_divide(x, y)) * static_cast<uint64_t>(y));
    case Prim::kAnd:
      return x & y;
    case Prim::kOr:
      return x | y;
    case Prim::kXor:
      return x ^ y;
    case Prim::kShl:
    case Prim::kShr: {
      bool outside = static_cast<uint64_t>(y) >= static_cast<uint64_t>(bits);
      if (prim == Prim::kShl) return outside ? 0 : static_cast<T>(static_cast<uint64_t>(x) << y);
      return outside ? (x < 0 ? static_cast<T>(-1) : T{0}) : static_cast<T>(x >> y);
    }
    default:
      return x;
  }
}

template <typename T>
T float_binary(Prim prim, T x, T y) {
  using W = Wider<T>;
  switch (prim) {
    case Prim::kAdd:
      return x + y;
    case Prim::kSub:
      return x - y;
    case Prim::kMul:
      return x * y;
    case Prim::kDiv:
      return x / y;
    case Prim::kRem:
      return std::fmod(x, y);
    case Prim::kPow:
      return static_cast<T>(std::pow(W(x), W(y)));
    case Prim::kAtan2:
      return static_cast<T>(std::atan2(W(x), W(y)));
    default:
      return x;
  }
}

template <typename T>
T binary(Prim prim, T x, T y, int bits) {
  if (prim == Prim::kMin) return lesser(x, y);
  if (prim == Prim::kMax) return greater(x, y);
  if constexpr (kIsFloat<T>)
    return float_binary(prim, x, y);
  else
    return integer_binary(prim, x, y, bits);
}

template <typename T>
bool holds(Predicate predicate, T x, T y) {
  switch (predicate) {
    case Predicate::kEq:
      return x == y;
    case Predicate::kNe:
      return x != y;
    case Predicate::kLt:
      return x < y;
    case Predicate::kLe:
      return x <= y;
    case Predicate::kGt:
      return x > y;
    case Predicate::kGe:
      return x >= y;
  }
  return false;
}

// Float to integer: truncates, saturates, NaN becomes 0.
template <typename F>
int64_t to_signed(F x, int bits) {
  if (std::isnan(x)) return 0;
  long double low = -std::ldexp(1.0L, bits - 1), high = std::ldexp(1.0L, bits - 1) - 1;
  return static_cast<int64_t>(std::clamp<long double>(std::trunc(static_cast<long double>(x)), low, high));
}
template <typename F>
uint64_t to_unsigned(F x, int bits) {
  if (std::isnan(x)) return 0;
  long double high = std::ldexp(1.0L, bits) - 1;
  return static_cast<uint64_t>(std::clamp<long double>(std::trunc(static_cast<long double>(x)), 0.0L, high));
}

template <typename T>
int64_t saturate_signed(T x, int bits) {
  int64_t high = bits >= 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
  if constexpr (std::is_unsigned_v<T>)
    return static_cast<int64_t>(std::min<uint64_t>(x, static_cast<uint64_t>(high)));
  else
    return std::clamp<int64_t>(x, -high - 1, high);
}
template <typename T>
uint64_t saturate_unsigned(T x, int bits) {
  if constexpr (!std::is_unsigned_v<T>) {
    if (x < 0) return 0;
  }
  uint64_t high = bits >= 64 ? std::numeric_limits<uint64_t>::max() : (uint64_t{1} << bits) - 1;
  return std::min<uint64_t>(static_cast<uint64_t>(x), high);
}

template <typename From, typename To>
To cast_one(From x, DType dtype, CastMode mode) {
  int bits = info(dtype).bits;
  if (dtype == DType::kBOOL) return static_cast<To>(x != 0);
  if constexpr (kIsFloat<To>) {
    // One rounding: the narrow formats are encoded from the exact value.
    if (std::is_same_v<To, float> && dtype != DType::kF32)
      return static_cast<To>(decode_float(dtype, encode_float(dtype, static_cast<long double>(x))));
    return static_cast<To>(x);
  } else if constexpr (kIsFloat<From>) {
    if constexpr (std::is_unsigned_v<To>)
      return to_unsigned(x, bits);
    else
      return to_signed(x, bits);
  } else if (mode == CastMode::kWrap) {
    return round_to(dtype, static_cast<To>(x));
  } else if constexpr (std::is_unsigned_v<To>) {
    return saturate_unsigned(x, bits);
  } else {
    return saturate_signed(x, bits);
  }
}

Array cast(const Array& x, const Attributes& attributes, Precision precision) {
  Array out{attributes.dtype, x.shape, make_carrier(attributes.dtype, precision, count(x.shape))};
  std::visit(
      [&](const auto& from, auto& to) {
        using From = typename std::decay_t<decltype(from)>::value_type;
        using To = typename std::decay_t<decltype(to)>::value_type;
        for (size_t i = 0; i < to.size(); ++i) to[i] = cast_one<From, To>(from[i], out.dtype, attributes.cast);
      },
      x.data, out.data);
  return out;
}

Result<Array> bitcast(const Array& x, DType dtype, Precision precision) {
  Tensor tensor = to_tensor(x);
  tensor.dtype = dtype;
  return from_tensor(tensor, precision);
}

Array classify(Prim prim, const Array& x) {
  std::vector<int64_t> out(static_cast<size_t>(count(x.shape)));
  std::visit(
      [&](const auto& data) {
        for (size_t i = 0; i < out.size(); ++i) {
          long double value = static_cast<long double>(data[i]);
          out[i] = prim == Prim::kIsNan ? std::isnan(value) : std::isinf(value);
        }
      },
      x.data);
  return Array{DType::kBOOL, x.shape, std::move(out)};
}

Array compare(const Array& x, const Array& y, Predicate predicate) {
  std::vector<int64_t> out(static_cast<size_t>(count(x.shape)));
  std::visit(
      [&](const auto& a) {
        const auto& b = std::get<std::decay_t<decltype(a)>>(y.data);
        for (size_t i = 0; i < out.size(); ++i) out[i] = holds(predicate, a[i], b[i]);
      },
      x.data);
  return Array{DType::kBOOL, x.shape, std::move(out)};
}

Array select(const Array& condition, const Array& x, const Array& y) {
  Array out = y;
  const auto& c = std::get<std::vector<int64_t>>(condition.data);
  std::visit(
      [&](auto& to) {
        const auto& from = std::get<std::decay_t<decltype(to)>>(x.data);
        for (size_t i = 0; i < to.size(); ++i) {
          if (c[i] != 0) to[i] = from[i];
        }
      },
      out.data);
  return out;
}

// f16 and bf16: x*y is exact in double, so double's fma rounds once before the narrow rounding, which is then
// innocuous.
template <typename T>
T fused(DType dtype, T x, T y, T z) {
  if constexpr (kIsFloat<T>) {
    if (std::is_same_v<T, float> && dtype != DType::kF32) {
      return static_cast<T>(
          decode_float(dtype, encode_float(dtype, std::fma((long double)x, (long double)y, (long double)z))));
    }
    return std::fma(x, y, z);
  }
  return x;
}

}  // namespace

Result<Array> elementwise(const Op& op, const std::vector<const Array*>& x, const TensorType& type,
                          Precision precision) {
  switch (op.prim) {
    case Prim::kCast:
      return cast(*x[0], op.attributes, precision);
    case Prim::kBitcast:
      return bitcast(*x[0], type.dtype, precision);
    case Prim::kIsNan:
    case Prim::kIsInf:
      return classify(op.prim, *x[0]);
    case Prim::kCompare:
      return compare(*x[0], *x[1], op.attributes.predicate);
    case Prim::kSelect:
      return select(*x[0], *x[1], *x[2]);
    default:
      break;
  }
  Array out = *x[0];
  const DType dtype = out.dtype;
  const int bits = info(dtype).bits;
  std::visit(
      [&](auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if (x.size() == 1) {
          for (auto& value : data) value = round_to(dtype, unary(op.prim, value));
        } else if (x.size() == 2) {
          const auto& y = std::get<Data>(x[1]->data);
          for (size_t i = 0; i < data.size(); ++i) data[i] = round_to(dtype, binary(op.prim, data[i], y[i], bits));
        } else {
          const auto& y = std::get<Data>(x[1]->data);
          const auto& z = std::get<Data>(x[2]->data);
          for (size_t i = 0; i < data.size(); ++i) data[i] = fused(dtype, data[i], y[i], z[i]);
        }
      },
      out.data);
  return out;
}

}  // namespace hal::compiler::interp
