// SPDX-License-Identifier: Apache-2.0
#include "device_memory.hpp"

#include <algorithm>
#include <cstring>

namespace hal::runtime {
namespace {

hal_string_t string_of(const char* text) { return {text, std::strlen(text)}; }

Result<std::vector<hal_heap_info_t>> heaps_of(hal_device_t* device) {
  uint32_t count = 0;
  HAL_TRY(take_status(hal_device_heaps(device, 0, &count, nullptr)));
  std::vector<hal_heap_info_t> heaps(count);
  for (auto& heap : heaps) heap.struct_size = sizeof(hal_heap_info_t);
  HAL_TRY(take_status(hal_device_heaps(device, count, &count, heaps.data())));
  if (heaps.empty()) return unsupported("the device lists no heap; expected at least one");
  return heaps;
}

// Copies between host and a mapped range.
Result<void> copy_mapped(hal_buffer_t* buffer, uint64_t offset, void* host, uint64_t size, bool to_device) {
  void* mapped = nullptr;
  uint64_t flags = to_device ? HAL_MAP_WRITE | HAL_MAP_DISCARD : HAL_MAP_READ;
  HAL_TRY(take_status(hal_buffer_map(buffer, offset, size, flags, &mapped)));
  if (to_device) {
    std::memcpy(mapped, host, size);
  } else {
    std::memcpy(host, mapped, size);
  }
  return take_status(hal_buffer_unmap(buffer));
}

}  // namespace

Result<DeviceMemory> DeviceMemory::create(hal_device_t* device) {
  DeviceMemory memory;
  memory.device_ = device;
  HAL_TRY_ASSIGN(auto heaps, heaps_of(device));
  auto usable = [](const hal_heap_info_t& heap) {
    return (heap.kind & HAL_HEAP_HOST_VISIBLE) != 0 && (heap.kind & HAL_HEAP_HOST_COHERENT) != 0;
  };
  auto visible = std::find_if(heaps.begin(), heaps.end(), usable);
  if (visible == heaps.end())
    return unsupported("no heap is host-visible and coherent; a session needs one to stage data");
  memory.visible_heap_ = static_cast<uint32_t>(visible - heaps.begin());
  memory.general_is_visible_ = usable(heaps[0]);

  hal_queue_desc_t queue_desc = HAL_QUEUE_DESC_INIT;
  hal_queue_t* queue = nullptr;
  HAL_TRY(take_status(hal_queue_create(device, &queue_desc, &queue)));
  memory.queue_.reset(queue);
  hal_semaphore_t* semaphore = nullptr;
  HAL_TRY(take_status(hal_semaphore_create(device, 0, &semaphore)));
  memory.semaphore_.reset(semaphore);
  return memory;
}

Result<Buffer> DeviceMemory::allocate(uint64_t size, const char* label) { return allocate_in(0, size, label); }

Result<Buffer> DeviceMemory::allocate_in(uint32_t heap, uint64_t size, const char* label) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.heap = heap;
  desc.size = std::max<uint64_t>(size, 1);
  desc.label = string_of(label);
  hal_buffer_t* buffer = nullptr;
  HAL_TRY(take_status(hal_buffer_create(device_, &desc, &buffer)));
  return Buffer(buffer);
}

Result<void> DeviceMemory::upload(hal_buffer_t* buffer, uint64_t offset, const void* data, uint64_t size) {
  if (size == 0) return {};
  void* host = const_cast<void*>(data);  // only read: the direction is to the device
  return general_is_visible_ ? copy_mapped(buffer, offset, host, size, true)
                             : through_staging(buffer, offset, host, size, true);
}

Result<void> DeviceMemory::download(hal_buffer_t* buffer, uint64_t offset, void* data, uint64_t size) {
  if (size == 0) return {};
  return general_is_visible_ ? copy_mapped(buffer, offset, data, size, false)
                             : through_staging(buffer, offset, data, size, false);
}

Result<void> DeviceMemory::through_staging(hal_buffer_t* buffer, uint64_t offset, void* host, uint64_t size,
                                           bool to_device) {
  HAL_TRY_ASSIGN(Buffer staging, allocate_in(visible_heap_, size, "staging"));
  if (to_device) HAL_TRY(copy_mapped(staging.get(), 0, host, size, true));
  hal_work_copy_t copy = HAL_WORK_COPY_INIT;
  copy.source = {staging.get(), 0, size, 0, 0};
  copy.target = {buffer, offset, size, 0, 0};
  if (!to_device) std::swap(copy.source, copy.target);
  HAL_TRY(run({&copy.header}, "staging copy"));
  if (!to_device) return copy_mapped(staging.get(), 0, host, size, false);
  return {};
}

Result<void> DeviceMemory::run(const std::vector<const hal_work_t*>& work, const char* label) {
  hal_semaphore_value_t done = {semaphore_.get(), timeline_ + 1};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.work = work.data();
  submission.work_count = static_cast<uint32_t>(work.size());
  submission.signals = &done;
  submission.signal_count = 1;
  submission.label = string_of(label);
  HAL_TRY(take_status(hal_queue_submit(queue_.get(), &submission)));
  ++timeline_;
  auto waited = take_status(hal_semaphore_wait(device_, HAL_WAIT_ALL, 1, &done, HAL_TIME_FOREVER, nullptr));
  if (waited) return {};
  // A failed timeline stays failed: the next run gets a new one.
  hal_semaphore_t* semaphore = nullptr;
  HAL_TRY(take_status(hal_semaphore_create(device_, 0, &semaphore)));
  semaphore_.reset(semaphore);
  timeline_ = 0;
  return waited;
}

}  // namespace hal::runtime
