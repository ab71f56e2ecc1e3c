// SPDX-License-Identifier: Apache-2.0
#include "lang/tensors.hpp"

#include <algorithm>
#include <numeric>

namespace hal::compiler::lang {
namespace {

std::vector<int64_t> count_up(int64_t count) {
  std::vector<int64_t> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

int64_t index_of(const std::vector<int64_t>& list, int64_t value) {
  auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? -1 : found - list.begin();
}

}  // namespace

Result<std::vector<int64_t>> normal_axes(std::vector<int64_t> axes, int64_t rank) {
  for (int64_t& axis : axes) {
    if (axis < -rank || axis >= rank) {
      return invalid_argument("axis " + std::to_string(axis) + " is not in [" + std::to_string(-rank) + ", " +
                              std::to_string(rank - 1) + "], the axes of a tensor of rank " + std::to_string(rank));
    }
    if (axis < 0) axis += rank;
  }
  std::sort(axes.begin(), axes.end());
  auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) return invalid_argument("axis " + std::to_string(*twice) + " is given twice");
  return axes;
}

TensorView Tensors::view(ValueId id) const {
  auto rank = static_cast<int64_t>(builder_.type(id).shape.size());
  return {id, count_up(rank), rank};
}

Shape Tensors::shape(const TensorView& tensor) const {
  Shape out(static_cast<size_t>(tensor.rank), Sym(1));
  const Shape& stored = builder_.type(tensor.id).shape;
  for (size_t i = 0; i < tensor.axes.size(); ++i) out[static_cast<size_t>(tensor.axes[i])] = stored[i];
  return out;
}

Result<ValueId> Tensors::store(const TensorView& tensor) {
  if (static_cast<int64_t>(tensor.axes.size()) == tensor.rank) return tensor.id;
  Attributes attributes;
  attributes.shape = shape(tensor);
  return builder_.op(Prim::kReshape, {tensor.id}, std::move(attributes));
}

Result<Sym> Tensors::join(const Sym& a, const Sym& b) {
  if (a == b || b.is_constant(1)) return a;
  if (a.is_constant(1)) return b;
  Sym difference = builder_.ranges().simplify(a - b);
  if (difference.is_constant(0)) return a;
  if (difference.constant()) {
    return invalid_argument("extents " + a.text() + " and " + b.text() + " differ and neither is 1");
  }
  // Neither proven nor refuted: whoever binds the symbols checks it.
  if (!builder_.ranges().may_equal(a, b)) {
    return invalid_argument("extents " + a.text() + " and " + b.text() + " differ and neither is 1");
  }
  builder_.ranges().assume_equal(a, b);
  return a;
}

Result<Shape> Tensors::join(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    auto joined = join(longer[i + shift], shorter[i]);
    if (!joined) {
      Error error = std::move(joined).error();
      return Error{error.code, "shapes " + text(a) + " and " + text(b) + " do not broadcast: " + error.message};
    }
    out[i + shift] = std::move(joined).value();
  }
  return out;
}

// All operands are brought to the axes that at least one of them stores; what none stores stays unstored.
Result<TensorView> Tensors::elementwise(Prim prim, const std::vector<TensorView>& operands, Attributes attributes) {
  TensorView result;
  Shape full;
  for (const TensorView& operand : operands) {
    HAL_TRY_ASSIGN(full, join(full, shape(operand)));
  }
  result.rank = static_cast<int64_t>(full.size());
  std::vector<bool> stored(full.size());
  for (const TensorView& operand : operands) {
    for (int64_t axis : operand.axes) stored[static_cast<size_t>(axis + result.rank - operand.rank)] = true;
  }
  Shape target;
  for (size_t i = 0; i < full.size(); ++i) {
    if (!stored[i]) continue;
    result.axes.push_back(static_cast<int64_t>(i));
    target.push_back(full[i]);
  }
  std::vector<ValueId> ids;
  for (const TensorView& operand : operands) {
    if (builder_.type(operand.id).shape == target) {
      ids.push_back(operand.id);
      continue;
    }
    Attributes broadcast;
    broadcast.shape = target;
    for (int64_t axis : operand.axes)
      broadcast.axes.push_back(index_of(result.axes, axis + result.rank - operand.rank));
    HAL_TRY_ASSIGN(ValueId id, builder_.op(Prim::kBroadcast, {operand.id}, std::move(broadcast)));
    ids.push_back(id);
  }
  HAL_TRY_ASSIGN(result.id, builder_.op(prim, std::move(ids), std::move(attributes)));
  return result;
}

