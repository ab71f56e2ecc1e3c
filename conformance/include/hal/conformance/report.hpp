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
#include "hal/conformance/waiver.hpp"

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

enum class LevelState { kPassed, kFailed, kNotJudged, kPassedWithWaivers };
constexpr bool is_passed(LevelState state) {
  return state == LevelState::kPassed || state == LevelState::kPassedWithWaivers;
}
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
  uint64_t shuffle = 0;  // the seed of the order in which cases ran; 0: the order of the list
  double seconds = 0.0;
  std::string machine;                      // processor, cores, system: where the run was made
  std::vector<Waiver> waivers;              // that were used: each names a case that failed
  std::vector<std::string> unused_waivers;  // lines: a waived case that passed, a name that is no case, a day passed
  std::vector<ReportedCase> cases;

  Totals totals() const;
  std::vector<LevelSummary> levels() const;  // those with a case in the plan
  bool holds() const;                        // no case is bad
};

// INTERNAL unless each planned case is there once, in order, and the totals add up to the plan.
Result<void> check_report(const Report& report, const Plan& plan);

// Failures that a waiver names become WAIVED; waivers that are not used are noted in the report.
void waive(Report& report, const std::vector<Waiver>& waivers, std::string_view day);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_REPORT_HPP_
