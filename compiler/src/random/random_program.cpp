// SPDX-License-Identifier: Apache-2.0
//
// A module grows op by op: a primitive is drawn, then operands and attributes that fit it; what does not fit is drawn
// again. Of each float value it is known whether all elements are small whole numbers: only those are summed, so that
// sums are exact in any order.
#include "random_program.hpp"

#include <cmath>
#include <set>

namespace hal::compiler::random {
namespace {

constexpr int64_t kMaxElements = 2048;
constexpr int64_t kMaxWork = 1 << 16;  // of a reduction

const std::vector<DType> kDTypes = {DType::kBOOL, DType::kI8,  DType::kU8,  DType::kI16, DType::kU16,
                                    DType::kI32,  DType::kU32, DType::kI64, DType::kU64, DType::kF16,
                                    DType::kBF16, DType::kF32, DType::kF64, DType::kF32, DType::kF32};

// What is known of a value beyond its type.
struct Known {
  double bound = 0;  // of a float: every element is whole and no larger; infinite: nothing is known
  int tolerance = 0;
};

class Generator {
 public:
  Generator(uint64_t seed, const std::string& suffix) : draw_(seed), builder_("random" + std::to_string(seed)) {
    program_.seed = seed;
    for (const char* name : {"N", "M"}) {
      symbols_.push_back(Sym::symbol(name + suffix));
      binding_[name + suffix] = draw_.pick<int64_t>({0, 1, 2, 3, 5, 8, 17});
    }
  }

  RandomProgram run() {
    int64_t parameters = 1 + draw_.below(3);
    for (int64_t i = 0; i < parameters; ++i) add_parameter(i);
    keep_bound_symbols();
    int64_t ops = 2 + draw_.below(6);
    for (int64_t tries = 0; ops > 0 && tries < 200; ++tries) {
      if (add_op()) --ops;
    }
    std::vector<ValueId> results = unread();
    if (draw_.chance(30)) results.push_back(any());
    std::vector<std::string> names;
    for (size_t i = 0; i < results.size(); ++i) names.push_back("y" + std::to_string(i));
    for (const Known& known : known_) program_.tolerance.push_back(known.tolerance);
    program_.module = *builder_.finish(results, names);
    return std::move(program_);
  }

 private:
  static constexpr double kUnknown = HUGE_VAL;

  int64_t value(const Sym& extent) const { return *extent.evaluate(binding_); }
  int64_t elements(const Shape& shape) const {
    int64_t count = 1;
    for (const Sym& extent : shape) count *= value(extent);
    return count;
  }
  const TensorType& type(ValueId id) const { return builder_.type(id); }
  const Shape& shape(ValueId id) const { return builder_.type(id).shape; }
  ValueId any() { return static_cast<ValueId>(draw_.below(static_cast<int64_t>(known_.size()))); }
  ValueId recent() {
    int64_t count = static_cast<int64_t>(known_.size());
    return static_cast<ValueId>(count - 1 - draw_.below(std::min<int64_t>(count, draw_.chance(70) ? 2 : count)));
  }
  static bool number(DType dtype) { return is_integer(dtype) || is_float(dtype); }

  Sym extent() {
    if (!symbols_.empty() && draw_.chance(30)) return draw_.pick(symbols_);
    return draw_.pick<int64_t>({0, 1, 1, 2, 3, 4, 5, 6, 8, 9, 16, 17});
  }
  Shape random_shape() {
    Shape out(static_cast<size_t>(draw_.pick<int64_t>({0, 1, 1, 2, 2, 2, 3, 3, 4})));
    for (Sym& e : out) e = extent();
    return elements(out) > kMaxElements ? Shape{3} : out;
  }

  void add_parameter(int64_t index) {
    bool again = index > 0 && draw_.chance(50);  // shapes must meet for binary ops
    TensorType type{draw_.pick(kDTypes), again ? shape(any()) : random_shape()};
    if (again && draw_.chance(60)) type.dtype = builder_.type(0).dtype;
    bool wild = draw_.chance(40);
    std::vector<int64_t> extents;
    for (const Sym& e : type.shape) extents.push_back(value(e));
    program_.inputs.push_back(random_tensor(type.dtype, extents, wild, draw_));
    builder_.parameter("x" + std::to_string(index), type);
    known_.push_back({wild ? kUnknown : 4, 0});
  }