Result<TensorView> Tensors::broadcast(const TensorView& tensor, const Shape& target) {
  auto rank = static_cast<int64_t>(target.size());
  if (rank < tensor.rank)
    return invalid_argument("cannot broadcast " + text(shape(tensor)) + " to the lower rank of " + text(target));
  if (builder_.type(tensor.id).shape == target && static_cast<int64_t>(tensor.axes.size()) == rank) return tensor;
  Attributes attributes;
  attributes.shape = target;
  for (int64_t axis : tensor.axes) attributes.axes.push_back(axis + rank - tensor.rank);
  HAL_TRY_ASSIGN(ValueId id, builder_.op(Prim::kBroadcast, {tensor.id}, std::move(attributes)));
  return view(id);
}

Result<TensorView> Tensors::reshape(const TensorView& tensor, const Shape& target) {
  if (builder_.type(tensor.id).shape == target) return view(tensor.id);
  Attributes attributes;
  attributes.shape = target;
  HAL_TRY_ASSIGN(ValueId id, builder_.op(Prim::kReshape, {tensor.id}, std::move(attributes)));
  return view(id);
}

Result<TensorView> Tensors::reduce(ReduceKind kind, const TensorView& tensor, const std::vector<int64_t>& axes) {
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes(axes, tensor.rank));
  TensorView result{tensor.id, {}, tensor.rank};
  Attributes attributes;
  attributes.reduce = kind;
  for (size_t i = 0; i < tensor.axes.size(); ++i) {
    if (index_of(normal, tensor.axes[i]) >= 0) {
      attributes.axes.push_back(static_cast<int64_t>(i));
    } else {
      result.axes.push_back(tensor.axes[i]);
    }
  }
  if (attributes.axes.empty()) return tensor;  // over axes of extent 1 only
  HAL_TRY_ASSIGN(result.id, builder_.op(Prim::kReduce, {tensor.id}, std::move(attributes)));
  return result;
}

Result<TensorView> Tensors::arg_reduce(ReduceKind kind, const TensorView& tensor, int64_t axis) {
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes({axis}, tensor.rank));
  HAL_TRY_ASSIGN(ValueId id, store(tensor));
  TensorView result = view(id);
  Attributes attributes;
  attributes.reduce = kind;
  attributes.axes = normal;
  result.axes.erase(result.axes.begin() + normal[0]);
  HAL_TRY_ASSIGN(result.id, builder_.op(Prim::kArgReduce, {id}, std::move(attributes)));
  return result;
}

// Extents that nothing proves to be 1 are assumed so, and checked when they get values; the first element is what is
// left.
Result<TensorView> Tensors::squeeze_assumed(const TensorView& tensor, const std::vector<int64_t>& axes,
                                            const std::vector<int64_t>& normal) {
  Attributes first;
  first.size = shape(tensor);
  first.low.assign(first.size.size(), Sym(0));
  first.step.assign(first.size.size(), Sym(1));
  for (int64_t axis : normal) {
    Sym& extent = first.size[static_cast<size_t>(axis)];
    if (extent.constant() || !builder_.ranges().may_equal(extent, Sym(1))) continue;
    builder_.ranges().assume_equal(extent, Sym(1));
    extent = 1;
  }
  HAL_TRY_ASSIGN(TensorView cut, op(Prim::kSlice, {tensor}, std::move(first)));
  return squeeze(cut, axes);
}

