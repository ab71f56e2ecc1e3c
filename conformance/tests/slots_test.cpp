// SPDX-License-Identifier: Apache-2.0
//
// The suite's power over the ABI: each slot of the golden file has a case that calls it rightly and, where it can be
// called wrongly, one that does, under its own name (HAL-ABI-03: a new slot makes this fail until it has them).
#include <gtest/gtest.h>

#include <fstream>
#include <regex>

#include "hal/conformance/case.hpp"

namespace hal::conformance {
namespace {

struct Slot {
  std::string name;   // "memory.buffer_create"
  bool can_be_wrong;  // gives a status and takes an object or an out-parameter
};

std::vector<Slot> slots_of_the_abi() {
  const std::regex line_of_slot("field hal_(\\w+)_group\\.(\\w+) \\d+ \\d+ (.*\\(\\*\\).*)");
  std::vector<Slot> slots;
  std::ifstream golden(MORTISE_GOLDEN);
  for (std::string line; std::getline(golden, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, line_of_slot)) continue;
    slots.push_back({match[1].str() + "." + match[2].str(), match[3].str().rfind("hal_status_t", 0) == 0});
  }
  return slots;
}

struct Coverage {
  int positive = 0;
  int negative = 0;
};

Coverage coverage_of(const Registry& registry, const std::string& slot) {
  Coverage coverage;
  for (const Case& item : registry.cases()) {
    if (item.name.rfind("runtime." + slot + ".", 0) != 0) continue;
    (has_tag(item, "negative") ? coverage.negative : coverage.positive)++;
  }
  return coverage;
}

TEST(Slots, EachHasItsCases) {
  const auto registry = make_registry();
  ASSERT_TRUE(registry.has_value());
  const std::vector<Slot> slots = slots_of_the_abi();
  ASSERT_GE(slots.size(), 59u);
  for (const Slot& slot : slots) {
    const Coverage coverage = coverage_of(*registry, slot.name);
    EXPECT_GT(coverage.positive, 0) << slot.name << " is called rightly by no case; add a row to conformance/cases";
    if (slot.can_be_wrong) {
      EXPECT_GT(coverage.negative, 0) << slot.name << " has no case that calls it wrongly";
    }
  }
}

TEST(Slots, TheRuntimeLevelIsLarge) {
  const auto registry = make_registry();
  ASSERT_TRUE(registry.has_value());
  int count = 0;
  for (const Case& item : registry->cases()) count += item.level == Level::kRuntime ? 1 : 0;
  EXPECT_GE(count, 250);
}

}  // namespace
}  // namespace hal::conformance
