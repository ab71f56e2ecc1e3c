// SPDX-License-Identifier: Apache-2.0
//
// Destroyed objects whose memory stays for a while, so that a call on a stale handle finds its table and is told so,
// instead of reading freed memory.
#ifndef LOADER_LAYERS_VALIDATION_QUARANTINE_HPP_
#define LOADER_LAYERS_VALIDATION_QUARANTINE_HPP_

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

namespace hal::layers::validation {

class Quarantine {
 public:
  explicit Quarantine(size_t capacity) : capacity_(capacity) {}

  // `destroy` is called later, when others have taken the place.
  void add(std::function<void()> destroy) {
    std::function<void()> oldest;
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(destroy));
      if (waiting_.size() <= capacity_) return;
      oldest = std::move(waiting_.front());
      waiting_.pop_front();
    }
    oldest();
  }

  // Destroys all.
  void flush() {
    while (flush_older_half()) {
    }
  }

  // Destroys those that have waited longest. Whether there were any.
  bool flush_older_half() {
    std::deque<std::function<void()>> oldest;
    {
      const std::lock_guard lock(mutex_);
      const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>((waiting_.size() + 1) / 2);
      std::move(waiting_.begin(), end, std::back_inserter(oldest));
      waiting_.erase(waiting_.begin(), end);
    }
    for (const auto& destroy : oldest) destroy();
    return !oldest.empty();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_QUARANTINE_HPP_
