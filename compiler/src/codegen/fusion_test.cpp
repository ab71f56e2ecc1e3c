// SPDX-License-Identifier: Apache-2.0
//
// Fusion changes no bit: chains of elementwise primitives, and such chains behind reductions, products and
// convolutions, in every dtype, over special values.
#include <gtest/gtest.h>

#include "random/compare.hpp"
#include "random/random_program.hpp"
#include "run_for_test.hpp"

namespace hal::compiler {
namespace {

const std::vector<DType> kDTypes = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,  DType::kU8,
                                    DType::kI16, DType::kU16, DType::kI32, DType::kU32,  DType::kI64, DType::kU64};

CompiledProgram compiled(const Module& module, bool fuse) {
  CompileOptions options;
  options.target.features = host_features();
  options.fuse = fuse;
  auto program = compile(module, options);
  EXPECT_TRUE(program) << program.error().message;
  return *program;
}

void expect_same_bits(const Module& module, const std::string& what) {
  random::Counter counter(5);
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < module.function.parameter_count; ++i) {
    const TensorType& type = module.function.values[i].type;
    std::vector<int64_t> shape;
    for (const Sym& extent : type.shape) shape.push_back(extent.constant().value_or(37));
    inputs.push_back(random::random_tensor(type.dtype, shape, i % 2 == 0, counter));
  }
  CompiledProgram fused = compiled(module, true), unfused = compiled(module, false);
  EXPECT_LT(fused.steps.size(), unfused.steps.size()) << what << " has nothing that fuses";
  auto a = run_for_test(fused, inputs, true), b = run_for_test(unfused, inputs, true);
  ASSERT_TRUE(a) << a.error().message;
  ASSERT_TRUE(b) << b.error().message;
  for (size_t i = 0; i < a->size(); ++i)
    EXPECT_EQ(random::find_difference((*b)[i], (*a)[i], 0), "") << what << ", result " << i;
}

// Rounds at each step, and passes through another dtype and back.
ValueId chain(Builder& b, ValueId x, ValueId y) {
  DType dtype = b.type(x).dtype;
  ValueId z = *b.op(Prim::kMul, {x, y});
  z = *b.op(Prim::kAdd, {z, x});
  if (is_float(dtype)) z = *b.op(Prim::kTanh, {*b.op(Prim::kDiv, {z, y})});
  z = *b.op(Prim::kMax, {z, *b.op(Prim::kSub, {y, z})});
  Attributes to;
  to.dtype = is_float(dtype) ? DType::kF16 : DType::kI8;
  ValueId narrow = *b.op(Prim::kCast, {z}, to);
  to.dtype = dtype;
  return *b.op(Prim::kMin, {*b.op(Prim::kCast, {narrow}, to), z});
}

ValueId broadcast(Builder& b, ValueId x, Shape shape) {
  Attributes a;
  a.axes = {static_cast<int64_t>(shape.size()) - 1};
  a.shape = std::move(shape);
  return *b.op(Prim::kBroadcast, {x}, a);
}

TEST(Fusion, KeepsTheBitsOfElementwiseChains) {
  Sym n = Sym::symbol("N");
  for (DType dtype : kDTypes) {
    Builder b("chain");
    ValueId x = b.parameter("x", {dtype, {5, n}}), y = b.parameter("y", {dtype, {n}});
    expect_same_bits(*b.finish({chain(b, x, broadcast(b, y, {5, n}))}, {"r"}), name(dtype));
  }
}

TEST(Fusion, KeepsTheBitsBehindReductions) {
  for (DType dtype : kDTypes) {
    for (ReduceKind kind : {ReduceKind::kAdd, ReduceKind::kMul, ReduceKind::kMin, ReduceKind::kMax}) {
      for (DType accumulator : {DType::kNone, is_float(dtype) ? DType::kF64 : DType::kI64}) {
        Builder b("reduction");
        ValueId x = b.parameter("x", {dtype, {11, 23}}), y = b.parameter("y", {dtype, {11}});
        Attributes a;
        a.axes = {1}, a.reduce = kind, a.accumulator = accumulator;
        ValueId r = *b.op(Prim::kReduce, {x}, a);
        expect_same_bits(*b.finish({chain(b, r, y)}, {"r"}),
                         std::string(name(dtype)) + " carried in " + name(accumulator));
      }
    }
  }
}

TEST(Fusion, KeepsTheBitsBehindProducts) {
  for (DType dtype : kDTypes) {
    for (DType accumulator : {DType::kNone, is_float(dtype) ? DType::kF32 : DType::kI32, DType::kF64}) {
      if (accumulator == DType::kF64 && !is_float(dtype)) continue;
      for (int64_t m : {3, 20}) {  // the general loops, and the blocked ones
        Builder b("product");
        ValueId x = b.parameter("x", {dtype, {m, 24}}), w = b.parameter("w", {dtype, {24, 19}});
        ValueId bias = b.parameter("bias", {dtype, {19}});
        Attributes a;
        a.labels = {{0, 1}, {1, 2}, {0, 2}}, a.accumulator = accumulator;
        ValueId r = *b.op(Prim::kContract, {x, w}, a);
        expect_same_bits(*b.finish({chain(b, r, broadcast(b, bias, {m, 19}))}, {"r"}),
                         std::string(name(dtype)) + " carried in " + name(accumulator));
      }
    }
  }
}

TEST(Fusion, KeepsTheBitsBehindConvolutions) {
  for (DType dtype : kDTypes) {
    Builder b("convolution");
    ValueId x = b.parameter("x", {dtype, {2, 3, 9, 9}}), w = b.parameter("w", {dtype, {8, 3, 3, 3}});
    ValueId y = b.parameter("y", {dtype, {2, 8, 7, 7}});
    Attributes window, a;
    window.axes = {2, 3}, window.size = {3, 3}, window.step = {1, 1}, window.dilation = {1, 1};
    ValueId patches = *b.op(Prim::kWindow, {x}, window);
    a.labels = {{0, 1, 2, 3, 4, 5}, {6, 1, 4, 5}, {0, 6, 2, 3}};
    ValueId r = *b.op(Prim::kContract, {patches, w}, a);
    expect_same_bits(*b.finish({chain(b, r, y)}, {"r"}), name(dtype));
  }
}

// 256 + 3 = 259 lies halfway between two bf16: even wins, where cutting the bits off would give 258.
TEST(Fusion, AnAccumulatorOfAnotherDtypeIsRoundedToTheResult) {
  for (DType accumulator : {DType::kF32, DType::kF64}) {
    Builder b("sum");
    ValueId x = b.parameter("x", {DType::kBF16, {3, 2}});
    Attributes a;
    a.axes = {1}, a.reduce = ReduceKind::kAdd, a.accumulator = accumulator;
    Module module = *b.finish({*b.op(Prim::kReduce, {x}, a)}, {"r"});
    Tensor input = Tensor::of<uint16_t>(DType::kBF16, {3, 2}, {0x4380, 0x4040, 0x4380, 0x3F80, 0x3F80, 0x4040});
    Tensor want = Tensor::of<uint16_t>(DType::kBF16, {3}, {0x4382, 0x4380, 0x4080});  // 260, 256 of 257, 4
    for (bool fuse : {true, false}) {
      auto got = run_for_test(compiled(module, fuse), {input}, true);
      ASSERT_TRUE(got) << got.error().message;
      EXPECT_EQ(random::find_difference(want, (*got)[0], 0), "") << "carried in " << name(accumulator);
    }
  }
}

}  // namespace
}  // namespace hal::compiler
