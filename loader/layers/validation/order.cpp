// SPDX-License-Identifier: Apache-2.0
#include "order.hpp"

#include <algorithm>

namespace hal::layers::validation {
namespace {

constexpr size_t kMaxOpen = 512;  // of an application that never waits, the oldest are forgotten

bool signals_up_to(const Submission& submission, const Point& point) {
  return std::any_of(submission.signals.begin(), submission.signals.end(), [&](const Point& signal) {
    return signal.semaphore == point.semaphore && signal.value <= point.value;
  });
}

bool meets(const Access& a, const Access& b) {
  return a.buffer == b.buffer && (a.writes || b.writes) && a.length != 0 && b.length != 0 &&
         a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

std::string hazard(const Submission& a, const Access& in_a, const Submission& b, const Access& in_b) {
  const uint64_t begin = std::max(in_a.offset, in_b.offset);
  const uint64_t end = std::min(in_a.offset + in_a.length, in_b.offset + in_b.length);
  const auto does = [](const Access& access) { return access.writes ? " writes " : " reads "; };
  return cite(Rule::kOrder) + ": queue.submit: submission " + a.name + does(in_a) + "bytes " + std::to_string(begin) +
         " to " + std::to_string(end) + " of buffer \"" + in_a.buffer->label + "\", which submission " + b.name +
         does(in_b) + "with nothing between them; let one wait for a semaphore that the other signals";
}

}  // namespace

// Seen by the host, or in the signal list of a submission that is on its way.
bool Order::is_promised(const Point& point) const {
  const auto seen = seen_.find(point.semaphore);
  if (seen != seen_.end() && seen->second >= point.value) return true;
  return std::any_of(open_.begin(), open_.end(), [&](const SubmissionPtr& submission) {
    return std::any_of(submission->signals.begin(), submission->signals.end(), [&](const Point& signal) {
      return signal.semaphore == point.semaphore && signal.value >= point.value;
    });
  });
}

// All that must end before this one starts.
Order::Set Order::before(const Submission& submission) const {
  Set found;
  std::vector<const Submission*> todo = {&submission};
  while (!todo.empty()) {
    const Submission* const at = todo.back();
    todo.pop_back();
    for (const Point& wait : at->waits) {
      for (const SubmissionPtr& other : open_) {
        if (signals_up_to(*other, wait) && found.insert(other.get()).second) todo.push_back(other.get());
      }
    }
  }
  return found;
}

void Order::judge(const Submission& submission, std::vector<std::string>& found) const {
  const Set earlier = before(submission);
  for (const SubmissionPtr& other : open_) {
    if (other.get() == &submission || other->is_floating || earlier.count(other.get()) != 0) continue;
    for (const Access& mine : submission.accesses) {
      const auto clash = std::find_if(other->accesses.begin(), other->accesses.end(),
                                      [&](const Access& theirs) { return meets(mine, theirs); });
      if (clash == other->accesses.end()) continue;
      if (before(*other).count(&submission) == 0) found.push_back(hazard(submission, mine, *other, *clash));
      break;
    }
  }
}

// Until nothing changes: one that is promised may be what another waits for.
void Order::judge_floating(std::vector<std::string>& found) {
  for (const SubmissionPtr& submission : open_) {
    if (!submission->is_floating) continue;
    const Set earlier = before(*submission);
    const auto all_promised = [&](const Submission& one) {
      return std::all_of(one.waits.begin(), one.waits.end(), [&](const Point& wait) { return is_promised(wait); });
    };
    if (!all_promised(*submission)) continue;
    if (!std::all_of(earlier.begin(), earlier.end(), [&](const Submission* one) { return all_promised(*one); })) {
      continue;
    }
    submission->is_floating = false;
    judge(*submission, found);
  }
}

std::vector<std::string> Order::add(const SubmissionPtr& submission) {
  const std::lock_guard lock(mutex_);
  open_.push_back(submission);
  if (open_.size() > kMaxOpen) open_.pop_front();
  std::vector<std::string> found;
  judge_floating(found);
  return found;
}

void Order::remove(const SubmissionPtr& submission) {
  const std::lock_guard lock(mutex_);
  open_.erase(std::remove(open_.begin(), open_.end(), submission), open_.end());
}

std::vector<std::string> Order::reached(uint64_t semaphore, uint64_t value) {
  const std::lock_guard lock(mutex_);
  Set ended;
  for (const SubmissionPtr& submission : open_) {
    if (!signals_up_to(*submission, {semaphore, value})) continue;
    ended.insert(submission.get());
    ended.merge(before(*submission));
  }
  open_.erase(std::remove_if(open_.begin(), open_.end(), [&](const auto& one) { return ended.count(one.get()) != 0; }),
              open_.end());
  uint64_t& seen = seen_[semaphore];
  seen = std::max(seen, value);
  std::vector<std::string> found;
  judge_floating(found);
  return found;
}

std::vector<std::string> Order::writers(const Object& buffer, uint64_t offset, uint64_t length) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const SubmissionPtr& submission : open_) {
    const bool writes =
        std::any_of(submission->accesses.begin(), submission->accesses.end(), [&](const Access& access) {
          return access.writes && access.buffer.get() == &buffer && access.offset < offset + length &&
                 offset < access.offset + access.length;
        });
    if (writes) names.push_back(submission->name);
  }
  return names;
}

std::vector<std::string> Order::never_seen() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const SubmissionPtr& submission : open_) names.push_back(submission->name);
  return names;
}

}  // namespace hal::layers::validation
