// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/runner.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>

#include "hal/conformance/context.hpp"
#include "hal/conformance/isolate.hpp"
#include "hal/conformance/journal.hpp"
#include "hal/conformance/signature.hpp"
#include "machine.hpp"
#include "predecessors.hpp"

namespace hal::conformance {
namespace {

constexpr double kProbeSeconds = 30.0;
constexpr size_t kSuspects = 64;  // predecessors that are tried for a case that passes alone

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void record(CaseResult& result, const CaseFailure& failure) {
  result.judge(Verdict::kFail);
  result.message = failure.what();
  result.mismatch = failure.mismatch();
  if (failure.status() != HAL_STATUS_OK) result.status = hal_status_code_name(failure.status());
}

Limits limits_of(const Plan& plan, const Case& item) {
  Limits limits;
  limits.deadline_seconds = item.deadline_seconds * plan.deadline_factor;
  return limits;
}

// What the runner makes of a process that has ended.
CaseResult judge(const Case& item, const Outcome& outcome) {
  CaseResult result;
  result.name = item.name;
  if (outcome.ending == Ending::kAnswered) {
    auto answered = result_from_line(outcome.answer);
    if (answered && answered->name == item.name) {
      result = std::move(answered).value();
    } else {
      result.judge(Verdict::kFail);
      result.message = "the case's answer cannot be read";
    }
  } else {
    result.judge(outcome.ending == Ending::kTimedOut ? Verdict::kTimeout : Verdict::kCrash);
    result.message = outcome.how;
  }
  if (is_bad(result.verdict)) result.output = outcome.output;
  result.seconds = outcome.seconds;
  result.attempts = 1;
  return result;
}

// One run of a plan. Verdicts land in `results_`, by plan index, once and for all.
class Run {
 public:
  Run(const Plan& plan, const Snapshot& snapshot, const RunOptions& options, std::optional<Journal> journal)
      : plan_(plan),
        snapshot_(snapshot),
        options_(options),
        journal_(std::move(journal)),
        results_(plan.cases.size()),
        order_(order_of(plan.cases.size(), options.shuffle)) {}

  Result<std::vector<CaseResult>> all() {
    HAL_TRY(take_known());
    while (next_ < order_.size() || !running_.empty()) {
      HAL_TRY(start_some());
      if (!running_.empty()) HAL_TRY(wait_for_one());
    }
    HAL_TRY(repeat_failures());
    return std::move(results_);
  }

 private:
  struct Running {
    size_t index;
    Child child;
  };

  const Case& item(size_t index) const { return *plan_.cases[index].item; }

  Result<Child> start(size_t index) const {
    return Child::start(limits_of(plan_, item(index)), [&] {
      return result_to_line(run_case_here(item(index), options_.target, snapshot_, options_.seed));
    });
  }

  // From the journal, and what the snapshot decides without a run.
  Result<void> take_known() {
    std::map<std::string, const CaseResult*> known;
    if (journal_) {
      for (const CaseResult& result : journal_->results()) known.emplace(result.name, &result);
    }
    for (size_t i = 0; i < results_.size(); i++) {
      results_[i].name = item(i).name;
      const auto found = known.find(item(i).name);
      if (found != known.end()) {
        results_[i] = *found->second;
        tell(i);
      } else if (!plan_.cases[i].unsupported.empty()) {
        results_[i].message = plan_.cases[i].unsupported;
        HAL_TRY(settle(i, Verdict::kUnsupported));
      }
    }
    return {};
  }

  Result<void> start_some() {
    while (next_ < order_.size() && running_.size() < std::max(1u, options_.jobs)) {
      const size_t index = order_[next_++];
      if (results_[index].verdict != Verdict::kNotRun) continue;
      HAL_TRY_ASSIGN(Child child, start(index));
      running_.push_back({index, std::move(child)});
    }
    return {};
  }

