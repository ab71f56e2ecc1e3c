// SPDX-License-Identifier: Apache-2.0
//
// Functions of compile-time values: shapes, lists, numbers, dtypes.
#include <algorithm>
#include <cmath>

#include "lang/builtins.hpp"
#include "lang/known.hpp"

namespace hal::compiler::lang {
namespace {

constexpr int64_t kMaxList = 100'000;

Result<Datum> rank(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of rank"));
  return Datum(x.rank);
}

Result<Datum> shape(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of shape"));
  return Datum::of(call.tensors.shape(x));
}

Result<Datum> dtype(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of dtype"));
  return Datum(call.tensors.dtype(x));
}

Result<Datum> dim(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of dim"));
  HAL_TRY_ASSIGN(int64_t axis, to_int(call.arg(1), "an axis"));
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes({axis}, x.rank));
  return Datum(call.tensors.shape(x)[static_cast<size_t>(normal[0])]);
}

Result<Datum> contents(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of contents"));
  HAL_TRY_ASSIGN(ValueId id, call.tensors.store(x));
  auto known = known_contents(call.tensors.builder(), id);
  if (!known) return not_known(call.tensors.builder(), id);
  if (x.rank == 0 && known->size() == 1) return Datum(known->front());
  return Datum::of(*known);
}

Result<Datum> values(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of values"));
  HAL_TRY_ASSIGN(ValueId id, call.tensors.store(x));
  auto tensor = known_tensor(call.tensors.builder(), id);
  List out;
  if (tensor && (tensor->dtype == DType::kF32 || tensor->dtype == DType::kF64)) {
    for (uint64_t i = 0; i < std::min<uint64_t>(tensor->size(), kMaxContents); ++i) {
      out.push_back(tensor->dtype == DType::kF32 ? static_cast<double>(tensor->data<float>()[i])
                                                 : tensor->data<double>()[i]);
    }
    return Datum(std::move(out));
  }
  auto whole = known_contents(call.tensors.builder(), id);
  if (!whole) return not_known(call.tensors.builder(), id);
  for (const Sym& element : *whole) {
    HAL_TRY_ASSIGN(double value, to_float(element, "an element of this tensor"));
    out.push_back(value);
  }
  return Datum(std::move(out));
}

Result<Datum> given(Call& call) { return Datum(!call.arg(0).is_none()); }

Result<Datum> known(Call& call) {
  if (const Sym* value = call.arg(0).as_int()) {
    return Datum(call.tensors.builder().ranges().simplify(*value).constant().has_value());
  }
  if (const TensorView* x = call.arg(0).as_tensor()) {
    return Datum(known_contents(call.tensors.builder(), x->id).has_value());
  }
  return Datum(!call.arg(0).is_none());
}

Result<Datum> length(Call& call) {
  if (const List* list = call.arg(0).as_list()) return Datum(static_cast<int64_t>(list->size()));
  if (const std::string* word = call.arg(0).as_string()) return Datum(static_cast<int64_t>(word->size()));
  return invalid_argument("len is of a list or a string, not " + kind(call.arg(0)));
}

Result<Datum> range(Call& call) {
  int64_t bounds[3] = {0, 0, 1};
  size_t count = call.given(2) ? 3 : call.given(1) ? 2 : 1;
  for (size_t i = 0; i < count; ++i) {
    HAL_TRY_ASSIGN(bounds[count == 1 ? 1 : i], to_int(call.arg(i), "a bound of range"));
  }
  if (bounds[2] == 0) return invalid_argument("range with a step of 0");
  List out;
  for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2]) {
    if (static_cast<int64_t>(out.size()) == kMaxList)
      return invalid_argument("a range of more than " + std::to_string(kMaxList) + " integers");
    out.push_back(i);
  }
  return Datum(std::move(out));
}

