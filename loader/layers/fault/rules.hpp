// SPDX-License-Identifier: Apache-2.0
//
// The rules of the layer "fault", read from JSON (docs/schemas/fault-rules.schema.json): which calls go wrong, when,
// and how. The same file and seed give the same faults for the same calls.
#ifndef LOADER_LAYERS_FAULT_RULES_HPP_
#define LOADER_LAYERS_FAULT_RULES_HPP_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::layers::fault {

struct Delay {
  uint64_t least = 0;  // microseconds
  uint64_t most = 0;
};

// What happens. Several may: a delay comes first, then loss, then failure; corruption comes after the call.
struct Action {
  hal_status_code_t fail = HAL_STATUS_OK;
  std::string message;
  bool fails_later = false;  // of queue.submit: the semaphores fail instead of the call
  std::optional<Delay> delay;
  bool corrupts = false;
  bool loses_device = false;
};

struct Rule {
  std::string call;          // a glob over "memory.buffer_create"
  std::string plugin = "*";  // a glob over the plugin's name
  uint64_t nth = 0;          // only the n-th call that fits, from 1; 0: see below
  uint64_t every = 0;        // each n-th
  uint64_t after = 0;        // those beyond the first n
  double probability = 1.0;
  uint64_t limit = UINT64_MAX;  // times in all
  Action action;
};

struct Rules {
  uint64_t seed = 0;
  std::vector<Rule> rules;
};

// Errors name line and column, or the place ("rules[2].then.fail"), what it holds and what was expected. `calls` are
// the names that a rule may be about; a rule that fits none of them is an error.
Result<Rules> parse_rules(std::string_view text, const std::vector<std::string_view>& calls);

// '*' stands for any characters.
bool fits(std::string_view glob, std::string_view name);

// A number that depends on its arguments alone, each bit of it.
uint64_t mix(uint64_t seed, uint64_t rule, uint64_t count);

// Whether `rule`, number `index` of its file, strikes at the `count`-th call that fits it (from 1).
bool strikes(const Rule& rule, uint64_t seed, uint64_t index, uint64_t count);

}  // namespace hal::layers::fault

#endif  // LOADER_LAYERS_FAULT_RULES_HPP_
