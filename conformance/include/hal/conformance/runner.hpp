// SPDX-License-Identifier: Apache-2.0
//
// Runs a plan: cases in processes of their own, several at a time, each verdict into the journal.
#ifndef HAL_CONFORMANCE_RUNNER_HPP_
#define HAL_CONFORMANCE_RUNNER_HPP_

#include "hal/conformance/report.hpp"

namespace hal::conformance {

inline constexpr uint64_t kDefaultSeed = 20260101;

struct RunOptions {
  Target target;
  Selection selection;
  uint64_t seed = kDefaultSeed;
  uint32_t jobs = 1;
  std::string directory;  // for the journal and reports; empty: none are kept
  bool resume = false;
  uint64_t shuffle = 0;  // above 0: cases run in an order made from it; reports keep the order of the list
  std::vector<Waiver> waivers;
  // Told after each case; for people.
  std::function<void(uint64_t done, uint64_t planned, const CaseResult& result)> progress;
};

// Runs one case in this process. For the child, and for a debugger.
CaseResult run_case_here(const Case& item, const Target& target, const Snapshot& snapshot, uint64_t seed);

// Runs the whole plan. A case that fails is run again alone; if it then passes, after what ran before it:
// ORDER_DEPENDENT if that makes it fail, FLAKY if not.
Result<Report> run_plan(const Plan& plan, const Snapshot& snapshot, const RunOptions& options);

// Probe, plan and run.
Result<Report> run(const Registry& registry, const RunOptions& options);

// "case=runtime.copy.size_64 seed=1 plugin=/x.so ...": what `reproduce` takes.
std::string reproduction_line(const Target& target, const std::string& case_name, uint64_t run_seed);
Result<RunOptions> parse_reproduction_line(std::string_view line);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_RUNNER_HPP_
