// SPDX-License-Identifier: Apache-2.0
//
// One kernel's LLVM function: values that the host computes, index arithmetic, loops, and scalar expressions over one
// vector of lanes. What loops there are is decided in loops.cpp (general nests) and gemm*.cpp (contractions).
#ifndef COMPILER_CODEGEN_EMITTER_HPP_
#define COMPILER_CODEGEN_EMITTER_HPP_

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <unordered_map>

#include "hal/compiler/program.hpp"
#include "isa.hpp"
#include "nest.hpp"

namespace hal::compiler::codegen {

using Value = llvm::Value;

// A value that is one scalar for all lanes (uniform), or a vector with one element a lane.
struct Lanes {
  Value* value = nullptr;
  bool uniform = true;
};

// Where an expression is evaluated: each axis has a scalar value, but the vector axis, whose lane 0 has that value and
// whose lane l has it plus l. `mask` (null: all) says which lanes exist; loads touch no other.
struct Point {
  std::map<std::string, Value*> axes;
  std::string vector_axis;  // empty: one lane
  Value* mask = nullptr;
  Value* accumulator = nullptr;  // of an epilogue; a vector where vector_axis is not empty
  std::unordered_map<const tile::Expr*, Lanes> memo;
  std::map<std::string, Lanes> data;  // data indices in i64
};

class Emitter {
 public:
  Emitter(llvm::Module& module, const Isa& isa, const tile::Program& program, SymRanges& ranges,
          const std::string& name);

  // Host-computed values, in the order of the step's constants.
  const std::vector<Sym>& constants() const { return constants_; }
  const std::vector<uint32_t>& bindings() const { return bindings_; }
  uint64_t written() const { return written_; }

  llvm::IRBuilder<>& ir() { return ir_; }
  const Isa& isa() const { return isa_; }
  SymRanges& ranges() { return ranges_; }
  llvm::Function* function() { return function_; }
  void set_lanes(int lanes) { lanes_ = lanes; }
  int lanes() const { return lanes_; }

  // A Sym without axes: a literal, or a constant that the host passes.
  Value* host(const Sym& sym);
  Value* i64(int64_t value) { return ir_.getInt64(static_cast<uint64_t>(value)); }
  // A Sym at a point, for lane 0.
  Value* scalar(const Sym& sym, const Point& point);
  Value* workgroup(unsigned dimension);
  Value* local_memory();
  // The address of element `offset` of a buffer.
  Value* address(uint32_t buffer, DType dtype, Value* offset, bool written = false);

  Lanes evaluate(const tile::ExprPtr& expr, Point& point);
  Value* widen(const Lanes& lanes, const Point& point);  // as a vector, if the point has several lanes
  void store(uint32_t buffer, DType dtype, const Sym& offset, const Lanes& value, Point& point);

  // for (i = begin; i < end; i += step) body(i)
  void loop(Value* begin, Value* end, int64_t step, const std::function<void(Value*)>& body);
  void branch(Value* condition, const std::function<void()>& then);
  Value* min64(Value* a, Value* b);
  // A mask of the lanes below `count`; null when the count is known to be all of them.
  Value* lane_mask(Value* count);

  llvm::Type* register_type(DType dtype);  // scalar; bool is i1, f16 and bf16 are float
  llvm::Type* memory_type(DType dtype);    // scalar; bool is i8, f16 and bf16 are i16
  llvm::Type* vector_of(llvm::Type* scalar) {
    return llvm::FixedVectorType::get(scalar, static_cast<unsigned>(lanes_));
  }
  Value* stack(llvm::Type* type, const char* name);  // in the entry block

  // x * y + z: fused where the ISA fuses.
  Value* multiply_add(Value* x, Value* y, Value* z);
  Value* round_to(DType dtype, Value* value);
  Value* combine(ReduceKind kind, DType dtype, Value* a, Value* b);
  Value* identity(ReduceKind kind, DType dtype);

  void finish();
  Result<void> error() const { return error_ ? Result<void>(*error_) : Result<void>(); }
  void fail(std::string message) {
    if (!error_) error_ = unsupported(std::move(message));
  }

 private:
  struct LaneIndex {
    Value* base = nullptr;      // lane 0
    std::optional<Sym> stride;  // per lane, when it is the same for all; else `each`
    Value* each = nullptr;      // vector of i64
  };
  LaneIndex lane_index(const Sym& sym, Point& point);
  Value* vector_sym(const Sym& sym, Point& point);
  Value* floor_divide(Value* a, Value* b, bool nonnegative);

  Lanes evaluate_new(const tile::Expr& expr, Point& point);
  Lanes load(const tile::Expr& expr, Point& point);
  Lanes guard(const tile::Expr& expr, Point& point);
  Value* condition_mask(const Sym& condition, Point& point);
  Lanes primitive(const tile::Expr& expr, Point& point);
  Lanes index_value(const tile::Expr& expr, Point& point);
  Value* literal(DType dtype, uint64_t bits);
  Value* from_memory(DType dtype, Value* value);
  Value* to_memory(DType dtype, Value* value);
  Value* masked_load(llvm::Type* type, Value* pointer, Value* mask);
  Value* gather(llvm::Type* type, Value* pointer, Value* offsets, Value* mask);

  // primitive.cpp
  Value* unary(Prim prim, DType dtype, Value* x);
  Value* binary(Prim prim, DType dtype, Value* x, Value* y);
  Value* compare(Predicate predicate, DType dtype, Value* x, Value* y);
  Value* cast(DType from, DType to, CastMode mode, Value* x);
  Value* integer_divide(DType dtype, Value* x, Value* y);
  Value* float_extreme(Prim prim, DType dtype, Value* x, Value* y);
  Value* float_remainder(DType dtype, Value* x, Value* y);
  Value* bf16_round(Value* x);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const Isa& isa_;
  const tile::Program& program_;
  SymRanges& ranges_;
  llvm::IRBuilder<> ir_;
  llvm::Function* function_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
  int lanes_ = 1;
  std::vector<Sym> constants_;
  std::vector<Value*> constant_values_;
  std::vector<uint32_t> bindings_;
  std::vector<Value*> binding_values_;
  uint64_t written_ = 0;
  std::optional<Error> error_;
};

// What emission of one block tells the step.
struct Emitted {
  std::array<Sym, 3> workgroup_count;
  uint32_t local_memory_bytes = 0;
  std::string schedule;  // the trace, for people
};

Emitted emit_loops(Emitter& emitter, const Nest& nest);

// math.cpp: transcendental functions on float or double, scalar or vector.
Value* emit_math(Emitter& emitter, Prim prim, Value* x);
Value* emit_pow(Emitter& emitter, Value* x, Value* y);
Value* emit_atan2(Emitter& emitter, Value* y, Value* x);

}  // namespace hal::compiler::codegen

#endif  // COMPILER_CODEGEN_EMITTER_HPP_
