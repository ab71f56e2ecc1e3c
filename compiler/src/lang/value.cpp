// SPDX-License-Identifier: Apache-2.0
#include "lang/value.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace hal::compiler::lang {
namespace {

constexpr size_t kShownItems = 12;

Error wrong(const std::string& what, const char* expected, const Datum& datum) {
  std::string shown = datum.is_none() || datum.as_tensor() ? "" : " " + text(datum);
  return invalid_argument(what + " must be " + expected + ", not " + kind(datum) + shown);
}

std::string text_of(double value) {
  std::ostringstream out;
  out.precision(9);
  out << value;
  return out.str();
}

// An IEEE format of 16 bits, rounded once to nearest even.
uint16_t short_float_bits(double value, int exponent_bits, int mantissa_bits) {
  int bias = (1 << (exponent_bits - 1)) - 1;
  int infinity = ((1 << exponent_bits) - 1) << mantissa_bits;
  int sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(infinity | (1 << (mantissa_bits - 1)));
  if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
  int exponent = magnitude == 0 ? 1 - bias : std::max(std::ilogb(magnitude), 1 - bias);
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, mantissa_bits - exponent)));
  // Below the normal numbers the leading bit is absent; a carry of the rounding moves into the exponent by itself.
  int bits = exponent + bias > (1 << exponent_bits) ? infinity : ((exponent + bias - 1) << mantissa_bits) + steps;
  return static_cast<uint16_t>(sign | std::min(bits, infinity));
}

template <typename T>
Tensor scalar_of(DType dtype, T value) {
  return Tensor::of<T>(dtype, {}, {value});
}

}  // namespace

std::string kind(const Datum& datum) {
  static constexpr const char* kKinds[] = {"nothing",  "a boolean", "an integer", "a float",
                                           "a string", "a dtype",   "a list",     "a tensor"};
  return kKinds[datum.value.index()];
}

std::string text(const Datum& datum) {
  if (const bool* value = datum.as_bool()) return *value ? "true" : "false";
  if (const Sym* value = datum.as_int()) return value->text();
  if (const double* value = datum.as_float()) return text_of(*value);
  if (const std::string* value = datum.as_string()) return "\"" + value->substr(0, 60) + "\"";
  if (const DType* value = datum.as_dtype()) return name(*value);
  if (datum.as_tensor()) return "tensor";
  const List* list = datum.as_list();
  if (!list) return "none";
  std::string out = "[";
  for (size_t i = 0; i < list->size() && i <= kShownItems; ++i) {
    out += (i == 0 ? "" : ", ") + (i == kShownItems ? std::string("...") : text((*list)[i]));
  }
  return out + "]";
}

Result<Sym> to_sym(const Datum& datum, const std::string& what) {
  if (const Sym* value = datum.as_int()) return *value;
  return wrong(what, "an integer", datum);
}

Result<int64_t> to_int(const Datum& datum, const std::string& what) {
  HAL_TRY_ASSIGN(Sym value, to_sym(datum, what));
  if (auto constant = value.constant()) return *constant;
  return unsupported(what + " must be known when the program is compiled; it is " + value.text());
}

Result<double> to_float(const Datum& datum, const std::string& what) {
  if (const double* value = datum.as_float()) return *value;
  if (!datum.as_int()) return wrong(what, "a number", datum);
  HAL_TRY_ASSIGN(int64_t value, to_int(datum, what));
  return static_cast<double>(value);
}

Result<bool> to_bool(const Datum& datum, const std::string& what) {
  if (const bool* value = datum.as_bool()) return *value;
  return wrong(what, "true or false", datum);
}

Result<Shape> to_shape(const Datum& datum, const std::string& what) {
  Shape out;
  if (const Sym* value = datum.as_int()) return Shape{*value};
  const List* list = datum.as_list();
  if (!list) return wrong(what, "a list of integers", datum);
  for (const Datum& item : *list) {
    HAL_TRY_ASSIGN(Sym value, to_sym(item, "an element of " + what));
    out.push_back(std::move(value));
  }
  return out;
}

Result<std::vector<int64_t>> to_ints(const Datum& datum, const std::string& what) {
  HAL_TRY_ASSIGN(Shape shape, to_shape(datum, what));
  std::vector<int64_t> out;
  for (const Sym& value : shape) {
    HAL_TRY_ASSIGN(int64_t item, to_int(value, "an element of " + what));
    out.push_back(item);
  }
  return out;
}

Result<std::string> to_string(const Datum& datum, const std::string& what) {
  if (const std::string* value = datum.as_string()) return *value;
  return wrong(what, "a string", datum);
}

Result<DType> to_dtype(const Datum& datum, const std::string& what) {
  if (const DType* value = datum.as_dtype()) return *value;
  return wrong(what, "a dtype", datum);
}

Tensor scalar_tensor(DType dtype, double value) {
  switch (dtype) {
    case DType::kF64:
      return scalar_of<double>(dtype, value);
    case DType::kF32:
      return scalar_of<float>(dtype, static_cast<float>(value));
    case DType::kF16:
      return scalar_of<uint16_t>(dtype, short_float_bits(value, 5, 10));
    case DType::kBF16:
      return scalar_of<uint16_t>(dtype, short_float_bits(value, 8, 7));
    default:
      return scalar_tensor(dtype, static_cast<int64_t>(value));
  }
}

Tensor scalar_tensor(DType dtype, int64_t value) {
  if (is_float(dtype)) return scalar_tensor(dtype, static_cast<double>(value));
  Tensor tensor = Tensor::make(dtype, {});
  if (dtype == DType::kBOOL) value = value != 0 ? 1 : 0;
  std::memcpy(tensor.storage->data(), &value, tensor.bytes());  // little-endian: the low bytes
  return tensor;
}

Tensor vector_tensor(DType dtype, const std::vector<double>& values) {
  Tensor out = Tensor::make(dtype, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) {
    Tensor one = scalar_tensor(dtype, values[i]);
    std::memcpy(out.storage->data() + i * one.bytes(), one.storage->data(), one.bytes());
  }
  return out;
}

}  // namespace hal::compiler::lang
