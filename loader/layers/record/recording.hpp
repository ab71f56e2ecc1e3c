// SPDX-License-Identifier: Apache-2.0
//
// A recorded run as a file: what was made, written, submitted, awaited and read, in order, with the data. Objects are
// named by numbers. Little-endian; a header, then one framed and checksummed record for each event:
//
//   "MRTSREC\n" | version u32 | { length u32 | crc32 of the payload u32 | payload }*
//
// Files are untrusted: whatever is in one, reading it gives events or an error.
#ifndef LOADER_LAYERS_RECORD_RECORDING_HPP_
#define LOADER_LAYERS_RECORD_RECORDING_HPP_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::layers::record {

inline constexpr uint32_t kVersion = 1;

enum class EventType : uint32_t {
  kOther = 0,  // a call without effect on what follows: texts[0] is its name, numbers[0] its status
  kOpen,       // object; texts: name of the plugin
  kClose,
  kBufferCreate,  // object, parent; numbers: heap, size, alignment, flags; texts: label
  kBufferDestroy,
  kBufferWrite,  // object; numbers: offset; data
  kBufferRead,   // object; numbers: offset; data: what the application saw
  kQueueCreate,  // object, parent; numbers: priority, kind; texts: label
  kQueueDestroy,
  kSemaphoreCreate,  // object, parent; numbers: value
  kSemaphoreDestroy,
  kSemaphoreSignal,  // object; numbers: value
  kSemaphoreFail,    // object; numbers: code; texts: message
  kSemaphoreWait,    // parent; numbers: mode; waits; one that succeeded
  kExecutableLoad,   // object, parent; texts: format, target, compatibility, label; data: bytes
  kExecutableDestroy,
  kCommandBufferCreate,  // object, parent; numbers: binding slots, flags; texts: label
  kCommandBufferDestroy,
  kCommandBufferRecord,  // object; work: one
  kCommandBufferBarrier,
  kCommandBufferFinish,
  kSubmit,  // object: the queue; waits, work, signals; texts: label
};
inline constexpr uint32_t kEventTypes = static_cast<uint32_t>(EventType::kSubmit) + 1;

struct Range {
  uint64_t buffer = 0;  // 0: late bound, see slot
  uint64_t offset = 0;
  uint64_t length = 0;
  uint32_t slot = 0;
};

struct Value {
  uint64_t semaphore = 0;
  uint64_t value = 0;
};

// Any hal_work_*; what a type does not use is zero.
struct Work {
  uint32_t type = 0;
  std::string label;
  Range source, target;
  uint64_t pattern = 0;
  uint32_t pattern_size = 0;
  std::array<uint64_t, 3> rows{};  // rows and both pitches
  uint64_t object = 0;             // executable, command buffer or buffer
  uint32_t entry = 0;
  std::array<uint32_t, 3> grid{};
  std::vector<Range> bindings;
  std::string data;  // constants, or bytes of an update
};

struct Event {
  uint64_t sequence = 0;  // the order of events; their order in the file is nearly the same
  EventType type = EventType::kOther;
  uint64_t object = 0;
  uint64_t parent = 0;
  std::vector<uint64_t> numbers;
  std::vector<std::string> texts;
  std::string data;
  std::vector<Value> waits, signals;
  std::vector<Work> work;
};

std::string header();
std::string encode(const Event& event);  // with its frame

// All events, sorted. DATA_CORRUPT names the byte; INCOMPATIBLE both versions. A file that ends within an event (its
// writer was killed) gives what is whole, and `is_truncated`.
struct Recording {
  std::vector<Event> events;
  bool is_truncated = false;
};
Result<Recording> decode(std::string_view bytes);

// "queue.submit"
std::string_view event_name(const Event& event);

}  // namespace hal::layers::record

#endif  // LOADER_LAYERS_RECORD_RECORDING_HPP_