  // What no op reads, so that every op matters.
  std::vector<ValueId> unread() const {
    std::vector<ValueId> out;
    for (ValueId id = static_cast<ValueId>(program_.inputs.size()); id < known_.size(); ++id) {
      if (read_.count(id) == 0) out.push_back(id);
    }
    return out.empty() ? std::vector<ValueId>{0} : out;
  }

  // The symbols that the inputs give a value to.
  void keep_bound_symbols() {
    std::vector<Sym> kept;
    for (const Sym& symbol : symbols_) {
      bool found = false;
      for (ValueId x = 0; x < known_.size(); ++x) {
        for (const Sym& extent : shape(x)) found = found || extent == symbol;
      }
      if (found) kept.push_back(symbol);
    }
    symbols_ = kept;
  }

  bool add(Prim prim, std::vector<ValueId> operands, const Attributes& attributes, double bound, int tolerance = 0) {
    auto result = builder_.op(prim, operands, attributes);
    if (!result) return false;
    for (ValueId operand : operands) tolerance = std::max(tolerance, known_[operand].tolerance);
    const TensorType& made = type(*result);
    // Whole numbers above the precision of the format are not kept exactly.
    if (is_float(made.dtype) && bound > std::ldexp(1.0, info(made.dtype).mantissa_bits)) bound = kUnknown;
    known_.resize(*result + 1, {kUnknown, 0});
    known_[*result] = {bound, tolerance};
    read_.insert(operands.begin(), operands.end());
    return true;
  }

  bool add_op() {
    static const std::vector<bool (Generator::*)()> kMakers = {
        &Generator::unary,     &Generator::unary,     &Generator::binary, &Generator::binary,  &Generator::binary,
        &Generator::compare,   &Generator::select,    &Generator::cast,   &Generator::cast,    &Generator::bitcast,
        &Generator::reshape,   &Generator::transpose, &Generator::slice,  &Generator::pad,     &Generator::broadcast,
        &Generator::concat,    &Generator::window,    &Generator::gather, &Generator::scatter, &Generator::reduce,
        &Generator::reduce,    &Generator::scan,      &Generator::iota,   &Generator::syms,    &Generator::contract,
        &Generator::arguments, &Generator::contract,  &Generator::fma};
    return (this->*draw_.pick(kMakers))();
  }

  // After an approximate value only what neither amplifies the error nor makes a decision of it.
  bool fit(ValueId x) const { return known_[x].tolerance == 0; }

  bool unary() {
    ValueId x = recent();
    DType dtype = type(x).dtype;
    static const std::vector<Prim> kFloat = {Prim::kNeg,       Prim::kAbs,   Prim::kSign,  Prim::kFloor, Prim::kCeil,
                                             Prim::kTrunc,     Prim::kSqrt,  Prim::kExp,   Prim::kLog,   Prim::kSin,
                                             Prim::kRoundEven, Prim::kCos,   Prim::kTanh,  Prim::kErf,   Prim::kIsNan,
                                             Prim::kIsInf,     Prim::kLog1p, Prim::kExpm1, Prim::kAtan};
    Prim prim = is_float(dtype)     ? draw_.pick(kFloat)
                : is_integer(dtype) ? draw_.pick<Prim>({Prim::kNeg, Prim::kAbs, Prim::kSign, Prim::kNot})
                                    : Prim::kNot;
    bool decides = is_float(dtype) && prim != Prim::kNeg && prim != Prim::kAbs;
    if (decides && !fit(x)) return false;
    bool rounds = prim == Prim::kExp || prim == Prim::kLog || prim == Prim::kSin || prim == Prim::kCos ||
                  prim == Prim::kTanh || prim == Prim::kErf || prim == Prim::kLog1p || prim == Prim::kExpm1 ||
                  prim == Prim::kAtan;
    return add(prim, {x}, {}, rounds || prim == Prim::kSqrt ? kUnknown : known_[x].bound,
               rounds ? tolerance(dtype, prim == Prim::kErf) : 0);
  }

  static int tolerance(DType dtype, bool special) {
    bool narrow = info(dtype).bits == 16;
    return special ? (narrow ? 4 : 16) : (narrow ? 2 : 4);
  }

