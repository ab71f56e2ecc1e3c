// SPDX-License-Identifier: Apache-2.0
//
// One model, four views: the totals are the same in text, JSON, JUnit and HTML; device text cannot break any of them.
// And the journal: what was written comes back, a torn line is dropped, another run's is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "hal/conformance/journal.hpp"
#include "hal/conformance/writers.hpp"

namespace hal::conformance {
namespace {

constexpr char kNasty[] = "<script>alert(1)</script> & \"quoted\" 'x' \x01\x7f ]]> \xff\xfe";

// A case of each verdict in each level, with hostile text.
Report make_report() {
  Report report;
  report.suite_version = "1.0.0";
  report.snapshot.device = "x:0";
  report.snapshot.device_name = kNasty;
  report.seed = 5;
  for (const Level level : kLevels) {
    for (const Verdict verdict : kVerdicts) {
      for (size_t i = 0; i <= static_cast<size_t>(verdict); i++) {
        ReportedCase item;
        item.level = level;
        item.clause = "test";
        item.result.name = std::string(to_text(level)) + ".softmax.f32.v" + std::to_string(static_cast<int>(verdict)) +
                           "_" + std::to_string(i);
        item.result.judge(verdict);
        item.result.message = kNasty;
        item.result.mismatch = Mismatch{3, "1", "nan", INFINITY};
        item.reproduce = "case=" + item.result.name;
        report.cases.push_back(item);
      }
    }
  }
  return report;
}

uint64_t count(const std::string& text, const std::string& part) {
  uint64_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) n++;
  return n;
}

TEST(Views, AgreeOnTheTotals) {
  const Report report = make_report();
  const Totals totals = report.totals();
  const std::string text = write_text(report), junit = write_junit(report), html = write_html(report);
  const auto json = nlohmann::json::parse(write_json(report));
  EXPECT_EQ(json["totals"]["planned"], report.cases.size());
  EXPECT_EQ(json.begin().key().empty(), false);
  for (const Verdict verdict : kVerdicts) {
    const std::string name(to_text(verdict));
    const uint64_t expected = totals[static_cast<size_t>(verdict)];
    EXPECT_GT(expected, 0u);
    EXPECT_EQ(json["totals"][name], expected);
    EXPECT_NE(text.find(", " + std::to_string(expected) + " " + name), std::string::npos) << name << " in " << text;
    if (verdict != Verdict::kPass) {
      EXPECT_EQ(count(junit, "message=\"" + name + ": "), expected);
    }
    const std::string table = html.substr(html.find("id=\"cases\""));
    EXPECT_EQ(count(table, "<td class=\"" + name + "\">"), expected);
  }
  EXPECT_EQ(count(junit, "<testcase "), report.cases.size());
  EXPECT_EQ(write_json(report).find("{\n \"schema_version\": 1"), 0u);
}

TEST(Views, HostileTextStaysText) {
  const Report report = make_report();
  for (const std::string& markup : {write_junit(report), write_html(report)}) {
    EXPECT_EQ(markup.find("<script>alert"), std::string::npos);
    EXPECT_TRUE(std::all_of(markup.begin(), markup.end(),
                            [](char c) { return c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f); }));
  }
  EXPECT_EQ(count(write_html(report), "http"), 0u) << "something from elsewhere";
}

TEST(Json, ReadsWhatItWrote) {
  const Report report = make_report();
  const auto again = read_json(write_json(report));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(write_json(*again), write_json(report));
}

TEST(Json, RefusesWhatItDidNotWrite) {
  const std::string text = write_json(make_report());
  for (size_t size = 0; size + 2 < text.size(); size += text.size() / 97)
    EXPECT_FALSE(read_json(text.substr(0, size)).has_value());
  auto json = nlohmann::json::parse(text);
  json["totals"]["PASS"] = 9999;
  EXPECT_FALSE(read_json(json.dump()).has_value()) << "totals that are not the cases'";
  json = nlohmann::json::parse(text);
  json["cases"][0]["verdict"] = "GOOD";
  EXPECT_FALSE(read_json(json.dump()).has_value());
  json = nlohmann::json::parse(text);
  json["schema_version"] = 2;
  EXPECT_FALSE(read_json(json.dump()).has_value());
}

