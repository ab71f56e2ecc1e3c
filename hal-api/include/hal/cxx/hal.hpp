// SPDX-License-Identifier: Apache-2.0
//
// The C ABI for C++: handles that destroy themselves, calls that return Result, and a submission that is put together
// step by step. Header-only, over hal/hal.h alone. Devices come from hal/loader.hpp.
//
// Each wrapper is the C call of the same meaning: what it means, its errors and its thread rules are in the C header.
#ifndef HAL_CXX_HAL_HPP_
#define HAL_CXX_HAL_HPP_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/hal.h"

namespace hal {

// Strings of the ABI, both ways. Nothing is copied: the argument must outlive the result.
inline std::string_view view(hal_string_t text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.length);
}
inline hal_string_t text(std::string_view value) { return {value.data(), value.size()}; }

// The only owner of an object; moves, does not copy. Empty after a move.
template <typename T, void (*destroy)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* owned) : object_(owned) {}
  ~Handle() { destroy(object_); }
  Handle(Handle&& other) noexcept : object_(other.release()) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  T* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  T* release() { return std::exchange(object_, nullptr); }
  void reset(T* owned = nullptr) { destroy(std::exchange(object_, owned)); }

 private:
  T* object_ = nullptr;
};

using Buffer = Handle<hal_buffer_t, hal_buffer_destroy>;
using Queue = Handle<hal_queue_t, hal_queue_destroy>;
using Semaphore = Handle<hal_semaphore_t, hal_semaphore_destroy>;
using Executable = Handle<hal_executable_t, hal_executable_destroy>;
using CommandBuffer = Handle<hal_command_buffer_t, hal_command_buffer_destroy>;

namespace detail {

// A create call into a Handle.
template <typename H, typename T, typename Call>
Result<H> make_handle(Call&& call) {
  T* object = nullptr;
  HAL_TRY(take_status(call(&object)));
  return H(object);
}

// A count-then-fill call into a vector of out-structs. The list may grow between the two calls: then it is asked again.
template <typename T, typename Call>
Result<std::vector<T>> list_structs(Call&& call) {
  std::vector<T> items;
  for (;;) {
    uint32_t count = 0;
    for (T& item : items) item.struct_size = static_cast<uint32_t>(sizeof(T));
    const auto capacity = static_cast<uint32_t>(items.size());
    HAL_TRY(take_status(call(capacity, &count, items.empty() ? nullptr : items.data())));
    if (count <= capacity) {
      items.resize(count);
      return items;
    }
    items.assign(count, T{});
  }
}

template <typename T, typename Call>
Result<T> read_struct(Call&& call) {
  T value{};
  value.struct_size = static_cast<uint32_t>(sizeof(T));
  HAL_TRY(take_status(call(&value)));
  return value;
}

}  // namespace detail

// ---- device ----

inline Result<hal_device_caps_t> capabilities(hal_device_t* device) {
  return detail::read_struct<hal_device_caps_t>([&](auto* out) { return hal_device_capabilities(device, out); });
}

inline Result<std::vector<hal_heap_info_t>> heaps(hal_device_t* device) {
  return detail::list_structs<hal_heap_info_t>(
      [&](uint32_t capacity, uint32_t* count, auto* out) { return hal_device_heaps(device, capacity, count, out); });
}

inline Result<hal_heap_statistics_t> heap_statistics(hal_device_t* device, uint32_t heap) {
  return detail::read_struct<hal_heap_statistics_t>([&](auto* out) { return hal_heap_statistics(device, heap, out); });
}

// ---- buffers ----

inline Result<Buffer> create_buffer(hal_device_t* device, const hal_buffer_desc_t& desc) {
  return detail::make_handle<Buffer, hal_buffer_t>([&](auto** out) { return hal_buffer_create(device, &desc, out); });
}

// `size` bytes on the heap for general use.
inline Result<Buffer> create_buffer(hal_device_t* device, uint64_t size, uint64_t flags = 0) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = size;
  desc.flags = flags;
  return create_buffer(device, desc);
}

