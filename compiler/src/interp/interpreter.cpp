// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/interpreter.hpp"

#include "array.hpp"

namespace hal::compiler {

using interp::Array;
using interp::Extents;
using Binding = std::map<std::string, int64_t>;

namespace {

std::string shape_text(const Extents& shape) { return text(Shape(shape.begin(), shape.end())); }

Error misfit(const Value& want, const Tensor& got) {
  return invalid_argument("input " + want.name + ": expected " + text(want.type) + ", got " + name(got.dtype) +
                          shape_text(got.shape));
}

Result<Extents> extents(const Shape& shape, const Binding& binding, const std::string& label) {
  Extents out;
  for (const Sym& extent : shape) {
    HAL_TRY_ASSIGN(int64_t value, extent.evaluate(binding));
    if (value < 0)
      return invalid_argument(label + ": the extent " + extent.text() + " becomes " + std::to_string(value));
    out.push_back(value);
  }
  return out;
}

class Run {
 public:
  Run(const Module& module, const InterpretOptions& options, Binding binding)
      : module_(module), options_(options), binding_(std::move(binding)), values_(module.function.values.size()) {
    uses_.resize(values_.size(), 0);
    for (const Op& op : module.function.ops) {
      for (ValueId operand : op.operands) ++uses_[operand];
    }
    for (ValueId result : module.function.results) ++uses_[result];
  }

  Result<std::vector<Tensor>> operator()(const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      HAL_TRY_ASSIGN(Array array, interp::from_tensor(inputs[i], options_.precision));
      values_[i] = std::make_shared<Array>(std::move(array));
    }
    for (const Op& op : module_.function.ops) {
      if (uses_[op.result] == 0) continue;
      HAL_TRY_ASSIGN(Array array, evaluate(op));
      values_[op.result] = std::make_shared<Array>(std::move(array));
      for (ValueId operand : op.operands) {
        if (--uses_[operand] == 0) values_[operand].reset();
      }
    }
    std::vector<Tensor> results;
    for (ValueId result : module_.function.results) results.push_back(to_tensor(*values_[result]));
    return results;
  }

 private:
  Result<Array> evaluate(const Op& op) {
    const TensorType& type = module_.function.values[op.result].type;
    HAL_TRY_ASSIGN(Extents shape, extents(type.shape, binding_, op.label));
    uint64_t bytes = sizeof(long double);
    for (int64_t extent : shape) {
      if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes) || bytes > options_.max_bytes) {
        return Error{HAL_STATUS_OUT_OF_MEMORY, op.label + ": " + info(op.prim).text + " makes " + shape_text(shape) +
                                                   ", more than the interpreter may hold"};
      }
    }
    std::vector<const Array*> x;
    for (ValueId operand : op.operands) x.push_back(values_[operand].get());
    switch (info(op.prim).cls) {
      case PrimClass::kSource:
        return source(op, type, shape);
      case PrimClass::kMovement:
      case PrimClass::kIndexed:
        return interp::move(op, x, shape, binding_);
      case PrimClass::kReduce:
        return interp::reduce(op, x, shape, type.dtype, options_.precision);
      default:
        return interp::elementwise(op, x, type, options_.precision);
    }
  }

  Result<Array> source(const Op& op, const TensorType& type, const Extents& shape) {
    if (op.prim == Prim::kConstant)
      return interp::from_tensor(module_.constants[op.attributes.constant], options_.precision);
    if (op.prim == Prim::kSyms) {
      std::vector<int64_t> data;
      for (const Sym& sym : op.attributes.syms) {
        HAL_TRY_ASSIGN(int64_t value, sym.evaluate(binding_));
        data.push_back(value);
      }
      return Array{DType::kI64, shape, std::move(data)};
    }
    std::vector<int64_t> data(static_cast<size_t>(interp::count(shape)));
    size_t axis = size_t(op.attributes.axes[0]);
    int64_t stride = interp::strides_of(shape)[axis];
    for (size_t i = 0; i < data.size(); ++i) data[i] = int64_t(i) / stride % shape[axis];
    Array index{DType::kI64, shape, std::move(data)};
    Op cast{Prim::kCast, {}, 0, {}, op.label};
    cast.attributes.dtype = type.dtype;
    cast.attributes.cast = CastMode::kWrap;
    return interp::elementwise(cast, {&index}, type, options_.precision);
  }

  const Module& module_;
  const InterpretOptions& options_;
  Binding binding_;
  std::vector<std::shared_ptr<Array>> values_;
  std::vector<uint32_t> uses_;
};

}  // namespace

Result<Binding> bind_symbols(const Module& module, const std::vector<Tensor>& inputs) {
  const Function& function = module.function;
  if (inputs.size() != function.parameter_count) {
    return invalid_argument(function.name + ": expected " + std::to_string(function.parameter_count) + " inputs, got " +
                            std::to_string(inputs.size()));
  }
  Binding binding;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& want = function.values[i];
    if (inputs[i].dtype != want.type.dtype || inputs[i].shape.size() != want.type.shape.size())
      return misfit(want, inputs[i]);
    for (size_t axis = 0; axis < inputs[i].shape.size(); ++axis) {
      if (auto found = solve(want.type.shape[axis], inputs[i].shape[axis])) binding.insert(std::move(*found));
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t axis = 0; axis < inputs[i].shape.size(); ++axis) {
      HAL_TRY_ASSIGN(int64_t extent, function.values[i].type.shape[axis].evaluate(binding));
      if (extent != inputs[i].shape[axis]) return misfit(function.values[i], inputs[i]);
    }
  }
  HAL_TRY(module.ranges.check_assumptions(binding));
  return binding;
}

Result<std::vector<Tensor>> interpret(const Module& module, const std::vector<Tensor>& inputs,
                                      const InterpretOptions& options) {
  HAL_TRY_ASSIGN(Binding binding, bind_symbols(module, inputs));
  return Run(module, options, std::move(binding))(inputs);
}

}  // namespace hal::compiler
