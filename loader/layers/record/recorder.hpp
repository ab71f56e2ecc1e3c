// SPDX-License-Identifier: Apache-2.0
//
// Turns calls into events, and keeps what is needed for that: numbers of handles, and which bytes the application may
// have changed behind a mapping.
#ifndef LOADER_LAYERS_RECORD_RECORDER_HPP_
#define LOADER_LAYERS_RECORD_RECORDER_HPP_

#include <atomic>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hal/layer.h"
#include "recording.hpp"

namespace hal::layers::record {

class Recorder {
 public:
  static Result<std::unique_ptr<Recorder>> open(const hal_layer_desc_t& desc, const std::string& path);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // An event's place in the order: taken before a call that others can see the effect of, after one that makes.
  uint64_t next_sequence() { return ++last_sequence_; }
  Event event(EventType type, const void* object = nullptr, const void* parent = nullptr);
  void write(const Event& event);

  uint64_t add(const void* handle);
  uint64_t number(const void* handle);  // 0: unknown
  void remove(const void* handle);

  void created(hal_buffer_t* buffer, hal_device_t* device, const hal_buffer_desc_t& desc);
  void imported(hal_buffer_t* buffer, hal_device_t* device, const hal_external_memory_t& memory);
  void mapped(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags, void* address);
  void unmapping(hal_buffer_t* buffer);
  // Bytes that the host may have changed since the last submit, through mappings that are still there.
  void catch_up();

  Event submit(hal_queue_t* queue, const hal_submission_t& submission);
  Work work(const hal_work_t& work);

 private:
  struct Map {
    uint64_t offset = 0, length = 0, flags = 0;
    const char* address = nullptr;
    std::string last;  // content when it was written to the file
  };

  Recorder(const hal_layer_desc_t& desc, std::FILE* file);
  Range range(const hal_buffer_range_t& given);
  std::vector<Range> ranges(const hal_buffer_range_t* given, uint32_t count);
  std::vector<Value> values(const hal_semaphore_value_t* given, uint32_t count);
  uint64_t size_of(hal_buffer_t* buffer) const;
  Event bytes_event(EventType type, const void* buffer, const Map& map);

  const hal_calls_t* const next_;
  const std::string plugin_;
  std::FILE* const file_;
  std::atomic<uint64_t> last_sequence_{0};
  std::mutex mutex_;  // of what follows and of the file
  uint64_t last_number_ = 0;
  std::map<const void*, uint64_t> numbers_;
  std::map<const void*, std::vector<Map>> maps_;

 public:
  const std::string& plugin() const { return plugin_; }
  Event wait(hal_device_t* device, hal_wait_mode_t mode, const hal_semaphore_value_t* list, uint32_t count);
};

}  // namespace hal::layers::record

#endif  // LOADER_LAYERS_RECORD_RECORDER_HPP_
