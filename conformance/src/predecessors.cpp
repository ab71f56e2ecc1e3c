// SPDX-License-Identifier: Apache-2.0
#include "predecessors.hpp"

#include <algorithm>

namespace hal::conformance {

// Delta debugging by complements (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002):
// drops ever smaller parts for as long as the case still fails.
Result<std::vector<size_t>> guilty_predecessors(
    std::vector<size_t> before, const std::function<Result<bool>(const std::vector<size_t>&)>& fails_after) {
  HAL_TRY_ASSIGN(const bool fails, fails_after(before));
  if (!fails) return std::vector<size_t>();
  for (size_t part = (before.size() + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2) {
    for (size_t at = 0; at < before.size() && before.size() > 1;) {
      std::vector<size_t> rest = before;
      const auto from = rest.begin() + static_cast<ptrdiff_t>(at);
      rest.erase(from, from + static_cast<ptrdiff_t>(std::min(part, rest.size() - at)));
      if (rest.empty()) break;
      HAL_TRY_ASSIGN(const bool still_fails, fails_after(rest));
      if (still_fails) {
        before = std::move(rest);
      } else {
        at += part;
      }
    }
  }
  return before;
}

}  // namespace hal::conformance
