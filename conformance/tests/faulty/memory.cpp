// SPDX-License-Identifier: Apache-2.0
//
// The memory group, with its faults around the SDK's.
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <string>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "state.hpp"

namespace hal::faulty {
namespace {

const hal_memory_group_t& right = hal_sdk_memory_group;
std::atomic<bool> out_of_memory_before{false};

void release_nothing(hal_status_t*) {}
hal_status_t without_text = {sizeof(hal_status_t), HAL_STATUS_OUT_OF_MEMORY, 0, {}, {}, {}, nullptr, release_nothing};

hal_status_t* heaps(hal_device_t* device, uint32_t capacity, uint32_t* out_count, hal_heap_info_t* out_infos) {
  hal_status_t* status = right.heaps(device, capacity, out_count, out_infos);
#if defined(__x86_64__)
  if (is(Fault::float_environment)) _mm_setcsr(_mm_getcsr() | 0x8040);  // flush to zero, denormals are zero
#endif
  if (status == nullptr && is(Fault::alignment_odd) && capacity != 0) out_infos[0].alignment = 96;
  return status;
}

hal_status_t* heap_statistics(hal_device_t* device, uint32_t heap, hal_heap_statistics_t* out) {
  if (is(Fault::fork_ignored) && hal_sdk_check_device(device, "x") != nullptr) return nullptr;
  if (is(Fault::heap_unchecked)) heap = 0;
  hal_status_t* status = right.heap_statistics(device, heap, out);
  if (status == nullptr && is(Fault::statistics_stuck) && out->struct_size >= sizeof *out)
    out->live_buffers = out->total_allocations;
  return status;
}

// Ends or stops the process.
void misbehave(const hal_buffer_desc_t* desc) {
  if (desc == nullptr || desc->size != 4097) return;
  if (is(Fault::crash)) std::abort();
  if (is(Fault::exits)) std::exit(0);
  while (is(Fault::hang)) pause();
}

// The descriptor as a careless plugin would see it.
hal_buffer_desc_t careless(const hal_buffer_desc_t& in) {
  hal_buffer_desc_t desc = in;
  if (is(Fault::tail_ignored) && desc.struct_size > sizeof desc) desc.struct_size = sizeof desc;
  if (is(Fault::chain_ignored)) desc.next = nullptr;
  if (is(Fault::flag_ignored)) desc.flags &= HAL_BUFFER_ZEROED;
  if (is(Fault::out_of_memory_hidden) && desc.size > (uint64_t{1} << 50)) desc.size = 64;
  return desc;
}

bool is_careless() {
  return is(Fault::tail_ignored) || is(Fault::chain_ignored) || is(Fault::flag_ignored) ||
         is(Fault::out_of_memory_hidden);
}

// What the wrong plugin makes of a failure of the right one.
hal_status_t* spoil(hal_device_t* device, hal_status_t* status, hal_buffer_t** out, hal_buffer_t* before) {
  if (is(Fault::out_not_zeroed) && out != nullptr) *out = before;
  if (is(Fault::failed_create_leaks)) {
    hal_buffer_desc_t small = HAL_BUFFER_DESC_INIT;
    hal_buffer_t* lost = nullptr;
    hal_status_release(right.buffer_create(device, &small, &lost));
  }
  if (is(Fault::errors_all_internal)) status->code = HAL_STATUS_INTERNAL;
  if (is(Fault::errors_without_text)) return hal_status_release(status), &without_text;
  if (status->code == HAL_STATUS_OUT_OF_MEMORY) out_of_memory_before = true;
  return status;
}

hal_status_t* buffer_create(hal_device_t* device, const hal_buffer_desc_t* desc, hal_buffer_t** out) {
  misbehave(desc);
  hal_buffer_t* const before = out != nullptr ? *out : nullptr;
  if (is(Fault::refuses_everything))
    return hal_sdk_status(HAL_STATUS_UNSUPPORTED, "memory.buffer_create", "not implemented");
  if (is(Fault::out_of_memory_sticks) && out_of_memory_before)
    return hal_sdk_status(HAL_STATUS_OUT_OF_MEMORY, "memory.buffer_create", "still none");
  hal_status_t* status = nullptr;
  if (is_careless() && desc != nullptr && desc->struct_size >= sizeof *desc) {
    const hal_buffer_desc_t seen = careless(*desc);
    status = right.buffer_create(device, &seen, out);
  } else {
    status = right.buffer_create(device, desc, out);
  }
  return status == nullptr ? nullptr : spoil(device, status, out, before);
}

void buffer_destroy(hal_buffer_t* buffer) {
  if (!is(Fault::destroy_leaks)) right.buffer_destroy(buffer);
}

hal_status_t* buffer_info(hal_buffer_t* buffer, hal_buffer_info_t* out) {
  hal_status_t* status = right.buffer_info(buffer, out);
  if (status == nullptr && is(Fault::size_rounded) && out->struct_size >= sizeof *out)
    out->size = (out->size + 63) / 64 * 64;
  return status;
}

hal_status_t* buffer_map(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags, void** out) {
  if (is(Fault::map_offset_ignored)) offset = 0;
  if (is(Fault::map_range_unchecked)) offset = length = 0;
  return right.buffer_map(buffer, offset, length, flags, out);
}

}  // namespace

hal_memory_group_t memory_group() {
  hal_memory_group_t group = right;
  group.heaps = heaps;
  group.heap_statistics = heap_statistics;
  group.buffer_create = buffer_create;
  group.buffer_destroy = buffer_destroy;
  group.buffer_info = buffer_info;
  group.buffer_map = buffer_map;
  return group;
}

}  // namespace hal::faulty
