// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "hal/conformance/writers.hpp"

namespace hal::conformance {

ReportDiff compare_reports(const Report& before, const Report& after) {
  std::map<std::string, Verdict> old;
  for (const ReportedCase& item : before.cases) old.emplace(item.result.name, item.result.verdict);
  ReportDiff diff;
  for (const ReportedCase& item : after.cases) {
    const auto found = old.find(item.result.name);
    if (found == old.end()) {
      diff.added.push_back(item.result.name + ": " + std::string(to_text(item.result.verdict)));
      continue;
    }
    const Verdict was = found->second, is = item.result.verdict;
    old.erase(found);
    if (was == is) continue;
    const std::string line = item.result.name + ": " + std::string(to_text(was)) + " -> " + std::string(to_text(is));
    // From a pass to "not offered" is a loss too.
    const bool worse = is_bad(is) || (was == Verdict::kPass && is != Verdict::kPass);
    (worse ? diff.worse : diff.better).push_back(line);
  }
  for (const auto& [name, verdict] : old) diff.removed.push_back(name + ": " + std::string(to_text(verdict)));
  return diff;
}

}  // namespace hal::conformance
