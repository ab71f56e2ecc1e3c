// SPDX-License-Identifier: Apache-2.0
//
// Destroyed objects whose memory stays for a while, so that a call on a stale handle finds its table and is told so,
// instead of reading freed memory.
#ifndef LOADER_LAYERS_VALIDATION_QUARANTINE_HPP_
#define LOADER_LAYERS_VALIDATION_QUARANTINE_HPP_

#include <deque>
#include <functional>
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

  // Destroys all. Whether there were any.
  bool flush() {
    std::deque<std::function<void()>> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(waiting_);
    }
    for (const auto& destroy : all) destroy();
    return !all.empty();
  }

 private:
  const size_t capacity_;
  std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_QUARANTINE_HPP_