Result<Datum> fill_list(Call& call) {
  HAL_TRY_ASSIGN(int64_t count, to_int(call.arg(1), "the number of elements"));
  if (count < 0 || count > kMaxList) return invalid_argument("a list of " + std::to_string(count) + " elements");
  return Datum(List(static_cast<size_t>(count), call.arg(0)));
}

Result<Datum> zip(Call& call) {
  List out;
  const List* first = call.arg(0).as_list();
  for (const Datum& arg : call.args) {
    const List* list = arg.as_list();
    if (!list) return invalid_argument("zip is of lists, not " + kind(arg));
    if (list->size() != first->size()) {
      return invalid_argument("zip of lists of different lengths, " + std::to_string(first->size()) + " and " +
                              std::to_string(list->size()) + ": " + text(call.arg(0)) + " and " + text(arg));
    }
  }
  for (size_t i = 0; i < first->size(); ++i) {
    List row;
    for (const Datum& arg : call.args) row.push_back((*arg.as_list())[i]);
    out.push_back(std::move(row));
  }
  return Datum(std::move(out));
}

Result<Datum> product_of(Call& call) {
  HAL_TRY_ASSIGN(Shape extents, to_shape(call.arg(0), "the argument of product"));
  return Datum(product(extents));
}

Result<Datum> total(Call& call) {
  HAL_TRY_ASSIGN(Shape extents, to_shape(call.arg(0), "the argument of total"));
  Sym out = 0;
  for (const Sym& extent : extents) out += extent;
  return Datum(out);
}

Result<Datum> ceil_div(Call& call) {
  HAL_TRY_ASSIGN(Sym a, to_sym(call.arg(0), "the dividend"));
  HAL_TRY_ASSIGN(Sym b, to_sym(call.arg(1), "the divisor"));
  const SymRanges& ranges = call.tensors.builder().ranges();
  if (!ranges.less(Sym(0), b)) return invalid_argument("the divisor " + b.text() + " is not known to be above 0");
  return Datum(ranges.simplify(ceildiv(a, b)));
}

// Where the division is exact term by term, the divisor need not be known to be above 0: N*H / N is H for any N that
// has an answer at all.
Result<Datum> exact_div(Call& call) {
  HAL_TRY_ASSIGN(Sym a, to_sym(call.arg(0), "the dividend"));
  HAL_TRY_ASSIGN(Sym b, to_sym(call.arg(1), "the divisor"));
  const SymRanges& ranges = call.tensors.builder().ranges();
  if (b.is_constant(0)) return invalid_argument("a division by 0");
  Sym quotient = ranges.simplify(floordiv(a, b));
  if (ranges.simplify(quotient * b - a).is_constant(0) || ranges.less(Sym(0), b)) return Datum(quotient);
  return unsupported(a.text() + " is not known to be a multiple of " + b.text());
}

Result<Datum> reversed(Call& call) {
  const List* list = call.arg(0).as_list();
  if (!list) return invalid_argument("reversed is of a list, not " + kind(call.arg(0)));
  return Datum(List(list->rbegin(), list->rend()));
}

Result<Datum> sorted(Call& call) {
  HAL_TRY_ASSIGN(std::vector<int64_t> values, to_ints(call.arg(0), "the argument of sorted"));
  std::sort(values.begin(), values.end());
  return Datum(List(values.begin(), values.end()));
}

// Non-negative axes in the order given.
Result<Datum> axes(Call& call) {
  HAL_TRY_ASSIGN(std::vector<int64_t> values, to_ints(call.arg(0), "axes"));
  HAL_TRY_ASSIGN(int64_t rank, to_int(call.arg(1), "the rank"));
  HAL_TRY(normal_axes(values, rank));
  List out;
  for (int64_t axis : values) out.push_back(axis < 0 ? axis + rank : axis);
  return Datum(std::move(out));
}

Result<Datum> axis(Call& call) {
  HAL_TRY_ASSIGN(int64_t value, to_int(call.arg(0), "an axis"));
  HAL_TRY_ASSIGN(int64_t rank, to_int(call.arg(1), "the rank"));
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes({value}, rank));
  return Datum(normal[0]);
}

