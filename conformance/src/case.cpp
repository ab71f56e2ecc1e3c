// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/case.hpp"

#include <algorithm>

namespace hal::conformance {
namespace {

constexpr std::string_view kLevelTexts[] = {"runtime", "core", "operators"};

bool is_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 200 && std::all_of(name.begin(), name.end(), is_allowed);
}

}  // namespace

std::string_view to_text(Level level) { return kLevelTexts[static_cast<size_t>(level)]; }

Result<Level> parse_level(std::string_view text) {
  for (const Level level : kLevels) {
    if (to_text(level) == text) return level;
  }
  return invalid_argument("no level is called '" + std::string(text) + "'; there are runtime, core and operators");
}

bool has_tag(const Case& item, std::string_view tag) {
  return std::find(item.tags.begin(), item.tags.end(), tag) != item.tags.end();
}

Result<void> Registry::add(Case item) {
  const std::string prefix = std::string(to_text(item.level)) + ".";
  if (!is_name(item.name) || item.name.rfind(prefix, 0) != 0) {
    return invalid_argument("case name '" + item.name + "' is not [a-z0-9_.]+ beginning with '" + prefix + "'");
  }
  if (!item.body || item.clause.empty()) {
    return invalid_argument("case " + item.name + " has no body, or cites no clause");
  }
  if (!index_.emplace(item.name, cases_.size()).second) {
    return invalid_argument("two cases are called " + item.name);
  }
  cases_.push_back(std::move(item));
  return {};
}

Result<void> Registry::add(std::vector<Case> items) {
  for (Case& item : items) HAL_TRY(add(std::move(item)));
  return {};
}

const Case* Registry::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &cases_[found->second];
}

}  // namespace hal::conformance
