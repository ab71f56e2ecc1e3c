// SPDX-License-Identifier: Apache-2.0
//
// What runtime and core cases work with: handles that destroy themselves, and a rig with a queue that moves bytes in
// and out of a device and runs work to its end. Every wait has a deadline.
#ifndef HAL_CONFORMANCE_RIG_HPP_
#define HAL_CONFORMANCE_RIG_HPP_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "hal/conformance/context.hpp"
#include "hal/conformance/expect.hpp"
#include "hal/hal.h"

namespace hal::conformance {

struct HandleDestroyer {
  void operator()(hal_buffer_t* handle) const { hal_buffer_destroy(handle); }
  void operator()(hal_queue_t* handle) const { hal_queue_destroy(handle); }
  void operator()(hal_semaphore_t* handle) const { hal_semaphore_destroy(handle); }
  void operator()(hal_executable_t* handle) const { hal_executable_destroy(handle); }
};
using Buffer = std::unique_ptr<hal_buffer_t, HandleDestroyer>;
using Queue = std::unique_ptr<hal_queue_t, HandleDestroyer>;
using Semaphore = std::unique_ptr<hal_semaphore_t, HandleDestroyer>;
using Executable = std::unique_ptr<hal_executable_t, HandleDestroyer>;

using Bytes = std::vector<std::byte>;
inline constexpr std::byte kPoison{0xA5};
inline constexpr std::byte kGuard{0x5C};

// An instant that many milliseconds from now.
hal_time_t in_milliseconds(uint64_t milliseconds);
inline constexpr uint64_t kPatience = 5000;  // milliseconds: what should happen at once is given this long

hal_string_t to_hal(std::string_view text);
hal_buffer_range_t range_of(hal_buffer_t* buffer, uint64_t offset = 0, uint64_t length = HAL_WHOLE_BUFFER);

// Work items with a short way to write them.
hal_work_copy_t copy_work(hal_buffer_range_t source, hal_buffer_range_t target);
hal_work_fill_t fill_work(hal_buffer_range_t target, uint64_t pattern, uint32_t pattern_size);
hal_work_update_t update_work(hal_buffer_range_t target, const void* data);
hal_work_host_call_t host_call_work(hal_status_t* (*call)(void*), void* user_data);
template <typename T>
const hal_work_t* as_work(const T& work) {
  return &work.header;
}
using WorkList = std::vector<const hal_work_t*>;
using SemaphoreList = std::vector<hal_semaphore_value_t>;

class Rig {
 public:
  explicit Rig(CaseContext& context);

  CaseContext& context() { return context_; }
  hal_device_t* device() const { return device_; }
  hal_queue_t* queue() const { return queue_.get(); }
  const std::vector<hal_heap_info_t>& heaps() const { return heaps_; }
  uint64_t features() const { return features_; }
  bool is_visible(uint32_t heap) const { return (heaps_[heap].kind & HAL_HEAP_HOST_VISIBLE) != 0; }

  Buffer buffer(uint64_t size, uint64_t flags = 0, uint32_t heap = 0) const;
  Queue make_queue() const;
  Semaphore semaphore(uint64_t initial_value = 0) const;

  // Submits to a queue; does not wait.
  hal_status_t* try_submit(hal_queue_t* queue, const WorkList& work, const SemaphoreList& waits,
                           const SemaphoreList& signals) const;
  void submit(const WorkList& work, const SemaphoreList& waits, const SemaphoreList& signals) const;

  // Submits and waits for its end.
  void run(const WorkList& work) const;
  void wait(hal_semaphore_t* semaphore, uint64_t value, uint64_t milliseconds = kPatience) const;

  // Bytes into and out of a buffer, whichever heap it is of.
  void write(hal_buffer_t* buffer, std::span<const std::byte> bytes, uint64_t offset = 0) const;
  Bytes read(hal_buffer_t* buffer, uint64_t offset, uint64_t length) const;
  Bytes read_mapped(hal_buffer_t* buffer, uint64_t offset, uint64_t length) const;

  hal_heap_statistics_t statistics(uint32_t heap = 0) const;

 private:
  uint32_t visible_heap() const;

  CaseContext& context_;
  hal_device_t* device_;
  uint64_t features_;
  std::vector<hal_heap_info_t> heaps_;
  Queue queue_;
};

// The heaps and the capabilities of a device.
std::vector<hal_heap_info_t> heaps_of(hal_device_t* device);
hal_device_caps_t capabilities_of(hal_device_t* device);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_RIG_HPP_
