// SPDX-License-Identifier: Apache-2.0
#include "lang/known.hpp"

#include "hal/compiler/interpreter.hpp"
#include "ir/contents.hpp"

namespace hal::compiler::lang {
namespace {

constexpr size_t kMaxOps = 10'000;                 // of one computation: a model's shape arithmetic is far smaller
constexpr uint64_t kMaxBytes = uint64_t{1} << 22;  // of each value in it

bool is_static(const TensorType& type) {
  uint64_t bytes = 8;
  for (const Sym& extent : type.shape) {
    auto value = extent.constant();
    if (!value || *value < 0) return false;
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(*value), &bytes) || bytes > kMaxBytes) return false;
  }
  return true;
}

// The ops that `value` needs, or nothing if one of them has a symbol, or needs a parameter.
std::optional<std::vector<const Op*>> needed_ops(const Function& function, ValueId value) {
  std::vector<bool> needed(function.values.size());
  needed[value] = true;
  std::vector<const Op*> ops;
  for (size_t i = function.ops.size(); i-- > 0;) {
    const Op& op = function.ops[i];
    if (!needed[op.result]) continue;
    if (!is_static(function.values[op.result].type) || ops.size() == kMaxOps) return std::nullopt;
    for (const Sym& sym : op.attributes.syms) {
      if (!sym.constant()) return std::nullopt;
    }
    for (ValueId operand : op.operands) needed[operand] = true;
    ops.push_back(&op);
  }
  for (ValueId id = 0; id < function.parameter_count; ++id) {
    if (needed[id]) return std::nullopt;
  }
  return std::vector<const Op*>(ops.rbegin(), ops.rend());
}

}  // namespace

std::optional<Tensor> known_tensor(const Builder& builder, ValueId value) {
  if (const Tensor* constant = builder.constant_tensor(value)) return *constant;
  const Module& from = builder.module();
  auto ops = needed_ops(from.function, value);
  if (!ops) return std::nullopt;
  Builder part("known");
  std::map<ValueId, ValueId> map;
  for (const Op* op : *ops) {
    if (op->prim == Prim::kConstant) {
      map[op->result] = part.constant(from.constants[op->attributes.constant]);
      continue;
    }
    std::vector<ValueId> operands;
    for (ValueId operand : op->operands) operands.push_back(map.at(operand));
    auto copy = part.op(op->prim, std::move(operands), op->attributes);
    if (!copy) return std::nullopt;
    map[op->result] = *copy;
  }
  auto module = part.finish({map.at(value)}, {"value"});
  auto results = module ? interpret(*module, {}) : Result<std::vector<Tensor>>(std::move(module).error());
  return results ? std::optional<Tensor>(std::move(results->front())) : std::nullopt;
}

std::optional<Contents> known_contents(const Builder& builder, ValueId value) {
  if (const Contents* contents = builder.contents(value)) return *contents;
  auto tensor = known_tensor(builder, value);
  return tensor ? contents_of(*tensor) : std::nullopt;
}

Error not_known(Builder& builder, ValueId value) {
  builder.want_contents(value);
  std::string inputs;
  for (const std::string& name : builder.wanted()) inputs += (inputs.empty() ? "" : ", ") + name;
  return unsupported("the contents of this " + text(builder.type(value)) +
                     " must be known when the program is compiled: a constant, or computed from shapes" +
                     (inputs.empty() ? "" : "; give the value of the input " + inputs));
}

}  // namespace hal::compiler::lang
