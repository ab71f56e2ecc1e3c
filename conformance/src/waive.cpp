// SPDX-License-Identifier: Apache-2.0
//
// Waivers meet results, once all verdicts are in. Nothing is run and nothing is hidden: what happened stays in the
// message.
#include <algorithm>

#include "hal/conformance/report.hpp"

namespace hal::conformance {

void waive(Report& report, const std::vector<Waiver>& waivers, std::string_view day) {
  for (const Waiver& waiver : waivers) {
    const auto found = std::find_if(report.cases.begin(), report.cases.end(),
                                    [&](const ReportedCase& item) { return item.result.name == waiver.case_name; });
    const std::string whose = waiver.case_name + " (waived by " + waiver.owner + " until " + waiver.expires + ")";
    if (found == report.cases.end()) {
      if (!report.is_partial) report.unused_waivers.push_back(whose + ": no such case in this run");
    } else if (!is_bad(found->result.verdict)) {
      report.unused_waivers.push_back(whose + ": unexpected " + std::string(to_text(found->result.verdict)) +
                                      "; the waiver can go");
    } else if (is_expired(waiver, day)) {
      report.unused_waivers.push_back(whose + ": the waiver has expired, so the failure counts");
    } else if (found->result.verdict != Verdict::kNotRun) {
      found->result.message = "waived until " + waiver.expires + " by " + waiver.owner + ": " + waiver.reason + " [" +
                              std::string(to_text(found->result.verdict)) + ": " + found->result.message + "]";
      found->result.verdict = Verdict::kWaived;
      report.waivers.push_back(waiver);
    }
  }
}

}  // namespace hal::conformance
