// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {
namespace {

Error fail(const Op& op, const std::string& what) {
  std::string label = op.label.empty() ? "" : op.label + ": ";
  return invalid_argument(label + info(op.prim).text + " %" + std::to_string(op.result) + ": " + what);
}

Result<void> verify_op(const Module& module, const Op& op, std::vector<bool>& defined) {
  const Function& function = module.function;
  std::vector<TensorType> types;
  for (ValueId operand : op.operands) {
    if (operand >= function.values.size() || !defined[operand])
      return fail(op, "operand %" + std::to_string(operand) + " is not defined before its use");
    types.push_back(function.values[operand].type);
  }
  if (op.result >= function.values.size() || defined[op.result])
    return fail(op, "the result is defined twice or out of range");
  auto type = infer_type(op.prim, types, op.attributes, module.constants, module.ranges);
  if (!type) return fail(op, type.error().message);
  const TensorType& declared = function.values[op.result].type;
  if (!(*type == declared)) return fail(op, "declared " + text(declared) + ", but it is " + text(*type));
  defined[op.result] = true;
  return {};
}

}  // namespace

Result<void> verify(const Module& module) {
  const Function& function = module.function;
  if (function.parameter_count > function.values.size()) return invalid_argument("more parameters than values");
  std::vector<bool> defined(function.values.size(), false);
  std::fill_n(defined.begin(), function.parameter_count, true);
  for (const Tensor& constant : module.constants) {
    bool sane = std::all_of(constant.shape.begin(), constant.shape.end(), [](int64_t extent) { return extent >= 0; });
    if (!sane || constant.bytes() != bytes_of(constant.dtype, constant.size()))
      return invalid_argument("a constant's bytes do not fit its shape");
  }
  for (const Op& op : function.ops) HAL_TRY(verify_op(module, op, defined));
  if (function.results.size() != function.result_names.size())
    return invalid_argument("expected one name for each result");
  for (ValueId result : function.results) {
    if (result >= defined.size() || !defined[result])
      return invalid_argument("result %" + std::to_string(result) + " is not defined");
  }
  for (size_t i = 0; i < function.values.size(); ++i) {
    for (const Sym& extent : function.values[i].type.shape) {
      for (const std::string& symbol : extent.symbols()) {
        if (std::find(module.symbols.begin(), module.symbols.end(), symbol) == module.symbols.end()) {
          return invalid_argument("value %" + std::to_string(i) + ": symbol " + symbol +
                                  " is not in any parameter's shape");
        }
      }
    }
  }
  return {};
}

}  // namespace hal::compiler
