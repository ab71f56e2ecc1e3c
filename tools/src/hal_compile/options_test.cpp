// SPDX-License-Identifier: Apache-2.0
#include "hal_compile/options.hpp"

#include <gtest/gtest.h>

namespace hal::tools {
namespace {

using compiler::DType;

TEST(Words, TypesAreRead) {
  auto type = parse_type("f32[4, 2*N]");
  ASSERT_TRUE(type) << type.error().message;
  EXPECT_EQ(text(*type), "f32[4, 2*N]");
  EXPECT_EQ(parse_type("i64[]")->shape.size(), 0u);
  for (const char* bad : {"f32", "f33[4]", "f32[4", "f32[-4]", "f32[4,,5]", "f32[4)", ""})
    EXPECT_FALSE(parse_type(bad)) << bad;
}

TEST(Words, NumbersAreTensors) {
  EXPECT_EQ(parse_numbers("3")->shape, std::vector<int64_t>{});
  EXPECT_EQ(parse_numbers("3,")->shape, std::vector<int64_t>{1});
  auto list = parse_numbers("1,-2, 3");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->dtype, DType::kI64);
  EXPECT_EQ(list->data<int64_t>()[1], -2);
  EXPECT_EQ(parse_numbers("0.5")->dtype, DType::kF32);
  EXPECT_EQ(parse_numbers("0.5")->data<float>()[0], 0.5f);
  EXPECT_FALSE(parse_numbers("1,x"));
}

TEST(Words, AttributesHaveTheirDeclaredType) {
  EXPECT_EQ(std::get<int64_t>(*parse_attribute("int", "-1")), -1);
  EXPECT_EQ(std::get<std::vector<int64_t>>(*parse_attribute("ints", "1,2")), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(std::get<double>(*parse_attribute("float", "1e-5")), 1e-5);
  EXPECT_EQ(std::get<DType>(*parse_attribute("dtype", "f16")), DType::kF16);
  EXPECT_EQ(std::get<std::string>(*parse_attribute("string", "same")), "same");
  EXPECT_EQ(std::get<int64_t>(*parse_attribute("bool", "true")), 1);
  EXPECT_FALSE(parse_attribute("int", "1.5"));
  EXPECT_FALSE(parse_attribute("bool", "yes"));
  EXPECT_FALSE(parse_attribute("dtype", "f33"));
}

TEST(Words, DimsAndTargets) {
  auto dims = parse_dims({"H=640", "W=480"});
  ASSERT_TRUE(dims);
  EXPECT_EQ(dims->at("H"), 640);
  EXPECT_FALSE(parse_dims({"H"}));
  EXPECT_FALSE(parse_dims({"H=big"}));
  auto target = parse_target("elf-x86-64/1,x86-64+avx2");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->format, "elf-x86-64/1");
  EXPECT_EQ(target->features, "x86-64+avx2");
  EXPECT_FALSE(parse_target("x86"));
}

}  // namespace
}  // namespace hal::tools