Result<TensorView> Tensors::squeeze(const TensorView& tensor, const std::vector<int64_t>& axes) {
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes(axes, tensor.rank));
  Shape extents = shape(tensor), rest;
  TensorView result{tensor.id, {}, tensor.rank - static_cast<int64_t>(normal.size())};
  bool all_unstored = true;
  for (int64_t axis = 0; axis < tensor.rank; ++axis) {
    const Sym& extent = extents[static_cast<size_t>(axis)];
    bool stored = index_of(tensor.axes, axis) >= 0;
    if (index_of(normal, axis) >= 0) {
      bool proven = builder_.ranges().simplify(extent).is_constant(1);
      if (!proven && !extent.constant() && stored && builder_.ranges().may_equal(extent, Sym(1))) {
        return squeeze_assumed(tensor, axes, normal);
      }
      if (!proven) {
        return invalid_argument("cannot squeeze axis " + std::to_string(axis) + " of extent " + extent.text() + " in " +
                                text(extents));
      }
      all_unstored = all_unstored && !stored;
      continue;
    }
    if (stored) result.axes.push_back(static_cast<int64_t>(rest.size()));
    rest.push_back(extent);
  }
  return all_unstored ? Result<TensorView>(result) : reshape(tensor, rest);
}

Result<TensorView> Tensors::unsqueeze(const TensorView& tensor, const std::vector<int64_t>& axes) {
  int64_t rank = tensor.rank + static_cast<int64_t>(axes.size());
  HAL_TRY_ASSIGN(std::vector<int64_t> normal, normal_axes(axes, rank));
  TensorView result{tensor.id, {}, rank};
  int64_t old_axis = 0;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (index_of(normal, axis) >= 0) continue;
    if (index_of(tensor.axes, old_axis) >= 0) result.axes.push_back(axis);
    ++old_axis;
  }
  return result;
}

Result<TensorView> Tensors::op(Prim prim, const std::vector<TensorView>& operands, Attributes attributes) {
  std::vector<ValueId> ids;
  for (const TensorView& operand : operands) {
    HAL_TRY_ASSIGN(ValueId id, store(operand));
    ids.push_back(id);
  }
  HAL_TRY_ASSIGN(ValueId id, builder_.op(prim, std::move(ids), std::move(attributes)));
  return view(id);
}

Result<TensorView> Tensors::number(const Datum& datum, DType dtype) {
  if (const bool* value = datum.as_bool()) return constant(scalar_tensor(dtype, static_cast<int64_t>(*value)));
  if (const double* value = datum.as_float()) {
    if (!is_float(dtype)) {
      return invalid_argument("the float " + text(datum) + " meets a tensor of " + name(dtype) + "; cast one of them");
    }
    if (info(dtype).bits >= 16) return constant(scalar_tensor(dtype, *value));
    return cast(constant(scalar_tensor(DType::kF32, *value)), dtype, CastMode::kSaturate);
  }
  HAL_TRY_ASSIGN(Sym value, to_sym(datum, "what meets a tensor"));
  if (auto known = value.constant()) {
    if (info(dtype).bits >= 8 && (!is_float(dtype) || info(dtype).bits >= 16))
      return constant(scalar_tensor(dtype, *known));
  }
  return cast(view(builder_.syms({value}, true)), dtype, CastMode::kSaturate);
}

Result<TensorView> Tensors::vector(const List& list, DType dtype) {
  bool floats = is_float(dtype) ||
                std::any_of(list.begin(), list.end(), [](const Datum& item) { return item.as_float() != nullptr; });
  bool symbolic = std::any_of(list.begin(), list.end(),
                              [](const Datum& item) { return item.as_int() && !item.as_int()->constant(); });
  if (floats && !symbolic) {
    std::vector<double> values;
    for (const Datum& item : list) {
      HAL_TRY_ASSIGN(double value, to_float(item, "an element"));
      values.push_back(value);
    }
    if (is_float(dtype) && info(dtype).bits >= 16) return constant(vector_tensor(dtype, values));
    return cast(constant(vector_tensor(DType::kF64, values)), dtype, CastMode::kSaturate);
  }
  HAL_TRY_ASSIGN(Shape values, to_shape(list, "a list"));
  return cast(view(builder_.syms(values, false)), dtype, CastMode::kWrap);
}

Result<TensorView> Tensors::cast(const TensorView& tensor, DType to, CastMode mode) {
  if (dtype(tensor) == to) return tensor;
  Attributes attributes;
  attributes.dtype = to;
  attributes.cast = mode;
  return elementwise(Prim::kCast, {tensor}, std::move(attributes));
}

}  // namespace hal::compiler::lang
