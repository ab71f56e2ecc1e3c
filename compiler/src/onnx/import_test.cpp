// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/onnx.hpp"
#include "onnx/test_models.hpp"

namespace hal::compiler {
namespace {

Tensor floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  return Tensor::of<float>(DType::kF32, std::move(shape), values);
}

Module import(const TestModel& model, const ImportOptions& options = {}) {
  auto module = import_onnx(model.bytes(), "m.onnx", "", OperatorLibrary::builtin(), options);
  EXPECT_TRUE(module) << module.error().message;
  return module ? *module : Module{};
}

std::vector<float> run(const Module& module, const std::vector<Tensor>& inputs) {
  auto results = interpret(module, inputs);
  EXPECT_TRUE(results) << results.error().message;
  if (!results) return {};
  const float* data = (*results)[0].data<float>();
  return {data, data + (*results)[0].size()};
}

TEST(Import, NodesInAnyOrderAndDeadOnes) {
  TestModel model;
  model.input("x", {"2"}).output("y");
  model.node("Neg", "last", {"h"}, {"y"});
  model.node("NoSuchOperator", "dead", {"x"}, {"unused"});
  model.node("Relu", "first", {"x"}, {"h"});
  Module module = import(model);
  EXPECT_EQ(run(module, {floats({2}, {-1, 3})}), (std::vector<float>{0, -3}));
  ASSERT_FALSE(module.function.ops.empty());
  EXPECT_EQ(module.function.ops.back().label, "Neg last");
}

TEST(Import, InitializersAreConstantsAlsoWhenListedAsInputs) {
  TestModel model;
  model.proto().set_ir_version(3);
  model.input("x", {"2"}).input("w", {"2"}).output("y");
  model.initializer("w", floats({2}, {10, 20}));
  model.node("Add", "sum", {"x", "w"}, {"y"});
  Module module = import(model);
  EXPECT_EQ(module.function.parameter_count, 1u);
  EXPECT_EQ(run(module, {floats({2}, {1, 2})}), (std::vector<float>{11, 22}));
}

TEST(Import, DimensionsBecomeSymbols) {
  TestModel model;
  model.input("x", {"batch-size", "-1", "?", "", "32*h", "max", "4"}).output("y");
  model.node("Relu", "", {"x"}, {"y"});
  Module module = import(model);
  EXPECT_EQ(text(module.function.values[0].type), "f32[batch_size, x_d1, x_d2, x_d3, 32*h, d_max, 4]");
  ImportOptions options;
  options.dims = {{"batch-size", 2}, {"x_d1", 3}, {"h", 4}};
  EXPECT_EQ(text(import(model, options).function.values[0].type), "f32[2, 3, x_d2, x_d3, 128, d_max, 4]");
}

TEST(Import, ADeclaredMultipleIsBoundFromTheShape) {
  TestModel model;
  model.input("x", {"2*n"}).output("y");
  model.node("Relu", "", {"x"}, {"y"});
  Module module = import(model);
  EXPECT_EQ(run(module, {floats({4}, {1, -1, 2, -2})}), (std::vector<float>{1, 0, 2, 0}));
  EXPECT_FALSE(interpret(module, {floats({3}, {1, 2, 3})}));
}

TEST(Import, ShapeArithmeticFolds) {
  TestModel model;
  model.input("x", {"N", "3", "4"}).output("y");
  model.node("Shape", "", {"x"}, {"s"});
  model.initializer("zero", Tensor::of<int64_t>(DType::kI64, {1}, std::vector<int64_t>{0}));
  model.initializer("rest", Tensor::of<int64_t>(DType::kI64, {1}, std::vector<int64_t>{-1}));
  model.node("Gather", "", {"s", "zero"}, {"n"});
  set_int(model.node("Concat", "", {"n", "rest"}, {"target"}), "axis", 0);
  model.node("Reshape", "", {"x", "target"}, {"y"});
  Module module = import(model);
  EXPECT_EQ(text(module.function.values[module.function.results[0]].type), "f32[N, 12]");
  EXPECT_EQ(module.function.ops.size(), 1u) << "only the reshape is left";
}

TEST(Import, ConstantSubgraphsAreComputedAndBigSplatsAreNot) {
  TestModel model;
  model.input("x", {"2"}).output("y");
  model.initializer("a", floats({2}, {1, 2})).initializer("b", floats({2}, {3, 4}));
  model.node("Mul", "", {"a", "b"}, {"ab"});
  model.node("Exp", "", {"ab"}, {"e"});
  model.node("Add", "", {"x", "e"}, {"y"});
  Module module = import(model);
  EXPECT_EQ(module.function.ops.size(), 2u) << "a constant and the sum";
  EXPECT_EQ(run(module, {floats({2}, {0, 0})}), (std::vector<float>{std::exp(3.0f), std::exp(8.0f)}));
  ImportOptions none;
  none.fold_bytes = 0;
  EXPECT_EQ(run(import(model, none), {floats({2}, {0, 0})}), run(module, {floats({2}, {0, 0})}));

  TestModel splat;
  splat.output("y");
  splat.initializer("shape", Tensor::of<int64_t>(DType::kI64, {2}, std::vector<int64_t>{4000, 4000}));
  splat.node("ConstantOfShape", "", {"shape"}, {"y"});
  size_t bytes = 0;
  for (const Tensor& constant : import(splat).constants) bytes += constant.bytes();
  EXPECT_LT(bytes, 100u);
}

TEST(Import, FunctionsAreExpanded) {
  TestModel model;
  auto* opset = model.proto().add_opset_import();
  opset->set_domain("local");
  opset->set_version(1);
  auto& function = *model.proto().add_functions();
  function.set_domain("local");
  function.set_name("Twice");
  function.add_input("v");
  function.add_output("w");
  function.add_opset_import()->set_version(18);
  function.add_attribute("alpha");
  auto& inner = *function.add_node();
  inner.set_op_type("LeakyRelu");
  inner.add_input("v");
  inner.add_output("h");
  auto& attribute = *inner.add_attribute();
  attribute.set_name("alpha");
  attribute.set_ref_attr_name("alpha");
  auto& sum = *function.add_node();
  sum.set_op_type("Add");
  sum.add_input("h");
  sum.add_input("h");
  sum.add_output("w");
  model.input("x", {"2"}).output("y");
  for (auto [in, out] : {std::pair{"x", "h"}, std::pair{"h", "y"}}) {
    auto& call = model.node("Twice", out, {in}, {out});
    call.set_domain("local");
    auto& alpha = *call.add_attribute();
    alpha.set_name("alpha");
    alpha.set_type(proto::AttributeProto::FLOAT);
    alpha.set_f(0.5f);
  }
  EXPECT_EQ(run(import(model), {floats({2}, {-1, 3})}), (std::vector<float>{-1, 12}));
  // One that calls itself ends, too.
  inner.set_op_type("Twice");
  inner.set_domain("local");
  auto module = import_onnx(model.bytes(), "m.onnx", "", OperatorLibrary::builtin(), {});
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("recursion is not supported"), std::string::npos) << module.error().message;
}

TEST(Import, ConstantNodesAndThePrintedGraph) {
  TestModel model;
  model.input("x", {"2"}).output("y");
  auto& attribute = *model.node("Constant", "c", {}, {"two"}).add_attribute();
  attribute.set_name("value_float");
  attribute.set_type(proto::AttributeProto::FLOAT);
  attribute.set_f(2);
  model.node("Mul", "scale", {"x", "two"}, {"y"});
  std::string printed;
  ImportOptions options;
  options.print_after = [&](const std::string& pass, const std::string& text) {
    EXPECT_EQ(pass, "graph");
    printed = text;
  };
  EXPECT_EQ(run(import(model, options), {floats({2}, {1, 2})}), (std::vector<float>{2, 4}));
  EXPECT_EQ(printed,
            "graph \"test\" (%\"x\": f32[2]) {\n  %\"two\" = constant f32[]\n"
            "  %\"y\" = onnx.Mul@18(%\"x\", %\"two\")  // \"scale\"\n  return %\"y\"\n}\n");
}

}  // namespace
}  // namespace hal::compiler
