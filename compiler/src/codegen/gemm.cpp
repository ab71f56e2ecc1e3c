// SPDX-License-Identifier: Apache-2.0
//
// Contractions as blocked matrix products. The parallel axes fall into batch (both operands), m (the first alone) and n
// (the second alone, with the target's contiguous axis last); the reduce axes are k. Each workgroup computes a tile of
// mc x nc: for each block of kc it packs both operands into panels - through their index maps and guards, so that a
// convolution is a matrix product whose packing reads windows - and runs a register-tiled micro-kernel (Goto and van de
// Geijn 2008). The tile lives in local memory; the epilogue runs when it is complete.
#include <algorithm>

#include "emitter.hpp"
#include "tile/expr.hpp"

namespace hal::compiler::codegen {

using tile::Axis;
using tile::ExprPtr;

namespace {

struct Blocking {
  int rows;     // of the micro-kernel
  int vectors;  // of the micro-kernel, columns = vectors * lanes
  int64_t mc, nc, kc;
};

// The micro-kernel fills the registers with accumulators, less one row of the second operand and a broadcast.
Blocking choose_blocking(const Isa& isa, int lanes, const Target& target) {
  Blocking b{};
  b.rows = isa.vector_registers == 32 ? 6 : 4;
  b.vectors = isa.vector_registers == 32 ? 4 : 3;
  if (isa.vector_bytes == 32) b = {6, 2, 0, 0, 0};
  b.kc = 256;
  int64_t columns = int64_t{b.vectors} * lanes;
  int64_t element = isa.vector_bytes / lanes;
  int64_t half_l2 = static_cast<int64_t>(std::max<uint64_t>(target.l2_bytes, 256 << 10)) / 2;
  b.nc =
      std::clamp<int64_t>(half_l2 / 2 / (b.kc * element) / columns * columns, columns, std::max<int64_t>(columns, 512));
  b.mc = std::clamp<int64_t>(half_l2 / 2 / (b.kc * element) / b.rows * b.rows, b.rows, 192 / b.rows * b.rows);
  auto bytes = [&] { return (b.mc * b.nc + b.kc * (b.mc + b.nc)) * element; };
  while (b.nc > columns && bytes() > static_cast<int64_t>(target.local_memory_bytes)) b.nc -= columns;
  return b;
}

struct Roles {
  ExprPtr a, b;  // a varies with m, b with n
  std::vector<Axis> batch, m, n, k;
};

std::optional<Roles> find_roles(const Nest& nest) {
  if (!nest.reduction || !nest.reduction->contraction || nest.reduction->order != Order::kAny || nest.reduce.empty())
    return std::nullopt;
  DType dtype = nest.reduction->accumulator;
  if (dtype != DType::kF32 && dtype != DType::kF64) return std::nullopt;
  if (nest.body->kind != tile::ExprKind::kPrimitive || nest.body->prim != Prim::kMul || nest.body->dtype != dtype)
    return std::nullopt;
  Roles roles{nest.body->operands[0], nest.body->operands[1], {}, {}, {}, nest.reduce};
  bool contiguous_in_a = false;
  for (const Axis& axis : nest.parallel) {
    bool in_a = depends_on(roles.a, axis.name), in_b = depends_on(roles.b, axis.name);
    (in_a == in_b ? roles.batch : in_a ? roles.m : roles.n).push_back(axis);
    auto stride = nest.target_offset.coefficient_of(axis.name);
    if (stride && stride->is_constant(1) && in_a && !in_b) contiguous_in_a = true;
  }
  if (contiguous_in_a) {
    std::swap(roles.a, roles.b);
    std::swap(roles.m, roles.n);
  }
  if (roles.n.empty() || roles.m.empty()) return std::nullopt;
  auto stride = nest.target_offset.coefficient_of(roles.n.back().name);
  if (!stride || !stride->is_constant(1)) return std::nullopt;
  return roles;
}

Sym extent_of(const std::vector<Axis>& axes) {
  Sym extent = 1;
  for (const Axis& axis : axes) extent *= axis.extent;
  return extent;
}

// Packing pays when each packed element is used often enough.
bool worthwhile(const Roles& roles) {
  auto at_least = [](const Sym& extent, int64_t least) { return !extent.constant() || *extent.constant() >= least; };
  return at_least(extent_of(roles.m), 4) && at_least(extent_of(roles.n), 8) && at_least(extent_of(roles.k), 4);
}

// Whether the operand is one load whose offset depends on the flat index of the axes alone: then the innermost axis may
// run over all of them, and no index has to be taken apart.
bool is_flat(const ExprPtr& operand, const std::vector<Axis>& axes, const SymRanges& ranges) {
  if (operand->kind != tile::ExprKind::kLoad || !operand->data_indices.empty() || axes.empty()) return false;
  const Sym& offset = operand->indices[0];
  auto inner = offset.coefficient_of(axes.back().name);
  if (!inner) return false;
  Sym stride = *inner;
  for (size_t i = axes.size() - 1; i-- > 0;) {
    stride *= axes[i + 1].extent;
    auto coefficient = offset.coefficient_of(axes[i].name);
    if (!coefficient || !ranges.equal(*coefficient, stride)) return false;
  }
  return true;
}

class Gemm {
 public:
  Gemm(Emitter& emitter, const Nest& nest, Roles roles, const Target& target)
      : e_(emitter), ir_(emitter.ir()), nest_(nest), roles_(std::move(roles)), dtype_(nest.reduction->accumulator) {
    lanes_ = e_.isa().vector_bytes / (info(dtype_).bits / 8);
    e_.set_lanes(lanes_);
    b_ = choose_blocking(e_.isa(), lanes_, target);
    columns_ = b_.vectors * lanes_;
    scalar_ = e_.register_type(dtype_);
    vector_ = e_.vector_of(scalar_);
    bytes_ = info(dtype_).bits / 8;
  }

