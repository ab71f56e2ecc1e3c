// SPDX-License-Identifier: Apache-2.0
//
// Functions that move elements, and sources.
#include <algorithm>

#include "lang/builtins.hpp"

namespace hal::compiler::lang {
namespace {

Result<Datum> done(Result<TensorView> out) {
  if (!out) return std::move(out).error();
  return Datum(std::move(out).value());
}

Result<Datum> reshape(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of reshape"));
  HAL_TRY_ASSIGN(Shape shape, to_shape(call.arg(1), "a shape"));
  return done(call.tensors.reshape(x, shape));
}

Result<Datum> transpose(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of transpose"));
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.axes, to_ints(call.arg(1), "the permutation"));
  if (std::is_sorted(attributes.axes.begin(), attributes.axes.end()) &&
      static_cast<int64_t>(attributes.axes.size()) == x.rank) {
    HAL_TRY(normal_axes(attributes.axes, x.rank));
    return Datum(x);
  }
  return done(call.tensors.op(Prim::kTranspose, {x}, std::move(attributes)));
}

Result<Datum> broadcast(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of broadcast"));
  HAL_TRY_ASSIGN(Shape shape, to_shape(call.arg(1), "a shape"));
  return done(call.tensors.broadcast(x, shape));
}

Result<Datum> squeeze(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of squeeze"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, to_ints(call.arg(1), "axes"));
  return done(call.tensors.squeeze(x, axes));
}

Result<Datum> unsqueeze(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of unsqueeze"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, to_ints(call.arg(1), "axes"));
  return done(call.tensors.unsqueeze(x, axes));
}

// A vector laid along one axis of a tensor of a rank.
Result<Datum> along(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of along"));
  HAL_TRY_ASSIGN(int64_t axis, to_int(call.arg(1), "an axis"));
  HAL_TRY_ASSIGN(int64_t rank, to_int(call.arg(2), "the rank"));
  if (x.rank != 1) return invalid_argument("along is of a vector, not of rank " + std::to_string(x.rank));
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes({axis}, rank));
  HAL_TRY_ASSIGN(ValueId id, call.tensors.store(x));
  return Datum(TensorView{id, normal, rank});
}

Result<Datum> slice(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of slice"));
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.low, to_shape(call.arg(1), "low"));
  HAL_TRY_ASSIGN(attributes.size, to_shape(call.arg(2), "size"));
  attributes.step.assign(attributes.low.size(), Sym(1));
  if (call.given(3)) {
    HAL_TRY_ASSIGN(attributes.step, to_shape(call.arg(3), "step"));
  }
  return done(call.tensors.op(Prim::kSlice, {x}, std::move(attributes)));
}

Result<Datum> reverse(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of reverse"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, to_ints(call.arg(1), "axes"));
  HAL_TRY_ASSIGN(axes, normal_axes(axes, x.rank));
  Attributes attributes;
  attributes.size = call.tensors.shape(x);
  attributes.low.assign(attributes.size.size(), Sym(0));
  attributes.step.assign(attributes.size.size(), Sym(1));
  bool moves = false;
  for (int64_t axis : axes) {
    auto i = static_cast<size_t>(axis);
    if (attributes.size[i].is_constant(1) || attributes.size[i].is_constant(0)) continue;
    attributes.low[i] = attributes.size[i] - Sym(1);
    attributes.step[i] = -1;
    moves = true;
  }
  if (!moves) return Datum(x);
  return done(call.tensors.op(Prim::kSlice, {x}, std::move(attributes)));
}

bool all_zero(const Shape& list) {
  return std::all_of(list.begin(), list.end(), [](const Sym& item) { return item.is_constant(0); });
}

Result<Datum> pad(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of pad"));
  HAL_TRY_ASSIGN(TensorView value, call.tensor_or_number(1, call.tensors.dtype(x), "the value of pad"));
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.low, to_shape(call.arg(2), "low"));
  HAL_TRY_ASSIGN(attributes.high, to_shape(call.arg(3), "high"));
  attributes.interior.assign(attributes.low.size(), Sym(0));
  if (call.given(4)) {
    HAL_TRY_ASSIGN(attributes.interior, to_shape(call.arg(4), "interior"));
  }
  bool fits =
      static_cast<int64_t>(attributes.low.size()) == x.rank && static_cast<int64_t>(attributes.high.size()) == x.rank;
  if (fits && all_zero(attributes.low) && all_zero(attributes.high) && all_zero(attributes.interior)) return Datum(x);
  return done(call.tensors.op(Prim::kPad, {x, value}, std::move(attributes)));
}

Result<Datum> concat(Call& call) {
  const List* list = call.arg(0).as_list();
  if (!list || list->empty())
    return invalid_argument("concat is of a list of at least one tensor, not " + kind(call.arg(0)));
  std::vector<TensorView> parts;
  for (const Datum& item : *list) {
    const TensorView* part = item.as_tensor();
    if (!part) return invalid_argument("concat is of tensors, not " + kind(item));
    parts.push_back(*part);
  }
  HAL_TRY_ASSIGN(int64_t axis, to_int(call.arg(1), "the axis of concat"));
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.axes, normal_axes({axis}, parts[0].rank));
  if (parts.size() == 1) return Datum(parts[0]);
  return done(call.tensors.op(Prim::kConcat, parts, std::move(attributes)));
}

Result<Datum> window(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of window"));
  Attributes attributes;
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, to_ints(call.arg(1), "the axes of window"));
  for (int64_t& axis : axes) axis = axis < 0 ? axis + x.rank : axis;
  attributes.axes = axes;
  HAL_TRY_ASSIGN(attributes.size, to_shape(call.arg(2), "the size of window"));
  attributes.step.assign(axes.size(), Sym(1));
  attributes.dilation = attributes.step;
  if (call.given(3)) {
    HAL_TRY_ASSIGN(attributes.step, to_shape(call.arg(3), "the step of window"));
  }
  if (call.given(4)) {
    HAL_TRY_ASSIGN(attributes.dilation, to_shape(call.arg(4), "the dilation of window"));
  }
  return done(call.tensors.op(Prim::kWindow, {x}, std::move(attributes)));
}

