// SPDX-License-Identifier: Apache-2.0
#include "rules.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace hal::layers::fault {
namespace {

const std::vector<std::string_view> kCalls = {"memory.buffer_create", "queue.submit"};

Result<Rules> rules(const std::string& inside) {
  return parse_rules(R"({"schema_version": 1, "rules": [)" + inside + "]}", kCalls);
}

TEST(FaultRules, AreRead) {
  const Result<Rules> read = parse_rules(R"({"schema_version": 1, "seed": 7, "rules": [
      {"call": "queue.*", "plugin": "c*", "limit": 2, "when": {"every": 3, "probability": 0.5},
       "then": {"fail": "out of memory", "message": "no", "delay_us": [1, 9], "corrupt": true, "lose_device": true}},
      {"call": "queue.submit", "when": {"nth": 4}, "then": {"fail_later": "internal", "delay_us": 5}}]})",
                                         kCalls);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->seed, 7u);
  ASSERT_EQ(read->rules.size(), 2u);
  const Rule& first = read->rules[0];
  EXPECT_EQ(first.plugin, "c*");
  EXPECT_EQ(first.limit, 2u);
  EXPECT_EQ(first.every, 3u);
  EXPECT_EQ(first.probability, 0.5);
  EXPECT_EQ(first.action.fail, HAL_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(first.action.delay->most, 9u);
  EXPECT_TRUE(first.action.corrupts && first.action.loses_device && !first.action.fails_later);
  EXPECT_TRUE(read->rules[1].action.fails_later);
  EXPECT_EQ(read->rules[1].nth, 4u);
}

TEST(FaultRules, ErrorsNameThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"call": "x.y", "then": {"fail": "busy"}})", R"(rules[0].call is "x.y"; expected a call)"},
      {R"({"then": {"fail": "busy"}})", "rules[0].call is missing"},
      {R"({"call": "*"})", "rules[0].then is missing; expected an object"},
      {R"({"call": "*", "then": {}})", "rules[0].then is {}; expected fail"},
      {R"({"call": "*", "then": {"fail": "oops"}})", R"(rules[0].then.fail is "oops"; expected one of: invalid)"},
      {R"({"call": "*", "then": {"delay_us": [9, 1]}})", "rules[0].then.delay_us is [9,1]"},
      {R"({"call": "*", "then": {"delay_us": -1}})", "rules[0].then.delay_us is -1"},
      {R"({"call": "*", "then": {"corrupt": 1}})", "rules[0].then.corrupt is 1; expected true or false"},
      {R"({"call": "*", "then": {"fail": "busy", "fail_later": "busy"}})", "either fail or fail_later"},
      {R"({"call": "*", "then": {"fail_later": "busy"}})", "expected queue.submit"},
      {R"({"call": "*", "then": {"fail": "busy"}, "wen": {}})", "rules[0].wen is not known; there are: call"},
      {R"({"call": "*", "then": {"fail": "busy"}, "limit": 0})", "rules[0].limit is 0; expected a whole number"},
      {R"({"call": "*", "then": {"fail": "busy"}, "when": {"nth": 0}})", "rules[0].when.nth is 0"},
      {R"({"call": "*", "then": {"fail": "busy"}, "when": {"probability": 2}})", "rules[0].when.probability is 2"},
      {R"({"call": "*", "then": {"corrupt": true}}, 3)", "rules[1] is 3; expected an object"},
      {R"({"call": )", "malformed JSON: parse error at line 1, column"}};
  for (const auto& [text, expected] : cases) {
    const Result<Rules> read = rules(text);
    ASSERT_FALSE(read) << text;
    EXPECT_NE(read.error().message.find(expected), std::string::npos) << text << ": " << read.error().message;
  }
  EXPECT_FALSE(parse_rules(R"({"schema_version": 2, "rules": []})", kCalls));
  EXPECT_FALSE(parse_rules("[]", kCalls));
}

TEST(FaultRules, StrikeWhenTheySay) {
  const auto at = [](const Rule& rule) {
    std::vector<uint64_t> counts;
    for (uint64_t count = 1; count <= 8; ++count) {
      if (strikes(rule, 1, 0, count)) counts.push_back(count);
    }
    return counts;
  };
  Rule rule;
  rule.nth = 3;
  EXPECT_EQ(at(rule), (std::vector<uint64_t>{3}));
  rule = {};
  rule.every = 3;
  EXPECT_EQ(at(rule), (std::vector<uint64_t>{3, 6}));
  rule.after = 3;
  EXPECT_EQ(at(rule), (std::vector<uint64_t>{6}));
}

TEST(FaultRules, ChanceDependsOnSeedRuleAndCountAlone) {
  Rule rule;
  rule.probability = 0.25;
  const auto pattern = [&](uint64_t seed, uint64_t index) {
    std::vector<bool> hits;
    for (uint64_t count = 1; count <= 4000; ++count) hits.push_back(strikes(rule, seed, index, count));
    return hits;
  };
  EXPECT_EQ(pattern(5, 0), pattern(5, 0));
  EXPECT_NE(pattern(5, 0), pattern(6, 0));
  EXPECT_NE(pattern(5, 0), pattern(5, 1));
  const std::vector<bool> hits = pattern(5, 0);
  const auto struck = std::count(hits.begin(), hits.end(), true);
  EXPECT_NEAR(static_cast<double>(struck), 1000.0, 150.0);
  rule.probability = 0;
  EXPECT_FALSE(strikes(rule, 1, 0, 1));
}

TEST(FaultRules, PatternsFit) {
  EXPECT_TRUE(fits("*", "a.b"));
  EXPECT_TRUE(fits("memory.*", "memory.heaps"));
  EXPECT_TRUE(fits("*_create", "memory.buffer_create"));
  EXPECT_TRUE(fits("m*r*e", "memory.buffer_create"));
  EXPECT_FALSE(fits("memory.*", "queue.submit"));
  EXPECT_FALSE(fits("memory", "memory.heaps"));
  EXPECT_FALSE(fits("", "a"));
}

// The published schema and the reader know the same words.
TEST(FaultRules, TheSchemaListsTheSameCodes) {
  std::ifstream file(SCHEMA);
  const nlohmann::json schema = nlohmann::json::parse(file);
  const auto& codes = schema.at("$defs").at("code").at("enum");
  ASSERT_EQ(codes.size(), static_cast<size_t>(HAL_STATUS_COUNT_PLUS_ONE_ - 1));
  for (const auto& code : codes) {
    EXPECT_TRUE(rules(R"({"call": "*", "then": {"fail": )" + code.dump() + "}}")) << code;
  }
}

}  // namespace
}  // namespace hal::layers::fault
