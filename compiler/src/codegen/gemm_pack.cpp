// SPDX-License-Identifier: Apache-2.0
#include "gemm.hpp"

namespace hal::compiler::codegen {

using tile::Axis;

GemmEmitter::GemmEmitter(Emitter& emitter, const GemmPlan& plan) : e_(emitter), ir_(emitter.ir()), p_(plan) {
  e_.set_lanes(p_.lanes);
  scalar_ = e_.register_type(p_.dtype);
  vector_ = e_.vector_of(scalar_);
  bytes_ = info(p_.dtype).bits / 8;
}

void GemmEmitter::decode(const std::vector<Axis>& axes, Value* flat, Point& point) {
  for (size_t i = axes.size(); i-- > 1;) {
    Value* extent = e_.host(axes[i].extent);
    point.axes[axes[i].name] = ir_.CreateURem(flat, extent);
    flat = ir_.CreateUDiv(flat, extent);
  }
  if (!axes.empty()) point.axes[axes[0].name] = flat;
}

void GemmEmitter::place(const std::vector<Axis>& axes, Value* flat, bool is_flat_index, Point& point) {
  if (!is_flat_index) return decode(axes, flat, point);
  for (const Axis& axis : axes) point.axes[axis.name] = e_.i64(0);
  point.axes[axes.back().name] = flat;
}

void GemmEmitter::set_columns(Value* block) {
  n0_ = times(block, p_.nc);
  n1_ = e_.min64(plus(n0_, e_.i64(p_.nc)), e_.host(p_.n_extent));
}

void GemmEmitter::set_rows(Value* block) {
  m0_ = times(block, p_.mc);
  m1_ = e_.min64(plus(m0_, e_.i64(p_.mc)), e_.host(p_.m_extent));
}

Value* GemmEmitter::packed(const GemmOperand& operand, const Point& point, Value* k0) {
  bool first = &operand == &p_.a;
  Value* at = e_.i64(0);
  for (const Axis& axis : operand.batch) at = plus(ir_.CreateMul(at, e_.host(axis.extent)), point.axes.at(axis.name));
  at = plus(ir_.CreateMul(at, e_.host(ceildiv(p_.k_extent, p_.kc))), ir_.CreateUDiv(k0, e_.i64(p_.kc)));
  Sym panels = ceildiv(first ? p_.m_extent : p_.n_extent, first ? p_.rows : p_.columns);
  at =
      plus(ir_.CreateMul(at, e_.host(panels)), ir_.CreateUDiv(first ? m0_ : n0_, e_.i64(first ? p_.rows : p_.columns)));
  return e_.address(operand.buffer, p_.dtype, times(at, operand.panel), false);
}

void GemmEmitter::runs_of_n(Point& point, bool within_panel, const std::function<void(Point&, Value*, Value*)>& visit) {
  Value* slot = e_.stack(ir_.getInt64Ty(), "n");
  ir_.CreateStore(n0_, slot);
  auto* function = e_.function();
  auto& context = function->getContext();
  auto* head = llvm::BasicBlock::Create(context, "runs", function);
  auto* inside = llvm::BasicBlock::Create(context, "run", function);
  auto* after = llvm::BasicBlock::Create(context, "runs.end", function);
  ir_.CreateBr(head);
  ir_.SetInsertPoint(head);
  Value* n = ir_.CreateLoad(ir_.getInt64Ty(), slot);
  ir_.CreateCondBr(ir_.CreateICmpSLT(n, n1_), inside, after);
  ir_.SetInsertPoint(inside);
  Point within = point;
  within.memo.clear();
  decode(p_.n, n, within);
  Value* run = ir_.CreateSub(n1_, n);
  if (p_.n.size() > 1) run = e_.min64(run, ir_.CreateSub(e_.host(p_.n.back().extent), within.axes[p_.n.back().name]));
  if (within_panel) {
    Value* used = ir_.CreateURem(ir_.CreateSub(n, n0_), e_.i64(p_.columns));
    run = e_.min64(run, ir_.CreateSub(e_.i64(p_.columns), used));
  }
  visit(within, n, run);
  ir_.CreateStore(plus(n, run), slot);
  ir_.CreateBr(head);
  ir_.SetInsertPoint(after);
}

void GemmEmitter::vectors_of_run(Point& point, Value* run, const std::function<void(Point&, Value*)>& visit) {
  const std::string& axis = p_.n.back().name;
  Value* start = point.axes[axis];
  Value* whole = ir_.CreateSub(run, ir_.CreateURem(run, e_.i64(p_.lanes)));
  auto at = [&](Value* offset, Value* mask) {
    Point within = point;
    within.memo.clear();
    within.axes[axis] = plus(start, offset);
    within.vector_axis = axis;
    within.mask = mask;
    visit(within, offset);
  };
  e_.loop(e_.i64(0), whole, p_.lanes, [&](Value* offset) { at(offset, nullptr); });
  e_.branch(ir_.CreateICmpSLT(whole, run), [&] { at(whole, e_.lane_mask(ir_.CreateSub(run, whole))); });
}

void GemmEmitter::zero(Value* base, Value* from, Value* to) {
  e_.loop(from, to, 1, [&](Value* i) { ir_.CreateStore(llvm::Constant::getNullValue(scalar_), element(base, i)); });
}

void GemmEmitter::pack_b(Value* to, const Point& outer, Value* k0, Value* kc) {
  Value* width = ir_.CreateSub(n1_, n0_);
  Value* last = ir_.CreateSub(width, ir_.CreateURem(width, e_.i64(p_.columns)));
  Value* panel_size = e_.i64(p_.b.panel);
  e_.branch(ir_.CreateICmpSLT(last, width), [&] {
    Value* begin = ir_.CreateMul(ir_.CreateUDiv(last, e_.i64(p_.columns)), panel_size);
    zero(to, begin, plus(begin, times(kc, p_.columns)));
  });
  e_.loop(e_.i64(0), kc, 1, [&](Value* k) {
    Point point = outer;
    place(p_.k, plus(k0, k), is_flat(p_.b.expr, p_.k, e_.ranges()), point);
    runs_of_n(point, true, [&](Point& within, Value* n, Value* run) {
      Value* column = ir_.CreateSub(n, n0_);
      Value* panel = ir_.CreateMul(ir_.CreateUDiv(column, e_.i64(p_.columns)), panel_size);
      Value* base = element(to, plus(plus(panel, times(k, p_.columns)), ir_.CreateURem(column, e_.i64(p_.columns))));
      vectors_of_run(within, run, [&](Point& at, Value* offset) {
        Value* value = e_.widen(e_.evaluate(p_.b.expr, at), at);
        if (at.mask == nullptr)
          ir_.CreateAlignedStore(value, element(base, offset), element_align());
        else
          ir_.CreateMaskedStore(value, element(base, offset), element_align(), at.mask);
      });
    });
  });
}

void GemmEmitter::pack_a(Value* to, const Point& outer, Value* k0, Value* kc) {
  bool flat_k = is_flat(p_.a.expr, p_.k, e_.ranges());
  bool transposes = flat_k && is_contiguous(p_.a.expr, p_.k);
  Value* whole = transposes ? ir_.CreateSub(kc, ir_.CreateURem(kc, e_.i64(p_.lanes))) : e_.i64(0);
  e_.loop(m0_, m1_, p_.rows, [&](Value* m) {
    std::vector<Point> rows;
    for (int r = 0; r < p_.rows; ++r) rows.push_back(row_of_a(outer, plus(m, e_.i64(r))));
    Value* panel = element(to, times(ir_.CreateUDiv(ir_.CreateSub(m, m0_), e_.i64(p_.rows)), p_.a.panel));
    if (transposes) {
      e_.loop(e_.i64(0), whole, p_.lanes,
              [&](Value* k) { transpose_into(element(panel, times(k, p_.rows)), rows, plus(k0, k)); });
    }
    e_.loop(whole, kc, 1, [&](Value* k) {
      for (int r = 0; r < p_.rows; ++r) {
        Point at = rows[size_t(r)];
        place(p_.k, plus(k0, k), flat_k, at);
        ir_.CreateStore(e_.evaluate(p_.a.expr, at).value, element(panel, plus(times(k, p_.rows), e_.i64(r))));
      }
    });
  });
}

Point GemmEmitter::row_of_a(const Point& outer, Value* m) {
  Point point = outer;
  point.memo.clear();
  Value* last = ir_.CreateSub(m1_, e_.i64(1));
  place(p_.m, e_.min64(m, last), is_flat(p_.a.expr, p_.m, e_.ranges()), point);
  return point;
}

// Writes lanes x rows from `rows` vectors along k. The lanes past the last row of one k are where the next k begins,
// and are overwritten by it; after the last k a panel has room for them.
void GemmEmitter::transpose_into(Value* base, const std::vector<Point>& rows, Value* k) {
  std::vector<std::vector<Value*>> groups;
  for (size_t first = 0; first < rows.size(); first += size_t(p_.lanes)) {
    std::vector<Value*> vectors(size_t(p_.lanes), llvm::PoisonValue::get(vector_));
    for (size_t r = first; r < std::min(rows.size(), first + size_t(p_.lanes)); ++r) {
      Point at = rows[r];
      place(p_.k, k, true, at);
      at.vector_axis = p_.k.back().name;
      vectors[r - first] = e_.widen(e_.evaluate(p_.a.expr, at), at);
    }
    groups.push_back(transposed(std::move(vectors)));
  }
  for (int j = 0; j < p_.lanes; ++j) {
    for (size_t g = 0; g < groups.size(); ++g) {
      Value* to = element(base, e_.i64(int64_t{j} * p_.rows + static_cast<int64_t>(g) * p_.lanes));
      ir_.CreateAlignedStore(groups[g][size_t(j)], to, element_align());
    }
  }
}

// A square of vectors, transposed: interleaving the two halves log2(lanes) times.
std::vector<Value*> GemmEmitter::transposed(std::vector<Value*> vectors) {
  size_t n = vectors.size();
  std::vector<int> low, high;
  for (int i = 0; i < static_cast<int>(n) / 2; ++i) {
    for (int side : {0, static_cast<int>(n)}) {
      low.push_back(i + side);
      high.push_back(i + static_cast<int>(n) / 2 + side);
    }
  }
  for (size_t stage = 1; stage < n; stage *= 2) {
    std::vector<Value*> next;
    for (size_t i = 0; i < n / 2; ++i) {
      next.push_back(ir_.CreateShuffleVector(vectors[i], vectors[i + n / 2], low));
      next.push_back(ir_.CreateShuffleVector(vectors[i], vectors[i + n / 2], high));
    }
    vectors = std::move(next);
  }
  return vectors;
}

Emitted emit_packing(Emitter& emitter, const GemmPlan& plan, const GemmOperand& operand) {
  class Packing : public GemmEmitter {
   public:
    using GemmEmitter::GemmEmitter;
    Emitted run(const GemmOperand& operand) {
      bool first = &operand == &p_.a;
      if (first)
        set_rows(e_.workgroup(0));
      else
        set_columns(e_.workgroup(0));
      Point point;
      decode(operand.batch, e_.workgroup(2), point);
      Value* k0 = times(e_.workgroup(1), p_.kc);
      Value* kc = e_.min64(ir_.CreateSub(e_.host(p_.k_extent), k0), e_.i64(p_.kc));
      Value* to = packed(operand, point, k0);
      e_.address(operand.buffer, p_.dtype, e_.i64(0), true);
      if (first)
        pack_a(to, point, k0, kc);
      else
        pack_b(to, point, k0, kc);
      Emitted out;
      Sym tiles = first ? ceildiv(p_.m_extent, p_.mc) : ceildiv(p_.n_extent, p_.nc);
      out.workgroup_count = {tiles, ceildiv(p_.k_extent, p_.kc), extent_of(operand.batch)};
      out.schedule = "  pack " + std::string(first ? "first" : "second") + " by [k, " +
                     std::to_string(first ? p_.rows : p_.columns) + "] for each " + std::to_string(p_.kc) + " of k\n";
      return out;
    }
  };
  return Packing(emitter, plan).run(operand);
}

}  // namespace hal::compiler::codegen
