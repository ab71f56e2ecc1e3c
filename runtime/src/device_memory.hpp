// SPDX-License-Identifier: Apache-2.0
//
// Bytes into and out of device buffers, whatever heaps the device has: by mapping where the heap is host-visible, else by
// a copy through a host-visible one.
#ifndef HAL_RUNTIME_DEVICE_MEMORY_HPP_
#define HAL_RUNTIME_DEVICE_MEMORY_HPP_

#include <cstddef>
#include <memory>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/hal.h"

namespace hal::runtime {

struct Destroy {
  void operator()(hal_buffer_t* object) const { hal_buffer_destroy(object); }
  void operator()(hal_queue_t* object) const { hal_queue_destroy(object); }
  void operator()(hal_semaphore_t* object) const { hal_semaphore_destroy(object); }
  void operator()(hal_executable_t* object) const { hal_executable_destroy(object); }
};
using Buffer = std::unique_ptr<hal_buffer_t, Destroy>;
using Queue = std::unique_ptr<hal_queue_t, Destroy>;
using Semaphore = std::unique_ptr<hal_semaphore_t, Destroy>;
using Executable = std::unique_ptr<hal_executable_t, Destroy>;

class DeviceMemory {
 public:
  static Result<DeviceMemory> create(hal_device_t* device);

  // A buffer in the general heap; at least one byte, so that empty tensors bind like others.
  Result<Buffer> allocate(uint64_t size, const char* label);

  Result<void> upload(hal_buffer_t* buffer, uint64_t offset, const void* data, uint64_t size);
  Result<void> download(hal_buffer_t* buffer, uint64_t offset, void* data, uint64_t size);

  // Submits work and waits for it; the device's own failure is the error.
  Result<void> run(const std::vector<const hal_work_t*>& work, const char* label);

 private:
  Result<Buffer> allocate_in(uint32_t heap, uint64_t size, const char* label);
  Result<void> through_staging(hal_buffer_t* buffer, uint64_t offset, void* host, uint64_t size, bool to_device);

  hal_device_t* device_ = nullptr;
  Queue queue_;
  Semaphore semaphore_;
  uint64_t timeline_ = 0;
  bool general_is_visible_ = false;
  uint32_t visible_heap_ = 0;
};

}  // namespace hal::runtime

#endif  // HAL_RUNTIME_DEVICE_MEMORY_HPP_
