// SPDX-License-Identifier: Apache-2.0
//
// Which cases a run has, in which order, and what they are expected to cost.
#ifndef HAL_CONFORMANCE_PLAN_HPP_
#define HAL_CONFORMANCE_PLAN_HPP_

#include <string>
#include <vector>

#include "hal/conformance/case.hpp"
#include "hal/conformance/target.hpp"

namespace hal::conformance {

// By time: smoke is under a minute on the CPU plugin. Tags that a profile leaves out: plan.cpp.
enum class Profile { kSmoke, kStandard, kFull, kExhaustive, kSimulator };
std::string_view to_text(Profile profile);
Result<Profile> parse_profile(std::string_view text);

struct Selection {
  Profile profile = Profile::kSmoke;
  std::vector<Level> levels;  // empty: all
  std::string filter;         // a glob over names: "runtime.copy.*"; empty: all
  uint32_t shard_index = 1;   // 1-based: "1/4"
  uint32_t shard_count = 1;
};

// "2/5". INVALID_ARGUMENT unless 1 <= 2 <= 5.
Result<void> parse_shard(std::string_view text, Selection& selection);

struct PlannedCase {
  const Case* item = nullptr;
  std::string unsupported;  // why the snapshot rules it out; empty: it runs
};

struct Plan {
  std::vector<PlannedCase> cases;
  double cost_seconds = 0.0;
  double deadline_factor = 1.0;
  bool is_partial = false;      // a filter or a shard leaves required cases out: no level can be judged
  uint64_t case_list_hash = 0;  // of the names, in order
};

// NOT_FOUND where nothing is left.
Result<Plan> make_plan(const Registry& registry, const Selection& selection, const Snapshot& snapshot);

// '*' any characters, '?' one.
bool matches_glob(std::string_view glob, std::string_view text);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_PLAN_HPP_