Result<Datum> gather(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of gather"));
  HAL_TRY_ASSIGN(TensorView index, call.tensor(1, "the index of gather"));
  HAL_TRY_ASSIGN(int64_t axis, to_int(call.arg(2), "the axis of gather"));
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.axes, normal_axes({axis}, x.rank));
  return done(call.tensors.op(Prim::kGather, {x, index}, std::move(attributes)));
}

Result<ReduceKind> combination(const Datum& word) {
  static const std::map<std::string, ReduceKind> kKinds = {{"none", ReduceKind::kNone},
                                                           {"add", ReduceKind::kAdd},
                                                           {"mul", ReduceKind::kMul},
                                                           {"min", ReduceKind::kMin},
                                                           {"max", ReduceKind::kMax}};
  HAL_TRY_ASSIGN(std::string text, to_string(word, "the combination of scatter"));
  auto found = kKinds.find(text);
  if (found != kKinds.end()) return found->second;
  return invalid_argument("the combination of scatter is none, add, mul, min or max, not \"" + text + "\"");
}

Result<Datum> scatter(Call& call) {
  std::vector<TensorView> operands;
  for (size_t i = 0; i < 3; ++i) {
    HAL_TRY_ASSIGN(TensorView operand, call.tensor(i, "an argument of scatter"));
    operands.push_back(std::move(operand));
  }
  HAL_TRY_ASSIGN(int64_t axis, to_int(call.arg(3), "the axis of scatter"));
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.axes, normal_axes({axis}, operands[0].rank));
  if (call.given(4)) {
    HAL_TRY_ASSIGN(attributes.reduce, combination(call.arg(4)));
  }
  return done(call.tensors.op(Prim::kScatter, operands, std::move(attributes)));
}

Result<Datum> contraction(Call& call) {
  HAL_TRY_ASSIGN(std::string labels, to_string(call.arg(0), "the labels of contract"));
  HAL_TRY_ASSIGN(TensorView a, call.tensor(1, "an argument of contract"));
  HAL_TRY_ASSIGN(TensorView b, call.tensor(2, "an argument of contract"));
  return contract(call.tensors, labels, a, b);
}

Result<Datum> iota(Call& call) {
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.dtype, to_dtype(call.arg(0), "the dtype of iota"));
  HAL_TRY_ASSIGN(attributes.shape, to_shape(call.arg(1), "the shape of iota"));
  int64_t axis = 0;
  if (call.given(2)) {
    HAL_TRY_ASSIGN(axis, to_int(call.arg(2), "the axis of iota"));
  }
  HAL_TRY_ASSIGN(attributes.axes, normal_axes({axis}, static_cast<int64_t>(attributes.shape.size())));
  return done(call.tensors.op(Prim::kIota, {}, std::move(attributes)));
}

Result<Datum> fill(Call& call) {
  HAL_TRY_ASSIGN(DType dtype, to_dtype(call.arg(0), "the dtype of fill"));
  HAL_TRY_ASSIGN(TensorView value, call.tensor_or_number(1, dtype, "the value of fill"));
  HAL_TRY_ASSIGN(Shape shape, to_shape(call.arg(2), "the shape of fill"));
  return done(call.tensors.broadcast(value, shape));
}

// Integers, symbolic ones too, as a tensor: of one a scalar, of a list a vector.
Result<Datum> tensor(Call& call) {
  HAL_TRY_ASSIGN(DType dtype, to_dtype(call.arg(0), "the dtype of tensor"));
  const List* list = call.arg(1).as_list();
  if (!list) return done(call.tensors.number(call.arg(1), dtype));
  return done(call.tensors.vector(*list, dtype));
}

}  // namespace

std::vector<Builtin> movement_builtins() {
  return {
      {"reshape", "x shape", false, reshape, "The same elements in row-major order."},
      {"transpose", "x axes", false, transpose, "Result axis i is operand axis axes[i]."},
      {"broadcast", "x shape", false, broadcast, "Stretched to a shape by NumPy's rule."},
      {"squeeze", "x axes", false, squeeze, "Without axes of extent 1."},
      {"unsqueeze", "x axes", false, unsqueeze, "With axes of extent 1 at these places of the result."},
      {"along", "x axis rank", false, along, "A vector laid along one axis of a rank."},
      {"slice", "x low size step?", false, slice, "Per axis: size elements low, low + step, ..."},
      {"reverse", "x axes", false, reverse, "Backwards along axes."},
      {"pad", "x value low high interior?", false, pad,
       "Per axis: low and high elements added, interior ones between."},
      {"concat", "list axis", false, concat, "One after the other along an axis."},
      {"window", "x axes size step? dilation?", false, window,
       "Sliding windows: axes of the window's size are appended."},
      {"gather", "x index axis", false, gather, "Rows of x along an axis; the index is clamped into bounds."},
      {"scatter", "x index updates axis how?", false, scatter, "x with rows along an axis replaced or combined."},
      {"contract", "labels a b", false, contraction, "Sum of products; \"m k, k n -> m n\"; X.. is a group of axes."},
      {"iota", "dtype shape axis?", false, iota, "Each element is its index along an axis."},
      {"fill", "dtype value shape", false, fill, "A tensor of one value."},
      {"tensor", "dtype elements", false, tensor, "A scalar or a vector of numbers."},
  };
}

}  // namespace hal::compiler::lang
