// SPDX-License-Identifier: Apache-2.0
//
// Random programs: the interpreter, compiled code, and compiled code without fusion agree.
//   compiler_random_test --seed N     one program, and if it fails the smallest that does
//   compiler_random_test --count N    seeds 1 to N (the nightly run takes 100,000); --from M: seeds M to M + N - 1
#include <gtest/gtest.h>

#include <cstdlib>

#include "codegen/run_for_test.hpp"
#include "compare.hpp"
#include "transform.hpp"

namespace hal::compiler::random {
namespace {

uint64_t first_seed = 1, seed_count = 1000;
constexpr uint64_t kBatch = 50;

Result<std::vector<Tensor>> compiled(const RandomProgram& program, bool fuse) {
  CompileOptions options;
  options.target.features = host_features();
  options.fuse = fuse;
  HAL_TRY_ASSIGN(CompiledProgram code, compile(program.module, options));
  return run_for_test(code, program.inputs, program.seed % 2 == 0);
}

// What is wrong with the program; empty if nothing is.
std::string problem_of(const RandomProgram& program) {
  auto want = interpret(program.module, program.inputs);
  if (!want) return "interpreter: " + want.error().message;
  auto fused = compiled(program, true), unfused = compiled(program, false);
  if (!fused) return "compiled: " + fused.error().message;
  if (!unfused) return "compiled without fusion: " + unfused.error().message;
  for (size_t i = 0; i < want->size(); ++i) {
    int tolerance = program.tolerance[program.module.function.results[i]];
    std::string where = "result " + std::to_string(i) + ", ";
    std::string first = find_difference((*want)[i], (*fused)[i], tolerance);
    if (!first.empty()) return where + "compiled: " + first;
    std::string second = find_difference((*fused)[i], (*unfused)[i], 0);
    if (!second.empty()) return where + "compiled without fusion against compiled: " + second;
  }
  return "";
}

std::string explain(const RandomProgram& program) {
  RandomProgram smallest = minimise(program, [](const RandomProgram& p) { return !problem_of(p).empty(); });
  std::string shapes;
  for (const Tensor& input : smallest.inputs) {
    shapes += " [";
    for (int64_t extent : input.shape) shapes += std::to_string(extent) + ",";
    shapes += "]";
  }
  return "seed " + std::to_string(program.seed) + ": " + problem_of(program) + "\nsmallest: " + problem_of(smallest) +
         "\n" + print(smallest.module) + "input shapes:" + shapes + "\nreproduce: compiler_random_test --seed " +
         std::to_string(program.seed);
}

TEST(RandomPrograms, InterpreterAndCompiledCodeAgree) {
  for (uint64_t done = 0; done < seed_count; done += kBatch) {
    std::vector<RandomProgram> programs;
    for (uint64_t i = done; i < std::min(seed_count, done + kBatch); ++i)
      programs.push_back(make_program(first_seed + i, "_" + std::to_string(i)));
    if (problem_of(merge(programs)).empty()) continue;
    bool found = false;
    for (const RandomProgram& program : programs) {
      if (problem_of(program).empty()) continue;
      found = true;
      ADD_FAILURE() << explain(program);
    }
    EXPECT_TRUE(found) << "seeds from " << first_seed + done << " fail together and not alone";
  }
}

TEST(RandomPrograms, AreTheSameForTheSameSeedAndDifferForOthers) {
  EXPECT_EQ(print(make_program(7).module), print(make_program(7).module));
  EXPECT_NE(print(make_program(7).module), print(make_program(8).module));
}

TEST(RandomPrograms, UseEveryPrimitive) {
  std::set<Prim> seen;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    for (const Op& op : make_program(seed).module.function.ops) seen.insert(op.prim);
  }
#define HAL_ROW(id, Name, text, cls, operands, attributes, meaning) EXPECT_EQ(seen.count(Prim::k##Name), 1u) << text;
  HAL_PRIMITIVE_TABLE(HAL_ROW)
#undef HAL_ROW
}

// A program is called failing when it has a scan: what is left is that scan and its operand.
TEST(RandomPrograms, MinimisingLeavesWhatFails) {
  auto fails = [](const RandomProgram& program) {
    for (const Op& op : program.module.function.ops) {
      if (op.prim == Prim::kScan) return true;
    }
    return false;
  };
  int found = 0;
  for (uint64_t seed = 1; seed <= 200 && found < 10; ++seed) {
    RandomProgram program = make_program(seed);
    if (!fails(program)) continue;
    ++found;
    RandomProgram smallest = minimise(program, fails);
    ASSERT_TRUE(verify(smallest.module));
    EXPECT_EQ(smallest.module.function.ops.size(), 1u) << print(smallest.module);
    EXPECT_EQ(interpret(smallest.module, smallest.inputs).has_value(), true);
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace hal::compiler::random

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string option = argv[i];
    uint64_t value = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--seed") hal::compiler::random::first_seed = value, hal::compiler::random::seed_count = 1;
    if (option == "--from") hal::compiler::random::first_seed = value;
    if (option == "--count") hal::compiler::random::seed_count = value;
  }
  return RUN_ALL_TESTS();
}
