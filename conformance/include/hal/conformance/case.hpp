// SPDX-License-Identifier: Apache-2.0
//
// A case: one question to a device, with a stable name ("runtime.memory.fill_pattern4"), and the registry of all of
// them. Not here: how a case is chosen (plan.hpp) or run (runner.hpp).
#ifndef HAL_CONFORMANCE_CASE_HPP_
#define HAL_CONFORMANCE_CASE_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

class CaseContext;

// A case's name begins with its level. Levels are certified one by one.
enum class Level { kRuntime, kCore, kOperators };
inline constexpr Level kLevels[] = {Level::kRuntime, Level::kCore, Level::kOperators};
std::string_view to_text(Level level);
Result<Level> parse_level(std::string_view text);

struct Case {
  std::string name;  // [a-z0-9_.]+, never reused for another question
  Level level = Level::kRuntime;
  std::string clause;                      // what it holds the device to: "HAL-ABI-13", "hal/queue.h: ordering"
  std::function<void(CaseContext&)> body;  // throws CaseFailure; runs in a process of its own
  std::vector<std::string> tags;           // "negative", "stress", "slow": profiles choose by them
  double cost_seconds = 0.02;              // on the CPU plugin; plans add it up
  bool required = true;                    // its level is not passed without it
  uint64_t needs = 0;                      // HAL_FEATURE_*: UNSUPPORTED where the device does not declare all of them
  uint64_t lacks = 0;                      // HAL_FEATURE_*: UNSUPPORTED where the device declares one of them
  double deadline_seconds = 10.0;          // before the profile's factor
};

// Whether the case carries the tag.
bool has_tag(const Case& item, std::string_view tag);

// The cases in the order in which they were added, which is the order of every run.
class Registry {
 public:
  // INVALID_ARGUMENT for a name that is taken or malformed, a level that is not the name's, a case without a body or
  // clause.
  Result<void> add(Case item);
  Result<void> add(std::vector<Case> items);

  const std::vector<Case>& cases() const { return cases_; }
  const Case* find(std::string_view name) const;

 private:
  std::vector<Case> cases_;
  std::map<std::string, size_t, std::less<>> index_;
};

// Every case, with those of the built-in operators.
Result<Registry> make_registry();

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_CASE_HPP_
