// SPDX-License-Identifier: Apache-2.0
//
// The suite against a plugin that is wrong in one way at a time: each wrong behaviour is caught by the required case
// that is named for it, both controls pass, and a crash, a hang and a wrong answer are CRASH, TIMEOUT and FAIL of one
// case.
#include <gtest/gtest.h>

#include "faulty/faults.hpp"
#include "hal/conformance/runner.hpp"

namespace hal::conformance {
namespace {

struct FaultRow {
  const char* name;
  const char* cases;
  const char* text;
};
constexpr FaultRow kFaults[] = {
#define FAULT_ROW_(name, cases, text) {#name, cases, text},
    FAULT_TABLE(FAULT_ROW_)
#undef FAULT_ROW_
};

RunOptions options_for(const std::string& fault, const std::string& filter) {
  RunOptions options;
  options.target.plugin = MORTISE_FAULTY_PLUGIN;
  options.target.config = {{"faulty.fault", fault}};
  options.selection.filter = filter;
  options.selection.levels = {Level::kRuntime};
  options.jobs = 2;
  return options;
}

Report must_run(const RunOptions& options) {
  setenv("MORTISE_FAULT", options.target.config[0].second.c_str(), 1);
  const auto registry = make_registry();
  EXPECT_TRUE(registry.has_value());
  auto report = run(*registry, options);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
  return report ? *report : Report();
}

class Faults : public testing::TestWithParam<FaultRow> {};

// What the loader itself refuses when the device is opened, so that no case can run: the error names the field.
constexpr std::string_view kAtOpen = "open: ";

TEST_P(Faults, IsCaughtByARequiredCase) {
  if (std::string_view(GetParam().cases).substr(0, kAtOpen.size()) == kAtOpen) {
    const auto registry = make_registry();
    ASSERT_TRUE(registry.has_value());
    const auto report = run(*registry, options_for(GetParam().name, "runtime.device.*"));
    ASSERT_FALSE(report.has_value());
    const std::string field(std::string_view(GetParam().cases).substr(kAtOpen.size()));
    EXPECT_NE(report.error().message.find(field), std::string::npos) << report.error().message;
    return;
  }
  const Report report = must_run(options_for(GetParam().name, GetParam().cases));
  ASSERT_FALSE(report.cases.empty());
  int caught = 0;
  for (const ReportedCase& item : report.cases)
    caught += item.required && is_bad(item.result.verdict) && item.result.verdict != Verdict::kFlaky ? 1 : 0;
  EXPECT_GT(caught, 0) << GetParam().text << ": no case of " << GetParam().cases << " noticed";
}

INSTANTIATE_TEST_SUITE_P(Table, Faults, testing::ValuesIn(kFaults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Controls, TheRightPluginPasses) {
  const Report report = must_run(options_for("none", ""));
  for (const ReportedCase& item : report.cases)
    EXPECT_FALSE(is_bad(item.result.verdict)) << item.result.name << ": " << item.result.message;
  ASSERT_EQ(report.levels().size(), 1u);
  EXPECT_EQ(report.levels()[0].state, LevelState::kPassed);
}

TEST(Controls, TheSlowPluginPasses) {
  RunOptions options = options_for("slow", "");
  options.jobs = 4;
  const Report report = must_run(options);
  for (const ReportedCase& item : report.cases)
    EXPECT_FALSE(is_bad(item.result.verdict)) << item.result.name << ": " << item.result.message;
}

// One case fails in its own way; its neighbours do not notice.
void expect_one(const std::string& fault, const std::string& name, Verdict verdict) {
  RunOptions options = options_for(fault, "runtime.memory.*");
  const auto registry = make_registry();
  ASSERT_TRUE(registry.has_value());
  const Report report = must_run(options);
  ASSERT_GT(report.cases.size(), 20u);
  for (const ReportedCase& item : report.cases) {
    if (item.result.name == name) {
      EXPECT_EQ(to_text(item.result.verdict), to_text(verdict)) << item.result.message;
    } else if (item.result.name.find("4097") == std::string::npos && item.result.name != "runtime.memory.zeroed") {
      EXPECT_FALSE(is_bad(item.result.verdict)) << item.result.name << ": " << item.result.message;
    }
  }
}

TEST(Isolation, ACrashIsACrash) { expect_one("crash", "runtime.memory.create_4097", Verdict::kCrash); }
TEST(Isolation, AnExitIsACrash) { expect_one("exits", "runtime.memory.create_4097", Verdict::kCrash); }
TEST(Isolation, AHangIsATimeout) { expect_one("hang", "runtime.memory.create_4097", Verdict::kTimeout); }
TEST(Isolation, AWrongAnswerIsAFailure) { expect_one("wrong_result", "runtime.memory.fill_pattern8", Verdict::kFail); }

TEST(Levels, APluginThatRefusesEverythingGetsNone) {
  const Report report = must_run(options_for("refuses_everything", ""));
  ASSERT_EQ(report.levels().size(), 1u);
  EXPECT_EQ(report.levels()[0].state, LevelState::kFailed);
  EXPECT_FALSE(report.holds());
}

}  // namespace
}  // namespace hal::conformance