  // Another value of the same type, or the value itself.
  ValueId partner(ValueId x) {
    for (int tries = 0; tries < 6; ++tries) {
      ValueId y = any();
      if (type(y) == type(x) && fit(y)) return y;
    }
    return x;
  }

  bool binary() {
    ValueId x = recent();
    DType dtype = type(x).dtype;
    if (!fit(x)) return false;
    ValueId y = partner(x);
    if (dtype == DType::kBOOL) return add(draw_.pick<Prim>({Prim::kAnd, Prim::kOr, Prim::kXor}), {x, y}, {}, 1);
    static const std::vector<Prim> kInteger = {Prim::kAdd, Prim::kSub, Prim::kMul, Prim::kDiv, Prim::kRem, Prim::kMin,
                                               Prim::kMax, Prim::kAnd, Prim::kOr,  Prim::kXor, Prim::kShl, Prim::kShr};
    static const std::vector<Prim> kFloat = {Prim::kAdd, Prim::kSub, Prim::kMul, Prim::kMul, Prim::kAdd,  Prim::kDiv,
                                             Prim::kRem, Prim::kMin, Prim::kMax, Prim::kPow, Prim::kAtan2};
    Prim prim = draw_.pick(is_float(dtype) ? kFloat : kInteger);
    double a = known_[x].bound, b = known_[y].bound, bound = kUnknown;
    if (prim == Prim::kAdd || prim == Prim::kSub) bound = a + b;
    if (prim == Prim::kMul) bound = a * b;
    if (prim == Prim::kMin || prim == Prim::kMax) bound = std::max(a, b);
    return add(prim, {x, y}, {}, bound,
               prim == Prim::kPow || prim == Prim::kAtan2 ? tolerance(dtype, prim == Prim::kPow) : 0);
  }

  bool fma() {
    ValueId x = recent();
    DType dtype = type(x).dtype;
    if ((dtype != DType::kF32 && dtype != DType::kF64) || !fit(x)) return false;
    ValueId y = partner(x), z = partner(x);
    return add(Prim::kFma, {x, y, z}, {}, known_[x].bound * known_[y].bound + known_[z].bound);
  }

  bool compare() {
    ValueId x = recent();
    if (!fit(x)) return false;
    Attributes a;
    a.predicate = static_cast<Predicate>(draw_.below(type(x).dtype == DType::kBOOL ? 2 : 6));
    return add(Prim::kCompare, {x, partner(x)}, a, 1);
  }

  bool select() {
    ValueId x = recent(), y = partner(x);
    for (ValueId c = 0; c < known_.size(); ++c) {
      if (type(c).dtype != DType::kBOOL || !(shape(c) == shape(x))) continue;
      return add(Prim::kSelect, {c, x, y}, {}, std::max(known_[x].bound, known_[y].bound));
    }
    return false;
  }

  bool cast() {
    ValueId x = recent();
    if (!fit(x)) return false;
    Attributes a;
    a.dtype = draw_.pick(kDTypes);
    a.cast = draw_.chance(50) ? CastMode::kWrap : CastMode::kSaturate;
    double bound = is_float(type(x).dtype) || type(x).dtype == DType::kBOOL ? known_[x].bound : kUnknown;
    return add(Prim::kCast, {x}, a, type(x).dtype == DType::kBOOL ? 1 : bound);
  }

  // The bits of a NaN are not specified: a float must be known to be none.
  bool bitcast() {
    ValueId x = recent();
    if (!fit(x) || (is_float(type(x).dtype) && known_[x].bound == kUnknown)) return false;
    std::vector<DType> same;
    for (DType dtype : kDTypes) {
      if (dtype != DType::kBOOL && info(dtype).bits == info(type(x).dtype).bits) same.push_back(dtype);
    }
    if (same.empty() || type(x).dtype == DType::kBOOL) return false;
    Attributes a;
    a.dtype = draw_.pick(same);
    return add(Prim::kBitcast, {x}, a, kUnknown);
  }

