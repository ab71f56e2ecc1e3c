// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/plan.hpp"

#include <algorithm>
#include <charconv>

#include "hal/conformance/random.hpp"
#include "hal/device.h"

namespace hal::conformance {
namespace {

struct ProfileInfo {
  std::string_view text;
  std::vector<std::string_view> without;  // tags that it leaves out
  double deadline_factor;
};

const ProfileInfo& info_of(Profile profile) {
  static const ProfileInfo infos[] = {{"smoke", {"slow", "breadth", "exhaustive"}, 1.0},
                                      {"standard", {"exhaustive"}, 1.0},
                                      {"full", {"exhaustive"}, 2.0},
                                      {"exhaustive", {}, 10.0},
                                      {"simulator", {"slow", "breadth", "stress", "exhaustive"}, 1000.0}};
  return infos[static_cast<size_t>(profile)];
}

constexpr Profile kProfiles[] = {Profile::kSmoke, Profile::kStandard, Profile::kFull, Profile::kExhaustive,
                                 Profile::kSimulator};

bool is_in_profile(const Case& item, Profile profile) {
  const auto& without = info_of(profile).without;
  return std::none_of(without.begin(), without.end(), [&](std::string_view tag) { return has_tag(item, tag); });
}

bool is_in_levels(const Case& item, const std::vector<Level>& levels) {
  return levels.empty() || std::find(levels.begin(), levels.end(), item.level) != levels.end();
}

std::string hex(uint64_t bits) {
  char text[17];
  const auto end = std::to_chars(text, text + sizeof text, bits, 16).ptr;
  return "0x" + std::string(text, end);
}

std::string why_unsupported(const Case& item, const Snapshot& snapshot) {
  const uint64_t missing = item.needs & ~snapshot.features, present = item.lacks & snapshot.features;
  if (missing != 0) return "the device does not declare features " + hex(missing);
  if (present != 0) return "the device declares features " + hex(present) + "; this case is for those that do not";
  return {};
}

uint64_t hash_names(const std::vector<PlannedCase>& cases) {
  std::string names;
  for (const PlannedCase& planned : cases) names += planned.item->name + "\n";
  return fingerprint(names);
}

}  // namespace

std::string_view to_text(Profile profile) { return info_of(profile).text; }

Result<Profile> parse_profile(std::string_view text) {
  for (const Profile profile : kProfiles) {
    if (to_text(profile) == text) return profile;
  }
  return invalid_argument("no profile is called '" + std::string(text) +
                          "'; there are smoke, standard, full, exhaustive and simulator");
}

Result<void> parse_shard(std::string_view text, Selection& selection) {
  const char* const end = text.data() + text.size();
  uint32_t index = 0, count = 0;
  const auto first = std::from_chars(text.data(), end, index);
  const bool slash = first.ec == std::errc{} && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, count) : first;
  if (!slash || second.ec != std::errc{} || second.ptr != end || index < 1 || index > count) {
    return invalid_argument("a shard is I/N with 1 <= I <= N, such as 2/5; got '" + std::string(text) + "'");
  }
  selection.shard_index = index;
  selection.shard_count = count;
  return {};
}

bool matches_glob(std::string_view glob, std::string_view text) {
  size_t at = 0, in_glob = 0, star = std::string_view::npos, resume = 0;
  while (at < text.size()) {
    if (in_glob < glob.size() && glob[in_glob] == '*') {
      star = in_glob++;
      resume = at;
    } else if (in_glob < glob.size() && (glob[in_glob] == '?' || glob[in_glob] == text[at])) {
      in_glob++;
      at++;
    } else if (star != std::string_view::npos) {
      in_glob = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', in_glob) == std::string_view::npos;
}

Result<Plan> make_plan(const Registry& registry, const Selection& selection, const Snapshot& snapshot) {
  Plan plan;
  plan.deadline_factor = info_of(selection.profile).deadline_factor;
  plan.is_partial = !selection.filter.empty() || selection.shard_count != 1;
  uint32_t number = 0;
  for (const Case& item : registry.cases()) {
    if (!is_in_levels(item, selection.levels) || !is_in_profile(item, selection.profile)) continue;
    if (!selection.filter.empty() && !matches_glob(selection.filter, item.name)) continue;
    if (number++ % selection.shard_count != selection.shard_index - 1) continue;
    plan.cases.push_back({&item, why_unsupported(item, snapshot)});
    if (plan.cases.back().unsupported.empty()) plan.cost_seconds += item.cost_seconds;
  }
  if (plan.cases.empty()) {
    return not_found("no case is left to run; --filter '" + selection.filter +
                     "' and the levels leave none (see --plan without a filter)");
  }
  plan.case_list_hash = hash_names(plan.cases);
  return plan;
}

}  // namespace hal::conformance
