// SPDX-License-Identifier: Apache-2.0
//
// The one result model. Text, JSON, JUnit and HTML are views of it (writers.hpp), so they cannot disagree.
#ifndef HAL_CONFORMANCE_REPORT_HPP_
#define HAL_CONFORMANCE_REPORT_HPP_

#include <array>
#include <optional>

#include "hal/conformance/expect.hpp"
#include "hal/conformance/plan.hpp"
#include "hal/conformance/verdict.hpp"

namespace hal::conformance {

inline constexpr int kReportSchemaVersion = 1;

// What became of one case.
struct CaseResult {
  std::string name;
  Verdict verdict = Verdict::kNotRun;
  std::string message;  // of the first failure
  std::string status;   // the device's own answer, where that was wrong: "out of range"; empty: none
  std::optional<Mismatch> mismatch;
  std::string output;  // the end of what the process wrote
  double seconds = 0.0;
  uint32_t attempts = 0;

  void judge(Verdict next) { verdict = latch(verdict, next); }
};

struct ReportedCase {
  CaseResult result;
  Level level = Level::kRuntime;
  bool required = true;
  std::string clause;
  std::vector<std::string> tags;
  uint64_t seed = 0;
  std::string reproduce;  // the argument of `hal-conformance reproduce`
};

using Totals = std::array<uint64_t, kVerdicts.size()>;  // indexed by Verdict

enum class LevelState { kPassed, kFailed, kNotJudged };
std::string_view to_text(LevelState state);

struct LevelSummary {
  Level level = Level::kRuntime;
  LevelState state = LevelState::kNotJudged;
  std::string reason;
  uint64_t required = 0;  // cases that may not skip
  uint64_t required_passed = 0;
  Totals totals{};
};

struct Report {
  std::string suite_version;
  uint64_t case_list_hash = 0;
  Snapshot snapshot;
  Profile profile = Profile::kSmoke;
  std::string filter;
  uint32_t shard_index = 1;
  uint32_t shard_count = 1;
  bool is_partial = false;
  uint64_t seed = 0;
  double seconds = 0.0;
  std::vector<ReportedCase> cases;

  Totals totals() const;
  std::vector<LevelSummary> levels() const;  // those with a case in the plan
  bool holds() const;                        // no case is bad
};

// INTERNAL unless each planned case is there once, in order, and the totals add up to the plan.
Result<void> check_report(const Report& report, const Plan& plan);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_REPORT_HPP_
