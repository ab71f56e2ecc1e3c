// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hal/compiler/memory_plan.hpp"

namespace hal::compiler {
namespace {

// relu(x * w) over symbolic rows, with a constant that is not one value.
CompiledProgram sample() {
  Builder b("sample");
  Sym rows = Sym::symbol("N");
  ValueId x = b.parameter("x", {DType::kF32, {rows, 3}});
  ValueId w = b.constant(Tensor::of<float>(DType::kF32, {3, 2}, {1, 2, 3, 4, 5, 6}));
  b.ranges().assume_equal(rows, Sym(2) * floordiv(rows, 2));
  Attributes labels;
  labels.labels = {{0, 2}, {2, 1}, {0, 1}};
  ValueId p = *b.op(Prim::kContract, {x, w}, labels);
  CompileOptions options;
  options.target.features = host_features();
  return *compile(*b.finish({*b.op(Prim::kAbs, {p})}, {"y"}), options);
}

TEST(ProgramFile, RoundTripKeepsEverything) {
  CompiledProgram program = sample();
  auto bytes = save(program);
  auto read = load_program(bytes.data(), bytes.size(), "sample.halp");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(save(*read), bytes);
  EXPECT_EQ(read->executable, program.executable);
  EXPECT_EQ(read->ranges.assumptions(), program.ranges.assumptions());
  EXPECT_EQ(text(read->outputs[0].type), "f32[N, 2]");
}

TEST(ProgramFile, EveryDamagedByteIsFound) {
  auto bytes = save(sample());
  for (size_t i = 0; i < bytes.size(); i += i < 600 ? 1 : 37) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{0x10};
    auto read = load_program(damaged.data(), damaged.size(), "damaged.halp");
    ASSERT_FALSE(read) << "byte " << i;
    EXPECT_NE(read.error().message.find("damaged.halp"), std::string::npos);
  }
  for (size_t size : {size_t{0}, size_t{7}, size_t{100}, bytes.size() - 1}) {
    EXPECT_FALSE(load_program(bytes.data(), size, "short.halp")) << size;
  }
}

TEST(MemoryPlan, LiveTemporariesDoNotMeet) {
  // A chain of temporaries t0 -> t1 -> ... : at each step two are live.
  CompiledProgram program;
  program.symbols = {"N"};
  for (int i = 0; i < 6; ++i)
    program.buffers.push_back({tile::BufferKind::kTemporary, 0, {DType::kF32, {Sym::symbol("N"), 100 + i}}});
  for (uint32_t i = 0; i + 1 < 6; ++i) program.steps.push_back({"s", 0, {1, 1, 1}, {}, {i, i + 1}, 2});
  auto plan = plan_memory(program, {{"N", 50}});
  ASSERT_TRUE(plan);
  for (uint32_t i = 0; i + 1 < 6; ++i) {
    uint64_t low = plan->offsets[i], high = plan->offsets[i + 1];
    uint64_t low_end = low + uint64_t{50} * (100 + i) * 4, high_end = high + uint64_t{50} * (101 + i) * 4;
    EXPECT_TRUE(low_end <= high || high_end <= low) << i;
    EXPECT_EQ(low % 64, 0u);
  }
  EXPECT_LE(plan->arena_bytes, plan->largest_live_bytes * 105 / 100);
  EXPECT_FALSE(plan_memory(program, {{"N", int64_t{1} << 60}}));
  EXPECT_FALSE(plan_memory(program, {}));
}

}  // namespace
}  // namespace hal::compiler
