// SPDX-License-Identifier: Apache-2.0
//
// Every operator of the library on every one of its samples: it instantiates, verifies, and the interpreter runs it to
// results of the inferred types. So a new operator text is tested by being there.
#include <gtest/gtest.h>

#include <cmath>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/operators.hpp"
#include "lang/value.hpp"

namespace hal::compiler {
namespace {

// Deterministic values; what matters here is that they differ and fit the dtype.
Tensor filled(const TensorType& type, const std::string& distribution) {
  std::vector<int64_t> shape;
  for (const Sym& extent : type.shape) shape.push_back(*extent.constant());
  Tensor out = Tensor::make(type.dtype, shape);
  size_t bytes = out.size() == 0 ? 0 : out.bytes() / out.size();
  for (uint64_t i = 0; i < out.size(); ++i) {
    auto step = static_cast<int64_t>((i * 2654435761u) % 19);
    Tensor one = type.dtype == DType::kBOOL ? lang::scalar_tensor(type.dtype, step % 2)
                 : !is_float(type.dtype)    ? lang::scalar_tensor(type.dtype, is_unsigned(type.dtype) ? step : step - 9)
                 : distribution == "special" ? lang::scalar_tensor(type.dtype, step % 4 == 0   ? NAN
                                                                               : step % 4 == 1 ? -INFINITY
                                                                                               : -0.0)
                                             : lang::scalar_tensor(type.dtype, (static_cast<double>(step) - 9) / 8);
    std::copy_n(one.storage->data(), bytes, out.storage->data() + i * bytes);
  }
  return out;
}

std::vector<std::string> operator_names() { return OperatorLibrary::builtin().names(); }

class EveryOperator : public testing::TestWithParam<std::string> {};

Result<void> run_sample(const OperatorDefinition& definition, const OperatorSample& sample) {
  Builder builder("sample");
  std::vector<std::optional<ValueId>> operands;
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    operands.push_back(std::nullopt);
    if (sample.inputs[i].dtype == DType::kNone || sample.fixed_inputs[i]) continue;
    operands.back() = builder.parameter("x" + std::to_string(i), sample.inputs[i]);
    inputs.push_back(filled(sample.inputs[i], sample.distributions[i]));
  }
  for (size_t i = 0; i < sample.inputs.size(); ++i) {  // after the parameters: the builder wants them so
    if (sample.fixed_inputs[i]) operands[i] = builder.constant(*sample.fixed_inputs[i]);
  }
  HAL_TRY_ASSIGN(std::vector<ValueId> results,
                 instantiate(definition, builder, operands, sample.attributes, OperatorLibrary::builtin()));
  std::vector<std::string> names;
  std::vector<TensorType> types;
  for (ValueId result : results) {
    names.push_back("y" + std::to_string(names.size()));
    types.push_back(builder.type(result));
  }
  HAL_TRY_ASSIGN(Module module, builder.finish(results, names));
  HAL_TRY_ASSIGN(std::vector<Tensor> outputs, interpret(module, inputs));
  if (outputs.size() != results.size()) return internal_error("number of results");
  for (size_t i = 0; i < outputs.size(); ++i) {
    Shape shape(outputs[i].shape.begin(), outputs[i].shape.end());
    if (outputs[i].dtype != types[i].dtype || shape != types[i].shape)
      return internal_error("inferred " + text(types[i]));
  }
  HAL_TRY(tolerance(definition, sample.inputs, sample.attributes, OperatorLibrary::builtin()));
  return {};
}

TEST_P(EveryOperator, RunsItsSamples) {
  const OperatorLibrary& library = OperatorLibrary::builtin();
  const OperatorDefinition* definition = library.find(GetParam());
  ASSERT_NE(definition, nullptr);
  EXPECT_FALSE(documentation(*definition).empty()) << "an operator needs a doc line";
  auto cases = samples(*definition, library);
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_FALSE(cases->empty()) << "an operator needs samples";
  std::set<std::string> seen;
  for (const OperatorSample& sample : *cases) {
    EXPECT_TRUE(seen.insert(sample.name).second) << sample.name << " is not unique";
    auto done = run_sample(*definition, sample);
    EXPECT_TRUE(done) << sample.name << ": " << done.error().message;
  }
}

INSTANTIATE_TEST_SUITE_P(Library, EveryOperator, testing::ValuesIn(operator_names()),
                         [](const auto& instance) { return instance.param.substr(instance.param.find('.') + 1); });

}  // namespace
}  // namespace hal::compiler
