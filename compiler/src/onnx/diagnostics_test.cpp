// SPDX-License-Identifier: Apache-2.0
//
// One test for each way in which a model can be wrong: the message names the place and what was expected.
#include <gtest/gtest.h>

#include <algorithm>

#include "hal/compiler/onnx.hpp"
#include "hal/compiler/tensor_io.hpp"
#include "onnx/test_models.hpp"

namespace hal::compiler {
namespace {

// Importing fails with a message of one or two lines that holds all of `parts`.
void expect_error(const std::string& bytes, const std::vector<std::string>& parts, const ImportOptions& options = {}) {
  auto module = import_onnx(bytes, "m.onnx", "", OperatorLibrary::builtin(), options);
  ASSERT_FALSE(module) << "expected an error with " << parts[0];
  const std::string& message = module.error().message;
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << part << " not in: " << message;
  EXPECT_LE(std::count(message.begin(), message.end(), '\n'), 1) << message;
}

void expect_error(const TestModel& model, const std::vector<std::string>& parts, const ImportOptions& options = {}) {
  expect_error(model.bytes(), parts, options);
}

TestModel relu_model() {
  TestModel model;
  model.input("x", {"N", "4"}).output("y");
  model.node("Relu", "act", {"x"}, {"y"});
  return model;
}

TEST(Diagnostics, BytesThatAreNoModel) {
  expect_error("", {"m.onnx: not an ONNX model"});
  expect_error(std::string(100, '\xff'), {"m.onnx: not an ONNX model, or cut off"});
  std::string whole = relu_model().bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    auto module = import_onnx(whole.substr(0, length), "m.onnx", "", OperatorLibrary::builtin(), {});
    EXPECT_FALSE(module) << length;
  }
}

TEST(Diagnostics, NestingIsLimited) {
  TestModel model;
  proto::GraphProto* graph = &model.graph();
  for (int i = 0; i < 100; ++i) {
    auto* attribute = graph->add_node()->add_attribute();
    graph = attribute->mutable_g();
    graph->set_name("deeper");
  }
  expect_error(model, {"m.onnx: not an ONNX model"});
}

TEST(Diagnostics, ACycleIsNamed) {
  TestModel model;
  model.input("x", {"4"}).output("c");
  model.node("Add", "first", {"x", "c"}, {"a"});
  model.node("Relu", "second", {"a"}, {"b"});
  model.node("Relu", "third", {"b"}, {"c"});
  expect_error(model, {"m.onnx: the graph has a cycle", "\"first\" uses \"third\"", "\"third\" uses \"second\""});
}

TEST(Diagnostics, AMissingInputHasTheNearestName) {
  TestModel model;
  model.input("image", {"4"}).output("y");
  model.node("Relu", "act", {"imagge"}, {"y"});
  expect_error(model, {"m.onnx: node act (onnx.Relu@18)", "input \"imagge\"", "did you mean \"image\""});
  TestModel no_output = relu_model();
  no_output.output("z");
  expect_error(no_output, {"graph output \"z\" is made by no node"});
}

TEST(Diagnostics, NamesAreUnique) {
  TestModel model = relu_model();
  model.node("Abs", "again", {"x"}, {"y"});
  expect_error(model, {"node again (onnx.Abs@18)", "\"y\" is already made by", "node act"});
  TestModel inputs = relu_model();
  inputs.input("x", {"4"});
  expect_error(inputs, {"\"x\" is given to two inputs"});
  TestModel constants = relu_model();
  constants.initializer("w", Tensor::make(DType::kF32, {2})).initializer("w", Tensor::make(DType::kF32, {2}));
  expect_error(constants, {"initializer \"w\"", "two of this name"});
}

TEST(Diagnostics, AnUnknownOperatorHasTheNearestName) {
  TestModel model;
  model.input("x", {"4"}).output("y");
  model.node("Sigmoyd", "act", {"x"}, {"y"});
  expect_error(model, {"node act (onnx.Sigmoyd@18)", "unknown operator \"Sigmoyd\"", "did you mean \"Sigmoid\""});
  model.graph().mutable_node(0)->set_domain("com.example");
  expect_error(model, {"imports no version of the operator set \"com.example\""});
  auto* opset = model.proto().add_opset_import();
  opset->set_domain("com.example");
  opset->set_version(1);
  expect_error(model, {"com.example.Sigmoyd@1", "no operator of the domain \"com.example\" is known"});
}

TEST(Diagnostics, VersionsThatAreNotSupported) {
  TestModel newest(1000);
  newest.input("x", {"4"}).output("x");
  expect_error(newest, {"operator set onnx version 1000", "expected 1 to"});
  TestModel oldest(0);
  oldest.input("x", {"4"}).output("x");
  expect_error(oldest, {"operator set onnx version 0"});
  TestModel early(7);
  early.input("x", {"4"}).output("y");
  early.node("Where", "pick", {"x", "x", "x"}, {"y"});
  expect_error(early, {"node pick (onnx.Where@7)", "version 7 of Where is not supported; expected 9 or newer"});
}

TEST(Diagnostics, AttributesThatAreWrong) {
  TestModel model;
  model.input("x", {"4", "5"}).output("y");
  auto& node = model.node("Softmax", "soft", {"x"}, {"y"});
  auto& attribute = *node.add_attribute();
  attribute.set_name("axis");
  attribute.set_type(proto::AttributeProto::FLOAT);
  attribute.set_f(1);
  expect_error(model, {"node soft (onnx.Softmax@18)", "attribute axis: expected int, not a float"});
  attribute.set_type(proto::AttributeProto::INT);
  expect_error(model, {"attribute \"axis\": it says that it is an int, but has none"});
  attribute.set_type(77);
  expect_error(model, {"attribute \"axis\"", "attribute type 77 is unknown"});
  attribute.set_type(proto::AttributeProto::INT);
  attribute.set_i(1);
  attribute.set_name("axes");
  expect_error(model, {"attribute \"axes\" is not supported", "did you mean \"axis\""});
  attribute.set_name("axis");
  set_int(node, "axis", 0);
  expect_error(model, {"attribute \"axis\" is given twice"});
}

TEST(Diagnostics, ShapesThatCannotBe) {
  TestModel model;
  model.input("a", {"4", "5"}).input("b", {"6"}).output("y");
  model.node("Add", "sum", {"a", "b"}, {"y"});
  expect_error(model, {"m.onnx: node sum (onnx.Add@18)", "f32[4, 5]", "f32[6]"});
  TestModel huge;
  huge.input("x", {"4294967296"}).output("x");
  expect_error(huge, {"input \"x\"", "dimension 0 is 4294967296; expected less than 2^31"});
  TestModel product;
  product.input("x", {"2147483647", "2147483647"}).output("x");
  expect_error(product, {"input \"x\"", "takes more than 2^40 bytes"});
  TestModel rank = relu_model();
  rank.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  expect_error(rank, {"input \"x\": its rank is unknown"});
}

TEST(Diagnostics, TensorsThatAreDamaged) {
  TestModel model = relu_model();
  auto& tensor = *model.graph().add_initializer();
  tensor = proto_of(Tensor::make(DType::kF32, {2, 3}), "w");
  tensor.set_raw_data(std::string(23, 'x'));
  expect_error(model, {"m.onnx: initializer \"w\"", "f32[2, 3] takes 24 bytes of raw_data; the file has 23"});
  tensor.clear_raw_data();
  expect_error(model, {"initializer \"w\"", "takes 24"});
  for (int i = 0; i < 5; ++i) tensor.add_float_data(1);
  expect_error(model, {"takes 6 elements of float_data; the file has 5"});
  tensor.set_dims(0, -2);
  expect_error(model, {"has the extent -2; expected 0 or more"});
  tensor.set_dims(0, int64_t{1} << 40);
  expect_error(model, {"expected less than 2^31"});
  tensor.set_dims(0, 2);
  tensor.set_data_type(99);
  expect_error(model, {"element type 99 is unknown"});
  tensor.set_data_type(8);
  expect_error(model, {"strings are not supported"});
}

TEST(Diagnostics, ExternalDataStayBelowTheModel) {
  TestModel model = relu_model();
  auto& tensor = *model.graph().add_initializer();
  tensor = proto_of(Tensor::make(DType::kF32, {2}), "w");
  tensor.clear_raw_data();
  tensor.set_data_location(1);
  auto& location = *tensor.add_external_data();
  location.set_key("location");
  location.set_value("../secret.bin");
  expect_error(model, {"external data", "only read for a model in a file"});
  for (const char* outside : {"../secret.bin", "/etc/passwd", "a/../../b"}) {
    location.set_value(outside);
    auto graph = read_onnx(model.bytes(), "m.onnx", testing::TempDir());
    ASSERT_FALSE(graph);
    EXPECT_NE(graph.error().message.find("is not below the model's folder"), std::string::npos)
        << graph.error().message;
  }
  ASSERT_TRUE(write_bytes(testing::TempDir() + "weights.bin", std::string(7, 'x')));
  location.set_value("weights.bin");
  auto graph = read_onnx(model.bytes(), "m.onnx", testing::TempDir());
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find("has 7 bytes; expected 8 at 0"), std::string::npos) << graph.error().message;
  ASSERT_TRUE(write_bytes(testing::TempDir() + "weights.bin", std::string(8, '\0')));
  EXPECT_TRUE(read_onnx(model.bytes(), "m.onnx", testing::TempDir()));
}

