// SPDX-License-Identifier: Apache-2.0
//
// A workgroup computes a tile of mc x nc in local memory, block of k by block of k; the epilogue runs when it is
// complete.
#include "gemm.hpp"

namespace hal::compiler::codegen {

using tile::Axis;

namespace {

class Gemm : public GemmEmitter {
 public:
  Gemm(Emitter& emitter, const Nest& nest, const GemmPlan& plan) : GemmEmitter(emitter, plan), nest_(nest) {}

  Emitted run() {
    for (int v = 1; v <= p_.vectors; ++v) kernels_.push_back(micro_kernel(v));
    int64_t local = 0;
    auto reserve = [&](int64_t elements) {
      Value* at = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), e_.local_memory(), static_cast<uint64_t>(local));
      local += (elements * bytes_ + 63) / 64 * 64;
      return at;
    };
    tile_ = reserve(p_.mc * p_.nc);
    Value* own_a = p_.a.apart ? nullptr : reserve(p_.mc / p_.rows * p_.a.panel);
    Value* own_b = p_.b.apart ? nullptr : reserve(p_.nc / p_.columns * p_.b.panel);
    set_columns(e_.workgroup(0));
    set_rows(e_.workgroup(1));
    Point point;
    decode(p_.batch, e_.workgroup(2), point);
    // At least one pass, so that an empty sum still writes its zeros.
    Value* k_end = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, e_.host(p_.k_extent), e_.i64(1));
    e_.loop(e_.i64(0), k_end, p_.kc, [&](Value* k0) {
      Value* kc = e_.min64(ir_.CreateSub(e_.host(p_.k_extent), k0), e_.i64(p_.kc));
      if (own_b != nullptr) pack_b(own_b, point, k0, kc);
      if (own_a != nullptr) pack_a(own_a, point, k0, kc);
      multiply(own_a != nullptr ? own_a : packed(p_.a, point, k0), own_b != nullptr ? own_b : packed(p_.b, point, k0),
               kc, ir_.CreateICmpEQ(k0, e_.i64(0)));
    });
    write_tile(point);