// One map of a range; ends with the scope. The buffer must outlive it.
class Mapping {
 public:
  static Result<Mapping> create(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags) {
    void* address = nullptr;
    HAL_TRY(take_status(hal_buffer_map(buffer, offset, length, flags, &address)));
    return Mapping(buffer, address, length);
  }
  ~Mapping() {
    if (buffer_ != nullptr) hal_status_release(hal_buffer_unmap(buffer_));
  }
  Mapping(Mapping&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)), address_(other.address_), length_(other.length_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(address_, other.address_);
    std::swap(length_, other.length_);
    return *this;
  }

  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(address_), length_}; }

 private:
  Mapping(hal_buffer_t* buffer, void* address, uint64_t length) : buffer_(buffer), address_(address), length_(length) {}

  hal_buffer_t* buffer_;
  void* address_;
  uint64_t length_;
};

// Host bytes into a host-visible buffer, and back; does not wait for work. Heaps that are not coherent are flushed.
inline Result<void> write_buffer(hal_buffer_t* buffer, uint64_t offset, std::span<const std::byte> bytes,
                                 bool is_coherent = true) {
  if (bytes.empty()) return {};
  HAL_TRY_ASSIGN(const Mapping mapping, Mapping::create(buffer, offset, bytes.size(), HAL_MAP_WRITE | HAL_MAP_DISCARD));
  std::memcpy(mapping.bytes().data(), bytes.data(), bytes.size());
  return is_coherent ? Result<void>() : take_status(hal_buffer_flush(buffer, offset, bytes.size()));
}

inline Result<void> read_buffer(hal_buffer_t* buffer, uint64_t offset, std::span<std::byte> bytes,
                                bool is_coherent = true) {
  if (bytes.empty()) return {};
  if (!is_coherent) HAL_TRY(take_status(hal_buffer_invalidate(buffer, offset, bytes.size())));
  HAL_TRY_ASSIGN(const Mapping mapping, Mapping::create(buffer, offset, bytes.size(), HAL_MAP_READ));
  std::memcpy(bytes.data(), mapping.bytes().data(), bytes.size());
  return {};
}

// A range of a buffer; all of it by default.
inline hal_buffer_range_t range(hal_buffer_t* buffer, uint64_t offset = 0, uint64_t length = HAL_WHOLE_BUFFER) {
  return {buffer, offset, length, 0, 0};
}
inline hal_buffer_range_t range(const Buffer& buffer, uint64_t offset = 0, uint64_t length = HAL_WHOLE_BUFFER) {
  return range(buffer.get(), offset, length);
}

// ---- queues and semaphores ----

inline Result<Queue> create_queue(hal_device_t* device, const hal_queue_desc_t& desc = HAL_QUEUE_DESC_INIT) {
  return detail::make_handle<Queue, hal_queue_t>([&](auto** out) { return hal_queue_create(device, &desc, out); });
}

inline Result<Semaphore> create_semaphore(hal_device_t* device, uint64_t initial_value = 0) {
  return detail::make_handle<Semaphore, hal_semaphore_t>(
      [&](auto** out) { return hal_semaphore_create(device, initial_value, out); });
}

inline Result<void> wait(hal_device_t* device, const Semaphore& semaphore, uint64_t value,
                         hal_time_t deadline = HAL_TIME_FOREVER) {
  const hal_semaphore_value_t awaited = {semaphore.get(), value};
  return take_status(hal_semaphore_wait(device, HAL_WAIT_ALL, 1, &awaited, deadline, nullptr));
}

// ---- executables ----

inline Result<Executable> load_executable(hal_device_t* device, const hal_executable_desc_t& desc) {
  return detail::make_handle<Executable, hal_executable_t>(
      [&](auto** out) { return hal_executable_load(device, &desc, out); });
}

inline Result<Executable> load_executable(hal_device_t* device, std::string_view format, std::string_view target,
                                          std::span<const std::byte> bytes) {
  hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  desc.format = text(format);
  desc.target = text(target);
  desc.bytes = {bytes.data(), bytes.size()};
  return load_executable(device, desc);
}