  Result<void> wait_for_one() {
    std::vector<pollfd> descriptors;
    double left = 0.05;
    for (const Running& running : running_) {
      descriptors.push_back({running.child.descriptor(), POLLIN, 0});
      left = std::min(left, running.child.seconds_left());
    }
    poll(descriptors.data(), descriptors.size(), static_cast<int>(std::ceil(left * 1000.0)));
    // A child that has answered and not yet ended is ready all the time.
    const auto has_hung_up = [](const pollfd& descriptor) { return (descriptor.revents & POLLHUP) != 0; };
    if (std::any_of(descriptors.begin(), descriptors.end(), has_hung_up)) poll(nullptr, 0, 1);
    for (size_t i = running_.size(); i-- > 0;) {
      Outcome outcome;
      if (!running_[i].child.step(outcome)) continue;
      const size_t index = running_[i].index;
      running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
      HAL_TRY(take_first(index, judge(item(index), outcome)));
    }
    return {};
  }

  // A failure waits for its second run, alone, before it is final.
  Result<void> take_first(size_t index, CaseResult result) {
    const Verdict verdict = result.verdict;
    result.verdict = Verdict::kNotRun;
    results_[index] = std::move(result);
    if (!is_bad(verdict)) return settle(index, verdict);
    failed_.emplace_back(index, verdict);
    return {};
  }

  Result<void> repeat_failures() {
    std::sort(failed_.begin(), failed_.end());
    for (const auto& [index, verdict] : failed_) {
      results_[index].attempts++;
      HAL_TRY_ASSIGN(const bool fails_alone, fails_after(index, {}));
      if (fails_alone) {
        HAL_TRY(settle(index, verdict));
      } else {
        HAL_TRY(explain(index));
      }
    }
    return {};
  }

  // Runs cases one by one, then this one: whether it fails.
  Result<bool> fails_after(size_t index, const std::vector<size_t>& before) const {
    for (const size_t other : before) HAL_TRY(alone(other));
    HAL_TRY_ASSIGN(const Outcome outcome, alone(index));
    return is_bad(judge(item(index), outcome).verdict);
  }

  Result<Outcome> alone(size_t index) const {
    return run_isolated(limits_of(plan_, item(index)), [&] {
      return result_to_line(run_case_here(item(index), options_.target, snapshot_, options_.seed));
    });
  }

  // It failed, and passes alone.
  Result<void> explain(size_t index) {
    HAL_TRY_ASSIGN(const auto guilty, guilty_predecessors(ran_before(index), [&](const std::vector<size_t>& before) {
                     return fails_after(index, before);
                   }));
    if (guilty.empty()) return settle(index, Verdict::kFlaky);
    std::string names;
    for (const size_t other : guilty) names += (names.empty() ? "" : ", ") + item(other).name;
    results_[index].message += " (only after " + names + ")";
    return settle(index, Verdict::kOrderDependent);
  }

  std::vector<size_t> ran_before(size_t index) const {
    const auto end = std::find(order_.begin(), order_.end(), index);
    std::vector<size_t> before;
    for (auto at = end; at != order_.begin() && before.size() < kSuspects;) {
      if (plan_.cases[*--at].unsupported.empty()) before.insert(before.begin(), *at);
    }
    return before;
  }

  // Fisher and Yates, by our own generator, so that a seed gives one order everywhere.
  static std::vector<size_t> order_of(size_t count, uint64_t shuffle) {
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    Random random(shuffle, 0);
    for (size_t i = count; shuffle != 0 && i > 1; i--)
      std::swap(order[i - 1], order[random.below(static_cast<uint32_t>(i))]);
    return order;
  }

  Result<void> settle(size_t index, Verdict verdict) {
    results_[index].judge(verdict);
    if (journal_) HAL_TRY(journal_->append(results_[index]));
    tell(index);
    return {};
  }

  void tell(size_t index) {
    done_++;
    if (options_.progress) options_.progress(done_, results_.size(), results_[index]);
  }

