// SPDX-License-Identifier: Apache-2.0
//
// What operators become: their values by hand-made examples, their primitives, symbolic shapes, versions, and the
// errors of an instantiation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/operators.hpp"
#include "lang/value.hpp"

namespace hal::compiler {
namespace {

Tensor f32(std::vector<int64_t> shape, const std::vector<float>& values) {
  return Tensor::of<float>(DType::kF32, std::move(shape), values);
}
Tensor i64(std::vector<int64_t> shape, const std::vector<int64_t>& values) {
  return Tensor::of<int64_t>(DType::kI64, std::move(shape), values);
}
TensorType type_of(const Tensor& tensor) { return {tensor.dtype, Shape(tensor.shape.begin(), tensor.shape.end())}; }
Shape shape(const std::vector<std::string>& extents) {
  Shape out;
  for (const std::string& extent : extents) out.push_back(*Sym::parse(extent));
  return out;
}

struct Instance {
  Module module;
  std::vector<TensorType> types;
};

// `operands`: types of parameters, or constants.
using Operand = std::variant<TensorType, Tensor>;
Result<Instance> make(const std::string& op, const std::vector<Operand>& operands, const AttributeMap& attributes = {},
                      const OperatorLibrary& library = OperatorLibrary::builtin()) {
  Builder builder(op);
  std::vector<std::optional<ValueId>> ids;
  for (const Operand& operand : operands) {
    const auto* type = std::get_if<TensorType>(&operand);
    ids.push_back(type ? builder.parameter("x" + std::to_string(ids.size()), *type)
                       : builder.constant(std::get<Tensor>(operand)));
  }
  HAL_TRY_ASSIGN(std::vector<ValueId> results,
                 instantiate(*library.find("mortise." + op), builder, ids, attributes, library));
  Instance out;
  std::vector<std::string> names;
  for (ValueId result : results) {
    names.push_back("y" + std::to_string(names.size()));
    out.types.push_back(builder.type(result));
  }
  HAL_TRY_ASSIGN(out.module, builder.finish(results, names));
  return out;
}

std::vector<float> run(const std::string& op, const std::vector<Tensor>& inputs, const AttributeMap& attributes = {},
                       const std::vector<Tensor>& constants = {}) {
  std::vector<Operand> operands;
  for (const Tensor& input : inputs) operands.push_back(type_of(input));
  for (const Tensor& constant : constants) operands.push_back(constant);
  auto made = make(op, operands, attributes);
  if (!made) {
    ADD_FAILURE() << made.error().message;
    return {};
  }
  auto outputs = interpret(made->module, inputs);
  if (!outputs) {
    ADD_FAILURE() << outputs.error().message;
    return {};
  }
  return std::vector<float>((*outputs)[0].data<float>(), (*outputs)[0].data<float>() + (*outputs)[0].size());
}

std::vector<Prim> prims(const Instance& instance) {
  std::vector<Prim> out;
  for (const Op& op : instance.module.function.ops) {
    if (op.prim != Prim::kConstant && op.prim != Prim::kSyms) out.push_back(op.prim);
  }
  return out;
}

void expect_near(const std::vector<float>& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << "element " << i;
}

TEST(Values, SoftmaxOfEqualAndOfLogarithms) {
  expect_near(run("softmax", {f32({2, 2}, {5, 5, 0, 1.0986123f})}), {0.5f, 0.5f, 0.25f, 0.75f});
}

TEST(Values, ConvByHand) {
  // 3x3 image, 2x2 kernel of ones: sums of quarters; then stride 2 with padding 1.
  Tensor x = f32({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  Tensor w = f32({1, 1, 2, 2}, {1, 1, 1, 1});
  EXPECT_EQ(run("conv", {x, w}), (std::vector<float>{12, 16, 24, 28}));
  AttributeMap padded = {{"pads", std::vector<int64_t>{1, 1, 1, 1}}, {"strides", std::vector<int64_t>{2, 2}}};
  EXPECT_EQ(run("conv", {x, w}, padded), (std::vector<float>{1, 5, 11, 28}));
}

TEST(Values, ConvTransposeByHandOnBothPaths) {
  Tensor x = f32({1, 1, 2, 2}, {1, 2, 3, 4});
  Tensor w = f32({1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_EQ(run("conv_transpose", {x, w}), (std::vector<float>{1, 12, 20, 103, 1234, 2040, 300, 3400, 4000}));
  AttributeMap apart = {{"strides", std::vector<int64_t>{2, 2}}};
  EXPECT_EQ(run("conv_transpose", {x, w}, apart),
            (std::vector<float>{1, 10, 2, 20, 100, 1000, 200, 2000, 3, 30, 4, 40, 300, 3000, 400, 4000}));
}

TEST(Values, PoolsIgnorePadding) {
  Tensor x = f32({1, 1, 2, 2}, {-1, -2, -3, -4});
  AttributeMap all = {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"pads", std::vector<int64_t>{1, 1, 0, 0}}};
  EXPECT_EQ(run("max_pool", {x}, all), (std::vector<float>{-1, -1, -1, -1}));
  EXPECT_EQ(run("average_pool", {x}, all), (std::vector<float>{-1, -1.5f, -2, -2.5f}));
}

TEST(Values, ResizeNearestRepeatsAndLinearInterpolates) {
  Tensor x = f32({1, 1, 1, 2}, {1, 3});
  AttributeMap repeat = {{"mode", std::string("nearest")},
                         {"coordinate_transformation_mode", std::string("asymmetric")},
                         {"nearest_mode", std::string("floor")}};
  EXPECT_EQ(run("resize10", {x}, {}, {f32({4}, {1, 1, 2, 2})}), (std::vector<float>{1, 1, 3, 3, 1, 1, 3, 3}));
  EXPECT_EQ(run("upsample7", {x}, {{"scales", std::vector<double>{1, 1, 1, 2}}, {"mode", std::string("linear")}}),
            (std::vector<float>{1, 2, 3, 3}));
}

TEST(Values, SliceGatherAndPadFollowPythonAndNumpy) {
  Tensor x = f32({4}, {0, 1, 2, 3});
  EXPECT_EQ(run("slice", {x}, {}, {i64({1}, {-1}), i64({1}, {-99}), i64({1}, {0}), i64({1}, {-2})}),
            (std::vector<float>{3, 1}));
  EXPECT_EQ(run("gather", {x}, {}, {i64({2}, {-1, 1})}), (std::vector<float>{3, 1}));
  EXPECT_EQ(run("pad", {x}, {{"mode", std::string("reflect")}}, {i64({2}, {2, 1})}),
            (std::vector<float>{2, 1, 0, 1, 2, 3, 2}));
}

TEST(Form, SoftmaxIsTheTextbookWithoutReshapes) {
  auto made = make("softmax", {TensorType{DType::kF32, {4, 130}}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(prims(*made), (std::vector<Prim>{Prim::kReduce, Prim::kBroadcast, Prim::kSub, Prim::kExp, Prim::kReduce,
                                             Prim::kBroadcast, Prim::kDiv}));
}

TEST(Form, MatrixProductsAreOneContraction) {
  for (int64_t transposed : {0, 1}) {
    AttributeMap attributes = {{"transA", transposed}, {"transB", transposed}};
    auto made = make("gemm", {TensorType{DType::kF32, {5, 5}}, TensorType{DType::kF32, {5, 5}}}, attributes);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(prims(*made), (std::vector<Prim>{Prim::kContract}));
  }
}

TEST(Form, ConvIsWindowAndContraction) {
  auto made =
      make("conv", {TensorType{DType::kF32, shape({"N", "3", "H", "W"})}, TensorType{DType::kF32, {8, 3, 3, 3}}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(prims(*made), (std::vector<Prim>{Prim::kWindow, Prim::kContract}));
  EXPECT_EQ(text(made->types[0]), "f32[N, 8, H - 2, W - 2]");
}

TEST(Symbolic, ShapesFollowTheOperands) {
  TensorType image{DType::kF32, shape({"N", "4", "H", "W"})};
  AttributeMap half = {
      {"kernel_shape", std::vector<int64_t>{2, 2}}, {"strides", std::vector<int64_t>{2, 2}}, {"ceil_mode", int64_t{0}}};
  auto pool = make("max_pool", {image}, half);
  ASSERT_TRUE(pool) << pool.error().message;
  EXPECT_EQ(text(pool->types[0]), "f32[N, 4, floordiv(H, 2), floordiv(W, 2)]");
  auto up = make("resize10", {image, f32({4}, {1, 1, 2, 2})});
  ASSERT_TRUE(up) << up.error().message;
  EXPECT_EQ(text(up->types[0]), "f32[N, 4, 2*H, 2*W]");
  auto flat = make("reshape", {image, i64({2}, {0, -1})});
  ASSERT_TRUE(flat) << flat.error().message;
  EXPECT_EQ(text(flat->types[0]), "f32[N, 4*H*W]");
  auto cut = make("slice", {image, i64({1}, {0}), i64({1}, {INT64_MAX}), i64({1}, {2}), i64({1}, {2})});
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_EQ(cut->types[0].shape[2].substitute({{"H", Sym(7)}}), Sym(4));
}

TEST(Symbolic, WhatCannotBeDecidedIsAssumed) {
  auto made = make("add", {TensorType{DType::kF32, shape({"N"})}, TensorType{DType::kF32, shape({"M"})}});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(text(made->types[0]), "f32[N]");
}

TEST(Errors, NameOperatorOperandsLineAndReason) {
  auto made = make("conv", {TensorType{DType::kF32, {1, 3, 8, 8}}, TensorType{DType::kF32, {4, 5, 3, 3}}});
  ASSERT_FALSE(made);
  EXPECT_EQ(
      made.error().message.substr(0, made.error().message.find('\n')),
      "mortise.conv(f32[1, 3, 8, 8], f32[4, 5, 3, 3]): x has 3 channels, but the weights take 5 in each of 1 groups");
  EXPECT_NE(made.error().message.find("operators/conv/conv.op:"), std::string::npos);
}

TEST(Errors, OfSignatures) {
  TensorType matrix{DType::kF32, {2, 3}};
  auto message = [](const Result<Instance>& made) {
    return made ? std::string("no error") : made.error().message.substr(0, made.error().message.find('\n'));
  };
  EXPECT_EQ(message(make("softmax", {matrix}, {{"axsi", int64_t{0}}})),
            "mortise.softmax(f32[2, 3]): there is no attribute \"axsi\"; did you mean \"axis\"?");
  EXPECT_EQ(message(make("softmax", {matrix}, {{"axis", int64_t{2}}})),
            "mortise.softmax(f32[2, 3]): axis 2 is not in [-2, 1], the axes of a tensor of rank 2");
  EXPECT_EQ(message(make("softmax", {matrix}, {{"axis", std::string("last")}})),
            "mortise.softmax(f32[2, 3]): attribute axis must be an integer, not a string \"last\"");
  EXPECT_EQ(message(make("softmax", {TensorType{DType::kI32, {2, 3}}})),
            "mortise.softmax(i32[2, 3]): x: dtype i32 is not one of {f32, f64, f16, bf16}");
  EXPECT_EQ(message(make("add", {matrix, TensorType{DType::kF64, {3}}})),
            "mortise.add(f32[2, 3], f64[3]): b: expected dtype f32 as T of an operand before it, not f64");
  EXPECT_EQ(message(make("add", {matrix})), "mortise.add(f32[2, 3]): operand b is missing");
  EXPECT_EQ(message(make("gelu", {matrix}, {{"approximate", std::string("tan")}})),
            "mortise.gelu(f32[2, 3]): attribute approximate must be one of \"none\", \"tanh\", not \"tan\"; did you "
            "mean \"tanh\"?");
  EXPECT_EQ(message(make("depth_to_space", {matrix}, {{"blocksize", int64_t{2}}})),
            "mortise.depth_to_space(f32[2, 3]): x: expected rank 4, not shape [2, 3]");
}

TEST(Aliases, TheNewestDefinitionThatIsOldEnough) {
  const OperatorLibrary& library = OperatorLibrary::builtin();
  EXPECT_EQ(name(*library.find_alias("onnx", "Softmax", 21)), "mortise.softmax");
  EXPECT_EQ(name(*library.find_alias("onnx", "Softmax", 12)), "mortise.softmax1");
  EXPECT_EQ(name(*library.find_alias("onnx", "ReduceSum", 11)), "mortise.reduce_sum1");
  EXPECT_EQ(library.find_alias("onnx", "LayerNormalization", 16), nullptr);
  EXPECT_EQ(library.find_alias("onnx", "NoSuchOperator", 16), nullptr);
}

TEST(Literals, OfShortFloatsAreRoundedOnce) {
  auto bits = [](DType dtype, double value) { return *lang::scalar_tensor(dtype, value).data<uint16_t>(); };
  EXPECT_EQ(bits(DType::kF16, 1.0), 0x3c00);
  EXPECT_EQ(bits(DType::kF16, -65504.0), 0xfbff);
  EXPECT_EQ(bits(DType::kF16, 65520.0), 0x7c00);
  EXPECT_EQ(bits(DType::kF16, 5.960464477539063e-08), 0x0001);
  EXPECT_EQ(bits(DType::kF16, 6.103515625e-05), 0x0400);
  EXPECT_EQ(bits(DType::kF16, 1.0 + 1.0 / 2048), 0x3c00);          // a tie, to even
  EXPECT_EQ(bits(DType::kF16, 1.0 + 1.0 / 2048 + 1e-12), 0x3c01);  // through f32 it would look like the tie
  EXPECT_EQ(bits(DType::kBF16, 1.0), 0x3f80);
  EXPECT_EQ(bits(DType::kBF16, -0.0), 0x8000);
  EXPECT_EQ(bits(DType::kBF16, 3.4e38), 0x7f80);
  EXPECT_EQ(bits(DType::kBF16, INFINITY), 0x7f80);
  EXPECT_EQ(bits(DType::kBF16, NAN), 0x7fc0);
}

TEST(Loops, AreBounded) {
  OperatorLibrary library;
  ASSERT_TRUE(
      library.add("my.op",
                  "fn f(n) = f(n + 1)\nop Deep(x: f32) -> y: f32 { y = x + f(0) }\n"
                  "op Long(x: f32) -> y: f32 { y = x; for i in range(99999) { for j in range(99999) { y = x } } }"));
  for (const char* op : {"deep", "long"}) {
    auto made = make(op, {TensorType{DType::kF32, {}}}, {}, library);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("more than"), std::string::npos) << made.error().message;
  }
}

TEST(Instantiate, ASymbolicExtentIsSqueezedAsAnAssumption) {
  auto made = make("squeeze", {TensorType{DType::kF32, shape({"2", "H", "3"})}, i64({1}, {1})});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->types[0].shape, shape({"2", "3"}));
  EXPECT_TRUE(interpret(made->module, {f32({2, 1, 3}, {1, 2, 3, 4, 5, 6})}));
  EXPECT_FALSE(interpret(made->module, {f32({2, 2, 3}, std::vector<float>(12))})) << "H is 2, not 1";
}

TEST(Instantiate, ContentsThatAreMissingNameTheirInput) {
  auto made = make("reshape", {TensorType{DType::kF32, shape({"6"})}, TensorType{DType::kI64, shape({"2"})}});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("give the value of the input x1"), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace hal::compiler
