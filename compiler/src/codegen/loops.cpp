// SPDX-License-Identifier: Apache-2.0
//
// The general schedule: workgroups share out the outer parallel axes, lanes run along one axis. Two forms:
//   across: lanes along a parallel axis; each lane reduces for itself.
//   along:  lanes along the innermost reduce axis; partial results are folded at the end. Four accumulators hide
//   latency.
#include <algorithm>

#include "emitter.hpp"
#include "tile/expr.hpp"

namespace hal::compiler::codegen {

using tile::Axis;
using tile::Expr;
using tile::ExprKind;

namespace {

constexpr int64_t kElementsPerGroup = 32768;  // of work in one workgroup, about 10 us
constexpr int64_t kVectorChunk = 16384;       // elements of the vector axis in one workgroup
constexpr int kAccumulators = 4;

struct Choice {
  int vector_axis = -1;  // index in parallel; -1: none
  bool along = false;    // lanes along the innermost reduce axis
};

// Whether some load moves by one element along the axis, and whether every such load also moves by one along `other`.
bool unit_stride(const Nest& nest, const std::string& axis) {
  bool found = false;
  tile::visit(nest.body, [&](const Expr& expr) {
    if (expr.kind != ExprKind::kLoad) return;
    auto stride = expr.indices[0].coefficient_of(axis);
    found = found || (stride && stride->is_constant(1));
  });
  return found;
}

bool scattered_along(const Nest& nest, const std::string& axis) {
  bool found = false;
  tile::visit(nest.body, [&](const Expr& expr) {
    if (expr.kind != ExprKind::kLoad) return;
    auto stride = expr.indices[0].coefficient_of(axis);
    found = found || !stride || !(stride->is_constant(0) || stride->is_constant(1));
  });
  return found;
}

Choice choose(const Nest& nest) {
  Choice choice;
  for (size_t i = 0; i < nest.parallel.size(); ++i) {
    auto stride = nest.target_offset.coefficient_of(nest.parallel[i].name);
    if (stride && stride->is_constant(1)) choice.vector_axis = static_cast<int>(i);
  }
  if (choice.vector_axis < 0 && !nest.parallel.empty()) choice.vector_axis = static_cast<int>(nest.parallel.size()) - 1;
  bool may_reorder =
      nest.reduction && !nest.reduction->arg && nest.reduction->order == Order::kAny && !nest.reduce.empty();
  if (!may_reorder || !unit_stride(nest, nest.reduce.back().name)) return choice;
  bool short_reduce = nest.reduce.back().extent.constant() && *nest.reduce.back().extent.constant() < 8;
  if (short_reduce && choice.vector_axis >= 0) return choice;
  choice.along = choice.vector_axis < 0 || scattered_along(nest, nest.parallel[size_t(choice.vector_axis)].name);
  return choice;
}

int lane_count(const Nest& nest, const Isa& isa) {
  int widest = 4;
  auto note = [&](const Expr& expr) {
    if (expr.kind == ExprKind::kLoad || expr.kind == ExprKind::kPrimitive)
      widest = std::max(widest, info(expr.dtype).bits / 8);
  };
  tile::visit(nest.body, note);
  tile::visit(nest.epilogue, note);
  return isa.vector_bytes / widest;
}

class Loops {
 public:
  Loops(Emitter& emitter, const Nest& nest) : e_(emitter), ir_(emitter.ir()), nest_(nest), choice_(choose(nest)) {
    lanes_ = lane_count(nest, emitter.isa());
    bool vector = choice_.along || choice_.vector_axis >= 0;
    e_.set_lanes(vector ? lanes_ : 1);
    if (nest_.reduction) {
      accumulator_ = nest_.reduction->accumulator == DType::kNone ? nest_.body->dtype : nest_.reduction->accumulator;
    }
  }