  bool reshape() {
    ValueId x = recent();
    Shape to = shape(x);
    size_t rank = to.size(), at = rank == 0 ? 0 : static_cast<size_t>(draw_.below(static_cast<int64_t>(rank)));
    int64_t how = draw_.below(4);
    if (how == 0) {
      to.insert(to.begin() + static_cast<ptrdiff_t>(at), Sym(1));
    } else if (how == 1 && rank > 0) {
      to = {product(to)};
    } else if (how == 2 && rank > 1 && at + 1 < rank) {
      to[at] = to[at] * to[at + 1];
      to.erase(to.begin() + static_cast<ptrdiff_t>(at) + 1);
    } else if (rank > 0) {
      auto whole = to[at].constant();
      int64_t factor = draw_.pick<int64_t>({2, 3, 4});
      if (!whole || *whole == 0 || *whole % factor != 0) return false;
      to[at] = *whole / factor;
      to.insert(to.begin() + static_cast<ptrdiff_t>(at) + 1, Sym(factor));
    }
    if (to.size() > 5) return false;
    Attributes a;
    a.shape = to;
    return add(Prim::kReshape, {x}, a, known_[x].bound);
  }

  bool transpose() {
    ValueId x = recent();
    Attributes a;
    for (size_t i = 0; i < shape(x).size(); ++i) a.axes.push_back(static_cast<int64_t>(i));
    for (size_t i = a.axes.size(); i > 1; --i)
      std::swap(a.axes[i - 1], a.axes[static_cast<size_t>(draw_.below(static_cast<int64_t>(i)))]);
    return add(Prim::kTranspose, {x}, a, known_[x].bound);
  }

  bool slice() {
    ValueId x = recent();
    Attributes a;
    for (const Sym& extent : shape(x)) {
      auto whole = extent.constant();
      if (draw_.chance(30)) {  // backwards
        a.low.push_back(extent - 1), a.size.push_back(extent), a.step.push_back(-1);
      } else if (!whole || *whole == 0) {
        a.low.push_back(0), a.size.push_back(extent), a.step.push_back(1);
      } else {
        int64_t low = draw_.below(*whole), step = 1 + draw_.below(3);
        a.low.push_back(low), a.step.push_back(step);
        a.size.push_back(draw_.below((*whole - 1 - low) / step + 2));
      }
    }
    return add(Prim::kSlice, {x}, a, known_[x].bound);
  }

  ValueId scalar(DType dtype, bool wild) {
    ValueId id = builder_.constant(random_tensor(dtype, {}, wild, draw_));
    known_.resize(id + 1, {kUnknown, 0});
    known_[id] = {wild ? kUnknown : 4, 0};
    return id;
  }

  bool pad() {
    ValueId x = recent();
    Attributes a;
    int64_t count = 1;
    for (const Sym& extent : shape(x)) {
      int64_t low = draw_.below(3), high = draw_.below(3), interior = draw_.chance(25) ? 1 : 0;
      auto whole = extent.constant();
      if (whole && *whole > 3 && draw_.chance(25)) low = -1;
      if (whole && *whole > 3 && draw_.chance(25)) high = -2;
      a.low.push_back(low), a.high.push_back(high), a.interior.push_back(interior);
      count *= value(extent) * (1 + interior) + 4;
    }
    if (count > kMaxElements) return false;
    ValueId with = scalar(type(x).dtype, draw_.chance(20));
    return add(Prim::kPad, {x, with}, a, std::max(known_[x].bound, known_[with].bound));
  }

  bool broadcast() {
    ValueId x = recent();
    Attributes a;
    for (const Sym& from : shape(x)) {
      if (draw_.chance(30)) a.shape.push_back(extent());
      a.axes.push_back(static_cast<int64_t>(a.shape.size()));
      a.shape.push_back(from.is_constant(1) && draw_.chance(70) ? extent() : from);
    }
    if (draw_.chance(30)) a.shape.push_back(extent());
    if (a.shape.size() > 5 || elements(a.shape) > kMaxElements) return false;
    return add(Prim::kBroadcast, {x}, a, known_[x].bound);
  }

  bool concat() {
    ValueId x = recent();
    if (shape(x).empty() || elements(shape(x)) * 3 > kMaxElements) return false;
    std::vector<ValueId> operands = {x, partner(x)};
    if (draw_.chance(40)) operands.push_back(partner(x));
    Attributes a;
    a.axes = {draw_.below(static_cast<int64_t>(shape(x).size()))};
    double bound = 0;
    for (ValueId operand : operands) bound = std::max(bound, known_[operand].bound);
    return add(Prim::kConcat, operands, a, bound);
  }

