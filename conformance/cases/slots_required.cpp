// SPDX-License-Identifier: Apache-2.0
//
// Rows of the groups that each plugin has: device, memory, queue.
#include <sys/mman.h>
#include <unistd.h>

#include "slots.hpp"

namespace hal::conformance {
namespace {

// ---- device ----

hal_status_t* initialize(Arguments& with) {
  const hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
  const hal_device_group_t& group = *with.calls().device;
  hal_instance_t* instance;
  hal_status_t* status = group.initialize(&desc, with.out(instance));
  if (status == nullptr) expect_ok(group.shutdown(instance), "device.shutdown");
  return with.check(status, "device.initialize");
}

hal_status_t* shutdown(Arguments& with) {
  OwnInstance own(with.rig());
  hal_instance_t* const instance = with.subject(own.get());
  if (instance != own.get()) return with.calls().device->shutdown(instance);
  own.shutdown();
  return nullptr;
}

hal_status_t* config_keys(Arguments& with) {
  uint32_t count;
  return with.check(with.calls().device->config_keys(0, with.out(count), nullptr), "device.config_keys");
}

hal_status_t* enumerate(Arguments& with) {
  OwnInstance own(with.rig());
  uint32_t count;
  hal_status_t* status = own.group().enumerate(with.subject(own.get()), 0, with.out(count), nullptr);
  return with.check(status, "device.enumerate");
}

hal_status_t* open(Arguments& with) {
  OwnInstance own(with.rig());
  hal_device_t* device;
  hal_status_t* status = own.group().open(with.subject(own.get()), 0, with.out(device));
  if (status == nullptr) own.group().close(device);
  return with.check(status, "device.open");
}

// Devices that are closed do not keep their instance busy.
hal_status_t* close(Arguments& with) {
  OwnInstance own(with.rig());
  for (int i = 0; i < 3; i++) {
    hal_device_t* device = nullptr;
    if (hal_status_t* status = own.group().open(own.get(), 0, &device)) return status;
    own.group().close(device);
  }
  own.shutdown();
  return nullptr;
}

hal_status_t* capabilities(Arguments& with) {
  hal_device_caps_t caps;
  hal_status_t* status = with.calls().device->capabilities(with.subject(with.device()), with.out(caps));
  return with.check(status, "device.capabilities");
}

hal_status_t* query_support(Arguments& with) {
  const hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
  hal_support_t support;
  hal_status_t* status = with.calls().device->query_support(with.subject(with.device()), &query, with.out(support));
  return with.check(status, "device.query_support");
}

hal_status_t* state(Arguments& with) {
  hal_device_state_t state;
  hal_status_t* status = with.calls().device->state(with.subject(with.device()), with.out(state));
  if (status == nullptr) expect_equal(state, HAL_DEVICE_STATE_READY, "the state of a device that is in use");
  return with.check(status, "device.state");
}

// A device that is ready stays so, and its objects live on.
hal_status_t* reset(Arguments& with) {
  const Buffer buffer = with.rig().buffer(64);
  hal_status_t* status = with.calls().device->reset(with.subject(with.device()));
  if (status == nullptr) {
    hal_buffer_info_t info{};
    info.struct_size = sizeof info;
    expect_ok(hal_buffer_info(buffer.get(), &info), "memory.buffer_info after a reset of a ready device");
  }
  return status;
}

// ---- memory ----

hal_status_t* heaps(Arguments& with) {
  uint32_t count;
  hal_status_t* status = with.calls().memory->heaps(with.subject(with.device()), 0, with.out(count), nullptr);
  if (status == nullptr) expect(count != 0, "the device has no heap");
  return with.check(status, "memory.heaps");
}

hal_status_t* heap_statistics(Arguments& with) {
  hal_heap_statistics_t statistics;
  hal_status_t* status = with.calls().memory->heap_statistics(with.subject(with.device()), 0, with.out(statistics));
  if (status == nullptr) expect(statistics.peak_bytes >= statistics.live_bytes, "a heap's peak is below what is live");
  return with.check(status, "memory.heap_statistics");
}

hal_status_t* buffer_create(Arguments& with) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = 100;
  hal_buffer_t* buffer;
  hal_status_t* status = with.calls().memory->buffer_create(with.subject(with.device()), &desc, with.out(buffer));
  if (status == nullptr) with.calls().memory->buffer_destroy(buffer);
  return with.check(status, "memory.buffer_create");
}

hal_status_t* buffer_destroy(Arguments& with) {
  const uint64_t before = with.rig().statistics().live_buffers;
  with.rig().buffer(64).reset();
  expect_equal(with.rig().statistics().live_buffers, before, "live buffers after one came and went");
  return nullptr;
}

hal_status_t* buffer_info(Arguments& with) {
  const Buffer buffer = with.rig().buffer(77);
  hal_buffer_info_t info;
  hal_status_t* status = with.calls().memory->buffer_info(with.subject(buffer.get()), with.out(info));
  if (status == nullptr) expect_equal(info.size, 77, "the size of a buffer of 77 bytes");
  return with.check(status, "memory.buffer_info");
}

std::optional<uint32_t> visible_heap(Rig& rig) {
  for (uint32_t i = 0; i < rig.heaps().size(); i++) {
    if (rig.is_visible(i)) return i;
  }
  return std::nullopt;
}

// A buffer that can be mapped, or where no heap is visible one that cannot: then the slot answers UNSUPPORTED.
Buffer mappable(Arguments& with) { return with.rig().buffer(256, 0, visible_heap(with.rig()).value_or(0)); }

hal_status_t* buffer_map(Arguments& with) {
  const Buffer buffer = mappable(with);
  void* address;
  hal_status_t* status =
      with.calls().memory->buffer_map(with.subject(buffer.get()), 0, 256, HAL_MAP_READ, with.out(address));
  if (status == nullptr) expect_ok(hal_buffer_unmap(buffer.get()), "memory.buffer_unmap");
  return with.check(status, "memory.buffer_map");
}

hal_status_t* buffer_unmap(Arguments& with) {
  const Buffer buffer = mappable(with);
  void* address = nullptr;
  hal_status_t* status = hal_buffer_map(buffer.get(), 0, 256, HAL_MAP_READ, &address);
  if (status != nullptr) return status;
  hal_buffer_t* const subject = with.subject(buffer.get());
  status = with.calls().memory->buffer_unmap(subject);
  if (subject != buffer.get()) expect_ok(hal_buffer_unmap(buffer.get()), "memory.buffer_unmap of what is mapped");
  return status;
}

hal_status_t* buffer_flush(Arguments& with) {
  const Buffer buffer = mappable(with);
  return with.calls().memory->buffer_flush(with.subject(buffer.get()), 0, HAL_WHOLE_BUFFER);
}

hal_status_t* buffer_invalidate(Arguments& with) {
  const Buffer buffer = mappable(with);
  return with.calls().memory->buffer_invalidate(with.subject(buffer.get()), 0, HAL_WHOLE_BUFFER);
}

hal_status_t* buffer_address(Arguments& with) {
  const Buffer buffer = with.rig().buffer(64);
  uint64_t address;
  hal_status_t* status = with.calls().memory->buffer_address(with.subject(buffer.get()), with.out(address));
  if (status == nullptr) expect(address != 0, "a buffer's raw address is 0");
  return with.check(status, "memory.buffer_address");
}

hal_status_t* buffer_import(Arguments& with) {
  alignas(64) std::byte bytes[256] = {};
  hal_external_memory_t memory = HAL_EXTERNAL_MEMORY_INIT;
  memory.type = HAL_HANDLE_HOST_POINTER;
  memory.value = reinterpret_cast<uint64_t>(bytes);
  memory.size = sizeof bytes;
  hal_buffer_t* buffer;
  hal_status_t* status = with.calls().memory->buffer_import(with.subject(with.device()), &memory, with.out(buffer));
  if (status == nullptr) with.calls().memory->buffer_destroy(buffer);
  return with.check(status, "memory.buffer_import");
}

hal_status_t* buffer_export(Arguments& with) {
  const Buffer buffer = with.rig().buffer(256);
  hal_external_memory_t memory;
  hal_status_t* status =
      with.calls().memory->buffer_export(with.subject(buffer.get()), HAL_HANDLE_FD, with.out(memory));
  if (status == nullptr) ::close(static_cast<int>(memory.value));
  return with.check(status, "memory.buffer_export");
}

// ---- queue ----

hal_status_t* queue_create(Arguments& with) {
  const hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
  hal_queue_t* queue;
  hal_status_t* status = with.calls().queue->queue_create(with.subject(with.device()), &desc, with.out(queue));
  if (status == nullptr) with.calls().queue->queue_destroy(queue);
  return with.check(status, "queue.queue_create");
}

// Destroyed queues do not count against max_queues.
hal_status_t* queue_destroy(Arguments& with) {
  const uint32_t most = std::min(capabilities_of(with.device()).max_queues, 2048u);
  for (uint32_t i = 0; i < most + 2; i++) with.rig().make_queue().reset();
  return nullptr;
}

hal_status_t* submit(Arguments& with) {
  const Semaphore done = with.rig().semaphore();
  const hal_semaphore_value_t signal = {done.get(), 1};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.signals = &signal;
  submission.signal_count = 1;
  hal_status_t* status = with.calls().queue->submit(with.subject(with.rig().queue()), &submission);
  if (status == nullptr) with.rig().wait(done.get(), 1);
  return status;
}

hal_status_t* semaphore_create(Arguments& with) {
  hal_semaphore_t* semaphore;
  hal_status_t* status = with.calls().queue->semaphore_create(with.subject(with.device()), 5, with.out(semaphore));
  if (status == nullptr) with.calls().queue->semaphore_destroy(semaphore);
  return with.check(status, "queue.semaphore_create");
}

hal_status_t* semaphore_destroy(Arguments& with) {
  for (int i = 0; i < 1000; i++) with.rig().semaphore().reset();
  return nullptr;
}

hal_status_t* semaphore_query(Arguments& with) {
  const Semaphore semaphore = with.rig().semaphore(9);
  uint64_t value;
  hal_status_t* status = with.calls().queue->semaphore_query(with.subject(semaphore.get()), with.out(value));
  if (status == nullptr) expect_equal(value, 9, "the value of a semaphore that starts at 9");
  return with.check(status, "queue.semaphore_query");
}

hal_status_t* semaphore_signal(Arguments& with) {
  const Semaphore semaphore = with.rig().semaphore();
  hal_status_t* status = with.calls().queue->semaphore_signal(with.subject(semaphore.get()), 3);
  if (status == nullptr) with.rig().wait(semaphore.get(), 3);
  return status;
}

void release_nothing(hal_status_t*) {}

hal_status_t* semaphore_fail(Arguments& with) {
  const Semaphore semaphore = with.rig().semaphore();
  const hal_status_t failure = {sizeof failure, HAL_STATUS_CANCELLED, 0, to_hal("given up"), {}, to_hal("a case"),
                                nullptr,        release_nothing};
  hal_status_t* status = with.calls().queue->semaphore_fail(with.subject(semaphore.get()), &failure);
  uint64_t value = 0;
  hal_status_t* query = hal_semaphore_query(semaphore.get(), &value);
  const bool has_failed = hal_status_code(query) == HAL_STATUS_ABORTED;
  hal_status_release(query);
  expect(has_failed == (status == nullptr), "a semaphore's query after semaphore_fail does not fit its answer");
  return status;
}

hal_status_t* semaphore_wait(Arguments& with) {
  const Semaphore semaphore = with.rig().semaphore(2);
  const hal_semaphore_value_t point = {semaphore.get(), 2};
  return with.calls().queue->semaphore_wait(with.subject(with.device()), HAL_WAIT_ALL, 1, &point, HAL_TIME_POLL,
                                            nullptr);
}

hal_status_t* semaphore_export(Arguments& with) {
  const Semaphore semaphore = with.rig().semaphore();
  uint64_t handle;
  hal_status_t* status =
      with.calls().queue->semaphore_export(with.subject(semaphore.get()), HAL_HANDLE_FD, with.out(handle));
  if (status == nullptr) ::close(static_cast<int>(handle));
  return with.check(status, "queue.semaphore_export");
}

// A round trip: what was signalled at one end is seen at the other.
hal_status_t* semaphore_import(Arguments& with) {
  const Semaphore semaphore = with.rig().semaphore(4);
  uint64_t handle = 0;
  hal_semaphore_t* other;
  hal_status_t* status = with.calls().queue->semaphore_export(semaphore.get(), HAL_HANDLE_FD, &handle);
  if (status != nullptr) return status;
  status = with.calls().queue->semaphore_import(with.subject(with.device()), HAL_HANDLE_FD, handle, with.out(other));
  ::close(static_cast<int>(handle));
  if (status == nullptr) with.calls().queue->semaphore_destroy(other);
  return with.check(status, "queue.semaphore_import");
}

}  // namespace