  Emitted run() {
    m_extent_ = extent_of(roles_.m), n_extent_ = extent_of(roles_.n), k_extent_ = extent_of(roles_.k);
    Sym batch = extent_of(roles_.batch);
    for (int v = 1; v <= b_.vectors; ++v) kernels_.push_back(micro_kernel(v));
    tile_ = e_.local_memory();
    int64_t tile_bytes = b_.mc * b_.nc * bytes_, a_bytes = b_.mc * b_.kc * bytes_, b_bytes = b_.nc * b_.kc * bytes_;
    a_panels_ = bytes_after(tile_, tile_bytes);
    b_panels_ = bytes_after(tile_, tile_bytes + a_bytes);

    n0_ = ir_.CreateMul(e_.workgroup(0), e_.i64(b_.nc));
    n1_ = e_.min64(ir_.CreateAdd(n0_, e_.i64(b_.nc)), e_.host(n_extent_));
    m0_ = ir_.CreateMul(e_.workgroup(1), e_.i64(b_.mc));
    m1_ = e_.min64(ir_.CreateAdd(m0_, e_.i64(b_.mc)), e_.host(m_extent_));
    Point point;
    decode(roles_.batch, e_.workgroup(2), point);
    // At least one pass, so that an empty sum still writes its zeros.
    Value* k_end = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, e_.host(k_extent_), e_.i64(1));
    e_.loop(e_.i64(0), k_end, b_.kc, [&](Value* k0) {
      Value* kc = e_.min64(ir_.CreateSub(e_.host(k_extent_), k0), e_.i64(b_.kc));
      pack_b(point, k0, kc);
      pack_a(point, k0, kc);
      multiply(kc, ir_.CreateICmpEQ(k0, e_.i64(0)));
    });
    write_tile(point);

    Emitted out;
    out.workgroup_count = {ceildiv(n_extent_, b_.nc), ceildiv(m_extent_, b_.mc), batch};
    out.local_memory_bytes = static_cast<uint32_t>(tile_bytes + a_bytes + b_bytes);
    out.schedule = trace();
    return out;
  }

