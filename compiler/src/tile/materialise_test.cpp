// SPDX-License-Identifier: Apache-2.0
//
// Kernels stay small whatever the module: long chains, values read at many places, and many operands.
#include "materialise.hpp"

#include <gtest/gtest.h>

#include "chains_for_test.hpp"
#include "hal/compiler/program.hpp"

namespace hal::compiler::tile {
namespace {

Program lowered(const Module& module, bool fuse = true) {
  auto program = lower(module, {fuse});
  EXPECT_TRUE(program) << program.error().message;
  auto fine = verify(*program);
  EXPECT_TRUE(fine) << fine.error().message;
  return *program;
}

// `steps` times one movement, all between a parameter and one elementwise op.
Module movement_chain(int steps, const std::function<ValueId(Builder&, ValueId, int)>& step) {
  Builder b("chain");
  ValueId x = b.parameter("x", {DType::kF32, {6, 35}});
  for (int i = 0; i < steps; ++i) x = step(b, x, i);
  return *b.finish({*b.op(Prim::kAbs, {x})}, {"y"});
}

ValueId transpose(Builder& b, ValueId x, int) { return *b.op(Prim::kTranspose, {x}, with_axes({1, 0})); }

// Factors that never line up, with a transpose between: the index of each has a division more.
ValueId reshape(Builder& b, ValueId x, int i) {
  static const Shape kShapes[] = {{10, 21}, {14, 15}, {6, 35}, {21, 10}};
  ValueId shaped = *b.op(Prim::kReshape, {x}, with_shape(kShapes[i % 4]));
  return transpose(b, shaped, i);
}

ValueId pad_and_cut(Builder& b, ValueId x, int) {
  Attributes pad;
  pad.low = {1, 0}, pad.high = {0, 1}, pad.interior = {0, 0};
  ValueId zero = b.constant(Tensor::of<float>(DType::kF32, {}, {0}));
  ValueId padded = *b.op(Prim::kPad, {x, zero}, pad);
  return *b.op(Prim::kSlice, {padded}, slice_of({0, 0}, {6, 35}));
}

TEST(Materialise, DeepMovementChainsAreCut) {
  for (auto step : {transpose, reshape, pad_and_cut}) {
    for (bool fuse : {true, false}) {
      Program program = lowered(movement_chain(3000, step), fuse);
      EXPECT_GT(program.kernels.size(), 20u);
      EXPECT_LT(size_of(program).largest, 300u);
    }
  }
}

TEST(Materialise, ShortMovementChainsStayInTheirKernel) {
  for (auto step : {transpose, reshape, pad_and_cut}) {
    EXPECT_EQ(lowered(movement_chain(3, step)).kernels.size(), 1u);
  }
}

TEST(Materialise, DeepElementwiseChainsAreCutAlsoBehindAReduction) {
  for (bool reduce : {false, true}) {
    Builder b("chain");
    ValueId x = b.parameter("x", {DType::kF32, {4, 8}});
    Attributes sum = with_axes({1});
    sum.reduce = ReduceKind::kAdd;
    if (reduce) x = *b.op(Prim::kReduce, {x}, sum);
    for (int i = 0; i < 3000; ++i) x = *b.op(Prim::kNeg, {x});
    Program program = lowered(*b.finish({x}, {"y"}));
    EXPECT_LE(size_of(program).largest, 300u) << "with a reduction: " << reduce;
  }
}

// x[:-s] + x[s:], again and again: the input is read at 2^n places.
Module butterfly(int steps) {
  Builder b("butterfly");
  int64_t extent = int64_t{1} << (steps + 1);
  ValueId x = b.parameter("x", {DType::kF32, {extent}});
  for (int i = 0; i < steps; ++i) {
    int64_t shift = int64_t{1} << i;
    extent -= shift;
    ValueId low = *b.op(Prim::kSlice, {x}, slice_of({0}, {extent}));
    ValueId high = *b.op(Prim::kSlice, {x}, slice_of({shift}, {extent}));
    x = *b.op(Prim::kAdd, {low, high});
  }
  return *b.finish({x}, {"y"});
}

Module doubling(int steps) {
  Builder b("doubling");
  ValueId x = b.parameter("x", {DType::kF32, {2}});
  for (int i = 0; i < steps; ++i) x = *b.op(Prim::kConcat, {x, x}, with_axes({0}));
  return *b.finish({*b.op(Prim::kNeg, {x})}, {"y"});
}

TEST(Materialise, ValuesReadAtManyPlacesAreBuffers) {
  for (auto make : {butterfly, doubling}) {
    size_t half = size_of(lowered(make(20))).nodes, all = size_of(lowered(make(40))).nodes;
    EXPECT_LT(all, 3 * half) << "the expressions of twice the module should be about twice as large";
    EXPECT_LT(all, 40u * 20u);
  }
}

// A sum of `count` inputs, as a balanced tree or one after the other.
Module sum_of(size_t count, bool tree) {
  Builder b("sum");
  std::vector<ValueId> xs;
  for (size_t i = 0; i < count; ++i)
    xs.push_back(b.parameter("x" + std::to_string(i), {DType::kF32, {Sym::symbol("N")}}));
  while (xs.size() > 1) {
    std::vector<ValueId> next;
    if (tree) {
      for (size_t i = 0; i + 1 < xs.size(); i += 2) next.push_back(*b.op(Prim::kAdd, {xs[i], xs[i + 1]}));
      if (xs.size() % 2 == 1) next.push_back(xs.back());
    } else {
      next.push_back(*b.op(Prim::kAdd, {xs[0], xs[1]}));
      next.insert(next.end(), xs.begin() + 2, xs.end());
    }
    xs = std::move(next);
  }
  return *b.finish(xs, {"y"});
}

Module concat_of(size_t count, bool behind_an_op) {
  Builder b("concat");
  std::vector<ValueId> xs;
  for (size_t i = 0; i < count; ++i) xs.push_back(b.parameter("x" + std::to_string(i), {DType::kF32, {2, 3}}));
  ValueId all = *b.op(Prim::kConcat, xs, with_axes({0}));
  if (behind_an_op) all = *b.op(Prim::kNeg, {all});
  return *b.finish({all}, {"y"});
}

TEST(Materialise, NoKernelHasMoreBindingsThanEveryDeviceHas) {
  for (const Module& module : {sum_of(200, true), sum_of(200, false), concat_of(200, false), concat_of(200, true)}) {
    Program program = lowered(module);
    EXPECT_LE(size_of(program).most_bindings, kMaxLoads + 1) << module.function.name;
    EXPECT_GT(program.kernels.size(), 3u);
    CompileOptions options;
    options.target.features = "x86-64+sse4.1";
    auto compiled = compile(module, options);
    ASSERT_TRUE(compiled) << compiled.error().message;
    for (const Step& step : compiled->steps) {
      ASSERT_LE(step.bindings.size(), 64u);
      EXPECT_NE(step.written_bindings, 0u) << step.label;
    }
  }
}

TEST(Materialise, AnEpilogueDoesNotExceedTheBindings) {
  Builder b("epilogue");
  Attributes sum = with_axes({1});
  sum.reduce = ReduceKind::kAdd;
  std::vector<ValueId> xs = {b.parameter("x", {DType::kF32, {4, 8}})};
  for (int i = 0; i < 200; ++i) xs.push_back(b.parameter("y" + std::to_string(i), {DType::kF32, {4}}));
  ValueId x = *b.op(Prim::kReduce, {xs[0]}, sum);
  for (int i = 1; i <= 200; ++i) x = *b.op(Prim::kAdd, {x, xs[size_t(i)]});
  EXPECT_LE(size_of(lowered(*b.finish({x}, {"y"}))).most_bindings, kMaxLoads + 1);
}

TEST(Materialise, AKernelWithTooManyBindingsIsAClearError) {
  Program program;
  program.name = "wide";
  Shape shape = {4};
  Block block{"sum", {{"i0", AxisKind::kParallel, 4}}, {}, nullptr, nullptr, 0, {Sym::symbol("i0")}};
  program.ranges.set_index("i0", 4);
  for (uint32_t i = 0; i < 80; ++i) {
    program.buffers.push_back({"x" + std::to_string(i), BufferKind::kInput, i, {DType::kF32, shape}});
    ExprPtr x = load(i, DType::kF32, {Sym::symbol("i0")});
    block.body = block.body == nullptr ? x : primitive(Prim::kAdd, DType::kF32, {block.body, x});
  }
  program.buffers.push_back({"y", BufferKind::kOutput, 0, {DType::kF32, shape}});
  block.target = 80;
  program.kernels = {{"sum_0", {block}}};
  CompileOptions options;
  options.target.features = "x86-64+sse4.1";
  auto compiled = generate(program, options);
  ASSERT_FALSE(compiled);
  EXPECT_NE(compiled.error().message.find("at most 64 bindings"), std::string::npos) << compiled.error().message;
}

TEST(Materialise, WhatAScatterReadsAgainAndAgainIsABuffer) {
  Builder b("scatter");
  ValueId x = b.parameter("x", {DType::kF32, {4}}), updates = b.parameter("u", {DType::kF32, {3}});
  ValueId index = b.parameter("i", {DType::kI64, {3}});
  ValueId computed = *b.op(Prim::kExp, {updates}), which = *b.op(Prim::kAbs, {index});
  ValueId out = *b.op(Prim::kScatter, {x, which, computed}, with_axes({0}));
  Module module = *b.finish({out}, {"y"});
  std::vector<bool> flags = choose_materialised(module, true);
  EXPECT_TRUE(flags[computed]);
  EXPECT_TRUE(flags[which]);
}

}  // namespace
}  // namespace hal::compiler::tile
