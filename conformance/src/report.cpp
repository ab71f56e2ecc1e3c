// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/report.hpp"

#include <algorithm>
#include <numeric>

namespace hal::conformance {
namespace {

// A required case is met where it passed, where the device declared beforehand that it has no such thing, or where a
// waiver names it, which the level's state then says.
bool is_met(const ReportedCase& item) {
  const Verdict verdict = item.result.verdict;
  return verdict == Verdict::kPass || verdict == Verdict::kUnsupported || verdict == Verdict::kWaived;
}

std::string counted(uint64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

void judge(LevelSummary& summary, uint64_t really_passed, bool is_partial) {
  if (summary.required_passed != summary.required) {
    summary.state = LevelState::kFailed;
    summary.reason = counted(summary.required - summary.required_passed, "required case") + " did not pass";
  } else if (is_partial) {
    summary.reason = "a filter or a shard left cases out";
  } else if (really_passed == 0) {
    summary.reason = "the device offers nothing that this level asks for";
  } else if (const uint64_t waived = summary.totals[static_cast<size_t>(Verdict::kWaived)]; waived != 0) {
    summary.state = LevelState::kPassedWithWaivers;
    summary.reason = counted(waived, "case") + " waived";
  } else {
    summary.state = LevelState::kPassed;
  }
}

}  // namespace

std::string_view to_text(LevelState state) {
  constexpr std::string_view texts[] = {"passed", "failed", "not judged", "passed with waivers"};
  return texts[static_cast<size_t>(state)];
}

Totals Report::totals() const {
  Totals totals{};
  for (const ReportedCase& item : cases) totals[static_cast<size_t>(item.result.verdict)]++;
  return totals;
}

std::vector<LevelSummary> Report::levels() const {
  std::vector<LevelSummary> summaries;
  for (const Level level : kLevels) {
    LevelSummary summary;
    summary.level = level;
    uint64_t planned = 0, positive = 0;
    for (const ReportedCase& item : cases) {
      if (item.level != level) continue;
      planned++;
      summary.totals[static_cast<size_t>(item.result.verdict)]++;
      if (!item.required) continue;
      summary.required++;
      summary.required_passed += is_met(item) ? 1 : 0;
      const bool negative = std::find(item.tags.begin(), item.tags.end(), "negative") != item.tags.end();
      positive += item.result.verdict == Verdict::kPass && !negative ? 1 : 0;
    }
    if (planned == 0) continue;
    judge(summary, positive, is_partial);
    summaries.push_back(summary);
  }
  return summaries;
}

bool Report::holds() const {
  return std::none_of(cases.begin(), cases.end(), [](const ReportedCase& item) { return is_bad(item.result.verdict); });
}

Result<void> check_report(const Report& report, const Plan& plan) {
  if (report.cases.size() != plan.cases.size()) {
    return internal_error("the report has " + counted(report.cases.size(), "case") + " and the plan " +
                          std::to_string(plan.cases.size()) + "; please report this");
  }
  for (size_t i = 0; i < plan.cases.size(); i++) {
    if (report.cases[i].result.name == plan.cases[i].item->name) continue;
    return internal_error("case " + std::to_string(i) + " of the report is " + report.cases[i].result.name +
                          " and of the plan " + plan.cases[i].item->name + "; please report this");
  }
  const Totals totals = report.totals();
  if (std::accumulate(totals.begin(), totals.end(), uint64_t{0}) == plan.cases.size()) return {};
  return internal_error("the totals do not add up to the plan; please report this");
}

}  // namespace hal::conformance
