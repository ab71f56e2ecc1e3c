// SPDX-License-Identifier: Apache-2.0
//
// Contractions as blocked matrix products (Goto and van de Geijn 2008). The parallel axes fall into batch (both
// operands), m (the first alone) and n (the second alone, with the target's contiguous axis last); the reduce axes are
// k. Both operands are packed into panels - through their index maps and guards, so that a convolution is a matrix
// product whose packing reads windows - and a register-tiled micro-kernel runs over them. gemm_plan.cpp decides,
// gemm_pack.cpp packs, gemm.cpp multiplies.
#ifndef COMPILER_CODEGEN_GEMM_HPP_
#define COMPILER_CODEGEN_GEMM_HPP_

#include "emitter.hpp"

namespace hal::compiler::codegen {

// One operand: what it reads, and where its panels are.
struct GemmOperand {
  tile::ExprPtr expr;
  std::vector<tile::Axis> batch;  // those of the plan's batch axes that it depends on
  int64_t panel = 0;              // elements from one panel to the next
  bool apart = false;             // packed whole by a kernel of its own; else by each workgroup for itself
  uint32_t buffer = 0;            // if apart: [batch][block of k][panel]
};

struct GemmPlan {
  GemmOperand a, b;  // a varies with m, b with n
  std::vector<tile::Axis> batch, m, n, k;
  Sym m_extent, n_extent, k_extent;
  DType dtype = DType::kNone;  // of the accumulators
  int lanes = 1, rows = 1, vectors = 1;
  int64_t columns = 1;  // of the micro-kernel: vectors * lanes
  int64_t mc = 0, nc = 0, kc = 0;

  // The type of the buffer of an operand that is packed apart.
  TensorType packed_type(const GemmOperand& operand) const;
};

// Nothing if the nest is not a contraction that gains from it. `is_constant` says whether a buffer's content is known
// when the program is loaded: packing it costs nothing later.
std::optional<GemmPlan> plan_gemm(const Nest& nest, const Isa& isa, const Target& target,
                                  const std::function<bool(uint32_t buffer)>& is_constant);

// The kernel that packs an operand apart, and the one that multiplies.
Emitted emit_packing(Emitter& emitter, const GemmPlan& plan, const GemmOperand& operand);
Emitted emit_gemm(Emitter& emitter, const Nest& nest, const GemmPlan& plan);

Sym extent_of(const std::vector<tile::Axis>& axes);
// Whether the operand is one load whose offset depends on the flat index of the axes alone: then the innermost axis may
// run over all of them, and no index has to be taken apart.
bool is_flat(const tile::ExprPtr& operand, const std::vector<tile::Axis>& axes, const SymRanges& ranges);
// Whether the operand is one load of consecutive elements along the last of the axes.
bool is_contiguous(const tile::ExprPtr& operand, const std::vector<tile::Axis>& axes);

// What packing and multiplying share: the tile [m0, m1) x [n0, n1) of one workgroup, and how points are placed.
class GemmEmitter {
 public:
  GemmEmitter(Emitter& emitter, const GemmPlan& plan);

 protected:
  Value* element(Value* base, Value* index) { return ir_.CreateGEP(scalar_, base, index); }
  Value* plus(Value* a, Value* b) { return ir_.CreateAdd(a, b); }
  Value* times(Value* a, int64_t b) { return ir_.CreateMul(a, e_.i64(b)); }
  llvm::Align element_align() const { return llvm::Align(static_cast<uint64_t>(bytes_)); }

  // Sets each axis of a group from the flat index; place() leaves it whole where the operand needs no more.
  void decode(const std::vector<tile::Axis>& axes, Value* flat, Point& point);
  void place(const std::vector<tile::Axis>& axes, Value* flat, bool is_flat_index, Point& point);
  // The tile's rows and columns: blocks of mc and nc.
  void set_rows(Value* block);
  void set_columns(Value* block);
  // The first panel of the tile for the block of k that begins at k0.
  Value* packed(const GemmOperand& operand, const Point& point, Value* k0);

  // Runs of n within [n0, n1) in which only the innermost axis moves, and that stay within one panel of columns:
  // visit(point at its start, n, run).
  void runs_of_n(Point& point, bool within_panel, const std::function<void(Point&, Value*, Value*)>& visit);
  // Vectors over a run of the innermost n axis.
  void vectors_of_run(Point& point, Value* run, const std::function<void(Point&, Value*)>& visit);

  // Panels of `columns` columns, [panel][k][column], with zeros past the last; and of `rows` rows, [panel][k][row],
  // where rows past the last repeat it: what they produce is never written.
  void pack_b(Value* to, const Point& outer, Value* k0, Value* kc);
  void pack_a(Value* to, const Point& outer, Value* k0, Value* kc);

  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  const GemmPlan& p_;
  int bytes_ = 4;
  llvm::Type* scalar_ = nullptr;
  llvm::Type* vector_ = nullptr;
  Value *m0_ = nullptr, *m1_ = nullptr, *n0_ = nullptr, *n1_ = nullptr;

 private:
  void zero(Value* base, Value* from, Value* to);
  Point row_of_a(const Point& outer, Value* m);
  void transpose_into(Value* base, const std::vector<Point>& rows, Value* k);
  std::vector<Value*> transposed(std::vector<Value*> vectors);
};

}  // namespace hal::compiler::codegen

#endif  // COMPILER_CODEGEN_GEMM_HPP_
