// SPDX-License-Identifier: Apache-2.0
//
// When submissions end. Each gets one more semaphore to signal, and a thread for each device waits for any of them.
#ifndef LOADER_LAYERS_TRACE_COMPLETION_HPP_
#define LOADER_LAYERS_TRACE_COMPLETION_HPP_

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "hal/layer.h"

namespace hal::layers::trace {

class Completion {
 public:
  // Takes the outcome of one submission: NULL, or the status with which it failed (borrowed).
  using Done = std::function<void(const hal_status_t* failure)>;

  // NULL if the device gives no semaphore.
  static std::unique_ptr<Completion> start(hal_device_t* device, const hal_calls_t* next);

  // Ends the thread. Submissions that are still on their way are not heard of any more.
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  // A semaphore at 0, to be signalled with 1 and given to `watch` or to `drop`. NULL if there is none.
  hal_semaphore_t* make_semaphore();
  void watch(hal_semaphore_t* semaphore, Done done);
  void drop(hal_semaphore_t* semaphore);

 private:
  struct Item {
    hal_semaphore_t* semaphore;
    Done done;
  };

  Completion(hal_device_t* device, const hal_calls_t* next) : device_(device), next_(next) {}
  void run();
  bool is_over(const Item& item);
  void wake(uint64_t value);

  hal_device_t* const device_;
  const hal_calls_t* const next_;
  hal_semaphore_t* wake_ = nullptr;
  std::thread thread_;
  std::mutex mutex_;
  std::vector<Item> added_;
  uint64_t wake_value_ = 0;
  bool is_stopping_ = false;
};

}  // namespace hal::layers::trace

#endif  // LOADER_LAYERS_TRACE_COMPLETION_HPP_