  Emitted run() {
    // Outer: every parallel axis but the vector axis, flattened; a group takes `rows` of them.
    std::vector<Axis> outer = nest_.parallel;
    Sym vector_extent = 1;
    bool across = !choice_.along && choice_.vector_axis >= 0;
    std::string vector_name;
    if (across) {
      vector_name = outer[size_t(choice_.vector_axis)].name;
      vector_extent = outer[size_t(choice_.vector_axis)].extent;
      outer.erase(outer.begin() + choice_.vector_axis);
    }
    Sym total = 1, work = 1;
    for (const Axis& axis : outer) total *= axis.extent;
    for (const Axis& axis : nest_.reduce) work *= axis.extent;
    Sym chunk = compiler::min(vector_extent, kVectorChunk);
    Sym rows = compiler::max(floordiv(Sym(kElementsPerGroup), compiler::max(chunk * work, 1)), 1);
    rows = compiler::min(rows, compiler::max(total, 1));

    Value* row_begin = ir_.CreateMul(e_.workgroup(0), e_.host(rows));
    Value* row_end = e_.min64(ir_.CreateAdd(row_begin, e_.host(rows)), e_.host(total));
    Value* v_begin = ir_.CreateMul(e_.workgroup(1), e_.i64(kVectorChunk));
    Value* v_end = e_.min64(ir_.CreateAdd(v_begin, e_.i64(kVectorChunk)), e_.host(vector_extent));
    e_.loop(row_begin, row_end, 1, [&](Value* row) {
      Point point;
      Value* rest = row;
      for (size_t i = outer.size(); i-- > 0;) {
        if (i == 0) {
          point.axes[outer[i].name] = rest;
        } else {
          Value* extent = e_.host(outer[i].extent);
          point.axes[outer[i].name] = ir_.CreateURem(rest, extent);
          rest = ir_.CreateUDiv(rest, extent);
        }
      }
      if (!across) return element(point);
      vectors(vector_name, v_begin, v_end, point);
    });
    Emitted out;
    out.workgroup_count = {ceildiv(total, rows), across ? ceildiv(vector_extent, kVectorChunk) : Sym(1), 1};
    out.schedule = trace(outer, vector_name, rows);
    return out;
  }

 private:
  std::string trace(const std::vector<Axis>& outer, const std::string& vector_name, const Sym& rows) const {
    std::string text = "  parallel";
    for (const Axis& axis : outer) text += " " + axis.name;
    text += " rows=" + rows.text() + "\n";
    if (!vector_name.empty())
      text += "  vectorize " + vector_name + " lanes=" + std::to_string(lanes_) + " tail=mask\n";
    if (choice_.along) {
      text += "  vectorize " + nest_.reduce.back().name + " lanes=" + std::to_string(lanes_) +
              " accumulators=" + std::to_string(kAccumulators) + " tail=mask\n";
    }
    return text;
  }

  // Whole vectors without a mask, then one with.
  void vectors(const std::string& axis, Value* begin, Value* end, const Point& outer) {
    Value* whole = ir_.CreateSub(end, ir_.CreateURem(ir_.CreateSub(end, begin), e_.i64(lanes_)));
    auto at = [&](Value* index, Value* mask) {
      Point point = outer;
      point.axes[axis] = index;
      point.vector_axis = axis;
      point.mask = mask;
      element(point);
    };
    e_.loop(begin, whole, lanes_, [&](Value* index) { at(index, nullptr); });
    e_.branch(ir_.CreateICmpSLT(whole, end), [&] { at(whole, e_.lane_mask(ir_.CreateSub(end, whole))); });
  }

  // One target element, or one vector of them.
  void element(Point& point) {
    if (!nest_.reduction)
      return e_.store(nest_.target, nest_.target_dtype, nest_.target_offset, e_.evaluate(nest_.body, point), point);
    Lanes result{nest_.reduction->arg ? arg_reduce(point)
                 : choice_.along      ? reduce_along(point)
                                      : reduce_across(point),
                 point.vector_axis.empty()};
    if (nest_.epilogue != nullptr) {
      point.accumulator = result.value;
      result = e_.evaluate(nest_.epilogue, point);
    }
    e_.store(nest_.target, nest_.target_dtype, nest_.target_offset, result, point);
  }