  bool window() {
    ValueId x = recent();
    Attributes a;
    int64_t count = elements(shape(x));
    for (size_t i = 0; i < shape(x).size(); ++i) {
      int64_t size = 1 + draw_.below(3), dilation = 1 + draw_.below(2);
      if (draw_.chance(40) || value(shape(x)[i]) < (size - 1) * dilation + 1) continue;
      a.axes.push_back(static_cast<int64_t>(i));
      a.size.push_back(size), a.dilation.push_back(dilation), a.step.push_back(1 + draw_.below(2));
      count *= size;
    }
    if (count > kMaxElements || shape(x).size() + a.axes.size() > 5) return false;
    return add(Prim::kWindow, {x}, a, known_[x].bound);
  }

  std::optional<ValueId> indices(size_t most_rank) {
    for (int tries = 0; tries < 8; ++tries) {
      ValueId id = any();
      DType dtype = type(id).dtype;
      if ((dtype == DType::kI32 || dtype == DType::kI64) && shape(id).size() <= most_rank) return id;
    }
    return std::nullopt;
  }

  bool gather() {
    ValueId x = recent();
    auto index = indices(2);
    if (!index || shape(x).empty() || shape(x).size() + shape(*index).size() > 5) return false;
    if (elements(shape(x)) == 0 || elements(shape(x)) * elements(shape(*index)) > kMaxElements) return false;
    Attributes a;
    a.axes = {draw_.below(static_cast<int64_t>(shape(x).size()))};
    return add(Prim::kGather, {x, *index}, a, known_[x].bound);
  }

  bool scatter() {
    ValueId x = recent();
    auto index = indices(1);
    if (!index || shape(*index).size() != 1 || shape(x).empty()) return false;
    Attributes a;
    a.axes = {draw_.below(static_cast<int64_t>(shape(x).size()))};
    Shape rows = shape(x);
    rows[static_cast<size_t>(a.axes[0])] = shape(*index)[0];
    for (ValueId updates = 0; updates < known_.size(); ++updates) {
      if (type(updates).dtype != type(x).dtype || !(shape(updates) == rows)) continue;
      if (elements(shape(x)) * elements(shape(*index)) > kMaxWork) return false;
      double count = static_cast<double>(elements(shape(*index)));
      double sum = known_[x].bound + known_[updates].bound * count;
      bool adds = number(type(x).dtype) && draw_.chance(50) && (!is_float(type(x).dtype) || exact(sum, type(x).dtype));
      a.reduce = adds ? ReduceKind::kAdd : ReduceKind::kNone;
      return add(Prim::kScatter, {x, *index, updates}, a, sum);
    }
    return false;
  }

  static bool exact(double bound, DType dtype) { return bound <= std::ldexp(1.0, info(dtype).mantissa_bits); }

  // A kind whose result does not depend on the order, and its bound.
  std::optional<std::pair<ReduceKind, double>> kind_for(ValueId x, int64_t count) {
    DType dtype = type(x).dtype;
    if (dtype == DType::kBOOL) return std::pair{draw_.pick<ReduceKind>({ReduceKind::kAnd, ReduceKind::kOr}), 1.0};
    ReduceKind kind = draw_.pick<ReduceKind>(
        {ReduceKind::kAdd, ReduceKind::kAdd, ReduceKind::kMul, ReduceKind::kMin, ReduceKind::kMax});
    double bound = known_[x].bound, n = static_cast<double>(count);
    // The identity of min and max is infinite.
    if (kind == ReduceKind::kMin || kind == ReduceKind::kMax) return std::pair{kind, count == 0 ? kUnknown : bound};
    bound = kind == ReduceKind::kAdd ? bound * std::max(n, 1.0) : std::pow(std::max(bound, 1.0), std::max(n, 1.0));
    if (is_float(dtype) && !exact(bound, dtype)) return std::nullopt;
    return std::pair{kind, bound};
  }

