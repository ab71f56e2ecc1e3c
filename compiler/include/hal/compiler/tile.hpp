// SPDX-License-Identifier: Apache-2.0
//
// The tile layer: loop nests over buffers. A program is a list of kernels in order; a kernel is a list of blocks; a block
// computes one buffer element for each point of its parallel axes, by combining a scalar expression over its reduce axes.
// Movement primitives have become index maps (Syms over axis names) and guards; elementwise chains have become one scalar
// expression. Schedules and code generation start here. Not here: devices, vectors, registers.
#ifndef HAL_COMPILER_TILE_HPP_
#define HAL_COMPILER_TILE_HPP_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/compiler/portable.hpp"

namespace hal::compiler::tile {

enum class AxisKind { kParallel, kReduce };

// 0 <= name < extent. Names are unique within a block ("i0", "r1") and differ from every free symbol.
struct Axis {
  std::string name;
  AxisKind kind;
  Sym extent;
};

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;  // a DAG: shared nodes are computed once

enum class ExprKind {
  kLiteral,      // `bits` of `dtype` (low bits; f16, bf16 too)
  kIndex,        // the Sym `index`, converted to `dtype` (an integer)
  kLoad,         // buffer[indices]; always in bounds when evaluated
  kPrimitive,    // an elementwise `prim` on `operands`
  kGuard,        // all conditions >= 0 ? operands[0] : operands[1]; operands[0] is not evaluated otherwise (no wild load)
  kAccumulator,  // in an epilogue: the finished reduction; in the body of a reduction without a kind: the last step's value
};

// An index that comes from data: within `indices` of a load, the symbol stands for the integer value of `value`.
struct DataIndex {
  std::string symbol;  // "$0"
  ExprPtr value;       // i64, already clamped into bounds
};

struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  DType dtype = DType::kNone;
  uint64_t bits = 0;
  Sym index;
  uint32_t buffer = 0;                  // index in Program::buffers
  std::vector<Sym> indices;             // one per dimension of the buffer
  std::vector<DataIndex> data_indices;  // of a load
  Prim prim = Prim::kAdd;
  Predicate predicate = Predicate::kEq;
  CastMode cast = CastMode::kSaturate;
  std::vector<ExprPtr> operands;
  std::vector<Sym> conditions;          // of a guard
};

struct Reduction {
  ReduceKind kind = ReduceKind::kAdd;  // kNone: the body itself says how a step follows from the last, from 0 on
  DType accumulator = DType::kNone;
  Order order = Order::kAny;
  bool contraction = false;  // the body is a product of two operands that may be fused with the addition (fma)
  bool arg = false;          // the result is the i64 index along the single reduce axis of the min or max
};

struct Block {
  std::string name;
  std::vector<Axis> axes;
  std::optional<Reduction> reduction;   // absent: the body is the result
  ExprPtr body;                         // over all axes
  ExprPtr epilogue;                     // over the parallel axes, with kAccumulator; null: the accumulator itself
  uint32_t target = 0;                  // buffer
  std::vector<Sym> target_indices;      // over the parallel axes; injective, so that points may run in any order
};

// A prepared buffer is made from constants alone, once, when a program is loaded; code generation introduces it.
enum class BufferKind { kInput, kConstant, kOutput, kTemporary, kPrepared };

struct Buffer {
  std::string name;
  BufferKind kind;
  uint32_t index = 0;  // parameter, constant or result number
  TensorType type;     // dense, row-major
};

struct Kernel {
  std::string name;            // a valid symbol name, unique in the program
  std::vector<Block> blocks;   // each sees what the ones before it wrote
};

struct Program {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<std::string> symbols;  // free symbols, values known at dispatch
  SymRanges ranges;
  std::vector<Tensor> constants;
};

std::string print(const Program& program);

// In bounds, injective stores, defined before use, types: what the code generator relies on.
Result<void> verify(const Program& program);

struct LowerOptions {
  bool fuse = true;  // false: one kernel per primitive that computes; the same bits, for tests
};

// portable -> tile.
Result<Program> lower(const Module& module, const LowerOptions& options = {});

}  // namespace hal::compiler::tile

#endif  // HAL_COMPILER_TILE_HPP_
