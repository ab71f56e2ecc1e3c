// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/rig.hpp"

#include <algorithm>

namespace hal::conformance {
namespace {

constexpr uint64_t kLargestUpdate = 65536;  // hal/queue.h: HAL_WORK_UPDATE

}  // namespace

hal_time_t in_milliseconds(uint64_t milliseconds) { return hal_time_now() + milliseconds * 1000000; }

hal_string_t to_hal(std::string_view text) { return {text.data(), text.size()}; }

hal_buffer_range_t range_of(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return {buffer, offset, length, 0, 0};
}

hal_work_copy_t copy_work(hal_buffer_range_t source, hal_buffer_range_t target) {
  hal_work_copy_t work = HAL_WORK_COPY_INIT;
  work.source = source;
  work.target = target;
  return work;
}

hal_work_fill_t fill_work(hal_buffer_range_t target, uint64_t pattern, uint32_t pattern_size) {
  hal_work_fill_t work = HAL_WORK_FILL_INIT;
  work.target = target;
  work.pattern = pattern;
  work.pattern_size = pattern_size;
  return work;
}

hal_work_update_t update_work(hal_buffer_range_t target, const void* data) {
  hal_work_update_t work = HAL_WORK_UPDATE_INIT;
  work.target = target;
  work.data = data;
  return work;
}

hal_work_host_call_t host_call_work(hal_status_t* (*call)(void*), void* user_data) {
  hal_work_host_call_t work = HAL_WORK_HOST_CALL_INIT;
  work.call = call;
  work.user_data = user_data;
  return work;
}

std::vector<hal_heap_info_t> heaps_of(hal_device_t* device) {
  uint32_t count = 0;
  expect_ok(hal_device_heaps(device, 0, &count, nullptr), "memory.heaps with capacity 0");
  expect(count != 0 && count < 1000, "the device has " + std::to_string(count) + " heaps; expected 1 to 999");
  std::vector<hal_heap_info_t> heaps(count);
  for (auto& heap : heaps) heap.struct_size = sizeof heap;
  expect_ok(hal_device_heaps(device, count, &count, heaps.data()), "memory.heaps");
  expect_equal(count, heaps.size(), "the number of heaps, asked for twice");
  return heaps;
}

hal_device_caps_t capabilities_of(hal_device_t* device) {
  hal_device_caps_t caps{};
  caps.struct_size = sizeof caps;
  expect_ok(hal_device_capabilities(device, &caps), "device.capabilities");
  return caps;
}

Rig::Rig(CaseContext& context)
    : context_(context),
      device_(context.device()),
      features_(capabilities_of(device_).features),
      heaps_(heaps_of(device_)),
      queue_(make_queue()) {}

Buffer Rig::buffer(uint64_t size, uint64_t flags, uint32_t heap) const {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = size;
  desc.flags = flags;
  desc.heap = heap;
  hal_buffer_t* buffer = nullptr;
  expect_ok(hal_buffer_create(device_, &desc, &buffer), "memory.buffer_create of " + std::to_string(size) + " bytes");
  expect(buffer != nullptr, "memory.buffer_create succeeded and gave no buffer");
  return Buffer(buffer);
}

Queue Rig::make_queue() const {
  hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
  hal_queue_t* queue = nullptr;
  expect_ok(hal_queue_create(device_, &desc, &queue), "queue.queue_create");
  expect(queue != nullptr, "queue.queue_create succeeded and gave no queue");
  return Queue(queue);
}

Semaphore Rig::semaphore(uint64_t initial_value) const {
  hal_semaphore_t* semaphore = nullptr;
  expect_ok(hal_semaphore_create(device_, initial_value, &semaphore), "queue.semaphore_create");
  expect(semaphore != nullptr, "queue.semaphore_create succeeded and gave no semaphore");
  return Semaphore(semaphore);
}

hal_status_t* Rig::try_submit(hal_queue_t* queue, const WorkList& work, const SemaphoreList& waits,
                              const SemaphoreList& signals) const {
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.waits = waits.data();
  submission.wait_count = static_cast<uint32_t>(waits.size());
  submission.work = work.data();
  submission.work_count = static_cast<uint32_t>(work.size());
  submission.signals = signals.data();
  submission.signal_count = static_cast<uint32_t>(signals.size());
  return hal_queue_submit(queue, &submission);
}

void Rig::submit(const WorkList& work, const SemaphoreList& waits, const SemaphoreList& signals) const {
  expect_ok(try_submit(queue_.get(), work, waits, signals), "queue.submit");
}

void Rig::wait(hal_semaphore_t* semaphore, uint64_t value, uint64_t milliseconds) const {
  const hal_semaphore_value_t point{semaphore, value};
  expect_ok(hal_semaphore_wait(device_, HAL_WAIT_ALL, 1, &point, in_milliseconds(milliseconds), nullptr),
            "queue.semaphore_wait for value " + std::to_string(value));
}

void Rig::run(const WorkList& work) const {
  const Semaphore done = semaphore();
  submit(work, {}, {{done.get(), 1}});
  wait(done.get(), 1);
}

void Rig::write(hal_buffer_t* buffer, std::span<const std::byte> bytes, uint64_t offset) const {
  for (uint64_t at = 0; at < bytes.size(); at += kLargestUpdate) {
    const uint64_t length = std::min<uint64_t>(kLargestUpdate, bytes.size() - at);
    const hal_work_update_t work = update_work(range_of(buffer, offset + at, length), bytes.data() + at);
    run({as_work(work)});
  }
}

uint32_t Rig::visible_heap() const {
  for (uint32_t i = 0; i < heaps_.size(); i++) {
    if (is_visible(i)) return i;
  }
  throw CaseFailure("no heap of the device is host-visible, so nothing can be read back (hal/memory.h)");
}

Bytes Rig::read_mapped(hal_buffer_t* buffer, uint64_t offset, uint64_t length) const {
  if (length == 0) return {};
  void* address = nullptr;
  expect_ok(hal_buffer_map(buffer, offset, length, HAL_MAP_READ, &address), "memory.buffer_map");
  expect(address != nullptr, "memory.buffer_map succeeded and gave no address");
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  expect_ok(hal_buffer_info(buffer, &info), "memory.buffer_info");
  if (info.heap < heaps_.size() && (heaps_[info.heap].kind & HAL_HEAP_HOST_COHERENT) == 0) {
    expect_ok(hal_buffer_invalidate(buffer, offset, length), "memory.buffer_invalidate");
  }
  const auto* const from = static_cast<const std::byte*>(address);
  Bytes bytes(from, from + length);
  expect_ok(hal_buffer_unmap(buffer), "memory.buffer_unmap");
  return bytes;
}

Bytes Rig::read(hal_buffer_t* buffer, uint64_t offset, uint64_t length) const {
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  expect_ok(hal_buffer_info(buffer, &info), "memory.buffer_info");
  if (is_visible(info.heap)) return read_mapped(buffer, offset, length);
  const Buffer staging = this->buffer(length, 0, visible_heap());
  const hal_work_copy_t work = copy_work(range_of(buffer, offset, length), range_of(staging.get(), 0, length));
  run({as_work(work)});
  return read_mapped(staging.get(), 0, length);
}

hal_heap_statistics_t Rig::statistics(uint32_t heap) const {
  hal_heap_statistics_t statistics{};
  statistics.struct_size = sizeof statistics;
  expect_ok(hal_heap_statistics(device_, heap, &statistics), "memory.heap_statistics");
  return statistics;
}

}  // namespace hal::conformance
