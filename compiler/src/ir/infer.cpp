// SPDX-License-Identifier: Apache-2.0
//
// The result type of a primitive: one function per class of the table, and the errors that say what was expected.
#include <algorithm>
#include <map>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {
namespace {

class Inference {
 public:
  Inference(Prim prim, const std::vector<TensorType>& operands, const Attributes& attributes,
            const std::vector<Tensor>& constants, const SymRanges& ranges, SymRanges* assumptions)
      : info_(info(prim)),
        prim_(prim),
        operands_(operands),
        attributes_(attributes),
        constants_(constants),
        ranges_(ranges),
        assumptions_(assumptions) {}

  Result<TensorType> run() {
    if (info_.text[0] == '\0') return invalid_argument("unknown primitive id " + std::to_string(uint32_t(prim_)));
    if (info_.operands >= 0 ? operands_.size() != size_t(info_.operands) : operands_.empty()) {
      return fail("expected " + (info_.operands < 0 ? "at least one" : std::to_string(info_.operands)) + " operands");
    }
    HAL_TRY(check_operands());
    HAL_TRY(check_attributes());
    HAL_TRY_ASSIGN(TensorType type, by_class());
    HAL_TRY(check_extents(type.shape));
    return type;
  }

 private:
  Result<TensorType> by_class() {
    switch (info_.cls) {
      case PrimClass::kSource:
        return source();
      case PrimClass::kUnary:
        return unary();
      case PrimClass::kBinary:
        return binary();
      case PrimClass::kTernary:
        return ternary();
      case PrimClass::kConvert:
        return convert();
      case PrimClass::kMovement:
        return movement();
      case PrimClass::kIndexed:
        return indexed();
      case PrimClass::kReduce:
        return reduction();
    }
    return fail("has no class");
  }

  // Types and attributes may come from a file, so nothing about them is taken for granted.
  Result<void> check_operands() const {
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (info(operand(i).dtype).bits == 0) return fail("operand " + std::to_string(i) + " has no dtype");
    }
    return {};
  }

  template <typename Enum>
  bool known(uint32_t attribute, Enum value, Enum last) const {
    return (info_.attributes & attribute) == 0 || (value >= Enum{} && value <= last);
  }
  Result<void> check_attributes() const {
    if (!known(kPredicate, attributes_.predicate, Predicate::kGe)) return fail("unknown predicate");
    if (!known(kReduceKind, attributes_.reduce, ReduceKind::kOr)) return fail("unknown kind of reduction");
    if (!known(kCastMode, attributes_.cast, CastMode::kWrap)) return fail("unknown cast mode");
    if (!known(kOrder, attributes_.order, Order::kSequential)) return fail("unknown order");
    return {};
  }
  Result<void> check_extents(const Shape& shape) const {
    for (const Sym& extent : shape) {
      auto value = extent.constant();
      if (value && (*value < 0 || *value > kMaxExtent)) {
        return fail("the result " + text(shape) + " has the extent " + std::to_string(*value) +
                    "; expected 0 to 2^48");
      }
    }
    return {};
  }

  // A sum in `to` of values of `from` is of the same sort: integers, or floats.
  static bool same_sort(DType from, DType to) {
    return (is_integer(from) && is_integer(to)) || (is_float(from) && is_float(to));
  }
  Result<void> check_kind(DType dtype) const {
    bool boolean = attributes_.reduce == ReduceKind::kAnd || attributes_.reduce == ReduceKind::kOr;
    if (boolean ? dtype != DType::kBOOL : !is_integer(dtype) && !is_float(dtype))
      return fail("this kind does not fit the dtype; and, or take bool, the others integers or floats");
    return {};
  }
  Result<void> check_accumulator(DType from) const {
    DType to = attributes_.accumulator;
    if (to == DType::kNone || to == from || same_sort(from, to)) return {};
    return fail(std::string("the accumulator ") + name(to) + " does not fit; expected " +
                (is_float(from) ? "a float" : is_integer(from) ? "an integer" : "the operand's") + " dtype");
  }

