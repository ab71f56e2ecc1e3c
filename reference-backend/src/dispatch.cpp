// SPDX-License-Identifier: Apache-2.0
//
// Runs an entry point over its grid, workgroups in any order on many threads.
#include <algorithm>
#include <array>
#include <atomic>

#include "executable.hpp"
#include "plugin.hpp"

namespace hal::cpu {
namespace {

// Chunks for each worker: enough to even out workgroups of different cost, few enough to hide the counter's price.
constexpr uint64_t kChunksPerWorker = 8;

// The two arrays of a call, on the stack where they fit.
class Bindings {
 public:
  explicit Bindings(const hal_work_dispatch_t& work) {
    if (work.binding_count > kInline) more_.resize(work.binding_count * 2);
    addresses_ = work.binding_count > kInline ? reinterpret_cast<void**>(more_.data()) : inline_addresses_.data();
    bytes_ = work.binding_count > kInline ? more_.data() + work.binding_count : inline_bytes_.data();
    for (uint32_t i = 0; i < work.binding_count; i++) {
      addresses_[i] = hal_sdk_range_address(&work.bindings[i]);
      bytes_[i] = work.bindings[i].length;
    }
  }
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;

  void* const* addresses() const { return addresses_; }
  const uint64_t* bytes() const { return bytes_; }

 private:
  static constexpr uint32_t kInline = 16;
  std::array<void*, kInline> inline_addresses_;
  std::array<uint64_t, kInline> inline_bytes_;
  std::vector<uint64_t> more_;
  void** addresses_;
  uint64_t* bytes_;
};

uint64_t total_of(const hal_work_dispatch_t& work) {
  return uint64_t{work.workgroup_count[0]} * work.workgroup_count[1] * work.workgroup_count[2];
}

class Grid final : public Job {
 public:
  Grid(const hal_work_dispatch_t& work, unsigned workers)
      : Job(total_of(work), std::max<uint64_t>(1, total_of(work) / (workers * kChunksPerWorker))),
        work_(work),
        bindings_(work),
        function_(work.executable->entries[work.entry].function) {}

  void run(uint64_t begin, uint64_t end, void* local_memory) override {
    hal_elf_cpu_call_t call{};
    call.bindings = bindings_.addresses();
    call.binding_bytes = bindings_.bytes();
    call.constants = work_.constants;
    call.local_memory = local_memory;
    std::copy_n(work_.workgroup_count, 3, call.workgroup_count);
    locate(begin, call.workgroup_id);
    for (uint64_t i = begin; i < end; i++) {
      const int32_t code = function_(&call);
      if (code != 0) return fail(i, code);
      advance(call.workgroup_id);
    }
  }

  // NULL, or the failure of one workgroup.
  hal_status_t* status() const {
    if (!failed_.load(std::memory_order_acquire)) return nullptr;
    const hal_string_t& name = work_.executable->infos[work_.entry].name;
    uint32_t id[3];
    locate(failed_at_, id);
    return hal_sdk_status_caused(HAL_STATUS_INTERNAL, code_, nullptr, "dispatch",
                                 "the kernel '%.*s' returned %d in workgroup (%u, %u, %u)", HAL_SDK_STRING_ARGS(name),
                                 code_, id[0], id[1], id[2]);
  }

 private:
  void locate(uint64_t index, uint32_t id[3]) const {
    const uint64_t x = work_.workgroup_count[0], y = work_.workgroup_count[1];
    id[0] = static_cast<uint32_t>(index % x);
    id[1] = static_cast<uint32_t>(index / x % y);
    id[2] = static_cast<uint32_t>(index / x / y);
  }

  void advance(uint32_t id[3]) const {
    if (++id[0] < work_.workgroup_count[0]) return;
    id[0] = 0;
    if (++id[1] < work_.workgroup_count[1]) return;
    id[1] = 0;
    ++id[2];
  }

  void fail(uint64_t index, int32_t code) {
    cancel();
    if (claimed_.exchange(true)) return;
    failed_at_ = index;
    code_ = code;
    failed_.store(true, std::memory_order_release);
  }

  const hal_work_dispatch_t& work_;
  const Bindings bindings_;
  const hal_elf_cpu_entry_fn function_;
  std::atomic<bool> claimed_{false}, failed_{false};
  uint64_t failed_at_ = 0;
  int32_t code_ = 0;
};

}  // namespace

hal_status_t* dispatch(hal_device_t* device, const hal_work_dispatch_t* work) {
  return guarded("dispatch", [&] {
    Pool& pool = *device->instance->pool;
    Grid grid(*work, pool.size());
    pool.run(grid);
    return grid.status();
  });
}

}  // namespace hal::cpu
