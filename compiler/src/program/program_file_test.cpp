// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hal/compiler/memory_plan.hpp"
#include "program/prepare.hpp"

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

// A step may run at load only if nothing that it reads changes, whatever order the steps are given in.
TEST(Prepare, OnlyWhatDependsOnConstantsAlone) {
  using tile::BufferKind;
  auto kinds_after = [](std::vector<Step> steps, bool known = true) {
    CompiledProgram program;
    Sym extent = known ? Sym(4) : Sym::symbol("N");
    for (auto kind : {BufferKind::kInput, BufferKind::kConstant, BufferKind::kTemporary, BufferKind::kTemporary,
                      BufferKind::kOutput})
      program.buffers.push_back({kind, 0, {DType::kF32, {extent}}});
    program.steps = std::move(steps);
    prepare_constants(&program);
    return std::pair{program.buffers[2].kind == BufferKind::kPrepared,
                     program.buffers[3].kind == BufferKind::kPrepared};
  };
  auto step = [](std::vector<uint32_t> bindings) {  // the last one is written
    return Step{"s", 0, {1, 1, 1}, {}, bindings, uint64_t{1} << (bindings.size() - 1)};
  };
  using Both = std::pair<bool, bool>;
  EXPECT_EQ(kinds_after({step({1, 2}), step({2, 3}), step({3, 0, 4})}), Both(true, true));
  EXPECT_EQ(kinds_after({step({1, 2}), step({2, 0, 3}), step({3, 4})}), Both(true, false));
  EXPECT_EQ(kinds_after({step({1, 2}), step({0, 2}), step({2, 3})}), Both(false, false))
      << "a part comes from an input";
  EXPECT_EQ(kinds_after({step({0, 2}), step({1, 2}), step({2, 3})}), Both(false, false));
  EXPECT_EQ(kinds_after({step({1, 2}), step({2, 4})}, false), Both(false, false)) << "an extent is not known";
  EXPECT_EQ(kinds_after({step({1, 4})}), Both(false, false)) << "an output is written each time";
}

TEST(ProgramFile, AStepThatRunsAtLoadBindsNothingThatChanges) {
  CompiledProgram program = sample();
  CompiledProgram bad = program;
  bad.buffers.push_back({tile::BufferKind::kPrepared, 0, {DType::kF32, {4}}});
  bad.steps[0].bindings.push_back(static_cast<uint32_t>(bad.buffers.size() - 1));
  bad.steps[0].written_bindings = uint64_t{1} << (bad.steps[0].bindings.size() - 1);
  auto bytes = save(bad);
  auto read = load_program(bytes.data(), bytes.size(), "bad.halp");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("bad.halp: step 0: prepares a buffer"), std::string::npos)
      << read.error().message;
  bad = program;
  bad.buffers.push_back({tile::BufferKind::kPrepared, 0, {DType::kF32, {Sym::symbol("N")}}});
  bytes = save(bad);
  read = load_program(bytes.data(), bytes.size(), "bad.halp");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("extents are not known"), std::string::npos) << read.error().message;
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
