// SPDX-License-Identifier: Apache-2.0
//
// Constant folding on the portable layer. What depends on constants alone is computed by the interpreter, in one run;
// what is left is copied into a new module without the ops that no result needs. A broadcast or iota at the border of a
// folded part is kept as such: it is smaller than its elements.
#include "hal/compiler/graph.hpp"
#include "hal/compiler/interpreter.hpp"

namespace hal::compiler::graph {
namespace {

constexpr uint64_t kMaxProducts = uint64_t{1} << 24;    // of one folded contraction: the interpreter is slow
constexpr uint64_t kMaxTotalBytes = uint64_t{1} << 28;  // of all folded values together

// The bytes of a static type; nothing if it has symbols or is larger than `limit`.
std::optional<uint64_t> static_bytes(const TensorType& type, uint64_t limit) {
  uint64_t count = 1;
  for (const Sym& extent : type.shape) {
    auto value = extent.constant();
    if (!value || *value < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(*value), &count) || count > limit * 8) return std::nullopt;
  }
  uint64_t bytes = bytes_of(type.dtype, count);
  if (bytes > limit) return std::nullopt;
  return bytes;
}

bool is_spread(Prim prim) { return prim == Prim::kBroadcast || prim == Prim::kIota || prim == Prim::kConstant; }

bool is_symbolic(const Attributes& attributes) {
  for (const Sym& sym : attributes.syms) {
    if (!sym.constant()) return true;
  }
  for (const Shape* shape : {&attributes.low, &attributes.high, &attributes.step, &attributes.size, &attributes.shape,
                             &attributes.dilation, &attributes.interior}) {
    for (const Sym& sym : *shape) {
      if (!sym.constant()) return true;
    }
  }
  return false;
}

class Folder {
 public:
  Folder(const Module& module, uint64_t max_bytes)
      : module_(module),
        max_bytes_(max_bytes),
        count_(module.function.values.size()),
        needed_(count_),
        computable_(count_),
        border_(count_) {}

  Result<Module> run() {
    find_computable();
    find_needed();
    HAL_TRY(compute());
    return rebuild();
  }

 private:
  void find_computable() {
    uint64_t total = 0;
    for (const Op& op : module_.function.ops) {
      auto bytes = static_bytes(module_.function.values[op.result].type, max_bytes_);
      bool can = bytes && total + *bytes <= kMaxTotalBytes && !is_symbolic(op.attributes) && is_cheap(op);
      for (ValueId operand : op.operands) can = can && computable_[operand];
      computable_[op.result] = can;
      if (can) total += *bytes;
    }
  }

  bool is_cheap(const Op& op) const {
    if (op.prim != Prim::kContract) return true;
    uint64_t products = 1;
    for (ValueId operand : op.operands) {
      auto bytes = static_bytes(module_.function.values[operand].type, max_bytes_);
      if (!bytes || __builtin_mul_overflow(products, *bytes + 1, &products)) return false;
    }
    return products <= kMaxProducts * 16;
  }

  // Marks what the new module holds, from the results upwards. At a border value the walk ends, except that a spread
  // one is kept and the border is its operand.
  void find_needed() {
    for (ValueId result : module_.function.results) need(result);
    for (size_t i = module_.function.ops.size(); i-- > 0;) {
      const Op& op = module_.function.ops[i];
      if (!needed_[op.result]) continue;
      if (computable_[op.result] && !is_spread(op.prim)) {
        border_[op.result] = true;
        continue;
      }
      for (ValueId operand : op.operands) need(operand);
    }
  }
  void need(ValueId value) { needed_[value] = true; }

  // Runs the computable ops that a border value needs.
  Result<void> compute() {
    std::vector<bool> used = border_;
    for (size_t i = module_.function.ops.size(); i-- > 0;) {
      const Op& op = module_.function.ops[i];
      if (!used[op.result]) continue;
      for (ValueId operand : op.operands) used[operand] = true;
    }
    Builder builder("fold");
    std::vector<ValueId> map(count_), results;
    std::vector<std::string> names;
    for (const Op& op : module_.function.ops) {
      if (!used[op.result]) continue;
      HAL_TRY(copy(op, builder, map));
      if (!border_[op.result]) continue;
      names.push_back("v" + std::to_string(results.size()));
      results.push_back(map[op.result]);
    }
    if (results.empty()) return {};
    HAL_TRY_ASSIGN(Module part, builder.finish(std::move(results), std::move(names)));
    HAL_TRY_ASSIGN(computed_, interpret(part, {}));
    return {};
  }

  Result<void> copy(const Op& op, Builder& builder, std::vector<ValueId>& map) const {
    builder.set_label(op.label);
    if (op.prim == Prim::kConstant) {
      map[op.result] = builder.constant(module_.constants[op.attributes.constant]);
      return {};
    }
    std::vector<ValueId> operands;
    for (ValueId operand : op.operands) operands.push_back(map[operand]);
    HAL_TRY_ASSIGN(map[op.result], builder.op(op.prim, std::move(operands), op.attributes));
    return {};
  }

  Result<Module> rebuild() const {
    const Function& function = module_.function;
    Builder builder(function.name);
    builder.ranges() = module_.ranges;
    std::vector<ValueId> map(count_), results;
    for (ValueId i = 0; i < function.parameter_count; ++i) {
      map[i] = builder.parameter(function.values[i].name, function.values[i].type);
    }
    size_t next = 0;
    for (const Op& op : function.ops) {
      if (border_[op.result]) {
        builder.set_label(op.label);
        map[op.result] = builder.constant(computed_[next++]);
      } else if (needed_[op.result]) {
        HAL_TRY(copy(op, builder, map));
      }
    }
    for (ValueId result : function.results) results.push_back(map[result]);
    return builder.finish(std::move(results), function.result_names);
  }

  const Module& module_;
  uint64_t max_bytes_;
  size_t count_;
  std::vector<bool> needed_, computable_, border_;
  std::vector<Tensor> computed_;  // of the border values, in the order of ops
};

}  // namespace

Result<Module> fold_constants(const Module& module, uint64_t max_bytes) { return Folder(module, max_bytes).run(); }

}  // namespace hal::compiler::graph
