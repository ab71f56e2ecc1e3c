// SPDX-License-Identifier: Apache-2.0
//
// Which submissions are ordered, and which are not though one writes what the other touches (HAL-ABI-10). Two are
// ordered where a chain of signals and waits leads from one to the other, or where the host has seen the one end before
// it submitted the other.
//
// A submission that waits for a value that nobody has promised yet may still be ordered by what comes later: it is
// judged once its waits are all promised. So nothing is reported that is in order.
#ifndef LOADER_LAYERS_VALIDATION_ORDER_HPP_
#define LOADER_LAYERS_VALIDATION_ORDER_HPP_

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "registry.hpp"

namespace hal::layers::validation {

// A semaphore by its object's id.
struct Point {
  uint64_t semaphore = 0;
  uint64_t value = 0;
};

struct Submission {
  std::string name;  // "\"label\" on queue \"q\""
  std::vector<Point> waits, signals;
  std::vector<Access> accesses;
  bool is_floating = true;  // not judged yet
};
using SubmissionPtr = std::shared_ptr<Submission>;

class Order {
 public:
  // Notes a submission, before it is made. Returns what is wrong: one text for each unordered pair.
  std::vector<std::string> add(const SubmissionPtr& submission);
  // It was refused.
  void remove(const SubmissionPtr& submission);

  // The host has seen the semaphore at this value, or has set it to it: what signals up to it has ended.
  std::vector<std::string> reached(uint64_t semaphore, uint64_t value);
  // The host has seen that it failed.
  std::vector<std::string> failed(uint64_t semaphore) { return reached(semaphore, UINT64_MAX); }

  // Submissions that write these bytes and that the host has not seen end.
  std::vector<std::string> writers(const Object& buffer, uint64_t offset, uint64_t length) const;
  // Submissions that the host never saw end.
  std::vector<std::string> never_seen() const;

 private:
  using Set = std::set<const Submission*>;

  bool is_promised(const Point& point) const;
  Set before(const Submission& submission) const;
  void judge_floating(std::vector<std::string>& found);
  void judge(const Submission& submission, std::vector<std::string>& found) const;

  mutable std::mutex mutex_;
  std::deque<SubmissionPtr> open_;
  std::map<uint64_t, uint64_t> seen_;  // values by semaphore
};

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_ORDER_HPP_
