// SPDX-License-Identifier: Apache-2.0
//
// The elementwise primitives as C expressions. Operands are names or literals, so that each is evaluated once.
#include "nest_printer.hpp"
#include "types.hpp"

namespace hal::compiler::c99 {
using tile::Expr;
using tile::ExprPtr;

namespace {

// Functions of <math.h>: f32 and the halves are computed in double and rounded once.
std::string call(const std::string& function, DType dtype, const std::string& arguments) {
  return dtype == DType::kF64 ? function + "(" + arguments + ")" : "(float)" + function + "(" + arguments + ")";
}

// Functions that are exact in either precision.
std::string exact(const std::string& function, DType dtype, const std::string& x) {
  return function + (dtype == DType::kF64 ? "" : "f") + "(" + x + ")";
}

}  // namespace

std::string NestPrinter::rounded(DType dtype, const std::string& value) {
  return is_half(dtype) ? helpers_.round(dtype) + "((double)" + value + ")" : value;
}

// Integers wrap: through 64 unsigned bits, so that nothing is promoted to a signed int on the way.
std::string NestPrinter::wrapped(DType integer, const std::string& x, const char* op, const std::string& y) {
  std::string type = variable_type(integer);
  return "(" + type + ")((uint64_t)" + x + " " + op + " (uint64_t)" + y + ")";
}

std::string NestPrinter::primitive(const Expr& expr) {
  std::vector<std::string> x;
  for (const ExprPtr& operand : expr.operands) x.push_back(evaluate(operand));
  DType from = expr.operands[0]->dtype;
  switch (expr.prim) {
    case Prim::kCompare: {
      static constexpr const char* kOperators[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
      return x[0] + kOperators[static_cast<size_t>(expr.predicate)] + x[1];
    }
    case Prim::kSelect:
      return x[0] + " ? " + x[1] + " : " + x[2];
    case Prim::kFma:
      if (!is_float(expr.dtype)) return wrapped(expr.dtype, wrapped(expr.dtype, x[0], "*", x[1]), "+", x[2]);
      if (is_half(expr.dtype))
        return helpers_.round(expr.dtype) + "(fma((double)" + x[0] + ", " + x[1] + ", " + x[2] + "))";
      return std::string(expr.dtype == DType::kF64 ? "fma" : "fmaf") + "(" + x[0] + ", " + x[1] + ", " + x[2] + ")";
    case Prim::kCast:
      return cast(from, expr.dtype, expr.cast, x[0]);
    case Prim::kBitcast:
      return bitcast(from, expr.dtype, x[0]);
    default:
      return x.size() == 1 ? unary(expr.prim, from, expr.dtype, x[0]) : binary(expr.prim, expr.dtype, x[0], x[1]);
  }
}

std::string NestPrinter::unary(Prim prim, DType from, DType to, const std::string& x) {
  switch (prim) {
    case Prim::kNeg:
      return is_float(from) ? "-" + x : wrapped(from, "0", "-", x);
    case Prim::kAbs:
      if (is_float(from)) return exact("fabs", from, x);
      return is_signed(from) ? x + " < 0 ? " + wrapped(from, "0", "-", x) + " : " + x : x;
    case Prim::kSign:
      return helpers_.sign(from) + "(" + x + ")";
    case Prim::kNot:
      return from == DType::kBOOL ? "!" + x : "(" + variable_type(from) + ")~" + x;
    case Prim::kIsNan:
      return x + " != " + x;
    case Prim::kIsInf:
      return exact("fabs", from, x) + " == INFINITY";
    case Prim::kFloor:
      return exact("floor", from, x);
    case Prim::kCeil:
      return exact("ceil", from, x);
    case Prim::kTrunc:
      return exact("trunc", from, x);
    case Prim::kRoundEven:
      return exact("rint", from, x);
    case Prim::kSqrt:
      return rounded(to, exact("sqrt", from, x));
    default:  // exp, log, sin, cos, tanh, erf, log1p, expm1, atan: named as in <math.h>
      return rounded(to, call(info(prim).text, from, x));
  }
}

std::string NestPrinter::binary(Prim prim, DType dtype, const std::string& x, const std::string& y) {
  auto operation = [&](const char* op) {
    return is_float(dtype) ? rounded(dtype, "(" + x + " " + op + " " + y + ")") : wrapped(dtype, x, op, y);
  };
  auto function = [&](const std::string& name) { return name + "(" + x + ", " + y + ")"; };
  switch (prim) {
    case Prim::kAdd:
      return operation("+");
    case Prim::kSub:
      return operation("-");
    case Prim::kMul:
      return operation("*");
    case Prim::kDiv:
      return is_float(dtype) ? operation("/") : function(helpers_.divide(dtype));
    case Prim::kRem:
      if (!is_float(dtype)) return function(helpers_.remainder(dtype));
      return rounded(dtype, function(dtype == DType::kF64 ? "fmod" : "fmodf"));
    case Prim::kMin:
      return function(helpers_.minimum(dtype));
    case Prim::kMax:
      return function(helpers_.maximum(dtype));
    case Prim::kPow:
      return rounded(dtype, call("pow", dtype, x + ", " + y));
    case Prim::kAtan2:
      return rounded(dtype, call("atan2", dtype, x + ", " + y));
    case Prim::kAnd:
      return wrapped(dtype, x, "&", y);
    case Prim::kOr:
      return wrapped(dtype, x, "|", y);
    case Prim::kXor:
      return wrapped(dtype, x, "^", y);
    default:
      return function(helpers_.shift(dtype, prim == Prim::kShl));
  }
}

std::string NestPrinter::cast(DType from, DType to, CastMode mode, const std::string& x) {
  if (from == to) return x;
  if (to == DType::kBOOL) return x + " != 0";
  std::string type = "(" + variable_type(to) + ")";
  if (is_half(to)) return helpers_.round(to) + "((double)" + x + ")";
  if (is_float(to)) return type + x;
  if (is_float(from)) return helpers_.saturate_float(to) + "((double)" + x + ")";
  if (mode == CastMode::kWrap || from == DType::kBOOL) return type + "(" + unsigned_type(to) + ")" + x;
  return helpers_.saturate_integer(to, is_signed(from)) + "(" + x + ")";
}

std::string NestPrinter::bitcast(DType from, DType to, const std::string& x) {
  std::string bits = is_half(from) ? helpers_.to_bits(from) + "(" + x + ")" : x;
  std::string between = memory_type(from), target = memory_type(to);
  if (between != target) bits = helpers_.bit_copy(between, target) + "(" + bits + ")";
  return is_half(to) ? helpers_.from_bits(to) + "(" + bits + ")" : bits;
}

std::string NestPrinter::combine(ReduceKind kind, DType dtype, const std::string& x, const std::string& y) {
  static constexpr Prim kPrims[] = {Prim::kAdd, Prim::kAdd, Prim::kMul, Prim::kMin, Prim::kMax, Prim::kAnd, Prim::kOr};
  return kind == ReduceKind::kNone ? y : binary(kPrims[static_cast<size_t>(kind)], dtype, x, y);
}

std::string NestPrinter::identity(ReduceKind kind, DType dtype) {
  if (kind == ReduceKind::kMin || kind == ReduceKind::kMax) {
    bool least = kind == ReduceKind::kMax;
    if (is_float(dtype)) return least ? "-INFINITY" : "INFINITY";
    uint64_t top = uint64_t{1} << (info(dtype).bits - 1);
    if (is_signed(dtype)) return literal(dtype, least ? top : top - 1);
    return least ? "0" : dtype == DType::kBOOL ? "1" : literal(dtype, ~uint64_t{0});
  }
  if (kind == ReduceKind::kAnd && dtype != DType::kBOOL) return literal(dtype, ~uint64_t{0});
  return kind == ReduceKind::kMul || kind == ReduceKind::kAnd ? "1" : "0";
}

}  // namespace hal::compiler::c99