  llvm::Type* accumulator_type(const Point& point) {
    llvm::Type* scalar = e_.register_type(accumulator_);
    return point.vector_axis.empty() ? scalar : e_.vector_of(scalar);
  }
  Value* splat_identity(llvm::Type* type) {
    Value* scalar = e_.identity(nest_.reduction->kind, accumulator_);
    return type->isVectorTy() ? ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), scalar) : scalar;
  }

  // accumulator (+) body, with the product fused where the reduction says so.
  Value* accumulate(Value* sum, Point& point) {
    const Expr& body = *nest_.body;
    bool fused = nest_.reduction->contraction && is_float(accumulator_) && body.prim == Prim::kMul &&
                 accumulator_ == body.dtype && (accumulator_ == DType::kF32 || accumulator_ == DType::kF64);
    if (fused) {
      Value* a = e_.widen(e_.evaluate(body.operands[0], point), point);
      Value* b = e_.widen(e_.evaluate(body.operands[1], point), point);
      return e_.multiply_add(a, b, sum);
    }
    point.accumulator = sum;  // what a body without a kind of its own refers to
    return e_.combine(nest_.reduction->kind, accumulator_, sum, e_.widen(e_.evaluate(nest_.body, point), point));
  }

  // Loops over the reduce axes from `first` on; `inside` gets the point.
  void reduce_loops(size_t first, size_t end, Point& point, const std::function<void(Point&)>& inside) {
    if (first == end) return inside(point);
    const Axis& axis = nest_.reduce[first];
    e_.loop(e_.i64(0), e_.host(axis.extent), 1, [&](Value* index) {
      Point within = point;
      within.axes[axis.name] = index;
      reduce_loops(first + 1, end, within, inside);
    });
  }

  Value* reduce_across(Point& point) {
    llvm::Type* type = accumulator_type(point);
    Value* slot = e_.stack(type, "sum");
    ir_.CreateStore(splat_identity(type), slot);
    Point fresh = point;
    fresh.memo.clear();
    reduce_loops(0, nest_.reduce.size(), fresh,
                 [&](Point& within) { ir_.CreateStore(accumulate(ir_.CreateLoad(type, slot), within), slot); });
    return ir_.CreateLoad(type, slot);
  }

  Value* reduce_along(Point& point) {
    llvm::Type* type = e_.vector_of(e_.register_type(accumulator_));
    std::vector<Value*> slots;
    for (int i = 0; i < kAccumulators; ++i) {
      slots.push_back(e_.stack(type, "partial"));
      ir_.CreateStore(splat_identity(type), slots.back());
    }
    const Axis& inner = nest_.reduce.back();
    Point fresh = point;
    fresh.memo.clear();
    reduce_loops(0, nest_.reduce.size() - 1, fresh, [&](Point& outer) {
      Value* extent = e_.host(inner.extent);
      auto step = [&](Value* index, Value* slot, Value* mask) {
        Point within = outer;
        within.axes[inner.name] = index;
        within.vector_axis = inner.name;
        within.mask = mask;
        Value* before = ir_.CreateLoad(type, slot);
        Value* after = accumulate(before, within);
        ir_.CreateStore(mask == nullptr ? after : ir_.CreateSelect(mask, after, before), slot);
      };
      int64_t wide = int64_t{lanes_} * kAccumulators;
      Value* unrolled = ir_.CreateSub(extent, ir_.CreateURem(extent, e_.i64(wide)));
      Value* whole = ir_.CreateSub(extent, ir_.CreateURem(extent, e_.i64(lanes_)));
      e_.loop(e_.i64(0), unrolled, wide, [&](Value* index) {
        for (int i = 0; i < kAccumulators; ++i)
          step(ir_.CreateAdd(index, e_.i64(int64_t{i} * lanes_)), slots[size_t(i)], nullptr);
      });
      e_.loop(unrolled, whole, lanes_, [&](Value* index) { step(index, slots[0], nullptr); });
      e_.branch(ir_.CreateICmpSLT(whole, extent),
                [&] { step(whole, slots[0], e_.lane_mask(ir_.CreateSub(extent, whole))); });
    });
    Value* sum = ir_.CreateLoad(type, slots[0]);
    for (int i = 1; i < kAccumulators; ++i) sum = combine(sum, ir_.CreateLoad(type, slots[size_t(i)]));
    return fold(sum);
  }