Result<Datum> join_shapes(Call& call) {
  Shape out;
  for (const Datum& arg : call.args) {
    HAL_TRY_ASSIGN(Shape next, to_shape(arg, "a shape"));
    HAL_TRY_ASSIGN(out, call.tensors.join(out, next));
  }
  return Datum::of(out);
}

Result<Datum> to_integer(Call& call) {
  if (call.arg(0).as_int()) return call.arg(0);
  HAL_TRY_ASSIGN(double value, to_float(call.arg(0), "the argument of int"));
  if (!(std::fabs(value) < 9e18)) return invalid_argument("int of " + text(call.arg(0)) + ", which is out of range");
  return Datum(static_cast<int64_t>(value));
}

Result<Datum> to_floating(Call& call) {
  HAL_TRY_ASSIGN(double value, to_float(call.arg(0), "the argument of float"));
  return Datum(value);
}

// floor(extent * factor), as the fraction that a float factor like 0.6f stands for when the extent is symbolic.
Result<Datum> scaled(Call& call) {
  HAL_TRY_ASSIGN(Sym extent, to_sym(call.arg(0), "an extent"));
  HAL_TRY_ASSIGN(double factor, to_float(call.arg(1), "a factor"));
  if (!(factor > 0) || factor > 1e6)
    return invalid_argument("a scale must be above 0 and at most 1e6, not " + text(call.arg(1)));
  if (auto constant = extent.constant())
    return Datum(static_cast<int64_t>(std::floor(static_cast<double>(*constant) * factor)));
  for (int64_t denominator = 1; denominator <= 64; ++denominator) {
    double numerator = factor * static_cast<double>(denominator);
    if (std::fabs(numerator - std::round(numerator)) > 1e-7 * numerator) continue;
    return Datum(call.tensors.builder().ranges().simplify(
        floordiv(extent * Sym(static_cast<int64_t>(std::round(numerator))), Sym(denominator))));
  }
  return unsupported("the extent " + extent.text() + " times " + text(call.arg(1)) +
                     ", which is no small fraction, is not an expression");
}

template <int mask>
Result<Datum> is_kind(Call& call) {
  HAL_TRY_ASSIGN(DType dtype, to_dtype(call.arg(0), "the argument"));
  bool result = (mask == 0 && compiler::is_float(dtype)) || (mask == 1 && compiler::is_integer(dtype)) ||
                (mask == 2 && compiler::is_signed(dtype));
  return Datum(result);
}

// The ends of a dtype's values: of floats the infinities.
template <int sign>
Result<Datum> limit(Call& call) {
  HAL_TRY_ASSIGN(DType dtype, to_dtype(call.arg(0), "the argument"));
  if (compiler::is_float(dtype)) return Datum(sign * std::numeric_limits<double>::infinity());
  int bits = info(dtype).bits;
  if (dtype == DType::kBOOL) return Datum(int64_t{sign > 0});
  bool is_low = sign < 0;
  if (compiler::is_unsigned(dtype)) return Datum(is_low ? 0 : bits == 64 ? int64_t{-1} : (int64_t{1} << bits) - 1);
  int64_t high = bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (bits - 1)) - 1;
  return Datum(is_low ? -high - 1 : high);
}

