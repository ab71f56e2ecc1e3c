// SPDX-License-Identifier: Apache-2.0
//
// The one table of portable primitives. Enum, printer, verifier, interpreter dispatch and the reference page are
// made from it (docs/primitives.md). Append-only: an id, once released, keeps its meaning; changed semantics are a new primitive.
//
// Meaning common to all: dtypes are explicit and equal unless the row says otherwise; shapes of elementwise operands are
// equal (no implicit broadcast). Each primitive rounds once to its result type (round-to-nearest-even); NaN results are
// quiet, payload and sign unspecified; subnormals are kept. Integers wrap.
#ifndef HAL_COMPILER_PRIMITIVES_HPP_
#define HAL_COMPILER_PRIMITIVES_HPP_

#include <cstdint>
#include <optional>
#include <string_view>

namespace hal::compiler {

// Which attributes a primitive has; each is a field of Attributes (portable.hpp).
enum Attribute : uint32_t {
  kNoAttribute = 0,
  kAxes = 1u << 0,
  kShape = 1u << 1,
  kLow = 1u << 2,
  kHigh = 1u << 3,
  kStep = 1u << 4,
  kSize = 1u << 5,
  kDilation = 1u << 6,
  kInterior = 1u << 7,
  kDType = 1u << 8,
  kPredicate = 1u << 9,
  kReduceKind = 1u << 10,
  kCastMode = 1u << 11,
  kOrder = 1u << 12,
  kConstantIndex = 1u << 13,
  kSyms = 1u << 14,
  kLabels = 1u << 15,
  kAccumulator = 1u << 16,
};

enum class PrimClass { kSource, kUnary, kBinary, kTernary, kConvert, kMovement, kIndexed, kReduce };

// X(id, Name, "text", class, operands, attributes, "meaning")
#define HAL_PRIMITIVE_TABLE(X)                                                                                         \
  X(1, Constant, "constant", kSource, 0, kConstantIndex, "A tensor of the module's constant list.")                    \
  X(2, Iota, "iota", kSource, 0, kShape | kAxes | kDType, "Element i = its index along axes[0], converted to dtype.")  \
  X(3, Syms, "syms", kSource, 0, kSyms | kShape, "An i64 tensor (rank 0 or 1) whose elements are expressions.")        \
  X(10, Neg, "neg", kUnary, 1, kNoAttribute, "-x; flips the sign bit of floats.")                                      \
  X(11, Abs, "abs", kUnary, 1, kNoAttribute, "|x|; clears the sign bit of floats.")                                    \
  X(12, Sign, "sign", kUnary, 1, kNoAttribute, "-1, 0 or 1; of a zero the zero itself, of NaN NaN.")                   \
  X(13, Floor, "floor", kUnary, 1, kNoAttribute, "Largest integer not above x; floats only.")                          \
  X(14, Ceil, "ceil", kUnary, 1, kNoAttribute, "Smallest integer not below x; floats only.")                           \
  X(15, Trunc, "trunc", kUnary, 1, kNoAttribute, "x without its fraction; floats only.")                               \
  X(16, RoundEven, "round_even", kUnary, 1, kNoAttribute, "Nearest integer, ties to even; floats only.")               \
  X(17, Sqrt, "sqrt", kUnary, 1, kNoAttribute, "Correctly rounded; NaN below zero, -0 of -0.")                         \
  X(18, Exp, "exp", kUnary, 1, kNoAttribute, "e^x; floats only.")                                                      \
  X(19, Log, "log", kUnary, 1, kNoAttribute, "Natural logarithm; -Inf at 0, NaN below.")                               \
  X(20, Sin, "sin", kUnary, 1, kNoAttribute, "Sine of radians, any magnitude; NaN at infinity.")                       \
  X(21, Cos, "cos", kUnary, 1, kNoAttribute, "Cosine of radians, any magnitude; NaN at infinity.")                     \
  X(22, Tanh, "tanh", kUnary, 1, kNoAttribute, "Hyperbolic tangent; odd, -0 of -0.")                                   \
  X(23, Erf, "erf", kUnary, 1, kNoAttribute, "Error function; odd, -0 of -0.")                                         \
  X(24, IsNan, "is_nan", kUnary, 1, kNoAttribute, "bool: x is NaN.")                                                   \
  X(25, IsInf, "is_inf", kUnary, 1, kNoAttribute, "bool: x is +Inf or -Inf.")                                          \
  X(26, Not, "not", kUnary, 1, kNoAttribute, "Logical for bool, bitwise for integers.")                                \
  X(27, Log1p, "log1p", kUnary, 1, kNoAttribute, "log(1 + x) without the cancellation near 0.")                        \
  X(28, Expm1, "expm1", kUnary, 1, kNoAttribute, "exp(x) - 1 without the cancellation near 0.")                        \
  X(29, Atan, "atan", kUnary, 1, kNoAttribute, "Arc tangent, in radians.")                                             \
  X(40, Add, "add", kBinary, 2, kNoAttribute, "x + y.")                                                                \
  X(41, Sub, "sub", kBinary, 2, kNoAttribute, "x - y.")                                                                \
  X(42, Mul, "mul", kBinary, 2, kNoAttribute, "x * y.")                                                                \
  X(43, Div, "div", kBinary, 2, kNoAttribute,                                                                          \
    "IEEE division; integers truncate towards 0, x/0 = 0, MIN/-1 = MIN.")                                              \
  X(44, Rem, "rem", kBinary, 2, kNoAttribute,                                                                          \
    "x - trunc(x/y)*y, exact, with the sign of x; integers: x rem 0 = x; floats: y = 0 or x = Inf gives NaN.")         \
  X(45, Min, "min", kBinary, 2, kNoAttribute, "The smaller; NaN if either is NaN; -0 < +0.")                           \
  X(46, Max, "max", kBinary, 2, kNoAttribute, "The larger; NaN if either is NaN; -0 < +0.")                            \
  X(47, Pow, "pow", kBinary, 2, kNoAttribute, "x^y with IEEE 754 pow's special cases; floats only.")                   \
  X(48, And, "and", kBinary, 2, kNoAttribute, "Logical for bool, bitwise for integers.")                               \
  X(49, Or, "or", kBinary, 2, kNoAttribute, "Logical for bool, bitwise for integers.")                                 \
  X(50, Xor, "xor", kBinary, 2, kNoAttribute, "Logical for bool, bitwise for integers.")                               \
  X(51, Shl, "shl", kBinary, 2, kNoAttribute, "x << y; y outside 0..bits-1 gives 0.")                                  \
  X(52, Shr, "shr", kBinary, 2, kNoAttribute,                                                                          \
    "x >> y, arithmetic for signed; y outside 0..bits-1 gives the sign (signed) or 0.")                                \
  X(53, Compare, "cmp", kBinary, 2, kPredicate, "bool: the predicate; with NaN only ne is true.")                      \
  X(54, Atan2, "atan2", kBinary, 2, kNoAttribute, "Angle of (y, x) with IEEE special cases.")                          \
  X(60, Select, "select", kTernary, 3, kNoAttribute, "c ? x : y, element by element; c is bool.")                      \
  X(61, Fma, "fma", kTernary, 3, kNoAttribute, "x * y + z, rounded once.")                                             \
  X(70, Cast, "cast", kConvert, 1, kDType | kCastMode,                                                                 \
    "Float to integer truncates, NaN becomes 0, and saturates; integers wrap or saturate by mode; to bool is x != 0.") \
  X(71, Bitcast, "bitcast", kConvert, 1, kDType, "The same bits; the dtypes have the same size.")                      \
  X(80, Reshape, "reshape", kMovement, 1, kShape, "The same elements in row-major order; the products are equal.")     \
  X(81, Transpose, "transpose", kMovement, 1, kAxes, "Result axis i is operand axis axes[i].")                         \
  X(82, Broadcast, "broadcast", kMovement, 1, kShape | kAxes,                                                          \
    "Operand axis i becomes result axis axes[i] (ascending); an extent of 1 repeats, else they are equal.")            \
  X(83, Slice, "slice", kMovement, 1, kLow | kSize | kStep,                                                            \
    "Per axis: elements low, low + step, ... (size of them); step < 0 walks backwards; all in bounds.")                \
  X(84, Pad, "pad", kMovement, 2, kLow | kHigh | kInterior,                                                            \
    "Per axis: low and high elements added (negative: removed), interior between; operand 1 is the scalar value.")     \
  X(85, Concat, "concat", kMovement, -1, kAxes, "Operands one after the other along axes[0].")                         \
  X(86, Window, "window", kMovement, 1, kAxes | kSize | kStep | kDilation,                                             \
    "Axis axes[i] becomes floor((extent - (size-1)*dilation - 1) / step) + 1 positions; axes of extent size[i] are "   \
    "appended: out[.., o, .., k] = in[.., o*step + k*dilation, ..].")                                                  \
  X(90, Gather, "gather", kIndexed, 2, kAxes,                                                                          \
    "Along axes[0]: out[a.., i.., b..] = in[a.., index[i..], b..]; an index is clamped into bounds.")                  \
  X(91, Scatter, "scatter", kIndexed, 3, kAxes | kReduceKind,                                                          \
    "A copy of operand 0 in which rows index[i] along axes[0] take operand 2's rows in order: set (kind none), or "    \
    "combined; an index out of bounds is skipped.")                                                                    \
  X(100, Reduce, "reduce", kReduce, 1, kAxes | kReduceKind | kAccumulator | kOrder,                                    \
    "Combines along axes (ascending), which vanish; an empty reduction gives the identity; min/max propagate NaN.")    \
  X(101, ArgReduce, "arg_reduce", kReduce, 1, kAxes | kReduceKind,                                                     \
    "i64: index along axes[0] of the min or max; the first of equals; a NaN wins over numbers.")                       \
  X(102, Contract, "contract", kReduce, 2, kLabels | kAccumulator | kOrder | kDType,                                   \
    "Sum of products over the labels that the result lacks; each product may be fused with its addition.")             \
  X(103, Scan, "scan", kReduce, 1, kAxes | kReduceKind | kAccumulator,                                                 \
    "Inclusive running reduction along axes[0], in order.")

enum class Prim : uint32_t {
#define HAL_ROW(id, Name, text, cls, operands, attributes, meaning) k##Name = id,
  HAL_PRIMITIVE_TABLE(HAL_ROW)
#undef HAL_ROW
};

struct PrimInfo {
  Prim prim;
  const char* text;
  PrimClass cls;
  int operands;  // -1: one or more
  uint32_t attributes;
  const char* meaning;
};

// The row of a primitive; text "" if there is none (an id from a damaged file).
constexpr PrimInfo info(Prim prim) {
  switch (prim) {
#define HAL_ROW(id, Name, text, cls, operands, attributes, meaning) \
  case Prim::k##Name:                                               \
    return {prim, text, PrimClass::cls, operands, attributes, meaning};
    HAL_PRIMITIVE_TABLE(HAL_ROW)
#undef HAL_ROW
  }
  return {prim, "", PrimClass::kSource, 0, 0, ""};
}

constexpr std::optional<Prim> prim_from(std::string_view text) {
#define HAL_ROW(id, Name, name, cls, operands, attributes, meaning) \
  if (text == name) return Prim::k##Name;
  HAL_PRIMITIVE_TABLE(HAL_ROW)
#undef HAL_ROW
  return std::nullopt;
}

constexpr bool is_elementwise(Prim prim) {
  PrimClass cls = info(prim).cls;
  return cls == PrimClass::kUnary || cls == PrimClass::kBinary || cls == PrimClass::kTernary ||
         cls == PrimClass::kConvert;
}

enum class Predicate { kEq, kNe, kLt, kLe, kGt, kGe };
enum class ReduceKind { kNone, kAdd, kMul, kMin, kMax, kAnd, kOr };
enum class CastMode { kSaturate, kWrap };
// The order in which a reduction combines: any (chosen by the kernel, the same every run), a balanced binary tree over
// the index, or one after the other.
enum class Order { kAny, kTree, kSequential };

}  // namespace hal::compiler

#endif  // HAL_COMPILER_PRIMITIVES_HPP_
