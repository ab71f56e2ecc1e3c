// SPDX-License-Identifier: Apache-2.0
#include "manifest.hpp"

#include <gtest/gtest.h>

#include "hal/base.h"

namespace hal::loader {
namespace {

constexpr const char* kGood = R"({"schema_version": 1, "name": "cpu", "library": "mortise_cpu.so", "abi": "1.2",
  "arch": "x86-64", "priority": -3, "config": {"threads": 4, "fast": true, "path": "/x"}, "later": [1, 2]})";

TEST(Manifest, EveryField) {
  const Result<Manifest> manifest = parse_manifest(kGood);
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->name, "cpu");
  EXPECT_EQ(manifest->library, "mortise_cpu.so");
  EXPECT_EQ(manifest->abi_version, HAL_ABI_MAKE(1, 2));
  EXPECT_EQ(manifest->arch, "x86-64");
  EXPECT_EQ(manifest->priority, -3);
  EXPECT_EQ(manifest->config, (Config{{"threads", "4"}, {"fast", "true"}, {"path", "/x"}}));
}

struct Wrong {
  const char* text;
  const char* says;
};

TEST(Manifest, WhatIsWrongIsNamed) {
  const Wrong cases[] = {
      {"", "line 1, column 1"},
      {"{", "line 1"},
      {"{\n\"name\": }", "line 2, column 9"},
      {"[]", "JSON object"},
      {"null", "JSON object"},
      {"{}", "\"schema_version\" is missing"},
      {R"({"schema_version": "1"})", "\"schema_version\" is \"1\""},
      {R"({"schema_version": 2})", "this release reads 1"},
      {R"({"schema_version": 1})", "\"name\" is missing"},
      {R"({"schema_version": 1, "name": 5})", "\"name\" is 5"},
      {R"({"schema_version": 1, "name": "C P U"})", "[a-z][a-z0-9-]*"},
      {R"({"schema_version": 1, "name": "cpu"})", "\"library\" is missing"},
      {R"({"schema_version": 1, "name": "cpu", "library": ""})", "\"library\" is \"\""},
      {R"({"schema_version": 1, "name": "cpu", "library": "x"})", "\"abi\" is missing"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": 1.0})", "\"abi\" is 1.0"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1"})", "\"abi\" is \"1\""},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1.0.0"})", "\"abi\" is"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1.99999"})", "\"abi\" is"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "-1.0"})", "\"abi\" is"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1.0", "arch": 1})", "\"arch\" is 1"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1.0", "priority": 1.5})", "\"priority\" is 1.5"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1.0", "config": []})", "\"config\" is []"},
      {R"({"schema_version": 1, "name": "cpu", "library": "x", "abi": "1.0", "config": {"a": {}}})", "\"config.a\""},
      {"{\"schema_version\": 1, \"name\": \"\xff\"}", "malformed JSON"},
      {"444e1520", "malformed JSON"},  // found by the fuzzer
      {R"({"schema_version": 1, "priority": -1e999})", "malformed JSON"},
  };
  for (const Wrong& wrong : cases) {
    const Result<Manifest> manifest = parse_manifest(wrong.text);
    ASSERT_FALSE(manifest) << wrong.text;
    EXPECT_NE(manifest.error().message.find(wrong.says), std::string::npos) << wrong.text << "\n"
                                                                            << manifest.error().message;
  }
}

TEST(Manifest, EveryTruncationIsAnError) {
  const std::string_view text = kGood;
  for (size_t length = 0; length < text.size(); ++length) {
    EXPECT_FALSE(parse_manifest(text.substr(0, length))) << length;
  }
}

TEST(Manifest, DeepNestingIsNoCrash) {
  const std::string deep = std::string(200000, '[');
  EXPECT_FALSE(parse_manifest(deep));
  EXPECT_FALSE(parse_manifest(deep + std::string(200000, ']')));
}

}  // namespace
}  // namespace hal::loader