  const Plan& plan_;
  const Snapshot& snapshot_;
  const RunOptions& options_;
  std::optional<Journal> journal_;
  std::vector<CaseResult> results_;
  std::vector<size_t> order_;  // plan indices, as they run
  std::vector<Running> running_;
  std::vector<std::pair<size_t, Verdict>> failed_;
  size_t next_ = 0;
  uint64_t done_ = 0;
};

std::string describe_target(const Target& target, const Snapshot& snapshot) {
  std::string text = snapshot.plugin_path + " " + snapshot.build_id + " " + snapshot.device;
  for (const auto& [key, value] : target.config) text += " " + key + "=" + value;
  return text;
}

Result<std::optional<Journal>> open_journal(const Plan& plan, const Snapshot& snapshot, const RunOptions& options) {
  if (options.directory.empty()) return std::optional<Journal>();
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error) return Error{HAL_STATUS_UNAVAILABLE, "making " + options.directory + ": " + error.message()};
  const JournalHeader header{MORTISE_VERSION, plan.case_list_hash, options.seed,
                             describe_target(options.target, snapshot)};
  const std::string path = options.directory + "/journal.jsonl";
  auto journal = options.resume ? Journal::resume(path, header) : Journal::create(path, header);
  if (!journal) return journal.error();
  return std::optional<Journal>(std::move(journal).value());
}

ReportedCase reported(const PlannedCase& planned, CaseResult result, const RunOptions& options) {
  ReportedCase item;
  item.level = planned.item->level;
  item.required = planned.item->required;
  item.clause = planned.item->clause;
  item.tags = planned.item->tags;
  item.seed = case_seed(options.seed, planned.item->name);
  item.reproduce = reproduction_line(options.target, planned.item->name, options.seed);
  item.result = std::move(result);
  return item;
}

}  // namespace

CaseResult run_case_here(const Case& item, const Target& target, const Snapshot& snapshot, uint64_t seed) {
  CaseResult result;
  result.name = item.name;
  CaseContext context(target, snapshot, case_seed(seed, item.name));
  try {
    item.body(context);
    const Result<void> closed = context.close();
    if (!closed) throw CaseFailure("closing the device after the case: " + closed.error().message);
    result.judge(Verdict::kPass);
  } catch (const CaseFailure& failure) {
    record(result, failure);
  }
  return result;
}

Result<Report> run_plan(const Plan& plan, const Snapshot& snapshot, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  HAL_TRY_ASSIGN(auto journal, open_journal(plan, snapshot, options));
  Run run(plan, snapshot, options, std::move(journal));
  HAL_TRY_ASSIGN(std::vector<CaseResult> results, run.all());
  Report report;
  report.suite_version = MORTISE_VERSION;
  report.case_list_hash = plan.case_list_hash;
  report.snapshot = snapshot;
  report.profile = options.selection.profile;
  report.filter = options.selection.filter;
  report.shard_index = options.selection.shard_index;
  report.shard_count = options.selection.shard_count;
  report.is_partial = plan.is_partial;
  report.seed = options.seed;
  report.shuffle = options.shuffle;
  report.machine = describe_machine();
  for (size_t i = 0; i < results.size(); i++) {
    report.cases.push_back(reported(plan.cases[i], std::move(results[i]), options));
  }
  report.seconds = seconds_since(start);
  waive(report, options.waivers, today());
  HAL_TRY(check_report(report, plan));
  return report;
}

Result<Report> run(const Registry& registry, const RunOptions& options) {
  HAL_TRY_ASSIGN(Snapshot snapshot, probe(options.target, kProbeSeconds));
  HAL_TRY_ASSIGN(snapshot.plugin_sha256, sha256_of_file(snapshot.plugin_path));
  HAL_TRY_ASSIGN(const Plan plan, make_plan(registry, options.selection, snapshot));
  HAL_TRY_ASSIGN(Report report, run_plan(plan, snapshot, options));
  HAL_TRY_ASSIGN(const std::string after, sha256_of_file(snapshot.plugin_path));
  if (after != snapshot.plugin_sha256)
    return Error{HAL_STATUS_FAILED_PRECONDITION, snapshot.plugin_path + " changed during the run; run again"};
  return report;
}

}  // namespace hal::conformance
