// SPDX-License-Identifier: Apache-2.0
//
// Element-by-element functions. On numbers they are computed at once.
#include <cmath>

#include "lang/builtins.hpp"

namespace hal::compiler::lang {
namespace {

using NumberFunction = double (*)(double);

Result<Datum> unary(Call& call, Prim prim, NumberFunction function) {
  const Datum& x = call.arg(0);
  if (const TensorView* tensor = x.as_tensor()) {
    HAL_TRY_ASSIGN(TensorView out, call.tensors.elementwise(prim, {*tensor}));
    return Datum(out);
  }
  if (!function) return invalid_argument(std::string(info(prim).text) + " is of a tensor, not " + kind(x));
  if (const Sym* value = x.as_int(); value && value->constant() && (prim == Prim::kAbs || prim == Prim::kSign)) {
    return Datum(static_cast<int64_t>(function(static_cast<double>(*value->constant()))));
  }
  HAL_TRY_ASSIGN(double value, to_float(x, std::string("the argument of ") + info(prim).text));
  return Datum(function(value));
}

double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

template <Prim prim>
Result<Datum> tensor_only(Call& call) {
  return unary(call, prim, nullptr);
}

template <Prim prim, double (*function)(double)>
Result<Datum> both(Call& call) {
  return unary(call, prim, function);
}

// The dtype of the first tensor among the arguments.
std::optional<DType> common_dtype(const Call& call) {
  for (const Datum& arg : call.args) {
    if (const TensorView* x = arg.as_tensor()) return call.tensors.dtype(*x);
  }
  return std::nullopt;
}

template <Prim prim>
Result<Datum> binary(Call& call) {
  auto dtype = common_dtype(call);
  if (!dtype) return invalid_argument(std::string(info(prim).text) + " is of tensors");
  HAL_TRY_ASSIGN(TensorView a, call.tensor_or_number(0, *dtype, "the first argument"));
  HAL_TRY_ASSIGN(TensorView b, call.tensor_or_number(1, *dtype, "the second argument"));
  HAL_TRY_ASSIGN(TensorView out, call.tensors.elementwise(prim, {a, b}));
  return Datum(out);
}

Result<Datum> smaller_or_larger(Call& call, const Datum& a, const Datum& b, bool larger) {
  const Sym* x = a.as_int();
  const Sym* y = b.as_int();
  if (x && y) {
    Sym out = larger ? max(*x, *y) : min(*x, *y);
    return Datum(call.tensors.builder().ranges().simplify(out));
  }
  if (!a.as_tensor() && !b.as_tensor()) {
    HAL_TRY_ASSIGN(double left, to_float(a, "the first argument"));
    HAL_TRY_ASSIGN(double right, to_float(b, "the second argument"));
    return Datum(larger == (left < right) ? right : left);
  }
  Call two{call.tensors, {a, b}, {}};
  return larger ? binary<Prim::kMax>(two) : binary<Prim::kMin>(two);
}

template <bool larger>
Result<Datum> extremum(Call& call) {
  if (!call.brackets.empty()) {
    HAL_TRY_ASSIGN(TensorView x, call.tensor(0, "the argument of a reduction"));
    std::vector<int64_t> axes;
    for (const Datum& bracket : call.brackets) {
      HAL_TRY_ASSIGN(std::vector<int64_t> more, to_ints(bracket, "axes"));
      axes.insert(axes.end(), more.begin(), more.end());
    }
    HAL_TRY_ASSIGN(TensorView out, call.tensors.reduce(larger ? ReduceKind::kMax : ReduceKind::kMin, x, axes));
    return Datum(out);
  }
  List items = call.args;
  if (items.size() == 1 && items[0].as_list()) items = List(*items[0].as_list());
  if (items.empty()) return invalid_argument(std::string(larger ? "max" : "min") + " of nothing");
  Datum out = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    HAL_TRY_ASSIGN(out, smaller_or_larger(call, out, items[i], larger));
  }
  return out;
}

// A condition that is known now chooses without a select.
Result<Datum> select(Call& call) {
  if (const bool* condition = call.arg(0).as_bool()) return call.arg(*condition ? 1 : 2);
  HAL_TRY_ASSIGN(TensorView condition, call.tensor(0, "the condition of select"));
  const TensorView* left = call.arg(1).as_tensor();
  const TensorView* right = call.arg(2).as_tensor();
  if (!left && !right) return invalid_argument("one of the two values of select must be a tensor; use fill or cast");
  DType dtype = call.tensors.dtype(left ? *left : *right);
  HAL_TRY_ASSIGN(TensorView a, call.tensor_or_number(1, dtype, "a value of select"));
  HAL_TRY_ASSIGN(TensorView b, call.tensor_or_number(2, dtype, "a value of select"));
  HAL_TRY_ASSIGN(TensorView out, call.tensors.elementwise(Prim::kSelect, {condition, a, b}));
  return Datum(out);
}

Result<Datum> fma(Call& call) {
  auto dtype = common_dtype(call);
  if (!dtype) return invalid_argument("fma is of tensors");
  std::vector<TensorView> operands;
  for (size_t i = 0; i < 3; ++i) {
    HAL_TRY_ASSIGN(TensorView x, call.tensor_or_number(i, *dtype, "an argument of fma"));
    operands.push_back(std::move(x));
  }
  HAL_TRY_ASSIGN(TensorView out, call.tensors.elementwise(Prim::kFma, operands));
  return Datum(out);
}

template <CastMode mode>
Result<Datum> cast(Call& call) {
  HAL_TRY_ASSIGN(DType dtype, to_dtype(call.arg(0), "the first argument of cast"));
  HAL_TRY_ASSIGN(TensorView x, call.tensor_or_number(1, dtype, "the second argument of cast"));
  HAL_TRY_ASSIGN(TensorView out, call.tensors.cast(x, dtype, mode));
  return Datum(out);
}

Result<Datum> bitcast(Call& call) {
  Attributes attributes;
  HAL_TRY_ASSIGN(attributes.dtype, to_dtype(call.arg(0), "the first argument of bitcast"));
  HAL_TRY_ASSIGN(TensorView x, call.tensor(1, "the second argument of bitcast"));
  HAL_TRY_ASSIGN(TensorView out, call.tensors.elementwise(Prim::kBitcast, {x}, std::move(attributes)));
  return Datum(out);
}

}  // namespace