std::vector<SlotRow> device_slots() {
  return {{"device.initialize", kAlways, false, true, initialize},
          {"device.shutdown", kAlways, true, false, shutdown},
          {"device.config_keys", kOptional, false, true, config_keys},
          {"device.enumerate", kAlways, true, true, enumerate},
          {"device.open", kAlways, true, true, open},
          {"device.close", kAlways, false, false, close},
          {"device.capabilities", kAlways, true, true, capabilities},
          {"device.query_support", kAlways, true, true, query_support},
          {"device.state", kAlways, true, true, state},
          {"device.reset", kOptional, true, false, reset}};
}

std::vector<SlotRow> memory_slots() {
  return {{"memory.heaps", kAlways, true, true, heaps},
          {"memory.heap_statistics", kAlways, true, true, heap_statistics},
          {"memory.buffer_create", kAlways, true, true, buffer_create},
          {"memory.buffer_destroy", kAlways, false, false, buffer_destroy},
          {"memory.buffer_info", kAlways, true, true, buffer_info},
          {"memory.buffer_map", kOptional, true, true, buffer_map},
          {"memory.buffer_unmap", kOptional, true, false, buffer_unmap},
          {"memory.buffer_flush", kOptional, true, false, buffer_flush},
          {"memory.buffer_invalidate", kOptional, true, false, buffer_invalidate},
          {"memory.buffer_address", HAL_FEATURE_DEVICE_ADDRESS, true, true, buffer_address},
          {"memory.buffer_import", HAL_FEATURE_IMPORT_HOST, true, true, buffer_import},
          {"memory.buffer_export", HAL_FEATURE_EXPORT_FD, true, true, buffer_export}};
}

std::vector<SlotRow> queue_slots() {
  return {{"queue.queue_create", kAlways, true, true, queue_create},
          {"queue.queue_destroy", kAlways, false, false, queue_destroy},
          {"queue.submit", kAlways, true, false, submit},
          {"queue.semaphore_create", kAlways, true, true, semaphore_create},
          {"queue.semaphore_destroy", kAlways, false, false, semaphore_destroy},
          {"queue.semaphore_query", kAlways, true, true, semaphore_query},
          {"queue.semaphore_signal", kAlways, true, false, semaphore_signal},
          {"queue.semaphore_fail", kAlways, true, false, semaphore_fail},
          {"queue.semaphore_wait", kAlways, true, false, semaphore_wait},
          {"queue.semaphore_export", kOptional, true, true, semaphore_export},
          {"queue.semaphore_import", kOptional, true, true, semaphore_import}};
}

}  // namespace hal::conformance
