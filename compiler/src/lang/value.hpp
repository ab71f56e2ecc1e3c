// SPDX-License-Identifier: Apache-2.0
//
// Datum: what an expression of the operator language evaluates to when an operator is instantiated. Integers are Syms,
// so that a shape that is known only at run time is an ordinary value.
#ifndef HAL_COMPILER_LANG_VALUE_HPP_
#define HAL_COMPILER_LANG_VALUE_HPP_

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hal/compiler/portable.hpp"

namespace hal::compiler::lang {

// A tensor of rank `rank` of which axis axes[i] is axis i of `id`; the other axes have extent 1 and are not stored. So
// a kept axis of a reduction, or a bias along channels, is broadcast without a reshape in between.
struct TensorView {
  ValueId id = 0;
  std::vector<int64_t> axes;  // ascending
  int64_t rank = 0;
};

struct Datum;
using List = std::vector<Datum>;
struct None {};  // an omitted optional input or attribute

struct Datum {
  std::variant<None, bool, Sym, double, std::string, DType, std::shared_ptr<const List>, TensorView> value;

  Datum() = default;
  Datum(bool v) : value(v) {}                                           // NOLINT
  Datum(Sym v) : value(std::move(v)) {}                                 // NOLINT
  Datum(int64_t v) : value(Sym(v)) {}                                   // NOLINT
  Datum(double v) : value(v) {}                                         // NOLINT
  Datum(std::string v) : value(std::move(v)) {}                         // NOLINT
  Datum(DType v) : value(v) {}                                          // NOLINT
  Datum(TensorView v) : value(std::move(v)) {}                          // NOLINT
  Datum(List v) : value(std::make_shared<const List>(std::move(v))) {}  // NOLINT
  static Datum of(const Shape& extents) { return List(extents.begin(), extents.end()); }

  bool is_none() const { return std::holds_alternative<None>(value); }
  const bool* as_bool() const { return std::get_if<bool>(&value); }
  const Sym* as_int() const { return std::get_if<Sym>(&value); }
  const double* as_float() const { return std::get_if<double>(&value); }
  const std::string* as_string() const { return std::get_if<std::string>(&value); }
  const DType* as_dtype() const { return std::get_if<DType>(&value); }
  const TensorView* as_tensor() const { return std::get_if<TensorView>(&value); }
  const List* as_list() const {
    auto* list = std::get_if<std::shared_ptr<const List>>(&value);
    return list ? list->get() : nullptr;
  }
};

// "an integer", "a list", "a tensor": for messages.
std::string kind(const Datum& datum);
// The value in the language's syntax, shortened: "[1, 2*N]".
std::string text(const Datum& datum);

// Conversions that say what was expected. `what` names the value in the message: "axis".
Result<Sym> to_sym(const Datum& datum, const std::string& what);
Result<int64_t> to_int(const Datum& datum, const std::string& what);   // not symbolic
Result<double> to_float(const Datum& datum, const std::string& what);  // an integer or a float
Result<bool> to_bool(const Datum& datum, const std::string& what);
Result<Shape> to_shape(const Datum& datum, const std::string& what);  // a list of integers, or one
Result<std::vector<int64_t>> to_ints(const Datum& datum, const std::string& what);
Result<std::string> to_string(const Datum& datum, const std::string& what);
Result<DType> to_dtype(const Datum& datum, const std::string& what);

// A rank-0 tensor of a number. Integers wrap, floats round to nearest even.
Tensor scalar_tensor(DType dtype, double value);
Tensor scalar_tensor(DType dtype, int64_t value);
Tensor vector_tensor(DType dtype, const std::vector<double>& values);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_VALUE_HPP_
