// SPDX-License-Identifier: Apache-2.0
//
// Work on host memory, with its faults.
#include <unistd.h>
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "state.hpp"

namespace hal::faulty {
namespace {

std::mutex mutex;
std::set<hal_buffer_t*> live;
alignas(64) char arena[1 << 16];  // for blocks_overlap
size_t arena_at = 0;

bool in_arena(const void* memory) { return memory >= arena && memory < arena + sizeof arena; }

void be_slow() {
  if (is(Fault::slow)) usleep(1000);
}

hal_status_t* allocate(hal_device_t* device, hal_buffer_t* buffer) {
  const std::lock_guard lock(mutex);
  live.insert(buffer);
  if (is(Fault::blocks_overlap) && buffer->size == 65) {
    buffer->memory = arena + arena_at;
    arena_at = (arena_at + 64) % (sizeof arena - 128);
    return nullptr;
  }
  if (hal_status_t* status = hal_sdk_host_allocate(device, buffer)) return live.erase(buffer), status;
  if (is(Fault::zeroed_ignored)) std::memset(buffer->memory, 0xEE, buffer->bytes);
  return nullptr;
}

void release(hal_device_t* device, hal_buffer_t* buffer) {
  const std::lock_guard lock(mutex);
  live.erase(buffer);
  if (is(Fault::free_spoils)) {
    for (const hal_buffer_t* other : live) ++*static_cast<unsigned char*>(other->memory);
  }
  if (!in_arena(buffer->memory)) hal_sdk_host_release(device, buffer);
}

// The last 64 bytes come from another thread, 30 ms after the end.
hal_status_t* copy_late(hal_device_t* device, hal_work_copy_t work) {
  const uint64_t head = work.source.length - 64;
  char* const target = static_cast<char*>(hal_sdk_range_address(&work.target)) + head;
  const char* const source = static_cast<const char*>(hal_sdk_range_address(&work.source)) + head;
  std::thread([target, source] {
    usleep(30000);
    std::memcpy(target, source, 64);
  }).detach();
  work.source.length = work.target.length = head;
  return hal_sdk_host_copy(device, &work);
}

hal_status_t* copy(hal_device_t* device, const hal_work_copy_t* in) {
  hal_work_copy_t work = *in;
  be_slow();
  const auto bytes = static_cast<char*>(hal_sdk_range_address(&work.target));
  if (is(Fault::null_device)) return nullptr;
  if (is(Fault::zero_device)) return std::memset(bytes, 0, work.target.length), nullptr;
  if (is(Fault::target_offset_ignored) && work.source.offset == 0) work.target.offset = 0;
  if (is(Fault::target_pitch_ignored)) work.target_pitch = work.source_pitch;
  if (is(Fault::copy_tail_lost)) work.source.length = work.target.length = work.source.length / 8 * 8;
  if (is(Fault::copy_overruns))
    work.source.length = work.target.length = std::min(
        (work.source.length + 7) / 8 * 8,
        std::min(work.source.buffer->size - work.source.offset, work.target.buffer->size - work.target.offset));
  if (is(Fault::copy_ends_late) && work.source.length >= (1u << 20)) return copy_late(device, work);
  return hal_sdk_host_copy(device, &work);
}

hal_status_t* fill(hal_device_t* device, const hal_work_fill_t* in) {
  static std::atomic<unsigned> count{0};
  hal_work_fill_t work = *in;
  be_slow();
  if (is(Fault::null_device) || (is(Fault::fill_sometimes_lost) && ++count % 16 == 0)) return nullptr;
  if (is(Fault::zero_device)) work.pattern = 0;
  if (is(Fault::fill_low_byte)) work.pattern_size = 1;
  if (is(Fault::wrong_result) && work.pattern_size == 8) work.pattern ^= uint64_t{1} << 60;
  return hal_sdk_host_fill(device, &work);
}

hal_status_t* update(hal_device_t* device, const hal_work_update_t* work) {
  be_slow();
  if (is(Fault::null_device)) return nullptr;
  if (is(Fault::zero_device)) return std::memset(hal_sdk_range_address(&work->target), 0, work->target.length), nullptr;
  return hal_sdk_host_update(device, work);
}

}  // namespace

const hal_sdk_driver_t driver = {allocate, release, copy, fill, update, nullptr};

}  // namespace hal::faulty
