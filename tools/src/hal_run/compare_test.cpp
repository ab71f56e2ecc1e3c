// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hal::tools {
namespace {

using compiler::DType;
using compiler::Tensor;

Tensor f32(std::vector<float> values) {
  return Tensor::of<float>(DType::kF32, {static_cast<int64_t>(values.size())}, values);
}

TEST(Compare, JustInsidePassesJustOutsideFails) {
  Tolerance tolerance{.relative = 1e-3, .absolute = 0, .scale = 0};
  EXPECT_TRUE(compare(f32({1000.f}), f32({1000.99f}), tolerance).equal);
  EXPECT_FALSE(compare(f32({1000.f}), f32({1001.01f}), tolerance).equal);
}

TEST(Compare, ScaleIsAShareOfTheLargestMagnitude) {
  Tolerance tolerance{.relative = 0, .absolute = 0, .scale = 1e-3};
  EXPECT_TRUE(compare(f32({0.f, 1000.f}), f32({0.9f, 1000.f}), tolerance).equal);
  EXPECT_FALSE(compare(f32({0.f, 1000.f}), f32({1.1f, 1000.f}), tolerance).equal);
}

TEST(Compare, SpecialValuesEqualOnlyThemselves) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_TRUE(compare(f32({nan, inf, -inf}), f32({nan, inf, -inf}), {}).equal);
  EXPECT_FALSE(compare(f32({nan}), f32({1.f}), {}).equal);
  EXPECT_FALSE(compare(f32({1.f}), f32({nan}), {}).equal);
  EXPECT_FALSE(compare(f32({inf}), f32({-inf}), {}).equal);
  EXPECT_FALSE(compare(f32({1.f}), f32({inf}), {}).equal);
}

TEST(Compare, OneInfinityHidesNoOtherElement) {
  const float inf = std::numeric_limits<float>::infinity();
  auto result = compare(f32({inf, 1.f, 2.f}), f32({inf, 1.f, 3.f}), {});
  EXPECT_FALSE(result.equal);
  EXPECT_NE(result.first_mismatch.find("[2]"), std::string::npos) << result.first_mismatch;
}

TEST(Compare, TypeAndShapeAreExact) {
  EXPECT_FALSE(compare(f32({1.f}), Tensor::of<double>(DType::kF64, {1}, {1.0}), {}).equal);
  EXPECT_FALSE(compare(f32({1.f}), Tensor::of<float>(DType::kF32, {1, 1}, {1.f}), {}).equal);
}

TEST(Compare, IntegersAreExactAndNamed) {
  auto result = compare(Tensor::of<int64_t>(DType::kI64, {2, 2}, {1, 2, 3, -4}),
                        Tensor::of<int64_t>(DType::kI64, {2, 2}, {1, 2, 3, 4}), {});
  EXPECT_FALSE(result.equal);
  EXPECT_EQ(result.first_mismatch, "element [1, 1]: expected -4, got 4");
}

TEST(Compare, HalfPrecisionIsReadExactly) {
  // 0x3C00 is 1 in f16 and 0x3F80 is 1 in bf16; 0x7C00 is f16's infinity.
  auto f16 = Tensor::of<uint16_t>(DType::kF16, {2}, {0x3C00, 0x7C00});
  EXPECT_TRUE(compare(f16, f16, {}).equal);
  EXPECT_EQ(compare(f16, f16, {}).largest_expected, 1.0);
  auto bf16 = Tensor::of<uint16_t>(DType::kBF16, {1}, {0x3F80});
  EXPECT_EQ(compare(bf16, bf16, {}).largest_expected, 1.0);
}

}  // namespace
}  // namespace hal::tools
