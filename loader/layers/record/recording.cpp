// SPDX-License-Identifier: Apache-2.0
#include "recording.hpp"

#include <algorithm>
#include <boost/crc.hpp>

namespace hal::layers::record {
namespace {

constexpr std::string_view kMagic = "MRTSREC\n";
constexpr size_t kFrame = 2 * sizeof(uint32_t);

template <typename T>
void put(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
}

uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

// The one list of an event's fields, for writing and for reading.
template <typename Archive, typename E>
void fields(Archive& archive, E& event) {
  archive(event.sequence);
  archive(event.type);
  archive(event.object);
  archive(event.parent);
  archive(event.numbers);
  archive(event.texts);
  archive(event.data);
  archive(event.waits);
  archive(event.signals);
  archive(event.work);
}

struct Encoder {
  std::string out;

  void operator()(uint32_t value) { put(out, value); }
  void operator()(uint64_t value) { put(out, value); }
  void operator()(EventType type) { put(out, static_cast<uint32_t>(type)); }
  void operator()(const std::string& text) {
    put(out, static_cast<uint64_t>(text.size()));
    out += text;
  }
  template <typename T, size_t n>
  void operator()(const std::array<T, n>& items) {
    for (const T& item : items) (*this)(item);
  }
  template <typename T>
  void operator()(const std::vector<T>& items) {
    put(out, static_cast<uint64_t>(items.size()));
    for (const T& item : items) (*this)(item);
  }
  void operator()(const Range& range) { members(*this, range); }
  void operator()(const Value& value) { members(*this, value); }
  void operator()(const Work& work) { members(*this, work); }

  template <typename Archive, typename R>
  requires requires(R& r) { r.slot; }
  static void members(Archive& archive, R& range) {
    archive(range.buffer);
    archive(range.offset);
    archive(range.length);
    archive(range.slot);
  }
  template <typename Archive, typename V>
  requires requires(V& v) { v.semaphore; }
  static void members(Archive& archive, V& value) {
    archive(value.semaphore);
    archive(value.value);
  }
  template <typename Archive, typename W>
  requires requires(W& w) { w.grid; }
  static void members(Archive& archive, W& work) {
    archive(work.type);
    archive(work.label);
    archive(work.source);
    archive(work.target);
    archive(work.pattern);
    archive(work.pattern_size);
    archive(work.rows);
    archive(work.object);
    archive(work.entry);
    archive(work.grid);
    archive(work.bindings);
    archive(work.data);
  }
};

// After the first thing that does not fit everything is zero, and is_whole is false.
struct Decoder {
  std::string_view rest;
  bool is_whole = true;

  template <typename T>
  T number() {
    T value = 0;
    if (rest.size() < sizeof(T)) return fail<T>();
    for (size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<T>(static_cast<T>(static_cast<unsigned char>(rest[i])) << (8 * i));
    }
    rest.remove_prefix(sizeof(T));
    return value;
  }
  // A count of items that take at least a byte each: more than the bytes that are left is garbage.
  uint64_t count() {
    const auto value = number<uint64_t>();
    return value <= rest.size() ? value : fail<uint64_t>();
  }

  void operator()(uint32_t& value) { value = number<uint32_t>(); }
  void operator()(uint64_t& value) { value = number<uint64_t>(); }
  void operator()(EventType& type) {
    const auto value = number<uint32_t>();
    type = static_cast<EventType>(value < kEventTypes ? value : fail<uint32_t>());
  }
  void operator()(std::string& text) {
    const uint64_t size = count();
    text = rest.substr(0, size);
    rest.remove_prefix(size);
  }
  template <typename T, size_t n>
  void operator()(std::array<T, n>& items) {
    for (T& item : items) (*this)(item);
  }
  template <typename T>
  void operator()(std::vector<T>& items) {
    for (uint64_t left = count(); left != 0 && is_whole; --left) (*this)(items.emplace_back());
  }
  void operator()(Range& range) { Encoder::members(*this, range); }
  void operator()(Value& value) { Encoder::members(*this, value); }
  void operator()(Work& work) { Encoder::members(*this, work); }

 private:
  template <typename T>
  T fail() {
    is_whole = false;
    rest = {};
    return 0;
  }
};

Error corrupt(size_t at, const std::string& what) {
  return data_corrupt("the recording is damaged at byte " + std::to_string(at) + ": " + what + "; record it again");
}

Result<Event> decode_event(std::string_view payload, size_t at) {
  Decoder decoder{payload};
  Event event;
  fields(decoder, event);
  if (!decoder.is_whole || !decoder.rest.empty()) return corrupt(at, "an event has not the shape that it should have");
  return event;
}

}  // namespace

std::string header() {
  std::string bytes(kMagic);
  put(bytes, kVersion);
  return bytes;
}

std::string encode(const Event& event) {
  Encoder encoder;
  fields(encoder, event);
  std::string framed;
  put(framed, static_cast<uint32_t>(encoder.out.size()));
  put(framed, checksum(encoder.out));
  return framed + encoder.out;
}

Result<Recording> decode(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic) return corrupt(0, "it does not begin as a recording does");
  Decoder reader{bytes.substr(kMagic.size())};
  const auto version = reader.number<uint32_t>();
  if (!reader.is_whole) return corrupt(kMagic.size(), "it ends within its header");
  if (version != kVersion) {
    return Error{HAL_STATUS_INCOMPATIBLE, "the recording has version " + std::to_string(version) +
                                              ", this release reads " + std::to_string(kVersion)};
  }
  Recording recording;
  while (!reader.rest.empty()) {
    const size_t at = bytes.size() - reader.rest.size();
    if (reader.rest.size() < kFrame) {
      recording.is_truncated = true;
      break;
    }
    const auto length = reader.number<uint32_t>();
    const auto expected = reader.number<uint32_t>();
    if (length > reader.rest.size()) {
      recording.is_truncated = true;
      break;
    }
    const std::string_view payload = reader.rest.substr(0, length);
    if (checksum(payload) != expected) return corrupt(at, "the checksum is wrong");
    HAL_TRY_ASSIGN(Event event, decode_event(payload, at));
    recording.events.push_back(std::move(event));
    reader.rest.remove_prefix(length);
  }
  std::stable_sort(recording.events.begin(), recording.events.end(),
                   [](const Event& a, const Event& b) { return a.sequence < b.sequence; });
  return recording;
}

std::string_view event_name(const Event& event) {
  static constexpr std::string_view kNames[] = {"other",
                                                "device.open",
                                                "device.close",
                                                "memory.buffer_create",
                                                "memory.buffer_destroy",
                                                "a write to a buffer",
                                                "a read of a buffer",
                                                "queue.queue_create",
                                                "queue.queue_destroy",
                                                "queue.semaphore_create",
                                                "queue.semaphore_destroy",
                                                "queue.semaphore_signal",
                                                "queue.semaphore_fail",
                                                "queue.semaphore_wait",
                                                "executable.load",
                                                "executable.destroy",
                                                "command_buffer.create",
                                                "command_buffer.destroy",
                                                "command_buffer.record",
                                                "command_buffer.barrier",
                                                "command_buffer.finish",
                                                "queue.submit"};
  static_assert(std::size(kNames) == kEventTypes);
  if (event.type == EventType::kOther && !event.texts.empty()) return event.texts[0];
  return kNames[static_cast<size_t>(event.type)];
}

}  // namespace hal::layers::record