  bool reduce() {
    ValueId x = recent();
    if (!fit(x)) return false;
    Attributes a;
    int64_t count = 1;
    for (size_t i = 0; i < shape(x).size(); ++i) {
      if (draw_.chance(50)) continue;
      a.axes.push_back(static_cast<int64_t>(i));
      count *= value(shape(x)[i]);
    }
    auto kind = kind_for(x, count);
    if (!kind) return false;
    a.reduce = kind->first;
    a.order = static_cast<Order>(draw_.below(3));
    return add(Prim::kReduce, {x}, a, kind->second);
  }

  bool scan() {
    ValueId x = recent();
    if (shape(x).empty() || !fit(x)) return false;
    Attributes a;
    a.axes = {draw_.below(static_cast<int64_t>(shape(x).size()))};
    auto kind = kind_for(x, value(shape(x)[static_cast<size_t>(a.axes[0])]));
    if (!kind) return false;
    a.reduce = kind->first;
    return add(Prim::kScan, {x}, a, kind->second);
  }

  bool arguments() {
    ValueId x = recent();
    if (shape(x).empty() || !fit(x) || !number(type(x).dtype)) return false;
    Attributes a;
    a.axes = {draw_.below(static_cast<int64_t>(shape(x).size()))};
    if (value(shape(x)[static_cast<size_t>(a.axes[0])]) == 0) return false;
    a.reduce = draw_.chance(50) ? ReduceKind::kMin : ReduceKind::kMax;
    return add(Prim::kArgReduce, {x}, a, kUnknown);
  }

  bool iota() {
    Attributes a;
    a.shape = random_shape();
    if (a.shape.empty()) return false;
    a.axes = {draw_.below(static_cast<int64_t>(a.shape.size()))};
    a.dtype = draw_.pick(kDTypes);
    return add(Prim::kIota, {}, a, 17);
  }

  bool syms() {
    if (symbols_.empty()) return false;
    Attributes a;
    for (int64_t count = 1 + draw_.below(3); count > 0; --count)
      a.syms.push_back(draw_.pick(symbols_) * draw_.below(3) + draw_.below(4));
    a.shape = {static_cast<int64_t>(a.syms.size())};
    return add(Prim::kSyms, {}, a, kUnknown);
  }

  // Axes with equal extents meet, some of them as a batch; the others stay or are summed.
  bool contract() {
    ValueId x = recent(), y = partner(x);
    for (int tries = 0; tries < 8 && y == x; ++tries) {
      ValueId other = any();
      if (type(other).dtype == type(x).dtype && fit(other)) y = other;
    }
    if (!number(type(x).dtype) || !fit(x) || shape(x).size() + shape(y).size() > 6) return false;
    Attributes a;
    a.labels.resize(3);
    int label = 0;
    int64_t work = 1, summed = 1;
    for (size_t i = 0; i < shape(x).size(); ++i) {
      a.labels[0].push_back(label++);
      work *= value(shape(x)[i]);
    }
    std::vector<bool> met(shape(x).size(), false);
    for (const Sym& extent : shape(y)) {
      size_t i = 0;
      while (i < met.size() && (met[i] || !(shape(x)[i] == extent) || draw_.chance(30))) ++i;
      if (i < met.size()) {
        met[i] = true;
        a.labels[1].push_back(static_cast<int>(i));
      } else {
        a.labels[1].push_back(label++);
        work *= value(extent);
      }
    }
    for (int l = 0; l < label; ++l) {
      bool shared = l < static_cast<int>(met.size()) && met[static_cast<size_t>(l)];
      if (draw_.chance(shared ? 25 : 85)) a.labels[2].push_back(l);
    }
    summed = std::max<int64_t>(work, 1);
    double bound = known_[x].bound * known_[y].bound * static_cast<double>(summed);
    if (work > kMaxWork || a.labels[2].size() > 5 || (is_float(type(x).dtype) && !exact(bound, type(x).dtype)))
      return false;
    return add(Prim::kContract, {x, y}, a, bound);
  }

  Counter draw_;
  Builder builder_;
  RandomProgram program_;
  std::vector<Sym> symbols_;
  std::map<std::string, int64_t> binding_;
  std::vector<Known> known_;
  std::set<ValueId> read_;
};

}  // namespace

RandomProgram make_program(uint64_t seed, const std::string& suffix) { return Generator(seed, suffix).run(); }

}  // namespace hal::compiler::random