    Emitted out;
    out.workgroup_count = {ceildiv(p_.n_extent, p_.nc), ceildiv(p_.m_extent, p_.mc), extent_of(p_.batch)};
    out.local_memory_bytes = static_cast<uint32_t>(local);
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
    auto packing = [&](const char* which, const GemmOperand& operand, int64_t width) {
      return operand.apart ? "" : "  pack " + std::string(which) + " by [k, " + number(width) + "]\n";
    };
    return "  group batch:" + names(p_.batch) + "  m:" + names(p_.m) + "  n:" + names(p_.n) + "  k:" + names(p_.k) +
           "\n  split n " + number(p_.nc) + " tail=mask; split m " + number(p_.mc) + " tail=pad; split k " +
           number(p_.kc) + "\n  parallel n m batch\n" + packing("second", p_.b, p_.columns) +
           packing("first", p_.a, p_.rows) + "  tensorize with fma_tile " + number(p_.rows) + "x" + number(p_.columns) +
           "\n  " + (nest_.epilogue != nullptr ? "fuse epilogue" : "store") + " at last k\n";
  }

  llvm::Align vector_align() const { return llvm::Align(static_cast<uint64_t>(e_.isa().vector_bytes)); }

  // C[rows][vectors] (+)= A[kc][rows] * B[kc][columns], accumulators in registers. All products of a module share it:
  // of this plan only the type and the shape of the micro-kernel may be built in.
  llvm::Function* micro_kernel(int vectors) {
    auto& module = *e_.function()->getParent();
    std::string name = "fma_tile_" + std::string(info(p_.dtype).text) + "_" + std::to_string(p_.rows) + "x" +
                       std::to_string(vectors * p_.lanes);
    if (auto* known = module.getFunction(name)) return known;
    auto& context = module.getContext();
    llvm::Type* ptr = ir_.getPtrTy();
    llvm::Type* index = ir_.getInt64Ty();
    auto* type =
        llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ptr, ptr, index, index, ir_.getInt1Ty(), ptr, ptr}, false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
    function->copyAttributesFrom(e_.function());
    function->addFnAttr(llvm::Attribute::NoInline);
    for (unsigned i = 0; i < 3; ++i) function->addParamAttr(i, llvm::Attribute::NoAlias);
    Value *a = function->getArg(0), *b = function->getArg(1), *c = function->getArg(2), *stride = function->getArg(3),
          *kc = function->getArg(4), *first = function->getArg(5), *next_a = function->getArg(6),
          *next_b = function->getArg(7);

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
    for (int i = 0; i < p_.rows * vectors; ++i) {
      sums.push_back(ir_.CreatePHI(vector_, 2));
      sums.back()->addIncoming(zero, entry);
    }
    std::vector<Value*> row_of_b, next;
    for (int v = 0; v < vectors; ++v) {
      Value* at = element(b, plus(times(k, p_.columns), e_.i64(int64_t{v} * p_.lanes)));
      row_of_b.push_back(ir_.CreateAlignedLoad(vector_, at, element_align()));
    }
    // What the next calls read comes from far away: the next panel of the first operand, and a line for each k of the
    // second's.
    prefetch(element(next_a, times(k, p_.rows)));
    prefetch(element(next_b, times(k, 64 / bytes_)));
    for (int r = 0; r < p_.rows; ++r) {
      Value* value = ir_.CreateLoad(scalar_, element(a, plus(times(k, p_.rows), e_.i64(r))));
      Value* broadcast = ir_.CreateVectorSplat(static_cast<unsigned>(p_.lanes), value);
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
      for (int r = 0; r < p_.rows; ++r) {
        for (int v = 0; v < vectors; ++v) {
          Value* at = element(c, plus(times(stride, r), e_.i64(int64_t{v} * p_.lanes)));
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

  void prefetch(Value* address) {
    constexpr uint32_t kRead = 0, kIntoL2 = 2, kData = 1;
    ir_.CreateIntrinsic(llvm::Intrinsic::prefetch, {ir_.getPtrTy()},
                        {address, ir_.getInt32(kRead), ir_.getInt32(kIntoL2), ir_.getInt32(kData)});
  }

  // The second operand's panel stays in L1 while the first's panels pass.
  void multiply(Value* a_panels, Value* b_panels, Value* kc, Value* first) {
    Value* height = ir_.CreateSub(m1_, m0_);
    Value* width = ir_.CreateSub(n1_, n0_);
    Value* lines = times(kc, 64 / bytes_);
    e_.loop(e_.i64(0), width, p_.columns, [&](Value* n) {
      Value* b = element(b_panels, times(ir_.CreateUDiv(n, e_.i64(p_.columns)), p_.b.panel));
      e_.loop(e_.i64(0), height, p_.rows, [&](Value* m) {
        Value* a = element(a_panels, times(ir_.CreateUDiv(m, e_.i64(p_.rows)), p_.a.panel));
        Value* c = element(tile_, plus(times(m, p_.nc), n));
        Value* next_b = element(b, plus(e_.i64(p_.b.panel), ir_.CreateMul(ir_.CreateUDiv(m, e_.i64(p_.rows)), lines)));
        Value* next_a = element(a, e_.i64(p_.a.panel));
        call_kernel(ir_.CreateSub(width, n), {a, b, c, e_.i64(p_.nc), kc, first, next_a, next_b});
      });
    });
  }

  // The kernel with just enough vectors for the columns that are left.
  void call_kernel(Value* columns, const std::vector<Value*>& arguments) {
    auto* function = e_.function();
    auto& context = function->getContext();
    auto* after = llvm::BasicBlock::Create(context, "tile.end", function);
    for (int v = p_.vectors; v >= 1; --v) {
      if (v == 1) {
        ir_.CreateCall(kernels_[0], arguments);
        ir_.CreateBr(after);
        break;
      }
      auto* yes = llvm::BasicBlock::Create(context, "tile", function);
      auto* no = llvm::BasicBlock::Create(context, "narrower", function);
      ir_.CreateCondBr(ir_.CreateICmpSGT(columns, e_.i64(int64_t{v - 1} * p_.lanes)), yes, no);
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
      decode(p_.m, m, point);
      Value* row = element(tile_, times(ir_.CreateSub(m, m0_), p_.nc));
      runs_of_n(point, false, [&](Point& within, Value* n, Value* run) {
        Value* base = element(row, ir_.CreateSub(n, n0_));
        vectors_of_run(within, run, [&](Point& at, Value* offset) {
          // Rows of the tile are whole vectors: reading past the last column is within local memory.
          at.accumulator = ir_.CreateAlignedLoad(vector_, element(base, offset), element_align());
          Lanes result{at.accumulator, false};
          if (nest_.epilogue != nullptr) result = e_.evaluate(nest_.epilogue, at);
          e_.store(nest_.target, nest_.target_dtype, nest_.target_offset, result, at);
        });
      });
    });
  }

  const Nest& nest_;
  std::vector<llvm::Function*> kernels_;
  Value* tile_ = nullptr;
};

}  // namespace

Emitted emit_gemm(Emitter& emitter, const Nest& nest, const GemmPlan& plan) { return Gemm(emitter, nest, plan).run(); }

}  // namespace hal::compiler::codegen
