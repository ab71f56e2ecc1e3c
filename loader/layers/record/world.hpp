// SPDX-License-Identifier: Apache-2.0
//
// The objects of a recording, made anew on one device, and its events as calls on them.
#ifndef LOADER_LAYERS_RECORD_WORLD_HPP_
#define LOADER_LAYERS_RECORD_WORLD_HPP_

#include <memory>
#include <string>

#include "hal/hal.h"
#include "recording.hpp"

namespace hal::layers::record {

class World {
 public:
  static Result<World> create(hal_device_t* device);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  // Every event but waits, reads and submissions.
  Result<void> apply(const Event& event);
  // Submits, with one more semaphore to signal with 1.
  Result<void> submit(const Event& event, hal_semaphore_t* done);
  Result<void> wait(const Event& event, hal_time_t deadline);
  // Whether what a submission waits for has been reached or has failed.
  Result<bool> is_ready(const Event& event) const;

  // Bytes of a buffer; length HAL_WHOLE_BUFFER: to its end. Through a copy where the host does not see it.
  Result<std::string> read(const Range& range);
  Result<void> write(uint64_t buffer, uint64_t offset, const std::string& bytes);

  hal_device_t* device() const { return device_; }

 private:
  struct Objects;

  World(hal_device_t* device, std::unique_ptr<Objects> objects);
  Result<void> create_object(const Event& event);
  Result<void> change_object(const Event& event);
  Result<void> create_one_buffer(const Event& event);

  friend class Items;
  hal_device_t* device_;
  std::unique_ptr<Objects> objects_;
};

}  // namespace hal::layers::record

#endif  // LOADER_LAYERS_RECORD_WORLD_HPP_
