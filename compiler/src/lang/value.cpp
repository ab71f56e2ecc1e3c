// SPDX-License-Identifier: Apache-2.0
#include "lang/value.hpp"

#include <bit>
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

uint16_t bf16_bits(double value) {
  // Through f32 would round twice; odd rounding of the first step makes the second one right.
  float single = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(single);
  if (std::isnan(value)) return 0x7fc0;
  if (static_cast<double>(single) != value && (bits & 1) == 0 && !std::isinf(single)) {
    bool toward_zero = std::fabs(static_cast<double>(single)) < std::fabs(value);
    bits = toward_zero ? bits | 1 : bits - 1;
  }
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
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
      return scalar_of<uint16_t>(dtype, std::bit_cast<uint16_t>(static_cast<_Float16>(value)));
    case DType::kBF16:
      return scalar_of<uint16_t>(dtype, bf16_bits(value));
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
