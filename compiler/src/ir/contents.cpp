// SPDX-License-Identifier: Apache-2.0
#include "contents.hpp"

#include <algorithm>
#include <cmath>

namespace hal::compiler {
namespace {

using Extents = std::vector<int64_t>;

std::optional<Extents> constant_extents(const Shape& shape) {
  Extents out;
  int64_t count = 1;
  for (const Sym& extent : shape) {
    auto value = extent.constant();
    if (!value || *value < 0 || *value > static_cast<int64_t>(kMaxContents)) return std::nullopt;
    out.push_back(*value);
    count *= *value;
    if (count > static_cast<int64_t>(kMaxContents)) return std::nullopt;
  }
  return out;
}

int64_t size_of(const Extents& extents) {
  int64_t count = 1;
  for (int64_t extent : extents) count *= extent;
  return count;
}

Extents unflatten(int64_t flat, const Extents& extents) {
  Extents index(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    index[i] = flat % extents[i];
    flat /= extents[i];
  }
  return index;
}

int64_t flatten(const Extents& index, const Extents& extents) {
  int64_t flat = 0;
  for (size_t i = 0; i < extents.size(); ++i) flat = flat * extents[i] + index[i];
  return flat;
}

template <typename T>
Contents read(const Tensor& tensor) {
  Contents out;
  for (uint64_t i = 0; i < tensor.size(); ++i) out.push_back(static_cast<int64_t>(tensor.data<T>()[i]));
  return out;
}

template <typename T>
std::optional<Contents> read_whole(const Tensor& tensor) {
  Contents out;
  for (uint64_t i = 0; i < tensor.size(); ++i) {
    double value = static_cast<double>(tensor.data<T>()[i]);
    if (!(std::fabs(value) < 9007199254740992.0) || value != std::floor(value)) return std::nullopt;
    out.push_back(static_cast<int64_t>(value));
  }
  return out;
}

// -1, 0 or 1 where a compared with b is decided by the ranges.
std::optional<bool> decide(Predicate predicate, const Sym& a, const Sym& b, const SymRanges& ranges) {
  auto known = [&](bool yes, bool no) -> std::optional<bool> {
    if (yes) return true;
    if (no) return false;
    return std::nullopt;
  };
  bool same = ranges.simplify(a - b) == Sym(0);
  bool apart = ranges.less(a, b) || ranges.less(b, a);
  switch (predicate) {
    case Predicate::kEq:
      return known(same, apart);
    case Predicate::kNe:
      return known(apart, same);
    case Predicate::kLt:
      return known(ranges.less(a, b), ranges.less_equal(b, a));
    case Predicate::kLe:
      return known(ranges.less_equal(a, b), ranges.less(b, a));
    case Predicate::kGt:
      return known(ranges.less(b, a), ranges.less_equal(a, b));
    case Predicate::kGe:
      return known(ranges.less_equal(b, a), ranges.less(a, b));
  }
  return std::nullopt;
}

// Sums and products of known numbers beyond 64 bits are not known: a Sym saturates where the primitive wraps.
std::optional<Sym> wrapping(Prim prim, const Sym& a, const Sym& b) {
  auto x = a.constant(), y = b.constant();
  int64_t exact = 0;
  if (prim == Prim::kAdd) return x && y && __builtin_add_overflow(*x, *y, &exact) ? std::nullopt : std::optional(a + b);
  if (prim == Prim::kSub) return x && y && __builtin_sub_overflow(*x, *y, &exact) ? std::nullopt : std::optional(a - b);
  return x && y && __builtin_mul_overflow(*x, *y, &exact) ? std::nullopt : std::optional(a * b);
}

// Division truncates; for operands that are known not to be negative it is floordiv.
std::optional<Sym> divide(const Sym& a, const Sym& b, const SymRanges& ranges) {
  if (auto x = a.constant(), y = b.constant(); x && y) {
    if (*y == 0) return Sym(0);
    return *y == -1 ? wrapping(Prim::kSub, Sym(0), a) : Sym(*x / *y);
  }
  if (!ranges.nonnegative(a) || !ranges.less(Sym(0), b)) return std::nullopt;
  return ranges.simplify(floordiv(a, b));
}

std::optional<Sym> elementwise(Prim prim, const std::vector<const Sym*>& x, const Attributes& attributes,
                               const SymRanges& ranges) {
  switch (prim) {
    case Prim::kAdd:
    case Prim::kSub:
    case Prim::kMul:
      return wrapping(prim, *x[0], *x[1]);
    case Prim::kDiv:
      return divide(*x[0], *x[1], ranges);
    case Prim::kRem: {
      auto quotient = divide(*x[0], *x[1], ranges);
      if (!quotient) return std::nullopt;
      return *x[0] - *quotient * *x[1];
    }
    case Prim::kMin:
      return ranges.simplify(min(*x[0], *x[1]));
    case Prim::kMax:
      return ranges.simplify(max(*x[0], *x[1]));
    case Prim::kNeg:
      return wrapping(Prim::kSub, Sym(0), *x[0]);
    case Prim::kCompare: {
      auto truth = decide(attributes.predicate, *x[0], *x[1], ranges);
      if (!truth) return std::nullopt;
      return Sym(*truth ? 1 : 0);
    }
    case Prim::kAnd:
      return *x[0] == Sym(0) || *x[1] == Sym(0) ? std::optional<Sym>(Sym(0)) : std::nullopt;
    case Prim::kSelect:
      if (auto condition = x[0]->constant()) return *condition != 0 ? *x[1] : *x[2];
      return std::nullopt;
    case Prim::kFloor:
    case Prim::kCeil:
    case Prim::kTrunc:
    case Prim::kRoundEven:
      return *x[0];  // already whole
    default:
      return std::nullopt;
  }
}

bool counts_exactly(DType dtype) { return is_integer(dtype) || is_float(dtype) || dtype == DType::kBOOL; }

// The flat operand index that result element `index` of a movement primitive shows.
std::optional<int64_t> moved_from(Prim prim, const Extents& index, const Extents& from, const Attributes& attributes) {
  Extents source(from.size());
  switch (prim) {
    case Prim::kTranspose:
      for (size_t i = 0; i < index.size(); ++i) source[size_t(attributes.axes[i])] = index[i];
      return flatten(source, from);
    case Prim::kBroadcast:
      for (size_t i = 0; i < from.size(); ++i) source[i] = from[i] == 1 ? 0 : index[size_t(attributes.axes[i])];
      return flatten(source, from);
    case Prim::kSlice:
      for (size_t i = 0; i < from.size(); ++i) {
        auto low = attributes.low[i].constant(), step = attributes.step[i].constant();
        if (!low || !step) return std::nullopt;
        source[i] = *low + index[i] * *step;
        if (source[i] < 0 || source[i] >= from[i]) return std::nullopt;
      }
      return flatten(source, from);
    default:
      return std::nullopt;
  }
}

std::optional<Contents> concat(const std::vector<KnownOperand>& operands, size_t axis, const Extents& to) {
  Contents out(size_t(size_of(to)));
  int64_t base = 0;
  for (const KnownOperand& operand : operands) {
    auto from = constant_extents(operand.type->shape);
    if (!from) return std::nullopt;
    for (int64_t i = 0; i < size_of(*from); ++i) {
      Extents index = unflatten(i, *from);
      index[axis] += base;
      out[size_t(flatten(index, to))] = (*operand.contents)[size_t(i)];
    }
    base += (*from)[axis];
  }
  return out;
}

std::optional<Contents> gather(const std::vector<KnownOperand>& operands, size_t axis, const Extents& to) {
  auto from = constant_extents(operands[0].type->shape);
  auto index_extents = constant_extents(operands[1].type->shape);
  if (!from || !index_extents || (*from)[axis] == 0) return std::nullopt;
  Contents out;
  for (int64_t i = 0; i < size_of(to); ++i) {
    Extents at = unflatten(i, to);
    Extents inner(at.begin() + ptrdiff_t(axis), at.begin() + ptrdiff_t(axis + index_extents->size()));
    auto which = (*operands[1].contents)[size_t(flatten(inner, *index_extents))].constant();
    if (!which) return std::nullopt;
    Extents source(at.begin(), at.begin() + ptrdiff_t(axis));
    source.push_back(std::clamp<int64_t>(*which, 0, (*from)[axis] - 1));
    source.insert(source.end(), at.begin() + ptrdiff_t(axis + index_extents->size()), at.end());
    out.push_back((*operands[0].contents)[size_t(flatten(source, *from))]);
  }
  return out;
}

std::optional<Contents> reduce(const KnownOperand& operand, const Attributes& attributes, const Extents& to,
                               const SymRanges& ranges) {
  auto from = constant_extents(operand.type->shape);
  bool product = attributes.reduce == ReduceKind::kMul, sum = attributes.reduce == ReduceKind::kAdd;
  bool least = attributes.reduce == ReduceKind::kMin, most = attributes.reduce == ReduceKind::kMax;
  if (!from || !(product || sum || ((least || most) && size_of(*from) > 0))) return std::nullopt;
  std::vector<std::optional<Sym>> out(size_t(size_of(to)));
  for (int64_t i = 0; i < size_of(*from); ++i) {
    Extents index = unflatten(i, *from), rest;
    for (size_t a = 0; a < index.size(); ++a) {
      if (!std::binary_search(attributes.axes.begin(), attributes.axes.end(), int64_t(a))) rest.push_back(index[a]);
    }
    auto& slot = out[size_t(flatten(rest, to))];
    const Sym& value = (*operand.contents)[size_t(i)];
    slot = !slot     ? value
           : sum     ? *slot + value
           : product ? *slot * value
                     : ranges.simplify(least ? min(*slot, value) : max(*slot, value));
  }
  Contents result;
  for (auto& slot : out) result.push_back(slot ? *slot : Sym(product ? 1 : 0));
  return result;
}

}  // namespace

std::optional<Contents> contents_of(const Tensor& tensor) {
  if (tensor.size() > kMaxContents) return std::nullopt;
  switch (tensor.dtype) {
    case DType::kBOOL:
    case DType::kU8:
      return read<uint8_t>(tensor);
    case DType::kI8:
      return read<int8_t>(tensor);
    case DType::kI16:
      return read<int16_t>(tensor);
    case DType::kU16:
      return read<uint16_t>(tensor);
    case DType::kI32:
      return read<int32_t>(tensor);
    case DType::kU32:
      return read<uint32_t>(tensor);
    case DType::kI64:
      return read<int64_t>(tensor);
    case DType::kF32:
      return read_whole<float>(tensor);
    case DType::kF64:
      return read_whole<double>(tensor);
    default:
      return std::nullopt;
  }
}

namespace {

// Whether the dtype holds the number exactly; an expression over symbols is taken for an extent, which fits.
bool holds(DType dtype, const Sym& value) {
  auto number = value.constant();
  if (!number) return true;
  DTypeInfo format = info(dtype);
  if (dtype == DType::kBOOL) return *number == 0 || *number == 1;
  int magnitude = is_float(dtype) ? format.mantissa_bits + 1 : format.bits - (is_signed(dtype) ? 1 : 0);
  if (!is_float(dtype) && !is_signed(dtype) && *number < 0) return false;
  if (magnitude >= 63) return true;
  int64_t limit = int64_t{1} << magnitude;
  return is_float(dtype) ? *number >= -limit && *number <= limit : *number >= -limit && *number < limit;
}

std::optional<Contents> propagate_exactly(Prim prim, const std::vector<KnownOperand>& operands,
                                          const Attributes& attributes, const TensorType& result,
                                          const SymRanges& ranges) {
  if (prim == Prim::kSyms) return Contents(attributes.syms);
  auto to = constant_extents(result.shape);
  if (!to || !counts_exactly(result.dtype)) return std::nullopt;
  if (prim == Prim::kIota) {
    Contents out;
    for (int64_t i = 0; i < size_of(*to); ++i) out.push_back(unflatten(i, *to)[size_t(attributes.axes[0])]);
    return out;
  }
  for (const KnownOperand& operand : operands) {
    if (operand.contents == nullptr) return std::nullopt;
  }
  // Float division and the like do not stay whole, so float contents only move, convert, add, subtract and multiply.
  bool is_floating = !operands.empty() && is_float(operands[0].type->dtype);
  if (is_floating && (prim == Prim::kDiv || prim == Prim::kRem)) return std::nullopt;
  if (prim == Prim::kCast && is_integer(result.dtype) && info(result.dtype).bits < 32) return std::nullopt;
  switch (prim) {
    case Prim::kReshape:
      return *operands[0].contents;
    case Prim::kCast:
      if (result.dtype != DType::kBOOL) return *operands[0].contents;
      return std::nullopt;
    case Prim::kConcat:
      return concat(operands, size_t(attributes.axes[0]), *to);
    case Prim::kGather:
      return gather(operands, size_t(attributes.axes[0]), *to);
    case Prim::kReduce:
      return reduce(operands[0], attributes, *to, ranges);
    default:
      break;
  }
  Contents out;
  bool moves = info(prim).cls == PrimClass::kMovement;
  if (!moves && !is_elementwise(prim)) return std::nullopt;
  auto from = moves ? constant_extents(operands[0].type->shape) : std::nullopt;
  for (int64_t i = 0; i < size_of(*to); ++i) {
    std::optional<Sym> value;
    if (moves) {
      auto source = from ? moved_from(prim, unflatten(i, *to), *from, attributes) : std::nullopt;
      if (source) value = (*operands[0].contents)[size_t(*source)];
    } else {
      std::vector<const Sym*> x;
      for (const KnownOperand& operand : operands) x.push_back(&(*operand.contents)[size_t(i)]);
      value = elementwise(prim, x, attributes, ranges);
    }
    if (!value) return std::nullopt;
    out.push_back(std::move(*value));
  }
  return out;
}

}  // namespace

// What does not fit the result's dtype has wrapped, saturated or been rounded there: it is not known.
std::optional<Contents> propagate(Prim prim, const std::vector<KnownOperand>& operands, const Attributes& attributes,
                                  const TensorType& result, const SymRanges& ranges) {
  auto out = propagate_exactly(prim, operands, attributes, result, ranges);
  if (!out) return std::nullopt;
  bool fits = std::all_of(out->begin(), out->end(), [&](const Sym& value) { return holds(result.dtype, value); });
  return fits ? std::move(out) : std::nullopt;
}

}  // namespace hal::compiler
