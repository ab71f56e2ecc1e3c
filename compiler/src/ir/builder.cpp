// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "contents.hpp"
#include "hal/compiler/portable.hpp"

namespace hal::compiler {

Builder::Builder(std::string name) { module_.function.name = std::move(name); }

ValueId Builder::parameter(std::string name, TensorType type) {
  auto& function = module_.function;
  for (const Sym& extent : type.shape) {
    for (const std::string& symbol : extent.symbols()) {
      auto& known = module_.symbols;
      if (std::find(known.begin(), known.end(), symbol) == known.end()) known.push_back(symbol);
    }
  }
  function.values.push_back({std::move(type), std::move(name)});
  ++function.parameter_count;
  return static_cast<ValueId>(function.values.size() - 1);
}

ValueId Builder::constant(Tensor tensor) {
  Attributes attributes;
  attributes.constant = static_cast<uint32_t>(module_.constants.size());
  auto known = contents_of(tensor);
  module_.constants.push_back(std::move(tensor));
  auto value = op(Prim::kConstant, {}, attributes);  // cannot fail: the constant was just added
  if (known) contents_[*value] = std::move(*known);
  return *value;
}

ValueId Builder::syms(std::vector<Sym> values, bool scalar) {
  Attributes attributes;
  if (!scalar) attributes.shape.push_back(static_cast<int64_t>(values.size()));
  attributes.syms = std::move(values);
  return *op(Prim::kSyms, {}, attributes);  // cannot fail: the shape fits
}

Result<ValueId> Builder::op(Prim prim, std::vector<ValueId> operands, Attributes attributes) {
  auto& function = module_.function;
  std::vector<TensorType> types;
  std::vector<KnownOperand> known;
  for (ValueId operand : operands) {
    if (operand >= function.values.size())
      return invalid_argument(std::string(info(prim).text) + ": value " + std::to_string(operand) + " does not exist");
    types.push_back(function.values[operand].type);
  }
  const std::vector<Bound>* bounded = nullptr;
  for (ValueId operand : operands) {
    if (auto* found = bounds(operand)) bounded = found;
  }
  if (bounded && (operands.size() != 1 || !is_elementwise(prim))) {
    return unsupported(std::string(info(prim).text) +
                       ": an extent of its operand depends on data; such a value may only be a "
                       "result of the graph, or give the value that it depends on");
  }
  for (size_t i = 0; i < operands.size(); ++i) known.push_back({&types[i], contents(operands[i])});
  auto type = infer_type(prim, types, attributes, module_.constants, module_.ranges, &module_.ranges);
  if (!type) {
    Error error = std::move(type).error();
    if (!label_.empty()) error.message = label_ + ": " + error.message;
    return error;
  }
  auto value = static_cast<ValueId>(function.values.size());
  if (auto contents = propagate(prim, known, attributes, *type, module_.ranges))
    contents_[value] = std::move(*contents);
  if (bounded) bounds_[value] = std::vector<Bound>(*bounded);
  function.values.push_back({std::move(*type), {}});
  function.ops.push_back({prim, std::move(operands), value, std::move(attributes), label_});
  return value;
}

const Contents* Builder::contents(ValueId value) const {
  auto found = contents_.find(value);
  return found == contents_.end() ? nullptr : &found->second;
}

const Tensor* Builder::constant_tensor(ValueId value) const {
  const auto& function = module_.function;
  if (value < function.parameter_count || value >= function.values.size()) return nullptr;
  auto defines = [](const Op& op, ValueId id) { return op.result < id; };
  auto op = std::lower_bound(function.ops.begin(), function.ops.end(), value, defines);  // results ascend
  if (op == function.ops.end() || op->result != value || op->prim != Prim::kConstant) return nullptr;
  return &module_.constants[op->attributes.constant];
}

const std::vector<Bound>* Builder::bounds(ValueId value) const {
  auto found = bounds_.find(value);
  return found == bounds_.end() ? nullptr : &found->second;
}

void Builder::want_contents(ValueId value) {
  const auto& function = module_.function;
  std::vector<bool> reached(function.values.size());
  reached[value] = true;
  for (size_t i = function.ops.size(); i-- > 0;) {
    const Op& op = function.ops[i];
    if (!reached[op.result]) continue;
    for (ValueId operand : op.operands) reached[operand] = true;
  }
  for (ValueId id = 0; id < function.parameter_count; ++id) {
    if (reached[id]) wanted_.insert(function.values[id].name);
  }
}

Result<Module> Builder::finish(std::vector<ValueId> results, std::vector<std::string> names) {
  module_.function.results = std::move(results);
  module_.function.result_names = std::move(names);
  HAL_TRY(verify(module_));
  return std::move(module_);
}

}  // namespace hal::compiler