// More than a few failures are all failures; limiting text limits text alone.
TEST(Report, ManyFailuresAreAllCounted) {
  Report report = make_report();
  for (auto& item : report.cases) {
    item.result.verdict = Verdict::kNotRun;
    item.result.judge(Verdict::kFail);
  }
  EXPECT_EQ(report.totals()[static_cast<size_t>(Verdict::kFail)], report.cases.size());
  EXPECT_FALSE(report.holds());
  EXPECT_EQ(count(write_text(report), "hal-conformance reproduce"), report.cases.size());
}

TEST(Report, ALevelNeedsItsRequiredCases) {
  Report report = make_report();
  for (auto& item : report.cases) {
    item.result.verdict = Verdict::kNotRun;
    item.result.judge(Verdict::kPass);
  }
  EXPECT_EQ(report.levels()[0].state, LevelState::kPassed);
  report.cases[0].result.judge(Verdict::kFail);
  EXPECT_EQ(report.levels()[0].state, LevelState::kFailed);
  EXPECT_EQ(report.levels()[1].state, LevelState::kPassed);
  report = make_report();
  for (auto& item : report.cases) {
    item.result.verdict = Verdict::kNotRun;
    item.result.judge(Verdict::kUnsupported);
  }
  EXPECT_EQ(report.levels()[0].state, LevelState::kNotJudged) << "a device that offers nothing gets no level";
}

TEST(Diff, SaysWhatIsWorse) {
  Report before = make_report(), after = make_report();
  const size_t pass =
      static_cast<size_t>(std::find_if(before.cases.begin(), before.cases.end(),
                                       [](const auto& item) { return item.result.verdict == Verdict::kPass; }) -
                          before.cases.begin());
  after.cases[pass].result.judge(Verdict::kCrash);
  after.cases.back().result.name = "operators.new";
  const ReportDiff diff = compare_reports(before, after);
  ASSERT_EQ(diff.worse.size(), 1u);
  EXPECT_NE(diff.worse[0].find("PASS -> CRASH"), std::string::npos);
  EXPECT_EQ(diff.added.size(), 1u);
  EXPECT_EQ(diff.removed.size(), 1u);
  EXPECT_TRUE(compare_reports(before, before).worse.empty());
}

// ---- the journal ----

std::string temporary(const char* name) { return testing::TempDir() + "/" + name; }
const JournalHeader kHeader{"1.0.0", 77, 5, "plugin"};

TEST(Journal, ComesBackWithoutATornLine) {
  const std::string path = temporary("journal.jsonl");
  const auto cases = make_report().cases;
  {
    auto journal = Journal::create(path, kHeader);
    ASSERT_TRUE(journal.has_value());
    for (int i = 0; i < 3; i++) ASSERT_TRUE(journal->append(cases[i].result).has_value());
  }
  std::ofstream(path, std::ios::app) << "{\"name\": \"runtime.torn";
  for (int round = 0; round < 2; round++) {
    auto journal = Journal::resume(path, kHeader);
    ASSERT_TRUE(journal.has_value()) << journal.error().message;
    ASSERT_EQ(journal->results().size(), 3u + static_cast<size_t>(round));
    EXPECT_EQ(journal->results()[2].name, cases[2].result.name);
    EXPECT_EQ(journal->results()[2].verdict, cases[2].result.verdict);
    ASSERT_TRUE(journal->append(cases[3].result).has_value());
  }
}

TEST(Journal, IsOfOneRun) {
  const std::string path = temporary("other.jsonl");
  ASSERT_TRUE(Journal::create(path, kHeader).has_value());
  JournalHeader other = kHeader;
  other.case_list_hash++;
  const auto journal = Journal::resume(path, other);
  ASSERT_FALSE(journal.has_value());
  EXPECT_EQ(journal.error().code, HAL_STATUS_FAILED_PRECONDITION);
  std::ofstream(path, std::ios::app) << "{}\n";
  EXPECT_FALSE(Journal::resume(path, kHeader).has_value()) << "a whole line that is no result";
}

}  // namespace
}  // namespace hal::conformance
