// SPDX-License-Identifier: Apache-2.0
//
// Reductions and scans: f[axes](x). Reduced axes stay with extent 1, so that the result meets x again by broadcasting.
#include "lang/builtins.hpp"

namespace hal::compiler::lang {
namespace {

Result<std::vector<int64_t>> bracket_axes(const Call& call) {
  if (call.brackets.empty()) return invalid_argument("a reduction needs its axes: sum[axes](x)");
  std::vector<int64_t> out;
  for (const Datum& bracket : call.brackets) {
    HAL_TRY_ASSIGN(std::vector<int64_t> more, to_ints(bracket, "axes"));
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

template <ReduceKind kind>
Result<Datum> reduce(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of a reduction"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, bracket_axes(call));
  HAL_TRY_ASSIGN(TensorView out, call.tensors.reduce(kind, x, axes));
  return Datum(out);
}

Result<Datum> mean(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of mean"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, bracket_axes(call));
  HAL_TRY_ASSIGN(axes, normal_axes(axes, x.rank));
  Shape extents = call.tensors.shape(x);
  Sym count = 1;
  for (int64_t axis : axes) count *= extents[static_cast<size_t>(axis)];
  HAL_TRY_ASSIGN(TensorView sum, call.tensors.reduce(ReduceKind::kAdd, x, axes));
  HAL_TRY_ASSIGN(TensorView divisor, call.tensors.number(count, call.tensors.dtype(x)));
  HAL_TRY_ASSIGN(TensorView out, call.tensors.elementwise(Prim::kDiv, {sum, divisor}));
  return Datum(out);
}

template <ReduceKind kind>
Result<Datum> arg_reduce(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of a reduction"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, bracket_axes(call));
  if (axes.size() != 1) return invalid_argument("argmin and argmax go along one axis");
  HAL_TRY_ASSIGN(TensorView out, call.tensors.arg_reduce(kind, x, axes[0]));
  return Datum(out);
}

template <ReduceKind kind>
Result<Datum> scan(Call& call) {
  HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of a scan"));
  HAL_TRY_ASSIGN(std::vector<int64_t> axes, bracket_axes(call));
  if (axes.size() != 1) return invalid_argument("a scan goes along one axis");
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.axes, normal_axes(axes, x.rank));
  attributes.reduce = kind;
  HAL_TRY_ASSIGN(TensorView out, call.tensors.op(Prim::kScan, {x}, std::move(attributes)));
  return Datum(out);
}

}  // namespace

std::vector<Builtin> reduction_builtins() {
  return {
      {"sum", "x", true, reduce<ReduceKind::kAdd>, "The sum along axes."},
      {"prod", "x", true, reduce<ReduceKind::kMul>, "The product along axes."},
      {"all", "x", true, reduce<ReduceKind::kAnd>, "Whether all along axes hold; bitwise for integers."},
      {"any", "x", true, reduce<ReduceKind::kOr>, "Whether one along axes holds; bitwise for integers."},
      {"mean", "x", true, mean, "The sum along axes divided by the number of elements."},
      {"argmax", "x", true, arg_reduce<ReduceKind::kMax>, "i64 index of the first largest along an axis."},
      {"argmin", "x", true, arg_reduce<ReduceKind::kMin>, "i64 index of the first smallest along an axis."},
      {"cumsum", "x", true, scan<ReduceKind::kAdd>, "Running sum along an axis, the element included."},
      {"cumprod", "x", true, scan<ReduceKind::kMul>, "Running product along an axis, the element included."},
  };
}

}  // namespace hal::compiler::lang