 private:
  std::string trace() const {
    auto names = [](const std::vector<Axis>& axes) {
      std::string text;
      for (const Axis& axis : axes) text += " " + axis.name;
      return text;
    };
    auto number = [](int64_t value) { return std::to_string(value); };
    return "  group batch:" + names(roles_.batch) + "  m:" + names(roles_.m) + "  n:" + names(roles_.n) +
           "  k:" + names(roles_.k) + "\n  split n " + number(b_.nc) + " tail=mask; split m " + number(b_.mc) +
           " tail=pad; split k " + number(b_.kc) + "\n  parallel n m batch\n  pack second by [k, " + number(columns_) +
           "]; pack first by [k, " + number(b_.rows) + "]\n  tensorize with fma_tile " + number(b_.rows) + "x" +
           number(columns_) + "\n  " + (nest_.epilogue != nullptr ? "fuse epilogue" : "store") + " at last k\n";
  }

  Value* bytes_after(Value* base, int64_t offset) {
    return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), base, static_cast<uint64_t>(offset));
  }
  Value* element(Value* base, Value* index) { return ir_.CreateGEP(scalar_, base, index); }
  Value* plus(Value* a, Value* b) { return ir_.CreateAdd(a, b); }
  Value* times(Value* a, int64_t b) { return ir_.CreateMul(a, e_.i64(b)); }
  llvm::Align vector_align() const { return llvm::Align(static_cast<uint64_t>(e_.isa().vector_bytes)); }

  // Sets each axis of a group from the flat index.
  void decode(const std::vector<Axis>& axes, Value* flat, Point& point) {
    for (size_t i = axes.size(); i-- > 1;) {
      Value* extent = e_.host(axes[i].extent);
      point.axes[axes[i].name] = ir_.CreateURem(flat, extent);
      flat = ir_.CreateUDiv(flat, extent);
    }
    if (!axes.empty()) point.axes[axes[0].name] = flat;
  }

  // The same for an operand for which the flat index is enough.
  void place(const std::vector<Axis>& axes, Value* flat, bool is_flat_index, Point& point) {
    if (!is_flat_index) return decode(axes, flat, point);
    for (const Axis& axis : axes) point.axes[axis.name] = e_.i64(0);
    point.axes[axes.back().name] = flat;
  }

  // Runs of n within [n0, n1) in which only the innermost axis moves, and that stay within one panel of columns:
  // visit(n, run) with the point set to their start.
  void runs_of_n(Point& point, bool within_panel, const std::function<void(Point&, Value*, Value*)>& visit) {
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
    decode(roles_.n, n, within);
    Value* run = ir_.CreateSub(n1_, n);
    if (roles_.n.size() > 1)
      run = e_.min64(run, ir_.CreateSub(e_.host(roles_.n.back().extent), within.axes[roles_.n.back().name]));
    if (within_panel) {
      Value* used = ir_.CreateURem(ir_.CreateSub(n, n0_), e_.i64(columns_));
      run = e_.min64(run, ir_.CreateSub(e_.i64(columns_), used));
    }
    visit(within, n, run);
    ir_.CreateStore(plus(n, run), slot);
    ir_.CreateBr(head);
    ir_.SetInsertPoint(after);
  }

  // Vectors over a run of the innermost n axis.
  void vectors_of_run(Point& point, Value* run, const std::function<void(Point&, Value*)>& visit) {
    const std::string& axis = roles_.n.back().name;
    Value* start = point.axes[axis];
    Value* whole = ir_.CreateSub(run, ir_.CreateURem(run, e_.i64(lanes_)));
    auto at = [&](Value* offset, Value* mask) {
      Point within = point;
      within.memo.clear();
      within.axes[axis] = plus(start, offset);
      within.vector_axis = axis;
      within.mask = mask;
      visit(within, offset);
    };
    e_.loop(e_.i64(0), whole, lanes_, [&](Value* offset) { at(offset, nullptr); });
    e_.branch(ir_.CreateICmpSLT(whole, run), [&] { at(whole, e_.lane_mask(ir_.CreateSub(run, whole))); });
  }

  void zero(Value* base, Value* from, Value* to) {
    e_.loop(from, to, 1, [&](Value* i) { ir_.CreateStore(llvm::Constant::getNullValue(scalar_), element(base, i)); });
  }

  // Panels of `columns` columns: [panel][k][column].
  void pack_b(const Point& outer, Value* k0, Value* kc) {
    Value* width = ir_.CreateSub(n1_, n0_);
    Value* last = ir_.CreateSub(width, ir_.CreateURem(width, e_.i64(columns_)));
    Value* panel_size = e_.i64(b_.kc * columns_);
    e_.branch(ir_.CreateICmpSLT(last, width), [&] {
      Value* begin = ir_.CreateMul(ir_.CreateUDiv(last, e_.i64(columns_)), panel_size);
      zero(b_panels_, begin, plus(begin, times(kc, columns_)));
    });
    e_.loop(e_.i64(0), kc, 1, [&](Value* k) {
      Point point = outer;
      place(roles_.k, plus(k0, k), is_flat(roles_.b, roles_.k, e_.ranges()), point);
      runs_of_n(point, true, [&](Point& within, Value* n, Value* run) {
        Value* column = ir_.CreateSub(n, n0_);
        Value* panel = ir_.CreateMul(ir_.CreateUDiv(column, e_.i64(columns_)), panel_size);
        Value* base =
            element(b_panels_, plus(plus(panel, times(k, columns_)), ir_.CreateURem(column, e_.i64(columns_))));
        vectors_of_run(within, run, [&](Point& at, Value* offset) {
          Value* value = e_.widen(e_.evaluate(roles_.b, at), at);
          Value* to = element(base, offset);
          llvm::Align align(static_cast<uint64_t>(bytes_));
          if (at.mask == nullptr)
            ir_.CreateAlignedStore(value, to, align);
          else
            ir_.CreateMaskedStore(value, to, align, at.mask);
        });
      });
    });
  }

  // Panels of `rows` rows: [panel][k][row].
  void pack_a(const Point& outer, Value* k0, Value* kc) {
    Value* height = ir_.CreateSub(m1_, m0_);
    Value* last = ir_.CreateSub(height, ir_.CreateURem(height, e_.i64(b_.rows)));
    Value* panel_size = e_.i64(b_.kc * b_.rows);
    e_.branch(ir_.CreateICmpSLT(last, height), [&] {
      Value* begin = ir_.CreateMul(ir_.CreateUDiv(last, e_.i64(b_.rows)), panel_size);
      zero(a_panels_, begin, plus(begin, times(kc, b_.rows)));
    });
    bool flat_m = is_flat(roles_.a, roles_.m, e_.ranges()), flat_k = is_flat(roles_.a, roles_.k, e_.ranges());
    e_.loop(m0_, m1_, 1, [&](Value* m) {
      Point point = outer;
      place(roles_.m, m, flat_m, point);
      Value* row = ir_.CreateSub(m, m0_);
      Value* base =
          plus(ir_.CreateMul(ir_.CreateUDiv(row, e_.i64(b_.rows)), panel_size), ir_.CreateURem(row, e_.i64(b_.rows)));
      e_.loop(e_.i64(0), kc, 1, [&](Value* k) {
        Point at = point;
        at.memo.clear();
        place(roles_.k, plus(k0, k), flat_k, at);
        ir_.CreateStore(e_.evaluate(roles_.a, at).value, element(a_panels_, plus(base, times(k, b_.rows))));
      });
    });
  }

  // C[rows][vectors] (+)= A[kc][rows] * B[kc][columns], accumulators in registers.
  llvm::Function* micro_kernel(int vectors) {
    auto& module = *e_.function()->getParent();
    std::string name = "fma_tile_" + std::string(info(dtype_).text) + "_" + std::to_string(b_.rows) + "x" +
                       std::to_string(vectors * lanes_);
    if (auto* known = module.getFunction(name)) return known;
    auto& context = module.getContext();
    llvm::Type* ptr = ir_.getPtrTy();
    llvm::Type* index = ir_.getInt64Ty();
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ptr, ptr, index, ir_.getInt1Ty()}, false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
    function->copyAttributesFrom(e_.function());
    function->addFnAttr(llvm::Attribute::NoInline);
    for (unsigned i = 0; i < 3; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
    Value *a = function->getArg(0), *b = function->getArg(1), *c = function->getArg(2), *kc = function->getArg(3),
          *first = function->getArg(4);

    auto saved = ir_.saveIP();
    auto* entry = llvm::BasicBlock::Create(context, "entry", function);
    auto* loop = llvm::BasicBlock::Create(context, "k", function);
    auto* done = llvm::BasicBlock::Create(context, "done", function);
    ir_.SetInsertPoint(entry);
    Value* zero = llvm::Constant::getNullValue(vector_);
    ir_.CreateCondBr(ir_.CreateICmpSGT(kc, e_.i64(0)), loop, done);
    ir_.SetInsertPoint(loop);
    auto* k = ir_.CreatePHI(index, 2);
    k->addIncoming(e_.i64(0), entry);
    std::vector<llvm::PHINode*> sums;
    for (int i = 0; i < b_.rows * vectors; ++i) {
      sums.push_back(ir_.CreatePHI(vector_, 2));
      sums.back()->addIncoming(zero, entry);
    }
    std::vector<Value*> row_of_b, next;
    for (int v = 0; v < vectors; ++v) {
      Value* at = element(b, plus(times(k, columns_), e_.i64(int64_t{v} * lanes_)));
      row_of_b.push_back(ir_.CreateAlignedLoad(vector_, at, vector_align()));
    }
    for (int r = 0; r < b_.rows; ++r) {
      Value* value = ir_.CreateLoad(scalar_, element(a, plus(times(k, b_.rows), e_.i64(r))));
      Value* broadcast = ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), value);
      for (int v = 0; v < vectors; ++v)
        next.push_back(e_.multiply_add(broadcast, row_of_b[size_t(v)], sums[size_t(r * vectors + v)]));
    }
    Value* k_next = ir_.CreateNSWAdd(k, e_.i64(1));
    k->addIncoming(k_next, loop);
    for (size_t i = 0; i < sums.size(); ++i) sums[i]->addIncoming(next[i], loop);
    ir_.CreateCondBr(ir_.CreateICmpSLT(k_next, kc), loop, done);

    ir_.SetInsertPoint(done);
    std::vector<Value*> totals;
    for (size_t i = 0; i < sums.size(); ++i) {
      auto* phi = ir_.CreatePHI(vector_, 2);
      phi->addIncoming(zero, entry);
      phi->addIncoming(next[i], loop);
      totals.push_back(phi);
    }
    auto* store = llvm::BasicBlock::Create(context, "store", function);
    auto* add = llvm::BasicBlock::Create(context, "add", function);
    ir_.CreateCondBr(first, store, add);
    for (bool adds : {false, true}) {
      ir_.SetInsertPoint(adds ? add : store);
      for (int r = 0; r < b_.rows; ++r) {
        for (int v = 0; v < vectors; ++v) {
          Value* at = element(c, e_.i64(r * b_.nc + int64_t{v} * lanes_));
          Value* value = totals[size_t(r * vectors + v)];
          if (adds) value = ir_.CreateFAdd(ir_.CreateAlignedLoad(vector_, at, vector_align()), value);
          ir_.CreateAlignedStore(value, at, vector_align());
        }
      }
      ir_.CreateRetVoid();
    }
    ir_.restoreIP(saved);
    return function;
  }

  // The first operand's panel stays in L1 while the second's panels pass.
  void multiply(Value* kc, Value* first) {
    Value* height = ir_.CreateSub(m1_, m0_);
    Value* width = ir_.CreateSub(n1_, n0_);
    e_.loop(e_.i64(0), height, b_.rows, [&](Value* m) {
      Value* a = element(a_panels_, times(ir_.CreateUDiv(m, e_.i64(b_.rows)), b_.kc * b_.rows));
      e_.loop(e_.i64(0), width, columns_, [&](Value* n) {
        Value* b = element(b_panels_, times(ir_.CreateUDiv(n, e_.i64(columns_)), b_.kc * columns_));
        Value* c = element(tile_, plus(times(m, b_.nc), n));
        call_kernel(ir_.CreateSub(width, n), {a, b, c, kc, first});
      });
    });
  }

  // The kernel with just enough vectors for the columns that are left.
  void call_kernel(Value* columns, const std::vector<Value*>& arguments) {
    auto* function = e_.function();
    auto& context = function->getContext();
    auto* after = llvm::BasicBlock::Create(context, "tile.end", function);
    for (int v = b_.vectors; v >= 1; --v) {
      if (v == 1) {
        ir_.CreateCall(kernels_[0], arguments);
        ir_.CreateBr(after);
        break;
      }
      auto* yes = llvm::BasicBlock::Create(context, "tile", function);
      auto* no = llvm::BasicBlock::Create(context, "narrower", function);
      ir_.CreateCondBr(ir_.CreateICmpSGT(columns, e_.i64(int64_t{v - 1} * lanes_)), yes, no);
      ir_.SetInsertPoint(yes);
      ir_.CreateCall(kernels_[size_t(v - 1)], arguments);
      ir_.CreateBr(after);
      ir_.SetInsertPoint(no);
    }
    ir_.SetInsertPoint(after);
  }

  void write_tile(const Point& outer) {
    e_.loop(m0_, m1_, 1, [&](Value* m) {
      Point point = outer;
      point.memo.clear();
      decode(roles_.m, m, point);
      Value* row = element(tile_, times(ir_.CreateSub(m, m0_), b_.nc));
      runs_of_n(point, false, [&](Point& within, Value* n, Value* run) {
        Value* base = element(row, ir_.CreateSub(n, n0_));
        vectors_of_run(within, run, [&](Point& at, Value* offset) {
          // Rows of the tile are whole vectors: reading past the last column is within local memory.
          at.accumulator =
              ir_.CreateAlignedLoad(vector_, element(base, offset), llvm::Align(static_cast<uint64_t>(bytes_)));
          Lanes result{at.accumulator, false};
          if (nest_.epilogue != nullptr) result = e_.evaluate(nest_.epilogue, at);
          e_.store(nest_.target, nest_.target_dtype, nest_.target_offset, result, at);
        });
      });
    });
  }

  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  const Nest& nest_;
  Roles roles_;
  DType dtype_;
  int lanes_ = 1, bytes_ = 4;
  int64_t columns_ = 0;
  Blocking b_{};
  llvm::Type* scalar_ = nullptr;
  llvm::Type* vector_ = nullptr;
  Sym m_extent_, n_extent_, k_extent_;
  std::vector<llvm::Function*> kernels_;
  Value *tile_ = nullptr, *a_panels_ = nullptr, *b_panels_ = nullptr;
  Value *m0_ = nullptr, *m1_ = nullptr, *n0_ = nullptr, *n1_ = nullptr;
};

}  // namespace

std::optional<Emitted> emit_gemm(Emitter& emitter, const Nest& nest, const Target& target) {
  auto roles = find_roles(nest);
  if (!roles || !worthwhile(*roles)) return std::nullopt;
  return Gemm(emitter, nest, std::move(*roles), target).run();
}

}  // namespace hal::compiler::codegen