std::vector<Builtin> elementwise_builtins() {
  return {
      {"abs", "x", false, both<Prim::kAbs, std::fabs>, "|x|."},
      {"sign", "x", false, both<Prim::kSign, sign_of>, "-1, 0 or 1."},
      {"floor", "x", false, both<Prim::kFloor, std::floor>, "The largest integer not above x."},
      {"ceil", "x", false, both<Prim::kCeil, std::ceil>, "The smallest integer not below x."},
      {"trunc", "x", false, both<Prim::kTrunc, std::trunc>, "x without its fraction."},
      {"round", "x", false, both<Prim::kRoundEven, std::nearbyint>, "The nearest integer, ties to even."},
      {"sqrt", "x", false, both<Prim::kSqrt, std::sqrt>, "The square root."},
      {"exp", "x", false, both<Prim::kExp, std::exp>, "e^x."},
      {"log", "x", false, both<Prim::kLog, std::log>, "The natural logarithm."},
      {"sin", "x", false, tensor_only<Prim::kSin>, "Sine."},
      {"cos", "x", false, tensor_only<Prim::kCos>, "Cosine."},
      {"tanh", "x", false, tensor_only<Prim::kTanh>, "Hyperbolic tangent."},
      {"erf", "x", false, tensor_only<Prim::kErf>, "Error function."},
      {"log1p", "x", false, tensor_only<Prim::kLog1p>, "log(1 + x)."},
      {"expm1", "x", false, tensor_only<Prim::kExpm1>, "exp(x) - 1."},
      {"atan", "x", false, tensor_only<Prim::kAtan>, "Arc tangent."},
      {"is_nan", "x", false, tensor_only<Prim::kIsNan>, "Whether x is NaN."},
      {"is_inf", "x", false, tensor_only<Prim::kIsInf>, "Whether x is infinite."},
      {"atan2", "y x", false, binary<Prim::kAtan2>, "The angle of (y, x)."},
      {"pow", "x y", false, binary<Prim::kPow>, "x^y."},
      {"rem", "x y", false, binary<Prim::kRem>, "x - trunc(x/y)*y."},
      {"min", "x ...", true, extremum<false>, "The smallest; min[axes](x) along axes, which stay with extent 1."},
      {"max", "x ...", true, extremum<true>, "The largest; max[axes](x) along axes, which stay with extent 1."},
      {"select", "condition a b", false, select, "a where the condition holds, else b."},
      {"fma", "x y z", false, fma, "x*y + z, rounded once."},
      {"cast", "dtype x", false, cast<CastMode::kSaturate>, "x in another dtype; integers saturate."},
      {"wrap", "dtype x", false, cast<CastMode::kWrap>, "x in another dtype; integers wrap."},
      {"bitcast", "dtype x", false, bitcast, "The same bits as another dtype."},
  };
}

}  // namespace hal::compiler::lang