TEST(Diagnostics, WhatIsNotSupportedIsNamed) {
  TestModel branch = relu_model();
  auto& attribute = *branch.node("If", "choose", {"x"}, {"z"}).add_attribute();
  attribute.set_name("then_branch");
  attribute.set_type(proto::AttributeProto::GRAPH);
  attribute.mutable_g();
  EXPECT_TRUE(import_onnx(branch.bytes(), "m.onnx", "", OperatorLibrary::builtin(), {})) << "nothing needs the node";
  branch.output("z");
  expect_error(branch, {"node choose (onnx.If@18)", "give the value of the input x"});
  TestModel repeated = relu_model();
  repeated.node("Scan", "again", {"x"}, {"s"});
  repeated.output("s");
  expect_error(repeated, {"node again (onnx.Scan@18)", "the subgraph body is missing"});
  TestModel sparse = relu_model();
  sparse.graph().add_sparse_initializer()->mutable_values()->set_name("w");
  expect_error(sparse, {"initializer \"w\": sparse tensors are not supported"});
  TestModel sequence = relu_model();
  sequence.graph().mutable_input(0)->mutable_type()->mutable_sequence_type();
  expect_error(sequence, {"input \"x\": its type is a sequence; expected a tensor"});
}

TEST(Diagnostics, DimensionsThatDoNotExist) {
  ImportOptions options;
  options.dims = {{"M", 3}};
  expect_error(relu_model(), {"no input has the dimension \"M\"", "it has N"}, options);
  options.dims = {{"N", -1}};
  expect_error(relu_model(), {"dimension \"N\": expected 0 to 2^31 - 1, not -1"}, options);
}

TEST(Diagnostics, AnOutputOfAnotherDtype) {
  TestModel model = relu_model();
  model.graph().mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(7);
  expect_error(model, {"output \"y\" is declared as i64, but the graph makes f32[N, 4]"});
}

}  // namespace
}  // namespace hal::compiler