// A known count cuts the tensor now; else its extent depends on data.
Result<Datum> bounded(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of bounded"));
  HAL_TRY_ASSIGN(int64_t axis, to_int(call.arg(1), "an axis"));
  HAL_TRY_ASSIGN(TensorView count, call.tensor(2, "the count of bounded"));
  if (count.rank != 0 || call.tensors.dtype(count) != DType::kI64) return invalid_argument("the count must be i64[]");
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes({axis}, x.rank));
  Builder& builder = call.tensors.builder();
  if (auto known = known_contents(builder, count.id)) {
    Attributes attributes;
    attributes.size = call.tensors.shape(x);
    attributes.size[static_cast<size_t>(normal[0])] = known->front();
    attributes.low.assign(attributes.size.size(), Sym(0));
    attributes.step.assign(attributes.size.size(), Sym(1));
    HAL_TRY_ASSIGN(TensorView cut, call.tensors.op(Prim::kSlice, {x}, std::move(attributes)));
    return Datum(cut);
  }
  HAL_TRY_ASSIGN(ValueId id, call.tensors.store(x));
  builder.set_bound(id, {normal[0], count.id});
  return Datum(call.tensors.view(id));
}

Result<Datum> letters(Call& call) {
  HAL_TRY_ASSIGN(std::string word, to_string(call.arg(0), "the argument of letters"));
  if (static_cast<int64_t>(word.size()) > kMaxList) return invalid_argument("a string of more than 100000 letters");
  List out;
  for (char letter : word) out.push_back(std::string(1, letter));
  return Datum(std::move(out));
}

Result<Datum> unreachable_require(Call&) { return internal_error("require is a statement"); }

}  // namespace

std::vector<Builtin> value_builtins() {
  return {
      {"rank", "x", false, rank, "The number of axes."},
      {"shape", "x", false, shape, "The extents, a list."},
      {"dim", "x axis", false, dim, "One extent."},
      {"dtype", "x", false, dtype, "The element type."},
      {"contents", "x", false, contents,
       "The elements of a small integer tensor that is known at compile time: a list, of rank 0 one integer."},
      {"values", "x", false, values, "The elements of a small constant float tensor, a list."},
      {"given", "x", false, given, "Whether an optional operand or attribute is there."},
      {"known", "x", false, known, "Whether an extent, or a tensor's contents, is known at compile time."},
      {"bounded", "x axis count", false, bounded,
       "x, of which only the first count (a tensor) along an axis are meant: an extent that depends on data."},
      {"letters", "string", false, letters, "The letters of a string, a list."},
      {"require", "condition message ...", false, unreachable_require,
       "Stops with the message unless the condition holds."},
      {"len", "list", false, length, "The number of elements."},
      {"range", "low high? step?", false, range,
       "[low, low + step, ...] up to but without high; range(n) starts at 0."},
      {"repeat", "value count", false, fill_list, "A list of count times the value."},
      {"zip", "a ...", false, zip, "[[a0, b0], [a1, b1], ...]."},
      {"product", "list", false, product_of, "The product of integers."},
      {"total", "list", false, total, "The sum of integers."},
      {"ceildiv", "a b", false, ceil_div, "a / b, rounded up."},
      {"exact_div", "a b", false, exact_div, "a / b where b divides a."},
      {"reversed", "list", false, reversed, "The list from its end."},
      {"sorted", "list", false, sorted, "Integers in ascending order."},
      {"axes", "list rank", false, axes,
       "Axes from 0 for axes that may count from the end; an error outside the rank or when repeated."},
      {"axis", "axis rank", false, axis, "The same for one axis."},
      {"broadcast_shapes", "a ...", false, join_shapes, "The shape that all stretch to."},
      {"int", "x", false, to_integer, "A number without its fraction."},
      {"float", "x", false, to_floating, "A number as a float."},
      {"scaled", "extent factor", false, scaled, "floor(extent * factor)."},
      {"is_float", "dtype", false, is_kind<0>, "Whether the dtype is a float."},
      {"is_integer", "dtype", false, is_kind<1>, "Whether the dtype is an integer."},
      {"is_signed", "dtype", false, is_kind<2>, "Whether the dtype is a signed integer."},
      {"lowest", "dtype", false, limit<-1>, "The smallest value; of floats -inf."},
      {"highest", "dtype", false, limit<1>, "The largest value; of floats inf."},
  };
}

}  // namespace hal::compiler::lang
