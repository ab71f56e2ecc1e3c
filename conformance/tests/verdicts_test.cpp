// SPDX-License-Identifier: Apache-2.0
//
// What becomes of a failure: it latches, a waiver may name it, and one that passes alone is followed to the cases
// before it. The cases here carry state in a file, as a device would in its memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "hal/conformance/context.hpp"
#include "hal/conformance/runner.hpp"

namespace hal::conformance {
namespace {

Case named(std::string name, std::function<void(CaseContext&)> body) {
  Case item;
  item.name = "runtime." + std::move(name);
  item.clause = "test";
  item.body = std::move(body);
  return item;
}

class Verdicts : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "/state" + std::to_string(getpid());
  void SetUp() override { std::filesystem::remove(path_); }
  void TearDown() override { std::filesystem::remove(path_); }

  Report run_cases(std::vector<Case> items, RunOptions options = {}) {
    Registry registry;
    EXPECT_TRUE(registry.add(std::move(items)).has_value());
    auto plan = make_plan(registry, {}, {});
    auto report = run_plan(*plan, {}, options);
    EXPECT_TRUE(report.has_value()) << report.error().message;
    return std::move(report).value();
  }

  Case good(std::string name) {
    return named(std::move(name), [](CaseContext&) {});
  }
  Case bad(std::string name) {
    return named(std::move(name), [](CaseContext&) { throw CaseFailure("broken"); });
  }
  // Leaves state behind; and one that fails where it finds it, and clears it.
  Case leaves_state(std::string name) {
    return named(std::move(name), [path = path_](CaseContext&) { std::ofstream(path) << "x"; });
  }
  Case minds_state(std::string name) {
    return named(std::move(name), [path = path_](CaseContext&) {
      if (std::filesystem::remove(path)) throw CaseFailure("somebody was here");
    });
  }
};

TEST_F(Verdicts, AFailureAfterAnotherCaseNamesIt) {
  const Report report = run_cases({good("a"), leaves_state("b"), good("c"), good("d"), minds_state("e"), good("f")});
  const CaseResult& result = report.cases[4].result;
  EXPECT_EQ(result.verdict, Verdict::kOrderDependent);
  EXPECT_NE(result.message.find("only after runtime.b)"), std::string::npos) << result.message;
  EXPECT_FALSE(report.holds());
}

TEST_F(Verdicts, AFailureThatNothingExplainsIsFlakyAndBad) {
  const Report report = run_cases({good("a"), named("once", [path = path_](CaseContext&) {
                                     if (std::filesystem::exists(path)) return;
                                     std::ofstream(path) << "x";
                                     throw CaseFailure("the first time");
                                   })});
  EXPECT_EQ(report.cases[1].result.verdict, Verdict::kFlaky);
  EXPECT_FALSE(report.holds());
}

TEST_F(Verdicts, AnOrderHasASeedAndReportsKeepTheList) {
  RunOptions options;
  std::vector<Case> items;
  for (int i = 0; i < 12; i++) items.push_back(good("a" + std::to_string(i)));
  std::vector<std::vector<std::string>> orders;
  for (const uint64_t seed : {0, 1, 1, 2}) {
    options.shuffle = seed;
    orders.emplace_back();
    options.progress = [&](uint64_t, uint64_t, const CaseResult& result) { orders.back().push_back(result.name); };
    const Report report = run_cases(items, options);
    EXPECT_EQ(report.shuffle, seed);
    for (size_t i = 0; i < items.size(); i++) EXPECT_EQ(report.cases[i].result.name, items[i].name);
  }
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end(), [&](const Case& a, const Case& b) {
    return std::find(orders[0].begin(), orders[0].end(), a.name) <
           std::find(orders[0].begin(), orders[0].end(), b.name);
  }));
  EXPECT_EQ(orders[1], orders[2]);
  EXPECT_NE(orders[0], orders[1]);
  EXPECT_NE(orders[1], orders[3]);
}

const Waiver kWaiver{"runtime.b", "erratum 17", "chip team", "2099-12-31"};

TEST_F(Verdicts, AWaiverNamesAFailureAndHidesNothing) {
  RunOptions options;
  options.waivers = {kWaiver};
  const Report report = run_cases({good("a"), bad("b")}, options);
  EXPECT_EQ(report.cases[1].result.verdict, Verdict::kWaived);
  for (const char* part : {"erratum 17", "chip team", "2099-12-31", "FAIL: broken"})
    EXPECT_NE(report.cases[1].result.message.find(part), std::string::npos) << part;
  EXPECT_TRUE(report.holds());
  EXPECT_EQ(report.levels()[0].state, LevelState::kPassedWithWaivers);
  EXPECT_TRUE(report.unused_waivers.empty());
}

TEST_F(Verdicts, AWaiverThatExpiredOrIsNotNeededIsSaid) {
  RunOptions options;
  options.waivers = {{"runtime.b", "r", "o", "2020-01-01"},
                     {"runtime.a", "r", "o", "2099-01-01"},
                     {"runtime.gone", "r", "o", "2099-01-01"}};
  const Report report = run_cases({good("a"), bad("b")}, options);
  EXPECT_EQ(report.cases[1].result.verdict, Verdict::kFail);
  EXPECT_EQ(report.cases[0].result.verdict, Verdict::kPass);
  ASSERT_EQ(report.unused_waivers.size(), 3u);
  EXPECT_NE(report.unused_waivers[0].find("expired"), std::string::npos);
  EXPECT_NE(report.unused_waivers[1].find("unexpected PASS"), std::string::npos);
  EXPECT_NE(report.unused_waivers[2].find("no such case"), std::string::npos);
  EXPECT_TRUE(report.waivers.empty());
}

TEST(Waivers, ReadsAFileAndRefusesWhatIsNone) {
  const std::string good =
      R"({"schema_version":1,"waivers":[{"case":"runtime.a","reason":"r","owner":"o","expires":"2027-02-28"}]})";
  ASSERT_TRUE(parse_waivers(good).has_value());
  EXPECT_EQ((*parse_waivers(good))[0].expires, "2027-02-28");
  const std::pair<const char*, const char*> changes[] = {{"\"r\"", "\"\""},
                                                         {"\"o\"", "\"\""},
                                                         {"2027-02-28", "2027-02-30"},
                                                         {"2027-02-28", "soon"},
                                                         {"runtime.a", "runtime.*"},
                                                         {"reason", "cause"},
                                                         {"\"schema_version\":1", "\"schema_version\":2"}};
  for (const auto& [from, to] : changes) {
    std::string text = good;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_FALSE(parse_waivers(text).has_value()) << text;
  }
  for (size_t size = 0; size < good.size(); size++) EXPECT_FALSE(parse_waivers(good.substr(0, size)).has_value());
}

}  // namespace
}  // namespace hal::conformance
