// SPDX-License-Identifier: Apache-2.0
//
// What code generation relies on: every symbol is known where it stands, every buffer is written before it is read and
// never when it is an input, ranks and dtypes fit, loads and stores stay in bounds, and no two points store to one
// element (bounds.hpp: what is refused is truly wrong).
#include <set>

#include "bounds.hpp"
#include "expr.hpp"

namespace hal::compiler::tile {
namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program)
      : program_(program), written_(program.buffers.size(), false), bindings_(sample_bindings(program)) {
    for (size_t i = 0; i < program.buffers.size(); ++i) {
      BufferKind kind = program.buffers[i].kind;
      written_[i] = kind == BufferKind::kInput || kind == BufferKind::kConstant;
    }
  }

  Result<void> run() {
    std::set<std::string> names;
    for (const Kernel& kernel : program_.kernels) {
      if (!names.insert(kernel.name).second) return fail(kernel.name, "two kernels have this name");
      for (const Block& block : kernel.blocks) HAL_TRY(check_block(kernel, block));
      for (const Block& block : kernel.blocks) written_[block.target] = true;
    }
    return {};
  }

 private:
  static Error fail(const std::string& where, const std::string& what) {
    return internal_error("tile: " + where + ": " + what);
  }

  Result<void> check_block(const Kernel& kernel, const Block& block) {
    std::set<std::string> known(program_.symbols.begin(), program_.symbols.end());
    for (const Axis& axis : block.axes) {
      if (!known.insert(axis.name).second) return fail(kernel.name, "axis " + axis.name + " occurs twice");
    }
    HAL_TRY(check_target(kernel, block));
    if (block.body == nullptr) return fail(kernel.name, "a block without a body");
    bool chained = block.reduction && block.reduction->kind == ReduceKind::kNone;
    HAL_TRY(check_expr(kernel, block.body, known, chained));
    HAL_TRY(check_expr(kernel, block.epilogue, outer_symbols(block), true));
    HAL_TRY(check_stored(kernel, block));
    std::string violation = find_violation(program_, block, bindings_);
    if (!violation.empty()) return fail(kernel.name, violation);
    return {};
  }

  // An argument reduction gives indices; another one its accumulator, unless an epilogue follows.
  Result<void> check_stored(const Kernel& kernel, const Block& block) const {
    const TensorType& type = program_.buffers[block.target].type;
    DType stored = block.body->dtype;
    if (block.reduction && block.epilogue != nullptr) {
      stored = block.epilogue->dtype;
    } else if (block.reduction) {
      stored = block.reduction->arg ? DType::kI64 : block.reduction->accumulator;
    }
    if (stored == type.dtype) return {};
    return fail(kernel.name, std::string("stores ") + name(stored) + " to " + text(type));
  }

  // What may stand where the reduction is over.
  std::set<std::string> outer_symbols(const Block& block) const {
    std::set<std::string> known(program_.symbols.begin(), program_.symbols.end());
    for (const Axis& axis : block.axes) {
      if (axis.kind == AxisKind::kParallel) known.insert(axis.name);
    }
    return known;
  }

  Result<void> check_target(const Kernel& kernel, const Block& block) const {
    if (block.target >= program_.buffers.size()) return fail(kernel.name, "unknown target");
    const Buffer& buffer = program_.buffers[block.target];
    if (buffer.kind == BufferKind::kInput || buffer.kind == BufferKind::kConstant)
      return fail(kernel.name, "stores to " + buffer.name + ", which is only read");
    if (block.target_indices.size() != buffer.type.shape.size()) return fail(kernel.name, "the target's rank differs");
    std::set<std::string> known = outer_symbols(block);
    for (const Sym& index : block.target_indices) {
      for (const std::string& symbol : index.symbols()) {
        if (known.count(symbol) == 0) return fail(kernel.name, "unknown symbol " + symbol + " in a target index");
      }
    }
    return {};
  }

  Result<void> check_expr(const Kernel& kernel, const ExprPtr& expr, std::set<std::string> known, bool epilogue) {
    std::string problem;
    visit(expr, [&](const Expr& node) {
      for (const DataIndex& data : node.data_indices) known.insert(data.symbol);
    });
    visit(expr, [&](const Expr& node) {
      if (node.kind == ExprKind::kAccumulator && !epilogue) problem = "an accumulator where there is none";
      if (node.kind == ExprKind::kLoad) check_load(node, &problem);
      auto check_symbols = [&](const Sym& sym) {
        for (const std::string& symbol : sym.symbols()) {
          if (known.count(symbol) == 0) problem = "unknown symbol " + symbol;
        }
      };
      check_symbols(node.index);
      for (const Sym& index : node.indices) check_symbols(index);
      for (const Sym& condition : node.conditions) check_symbols(condition);
    });
    if (!problem.empty()) return fail(kernel.name, problem);
    return {};
  }

  void check_load(const Expr& node, std::string* problem) const {
    if (node.buffer >= program_.buffers.size()) {
      *problem = "unknown buffer";
      return;
    }
    const Buffer& buffer = program_.buffers[node.buffer];
    if (!written_[node.buffer]) *problem = "reads " + buffer.name + " before it is written";
    if (node.indices.size() != buffer.type.shape.size()) *problem = "the rank of a load of " + buffer.name + " differs";
    if (node.dtype != buffer.type.dtype) *problem = "a load of " + buffer.name + " has another dtype";
  }

  const Program& program_;
  std::vector<bool> written_;
  std::vector<Binding> bindings_;
};

}  // namespace

Result<void> verify(const Program& program) { return Verifier(program).run(); }

}  // namespace hal::compiler::tile
