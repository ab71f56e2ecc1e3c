// SPDX-License-Identifier: Apache-2.0
//
// A session on the CPU plugin: what it takes, what it refuses, and what stays the same from run to run.
#include "hal/runtime/session.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "hal/compiler/portable.hpp"
#include "hal/loader.h"

namespace hal::runtime {
namespace {

using namespace compiler;

// The CPU plugin, opened once for all tests and closed after them.
struct Cpu : testing::Environment {
  void SetUp() override {
    hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
    hal_string_t path = {HAL_TEST_PLUGIN, std::strlen(HAL_TEST_PLUGIN)};
    desc.plugin_paths = &path;
    desc.plugin_path_count = 1;
    auto status = take_status(hal_loader_create(&desc, &loader));
    if (status) status = take_status(hal_loader_open(loader, {"cpu:0", 5}, &device));
    ASSERT_TRUE(status) << status.error().message;
  }
  void TearDown() override {
    hal_loader_close(loader, device);
    auto status = take_status(hal_loader_destroy(loader));
    EXPECT_TRUE(status) << status.error().message;
  }
  hal_loader_t* loader = nullptr;
  hal_device_t* device = nullptr;
};

Cpu* const kCpu = static_cast<Cpu*>(testing::AddGlobalTestEnvironment(new Cpu));

hal_device_t* cpu() { return kCpu->device; }

Session session_of(const Module& module) {
  CompileOptions options;
  options.target = *target_of(cpu());
  auto program = compile(module, options);
  if (!program) throw std::runtime_error(program.error().message);
  auto session = Session::create(cpu(), std::move(*program));
  if (!session) throw std::runtime_error(session.error().message);
  return std::move(*session);
}

Tensor f32(std::vector<int64_t> shape, const std::vector<float>& values) {
  return Tensor::of<float>(DType::kF32, std::move(shape), values);
}

Attributes axes(std::vector<int64_t> values) {
  Attributes a;
  a.axes = std::move(values);
  return a;
}

// y[n] = sum over m of (x[n, m] + weights[m]), with 2 <= N <= 9.
Module row_sums() {
  Builder b("row_sums");
  b.ranges().set("N", {Sym(2), Sym(9)});
  ValueId x = b.parameter("x", {DType::kF32, {*Sym::parse("N"), 3}});
  ValueId w = b.constant(f32({3}, {10, 20, 30}));
  Attributes shape = axes({1});
  shape.shape = {*Sym::parse("N"), 3};
  ValueId wide = *b.op(Prim::kBroadcast, {w}, shape);
  Attributes sum = axes({1});
  sum.reduce = ReduceKind::kAdd;
  ValueId y = *b.op(Prim::kReduce, {*b.op(Prim::kAdd, {x, wide})}, sum);
  return *b.finish({y}, {"y"});
}

TEST(Session, RunsAgainAndAgainAtEveryExtentOfItsRange) {
  Session session = session_of(row_sums());
  for (int round = 0; round < 3; ++round) {
    for (int64_t n = 2; n <= 9; ++n) {
      std::vector<float> values(size_t(n) * 3);
      for (size_t i = 0; i < values.size(); ++i) values[i] = float(i) + float(round);
      auto got = session.run({f32({n, 3}, values)});
      ASSERT_TRUE(got) << got.error().message;
      ASSERT_EQ((*got)[0].shape, std::vector<int64_t>{n});
      for (int64_t i = 0; i < n; ++i)
        EXPECT_EQ((*got)[0].data<float>()[i], float(9 * i + 3 + 3 * round + 60)) << "n=" << n << " row " << i;
    }
  }
  EXPECT_GT(session.last_device_time(), 0u);
}

TEST(Session, RefusesInputsThatDoNotFitAndStaysUsable) {
  Session session = session_of(row_sums());
  struct Case {
    std::vector<Tensor> inputs;
    const char* says;
  };
  const Case cases[] = {
      {{}, "expected 1 inputs, got 0"},
      {{f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({}, {1})}, "expected 1 inputs, got 2"},
      {{f32({6}, {1, 2, 3, 4, 5, 6})}, "input x: expected f32[N, 3], got f32[6]"},
      {{f32({3, 2}, {1, 2, 3, 4, 5, 6})}, "input x: expected f32[N, 3], got f32[3, 2]"},
      {{Tensor::make(DType::kI32, {2, 3})}, "got i32[2, 3]"},
      {{Tensor::make(DType::kF32, {1, 3})}, "dimension N is 1; this program takes 2 to 9"},
      {{Tensor::make(DType::kF32, {10, 3})}, "dimension N is 10; this program takes 2 to 9"},
  };
  for (const Case& c : cases) {
    auto got = session.run(c.inputs);
    ASSERT_FALSE(got) << c.says;
    EXPECT_EQ(got.error().code, HAL_STATUS_INVALID_ARGUMENT) << got.error().message;
    EXPECT_NE(got.error().message.find(c.says), std::string::npos) << got.error().message;
  }
  auto good = session.run({f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ((*good)[0].data<float>()[1], 75);
}

TEST(Session, TakesMoreSetsOfExtentsThanItKeepsPlans) {
  Builder b("twice");
  ValueId x = b.parameter("x", {DType::kF32, {*Sym::parse("N")}});
  Session session = session_of(*b.finish({*b.op(Prim::kAdd, {x, x})}, {"y"}));
  for (int round = 0; round < 2; ++round) {
    for (int64_t n = 0; n < 40; ++n) {  // more than any cache of plans, and an empty one
      auto got = session.run({f32({n}, std::vector<float>(size_t(n), 1.5f))});
      ASSERT_TRUE(got) << got.error().message;
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ((*got)[0].data<float>()[i], 3);
    }
  }
}

TEST(Session, AProgramThatOnlyPassesItsInputOnHasNoCode) {
  Builder b("same");
  ValueId x = b.parameter("x", {DType::kF32, {2}});
  Session session = session_of(*b.finish({x}, {"y"}));
  auto got = session.run({f32({2}, {4, 5})});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ((*got)[0].data<float>()[1], 5);
}

// Weights are packed when the program is loaded; every run reads them.
TEST(Session, PreparesConstantsOnceAndReadsThemAtEachRun) {
  Builder b("dense");
  ValueId x = b.parameter("x", {DType::kF32, {*Sym::parse("N"), 70}});
  std::vector<float> weights(70 * 40);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = float(int(i % 7) - 3);
  Attributes labels;
  labels.labels = {{0, 2}, {2, 1}, {0, 1}};
  ValueId w = b.constant(f32({70, 40}, weights));
  Session session = session_of(*b.finish({*b.op(Prim::kContract, {x, w}, labels)}, {"y"}));
  size_t once = 0;
  for (const Step& step : session.program().steps) once += prepares(session.program(), step) ? 1 : 0;
  EXPECT_EQ(once, 1u);
  for (int64_t n : {1, 9, 30, 9}) {
    auto got = session.run({f32({n, 70}, std::vector<float>(size_t(n) * 70, 1))});
    ASSERT_TRUE(got) << got.error().message;
    for (int64_t j = 0; j < 40; ++j) {
      float want = 0;
      for (size_t i = 0; i < 70; ++i) want += weights[i * 40 + size_t(j)];
      EXPECT_EQ((*got)[0].data<float>()[(n - 1) * 40 + j], want) << n << " " << j;
    }
  }
}

TEST(Session, DamagedCodeIsRefusedBeforeItRuns) {
  CompileOptions options;
  options.target = *target_of(cpu());
  auto program = compile(row_sums(), options);
  ASSERT_TRUE(program) << program.error().message;
  program->executable.resize(program->executable.size() / 2);
  auto session = Session::create(cpu(), std::move(*program));
  ASSERT_FALSE(session);
  EXPECT_FALSE(session.error().message.empty());
}

TEST(Session, SessionsOnOneDeviceDoNotDisturbEachOther) {
  Session first = session_of(row_sums());
  std::vector<Session> others;
  for (int i = 0; i < 8; ++i) others.push_back(session_of(row_sums()));
  Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  for (Session& other : others) ASSERT_TRUE(other.run({Tensor::make(DType::kF32, {9, 3})}));
  auto before = first.run({x});
  others.clear();
  auto after = first.run({x});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(*(*before)[0].storage, *(*after)[0].storage);
}

TEST(Session, PoisonIsOverwrittenWhereTheProgramWrites) {
  Session session = session_of(row_sums());
  auto got = session.run({f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({2}, {-7, -7})});
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ((*got)[0].data<float>()[0], 66);
  EXPECT_EQ((*got)[0].data<float>()[1], 75);
}

}  // namespace
}  // namespace hal::runtime