  Value* combine(Value* a, Value* b) { return e_.combine(nest_.reduction->kind, accumulator_, a, b); }

  // Halves of the vector are combined until one lane is left: the same tree every time.
  Value* fold(Value* vector) {
    for (int width = lanes_ / 2; width >= 1; width /= 2) {
      std::vector<int> low, high;
      for (int i = 0; i < width; ++i) {
        low.push_back(i);
        high.push_back(i + width);
      }
      vector = combine(ir_.CreateShuffleVector(vector, low), ir_.CreateShuffleVector(vector, high));
    }
    return ir_.CreateExtractElement(vector, uint64_t{0});
  }

  // The index of the first least (or greatest) element; a NaN wins, the first of them.
  Value* arg_reduce(Point& point) {
    const Axis& axis = nest_.reduce.empty() ? none_ : nest_.reduce[0];
    llvm::Type* type = accumulator_type(point);
    llvm::Type* index_type =
        point.vector_axis.empty() ? static_cast<llvm::Type*>(ir_.getInt64Ty()) : e_.vector_of(ir_.getInt64Ty());
    Value* zero = llvm::Constant::getNullValue(index_type);
    if (nest_.reduce.empty()) return zero;
    Value* best = e_.stack(type, "best");
    Value* where = e_.stack(index_type, "where");
    Point first = point;
    first.axes[axis.name] = e_.i64(0);
    ir_.CreateStore(e_.widen(e_.evaluate(nest_.body, first), first), best);
    ir_.CreateStore(zero, where);
    bool least = nest_.reduction->kind == ReduceKind::kMin;
    e_.loop(e_.i64(1), e_.host(axis.extent), 1, [&](Value* index) {
      Point within = point;
      within.memo.clear();
      within.axes[axis.name] = index;
      Value* candidate = e_.widen(e_.evaluate(nest_.body, within), within);
      Value* old = ir_.CreateLoad(type, best);
      Value* better;
      if (is_float(accumulator_)) {
        better = least ? ir_.CreateFCmpOLT(candidate, old) : ir_.CreateFCmpOGT(candidate, old);
        Value* new_nan = ir_.CreateAnd(ir_.CreateFCmpUNO(candidate, candidate), ir_.CreateFCmpORD(old, old));
        better = ir_.CreateOr(better, new_nan);
      } else if (is_signed(accumulator_)) {
        better = least ? ir_.CreateICmpSLT(candidate, old) : ir_.CreateICmpSGT(candidate, old);
      } else {
        better = least ? ir_.CreateICmpULT(candidate, old) : ir_.CreateICmpUGT(candidate, old);
      }
      ir_.CreateStore(ir_.CreateSelect(better, candidate, old), best);
      Value* here = point.vector_axis.empty() ? index : ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), index);
      ir_.CreateStore(ir_.CreateSelect(better, here, ir_.CreateLoad(index_type, where)), where);
    });
    return ir_.CreateLoad(index_type, where);
  }

  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  const Nest& nest_;
  Choice choice_;
  int lanes_ = 1;
  DType accumulator_ = DType::kNone;
  Axis none_{"", tile::AxisKind::kReduce, 1};
};

}  // namespace

Emitted emit_loops(Emitter& emitter, const Nest& nest) { return Loops(emitter, nest).run(); }

}  // namespace hal::compiler::codegen
