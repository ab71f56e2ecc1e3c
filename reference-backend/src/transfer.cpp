// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. Large ones are cut into blocks for all workers: one core does not use all of the memory's
// bandwidth.
#include <algorithm>

#include "plugin.hpp"

namespace hal::cpu {
namespace {

// Bytes of one block: far above the price of handing it to another worker. A multiple of every pattern's size.
constexpr uint64_t kBlock = uint64_t{1} << 20;

// The part of a range that blocks [begin, end) cover.
hal_buffer_range_t part_of(const hal_buffer_range_t& range, uint64_t begin, uint64_t end) {
  hal_buffer_range_t part = range;
  part.offset += begin * kBlock;
  part.length = std::min(range.length, end * kBlock) - begin * kBlock;
  return part;
}

uint64_t blocks_in(uint64_t length) { return (length - 1) / kBlock + 1; }

class FlatCopy final : public Job {
 public:
  FlatCopy(hal_device_t* device, const hal_work_copy_t& work)
      : Job(blocks_in(work.source.length), 1), device_(device), work_(work) {}

  void run(uint64_t begin, uint64_t end, void*) override {
    hal_work_copy_t part = work_;
    part.source = part_of(work_.source, begin, end);
    part.target = part_of(work_.target, begin, end);
    hal_sdk_host_copy(device_, &part);
  }

 private:
  hal_device_t* device_;
  const hal_work_copy_t& work_;
};

class Fill final : public Job {
 public:
  Fill(hal_device_t* device, const hal_work_fill_t& work)
      : Job(blocks_in(work.target.length), 1), device_(device), work_(work) {}

  void run(uint64_t begin, uint64_t end, void*) override {
    hal_work_fill_t part = work_;
    part.target = part_of(work_.target, begin, end);
    hal_sdk_host_fill(device_, &part);
  }

 private:
  hal_device_t* device_;
  const hal_work_fill_t& work_;
};

class RowCopy final : public Job {
 public:
  RowCopy(hal_device_t* device, const hal_work_copy_t& work)
      : Job(work.rows, std::max<uint64_t>(1, kBlock / work.source.length)), device_(device), work_(work) {}

  void run(uint64_t begin, uint64_t end, void*) override {
    hal_work_copy_t part = work_;
    part.source.offset += begin * work_.source_pitch;
    part.target.offset += begin * work_.target_pitch;
    part.rows = end - begin;
    hal_sdk_host_copy(device_, &part);
  }

 private:
  hal_device_t* device_;
  const hal_work_copy_t& work_;
};

template <typename Cut, typename Work>
hal_status_t* run_cut(hal_device_t* device, const Work& work) {
  Cut job(device, work);
  device->instance->pool->run(job);
  return nullptr;
}

}  // namespace

hal_status_t* copy(hal_device_t* device, const hal_work_copy_t* work) {
  return work->rows == 1 ? run_cut<FlatCopy>(device, *work) : run_cut<RowCopy>(device, *work);
}

hal_status_t* fill(hal_device_t* device, const hal_work_fill_t* work) { return run_cut<Fill>(device, *work); }

}  // namespace hal::cpu