  Error fail(const std::string& what) const {
    std::string types;
    for (const TensorType& type : operands_) types += (types.empty() ? "" : ", ") + text(type);
    return invalid_argument(std::string(info_.text) + "(" + types + "): " + what);
  }

  const TensorType& operand(size_t i) const { return operands_[i]; }
  int64_t rank(size_t i = 0) const { return static_cast<int64_t>(operands_[i].shape.size()); }
  bool equal(const Sym& a, const Sym& b) const {
    if (ranges_.equal(a, b)) return true;
    if (assumptions_ == nullptr || !assumptions_->may_equal(a, b)) return false;
    assumptions_->assume_equal(a, b);
    return true;
  }
  bool equal(const Shape& a, const Shape& b) const {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [&](const Sym& x, const Sym& y) { return equal(x, y); });
  }

  Result<int64_t> one_axis() const {
    if (attributes_.axes.size() != 1) return fail("expected one axis");
    int64_t axis = attributes_.axes[0];
    if (axis < 0 || axis >= rank())
      return fail("axis " + std::to_string(axis) + " is not in 0.." + std::to_string(rank() - 1));
    return axis;
  }

  Result<TensorType> source() {
    if (prim_ == Prim::kConstant) {
      if (attributes_.constant >= constants_.size())
        return fail("constant " + std::to_string(attributes_.constant) + " does not exist");
      const Tensor& tensor = constants_[attributes_.constant];
      return TensorType{tensor.dtype, Shape(tensor.shape.begin(), tensor.shape.end())};
    }
    if (prim_ == Prim::kIota) {
      int64_t count = static_cast<int64_t>(attributes_.shape.size());
      if (attributes_.axes.size() != 1 || attributes_.axes[0] < 0 || attributes_.axes[0] >= count)
        return fail("expected one axis of the shape");
      if (!is_integer(attributes_.dtype) && !is_float(attributes_.dtype)) return fail("expected a number dtype");
      return TensorType{attributes_.dtype, attributes_.shape};
    }
    bool fits = attributes_.shape.empty() ? attributes_.syms.size() == 1
                                          : attributes_.shape.size() == 1 &&
                                                attributes_.shape[0].is_constant(int64_t(attributes_.syms.size()));
    if (!fits) return fail("expected rank 0 with one element, or rank 1 with as many elements as expressions");
    return TensorType{DType::kI64, attributes_.shape};
  }

  Result<TensorType> unary() {
    DType dtype = operand(0).dtype;
    bool number = is_integer(dtype) || is_float(dtype);
    switch (prim_) {
      case Prim::kNeg:
      case Prim::kAbs:
      case Prim::kSign:
        if (!number) return fail("expected an integer or float dtype");
        return operand(0);
      case Prim::kNot:
        if (!is_integer(dtype) && dtype != DType::kBOOL) return fail("expected bool or an integer dtype");
        return operand(0);
      case Prim::kIsNan:
      case Prim::kIsInf:
        if (!is_float(dtype)) return fail("expected a float dtype");
        return TensorType{DType::kBOOL, operand(0).shape};
      default:
        if (!is_float(dtype)) return fail("expected a float dtype");
        return operand(0);
    }
  }

  Result<TensorType> binary() {
    DType dtype = operand(0).dtype;
    if (operand(1).dtype != dtype) return fail("expected equal dtypes; cast one of them");
    if (!equal(operand(0).shape, operand(1).shape)) return fail("expected equal shapes; broadcast one of them");
    bool logical = is_integer(dtype) || dtype == DType::kBOOL;
    switch (prim_) {
      case Prim::kPow:
      case Prim::kAtan2:
        if (!is_float(dtype)) return fail("expected a float dtype");
        break;
      case Prim::kAnd:
      case Prim::kOr:
      case Prim::kXor:
        if (!logical) return fail("expected bool or an integer dtype");
        break;
      case Prim::kShl:
      case Prim::kShr:
        if (!is_integer(dtype)) return fail("expected an integer dtype");
        break;
      case Prim::kCompare:
        return TensorType{DType::kBOOL, operand(0).shape};
      default:
        if (!is_integer(dtype) && !is_float(dtype)) return fail("expected an integer or float dtype");
    }
    return operand(0);
  }

  Result<TensorType> ternary() {
    size_t first = prim_ == Prim::kSelect ? 1 : 0;
    if (prim_ == Prim::kSelect && operand(0).dtype != DType::kBOOL) return fail("expected a bool condition");
    if (prim_ == Prim::kFma && !is_float(operand(0).dtype)) return fail("expected a float dtype");
    for (size_t i = first; i < 3; ++i) {
      if (operand(i).dtype != operand(first).dtype) return fail("expected equal dtypes");
    }
    for (size_t i = 1; i < 3; ++i) {
      if (!equal(operand(i).shape, operand(0).shape)) return fail("expected equal shapes; broadcast the operands");
    }
    return operand(first);
  }

  Result<TensorType> convert() {
    if (info(attributes_.dtype).bits == 0) return fail("expected a dtype");
    if (prim_ == Prim::kBitcast && info(attributes_.dtype).bits != info(operand(0).dtype).bits) {
      return fail(std::string("expected a dtype of the same size, got ") + name(attributes_.dtype));
    }
    return TensorType{attributes_.dtype, operand(0).shape};
  }

  Result<TensorType> movement() {
    switch (prim_) {
      case Prim::kReshape:
        return reshape();
      case Prim::kTranspose:
        return transpose();
      case Prim::kBroadcast:
        return broadcast();
      case Prim::kSlice:
        return slice();
      case Prim::kPad:
        return pad();
      case Prim::kConcat:
        return concat();
      default:
        return window();
    }
  }

  Result<TensorType> reshape() {
    if (!equal(product(operand(0).shape), product(attributes_.shape))) {
      return fail("shape " + text(attributes_.shape) + " does not have the same number of elements");
    }
    return TensorType{operand(0).dtype, attributes_.shape};
  }

  Result<TensorType> transpose() {
    std::vector<int64_t> sorted = attributes_.axes;
    std::sort(sorted.begin(), sorted.end());
    bool permutation = static_cast<int64_t>(sorted.size()) == rank();
    for (size_t i = 0; permutation && i < sorted.size(); ++i) permutation = sorted[i] == static_cast<int64_t>(i);
    if (!permutation) return fail("axes must be a permutation of the operand's axes");
    TensorType out{operand(0).dtype, {}};
    for (int64_t axis : attributes_.axes) out.shape.push_back(operand(0).shape[size_t(axis)]);
    return out;
  }

  Result<TensorType> broadcast() {
    if (static_cast<int64_t>(attributes_.axes.size()) != rank())
      return fail("expected one result axis for each operand axis");
    int64_t last = -1;
    for (size_t i = 0; i < attributes_.axes.size(); ++i) {
      int64_t axis = attributes_.axes[i];
      if (axis <= last || axis >= static_cast<int64_t>(attributes_.shape.size()))
        return fail("axes must ascend within the result");
      last = axis;
      const Sym& from = operand(0).shape[i];
      if (!from.is_constant(1) && !equal(from, attributes_.shape[size_t(axis)])) {
        return fail("extent " + from.text() + " cannot become " + attributes_.shape[size_t(axis)].text());
      }
    }
    return TensorType{operand(0).dtype, attributes_.shape};
  }

  Result<TensorType> slice() {
    size_t n = size_t(rank());
    if (attributes_.low.size() != n || attributes_.size.size() != n || attributes_.step.size() != n) {
      return fail("expected low, size and step for each axis");
    }
    for (size_t i = 0; i < n; ++i) {
      auto low = attributes_.low[i].constant(), size = attributes_.size[i].constant(),
           step = attributes_.step[i].constant();
      auto extent = operand(0).shape[i].constant();
      if (!step || *step == 0) return fail("step must be a constant that is not 0");
      if (size && *size < 0) return fail("size " + std::to_string(*size) + " is negative");
      if (!low || !size || *size == 0) continue;
      int64_t span, end, limit = extent.value_or(kMaxExtent);
      if (__builtin_mul_overflow(*size - 1, *step, &span) || __builtin_add_overflow(*low, span, &end) || *low < 0 ||
          *low >= limit || end < 0 || end >= limit)
        return fail("axis " + std::to_string(i) + " leaves its bounds");
    }
    return TensorType{operand(0).dtype, attributes_.size};
  }

  Result<TensorType> pad() {
    size_t n = size_t(rank());
    if (operand(1).dtype != operand(0).dtype || rank(1) != 0)
      return fail("the padding value must be a scalar of the same dtype");
    if (attributes_.low.size() != n || attributes_.high.size() != n || attributes_.interior.size() != n) {
      return fail("expected low, high and interior for each axis");
    }
    TensorType out{operand(0).dtype, {}};
    for (size_t i = 0; i < n; ++i) {
      const Sym& extent = operand(0).shape[i];
      auto interior = attributes_.interior[i].constant();
      if (!interior || *interior < 0 || *interior > kMaxExtent)
        return fail("interior padding must be a constant from 0 to 2^48");
      for (const Shape* edge : {&attributes_.low, &attributes_.high}) {
        auto width = (*edge)[i].constant();
        if (width && (*width > kMaxExtent || *width < -kMaxExtent)) return fail("padding is at most 2^48 wide");
      }
      Sym gaps = *interior == 0 ? Sym(0) : max(extent - 1, Sym(0)) * Sym(*interior);
      Sym result = ranges_.simplify(attributes_.low[i] + attributes_.high[i] + extent + gaps);
      out.shape.push_back(result);
    }
    return out;
  }

  Result<TensorType> concat() {
    HAL_TRY_ASSIGN(int64_t axis, one_axis());
    TensorType out = operand(0);
    for (size_t i = 1; i < operands_.size(); ++i) {
      if (operand(i).dtype != out.dtype || rank(i) != rank()) return fail("operands must agree in dtype and rank");
      for (int64_t a = 0; a < rank(); ++a) {
        if (a == axis) {
          out.shape[size_t(a)] += operand(i).shape[size_t(a)];
        } else if (!equal(operand(i).shape[size_t(a)], out.shape[size_t(a)])) {
          return fail("operands must agree in axis " + std::to_string(a));
        }
      }
    }
    return out;
  }

  Result<TensorType> window() {
    size_t n = attributes_.axes.size();
    if (attributes_.size.size() != n || attributes_.step.size() != n || attributes_.dilation.size() != n) {
      return fail("expected size, step and dilation for each windowed axis");
    }
    TensorType out = operand(0);
    int64_t last = -1;
    for (size_t i = 0; i < n; ++i) {
      int64_t axis = attributes_.axes[i];
      if (axis <= last || axis >= rank()) return fail("axes must ascend within the operand");
      last = axis;
      auto step = attributes_.step[i].constant(), dilation = attributes_.dilation[i].constant();
      if (!step || !dilation || *step < 1 || *dilation < 1) return fail("step and dilation must be constants above 0");
      auto size = attributes_.size[i].constant();
      if (size && *size < 1) return fail("a window has at least 1 element, got " + std::to_string(*size));
      Sym& extent = out.shape[size_t(axis)];
      extent = ranges_.simplify(floordiv(extent - (attributes_.size[i] - 1) * *dilation - 1, *step) + 1);
      out.shape.push_back(attributes_.size[i]);
    }
    return out;
  }

  Result<TensorType> indexed() {
    HAL_TRY_ASSIGN(int64_t axis, one_axis());
    if (operand(1).dtype != DType::kI64 && operand(1).dtype != DType::kI32) return fail("indices must be i32 or i64");
    if (prim_ == Prim::kScatter) {
      if (rank(1) != 1) return fail("scatter takes a vector of indices");
      if (attributes_.reduce != ReduceKind::kNone) HAL_TRY(check_kind(operand(0).dtype));
      TensorType updates = operand(0);
      updates.shape[size_t(axis)] = operand(1).shape[0];
      if (operand(2).dtype != updates.dtype || !equal(operand(2).shape, updates.shape))
        return fail("updates must be " + text(updates));
      return operand(0);
    }
    TensorType out{operand(0).dtype, {}};
    for (int64_t a = 0; a < rank(); ++a) {
      if (a != axis) {
        out.shape.push_back(operand(0).shape[size_t(a)]);
      } else {
        out.shape.insert(out.shape.end(), operand(1).shape.begin(), operand(1).shape.end());
      }
    }
    return out;
  }

  Result<TensorType> reduction() {
    if (prim_ == Prim::kContract) return contract();
    DType dtype = operand(0).dtype;
    if (attributes_.reduce == ReduceKind::kNone) return fail("expected a kind of reduction");
    HAL_TRY(check_kind(dtype));
    if (info_.attributes & kAccumulator) HAL_TRY(check_accumulator(dtype));
    if (prim_ != Prim::kReduce) {
      HAL_TRY_ASSIGN(int64_t axis, one_axis());
      if (prim_ == Prim::kScan) return operand(0);
      if (attributes_.reduce != ReduceKind::kMin && attributes_.reduce != ReduceKind::kMax)
        return fail("expected min or max");
      TensorType out{DType::kI64, operand(0).shape};
      out.shape.erase(out.shape.begin() + axis);
      return out;
    }
    TensorType out{dtype, {}};
    int64_t last = -1;
    for (int64_t axis : attributes_.axes) {
      if (axis <= last || axis >= rank()) return fail("axes must ascend within the operand");
      last = axis;
    }
    for (int64_t a = 0; a < rank(); ++a) {
      if (!std::binary_search(attributes_.axes.begin(), attributes_.axes.end(), a))
        out.shape.push_back(operand(0).shape[size_t(a)]);
    }
    return out;
  }

  Result<TensorType> contract() {
    const auto& labels = attributes_.labels;
    if (labels.size() != 3) return fail("expected labels for both operands and the result");
    if (operand(0).dtype != operand(1).dtype) return fail("expected equal dtypes");
    if (!is_integer(operand(0).dtype) && !is_float(operand(0).dtype)) return fail("expected an integer or float dtype");
    std::map<int, Sym> extents;
    for (size_t i = 0; i < 2; ++i) {
      if (static_cast<int64_t>(labels[i].size()) != rank(i))
        return fail("operand " + std::to_string(i) + " needs one label for each axis");
      std::vector<int> sorted = labels[i];
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
        return fail("a label occurs twice in one operand");
      for (size_t a = 0; a < labels[i].size(); ++a) {
        auto [found, fresh] = extents.emplace(labels[i][a], operand(i).shape[a]);
        if (!fresh && !equal(found->second, operand(i).shape[a])) {
          return fail("axes with one label differ: " + found->second.text() + " and " + operand(i).shape[a].text());
        }
      }
    }
    HAL_TRY(check_accumulator(operand(0).dtype));
    TensorType out{attributes_.dtype == DType::kNone ? operand(0).dtype : attributes_.dtype, {}};
    if (!same_sort(operand(0).dtype, out.dtype)) {
      return fail(std::string("the result ") + name(out.dtype) + " does not fit; expected " +
                  (is_float(operand(0).dtype) ? "a float dtype" : "an integer dtype"));
    }
    std::vector<int> seen;
    for (int label : labels[2]) {
      if (extents.count(label) == 0 || std::count(seen.begin(), seen.end(), label) != 0)
        return fail("each label of the result must occur once, and in an operand");
      seen.push_back(label);
      out.shape.push_back(extents.at(label));
    }
    return out;
  }

  PrimInfo info_;
  Prim prim_;
  const std::vector<TensorType>& operands_;
  const Attributes& attributes_;
  const std::vector<Tensor>& constants_;
  const SymRanges& ranges_;
  SymRanges* assumptions_;
};

}  // namespace

std::string text(const TensorType& type) { return name(type.dtype) + text(type.shape); }

Result<TensorType> infer_type(Prim prim, const std::vector<TensorType>& operands, const Attributes& attributes,
                              const std::vector<Tensor>& constants, const SymRanges& ranges, SymRanges* assumptions) {
  return Inference(prim, operands, attributes, constants, ranges, assumptions).run();
}

}  // namespace hal::compiler