inline Result<std::vector<hal_entry_info_t>> entries(hal_executable_t* executable) {
  return detail::list_structs<hal_entry_info_t>([&](uint32_t capacity, uint32_t* count, auto* out) {
    return hal_executable_entries(executable, capacity, count, out);
  });
}

// ---- submission ----

// Work for one submit, in order. What it points to (data, constants, bindings) must live until submit returns.
//   Submission().wait(a, 1).fill(range(buffer), 0, 4).signal(b, 1).submit(queue.get())
class Submission {
 public:
  Submission() = default;
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  Submission& wait(const Semaphore& semaphore, uint64_t value) {
    waits_.push_back({semaphore.get(), value});
    return *this;
  }
  Submission& signal(const Semaphore& semaphore, uint64_t value) {
    signals_.push_back({semaphore.get(), value});
    return *this;
  }
  Submission& label(std::string_view label) {
    label_ = label;
    return *this;
  }

  Submission& copy(const hal_buffer_range_t& source, const hal_buffer_range_t& target) {
    hal_work_copy_t work = HAL_WORK_COPY_INIT;
    work.source = source;
    work.target = target;
    return add(work);
  }
  Submission& fill(const hal_buffer_range_t& target, uint64_t pattern, uint32_t pattern_size) {
    hal_work_fill_t work = HAL_WORK_FILL_INIT;
    work.target = target;
    work.pattern = pattern;
    work.pattern_size = pattern_size;
    return add(work);
  }
  Submission& update(const hal_buffer_range_t& target, const void* data) {
    hal_work_update_t work = HAL_WORK_UPDATE_INIT;
    work.target = target;
    work.data = data;
    return add(work);
  }
  Submission& dispatch(const hal_work_dispatch_t& work) { return add(work); }
  Submission& run(const CommandBuffer& command_buffer, std::span<const hal_buffer_range_t> bindings = {}) {
    hal_work_command_buffer_t work = HAL_WORK_COMMAND_BUFFER_INIT;
    work.command_buffer = command_buffer.get();
    work.bindings = bindings.data();
    work.binding_count = static_cast<uint32_t>(bindings.size());
    return add(work);
  }
  Submission& host_call(hal_status_t* (*call)(void*), void* user_data) {
    hal_work_host_call_t work = HAL_WORK_HOST_CALL_INIT;
    work.call = call;
    work.user_data = user_data;
    return add(work);
  }

  Result<void> submit(hal_queue_t* queue) const {
    std::vector<const hal_work_t*> items;
    for (const Work& item : work_) {
      items.push_back(std::visit([](const auto& work) { return &work.header; }, item));
    }
    hal_submission_t submission = HAL_SUBMISSION_INIT;
    submission.waits = waits_.data();
    submission.wait_count = static_cast<uint32_t>(waits_.size());
    submission.work = items.data();
    submission.work_count = static_cast<uint32_t>(items.size());
    submission.signals = signals_.data();
    submission.signal_count = static_cast<uint32_t>(signals_.size());
    submission.label = text(label_);
    return take_status(hal_queue_submit(queue, &submission));
  }
  Result<void> submit(const Queue& queue) const { return submit(queue.get()); }

 private:
  using Work = std::variant<hal_work_copy_t, hal_work_fill_t, hal_work_update_t, hal_work_dispatch_t,
                            hal_work_command_buffer_t, hal_work_host_call_t>;

  Submission& add(const Work& work) {
    work_.push_back(work);
    return *this;
  }

  std::vector<hal_semaphore_value_t> waits_, signals_;
  std::vector<Work> work_;
  std::string label_;
};

// Submits, and waits until the work is done. For tests and simple tools: a pipeline keeps its own semaphores.
inline Result<void> submit_and_wait(hal_device_t* device, const Queue& queue, Submission& submission,
                                    hal_time_t deadline = HAL_TIME_FOREVER) {
  HAL_TRY_ASSIGN(const Semaphore done, create_semaphore(device));
  HAL_TRY(submission.signal(done, 1).submit(queue));
  return wait(device, done, 1, deadline);
}

}  // namespace hal

#endif  // HAL_CXX_HAL_HPP_
