// SPDX-License-Identifier: Apache-2.0
//
// Target strings, and that the plugin and the compiler that built this test see the same machine.
#include "features.hpp"

#include <gtest/gtest.h>

namespace hal::cpu {
namespace {

TEST(Features, TheMachineRunsItsOwnTarget) {
  EXPECT_TRUE(check_target(machine_target()).runs) << machine_target();
  EXPECT_TRUE(check_target("x86-64").runs);
}

TEST(Features, WhatIsMissingIsNamed) {
  const TargetVerdict verdict = check_target("x86-64+sse3+warp-drive+avx2");
  EXPECT_FALSE(verdict.runs);
  EXPECT_EQ(verdict.missing, "warp-drive");
  EXPECT_FALSE(check_target("").runs);
  EXPECT_FALSE(check_target("+avx2").runs);
  EXPECT_FALSE(check_target("x86-64+").runs);
  EXPECT_FALSE(check_target("x86-64++sse3").runs);
  EXPECT_FALSE(check_target("aarch64+neon").runs);
}

TEST(Features, AgreeWithTheCompilersRuntime) {
  EXPECT_EQ(has_feature("sse4.2"), __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(has_feature("popcnt"), __builtin_cpu_supports("popcnt") != 0);
  EXPECT_EQ(has_feature("avx"), __builtin_cpu_supports("avx") != 0);
  EXPECT_EQ(has_feature("avx2"), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(has_feature("fma"), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(has_feature("bmi"), __builtin_cpu_supports("bmi") != 0);
  EXPECT_EQ(has_feature("bmi2"), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(has_feature("avx512f"), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(has_feature("avx512bw"), __builtin_cpu_supports("avx512bw") != 0);
  EXPECT_EQ(has_feature("avx512dq"), __builtin_cpu_supports("avx512dq") != 0);
  EXPECT_EQ(has_feature("avx512vl"), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(has_feature("avx512ifma"), __builtin_cpu_supports("avx512ifma") != 0);
  EXPECT_EQ(has_feature("avx512vbmi"), __builtin_cpu_supports("avx512vbmi") != 0);
  EXPECT_EQ(has_feature("avx512vnni"), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(has_feature("avx512bf16"), __builtin_cpu_supports("avx512bf16") != 0);
}

}  // namespace
}  // namespace hal::cpu
