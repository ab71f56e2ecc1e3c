// SPDX-License-Identifier: Apache-2.0
//
// Heaps and buffers: sizes, contents, alignment, accounts, exhaustion, maps and imports.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <set>

#include "cases.hpp"

namespace hal::conformance {
namespace {

constexpr char kMemoryRules[] = "HAL-ABI-13, hal/memory.h";

hal_status_t* create(Rig& rig, const hal_buffer_desc_t& desc, hal_buffer_t** out) {
  return hal_calls_of(rig.device())->memory.buffer_create(rig.device(), &desc, out);
}

// A creation that must fail with `code` and leave nothing behind.
void expect_refused(Rig& rig, const hal_buffer_desc_t& desc, hal_status_code_t code, const std::string& what) {
  auto* buffer = reinterpret_cast<hal_buffer_t*>(&rig);
  const uint64_t live = rig.statistics().live_buffers;
  expect_code(create(rig, desc, &buffer), code, "memory.buffer_create " + what);
  expect(buffer == nullptr, "memory.buffer_create " + what + " failed and did not zero *out_buffer");
  expect_equal(rig.statistics().live_buffers, live, "live_buffers after a creation that failed");
}

hal_buffer_desc_t desc_of(uint64_t size) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = size;
  return desc;
}

void heaps_are_sound(Rig& rig) {
  bool any_visible = false;
  for (size_t i = 0; i < rig.heaps().size(); i++) {
    const hal_heap_info_t& heap = rig.heaps()[i];
    const std::string name = "heap " + std::to_string(i);
    expect(heap.kind != 0, name + " has no kind");
    expect(heap.alignment >= 64 && (heap.alignment & (heap.alignment - 1)) == 0,
           name + ": alignment " + std::to_string(heap.alignment) + " is not a power of two of at least 64");
    expect(heap.granularity != 0, name + ": granularity is 0");
    any_visible = any_visible || rig.is_visible(static_cast<uint32_t>(i));
  }
  expect(any_visible, "no heap is host-visible");
}

void size_of(Rig& rig, uint64_t size) {
  const Buffer buffer = rig.buffer(size);
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  expect_ok(hal_buffer_info(buffer.get(), &info), "memory.buffer_info");
  expect_equal(info.size, size, "the size of a buffer, as asked for");
  expect_equal(info.heap, 0, "the heap of a buffer, as asked for");
}

// Each buffer has its own bytes from first to last, whatever is beside it.
void buffers_are_disjoint(Rig& rig, uint64_t size) {
  constexpr int kCount = 16;
  std::vector<Buffer> buffers;
  std::vector<Bytes> contents;
  Random random = rig.context().random();
  for (int i = 0; i < kCount; i++) {
    buffers.push_back(rig.buffer(size));
    contents.push_back(random.bytes(size));
  }
  for (int i = 0; i < kCount; i++) rig.write(buffers[i].get(), contents[i]);
  for (int i = 0; i < kCount; i += 2) buffers[i].reset();
  for (int i = 1; i < kCount; i += 2) {
    expect_bytes(
        rig.read(buffers[i].get(), 0, size), contents[i],
        "buffer " + std::to_string(i) + " of " + std::to_string(size) + " bytes, after its neighbours were freed");
  }
}

void zero_size(Rig& rig) {
  const Buffer first = rig.buffer(0), second = rig.buffer(0);
  expect(first != second, "two buffers of 0 bytes have one handle; destroying both would free it twice");
  const hal_work_fill_t fill = fill_work(range_of(first.get(), 0, 1), 0, 1);
  hal_status_t* status = rig.try_submit(rig.queue(), {as_work(fill)}, {}, {});
  expect_code(status, HAL_STATUS_OUT_OF_RANGE, "a fill of 1 byte of a buffer of 0 bytes");
}

void zeroed(Rig& rig) {
  Random random = rig.context().random();
  for (const uint64_t size : {1u, 64u, 4097u, 1u << 20}) {
    for (int round = 0; round < 4; round++) {
      const Buffer old = rig.buffer(size);
      rig.write(old.get(), Bytes(size, std::byte{0xFF}));
    }
    const Buffer buffer = rig.buffer(size, HAL_BUFFER_ZEROED);
    expect_bytes(rig.read(buffer.get(), 0, size), Bytes(size),
                 "a buffer of " + std::to_string(size) + " bytes made with HAL_BUFFER_ZEROED");
    rig.write(buffer.get(), random.bytes(size));
  }
}

void alignment(Rig& rig) {
  const hal_heap_info_t& heap = rig.heaps()[0];
  for (uint64_t align = 1; align <= heap.alignment; align *= 2) {
    hal_buffer_desc_t desc = desc_of(100);
    desc.alignment = align;
    hal_buffer_t* raw = nullptr;
    expect_ok(hal_buffer_create(rig.device(), &desc, &raw),
              "memory.buffer_create with alignment " + std::to_string(align));
    const Buffer buffer(raw);
    if (!rig.is_visible(0)) continue;
    void* address = nullptr;
    expect_ok(hal_buffer_map(raw, 0, 100, HAL_MAP_READ, &address), "memory.buffer_map");
    expect((reinterpret_cast<uintptr_t>(address) & (align - 1)) == 0,
           "a buffer with alignment " + std::to_string(align) + " is mapped at an address that is not aligned so");
    expect_ok(hal_buffer_unmap(raw), "memory.buffer_unmap");
  }
}

void bad_descriptors(Rig& rig) {
  hal_buffer_desc_t desc = desc_of(64);
  desc.alignment = 48;
  expect_refused(rig, desc, HAL_STATUS_INVALID_ARGUMENT, "with alignment 48");
  desc.alignment = uint64_t{1} << 62;
  expect_refused(rig, desc, HAL_STATUS_UNSUPPORTED, "with alignment 2^62");
  desc = desc_of(64);
  desc.heap = static_cast<uint32_t>(rig.heaps().size());
  expect_refused(rig, desc, HAL_STATUS_OUT_OF_RANGE, "in a heap past the last");
  desc.heap = UINT32_MAX;
  expect_refused(rig, desc, HAL_STATUS_OUT_OF_RANGE, "in heap UINT32_MAX");
}

void unknown_flag(Rig& rig) {
  hal_buffer_desc_t desc = desc_of(64);
  desc.flags = uint64_t{1} << 40;
  expect_refused(rig, desc, HAL_STATUS_UNSUPPORTED, "with an unknown flag");
}

void deferred_unsupported(Rig& rig) {
  hal_buffer_desc_t desc = desc_of(64);
  desc.flags = HAL_BUFFER_DEFERRED;
  expect_refused(rig, desc, HAL_STATUS_UNSUPPORTED, "with HAL_BUFFER_DEFERRED where QUEUE_ALLOC is not declared");
}

void null_out(Rig& rig) {
  const hal_buffer_desc_t desc = desc_of(64);
  expect_code(create(rig, desc, nullptr), HAL_STATUS_INVALID_ARGUMENT, "memory.buffer_create with out_buffer NULL");
}

void too_large(Rig& rig) {
  const uint64_t largest = capabilities_of(rig.device()).max_buffer_size;
  for (const uint64_t size : {UINT64_MAX, UINT64_MAX - 63, uint64_t{1} << 63, uint64_t{1} << 56}) {
    expect_refused(rig, desc_of(size), HAL_STATUS_OUT_OF_MEMORY, "of " + std::to_string(size) + " bytes");
  }
  if (largest < uint64_t{1} << 56) {
    expect_refused(rig, desc_of(largest + 1), HAL_STATUS_OUT_OF_MEMORY, "of max_buffer_size + 1 bytes");
  }
}

void out_of_memory_recovers(Rig& rig) {
  Random random = rig.context().random();
  for (int i = 0; i < 20; i++) {
    expect_refused(rig, desc_of(uint64_t{1} << 60), HAL_STATUS_OUT_OF_MEMORY, "of 2^60 bytes");
    const Bytes bytes = random.bytes(777);
    const Buffer buffer = rig.buffer(bytes.size());
    rig.write(buffer.get(), bytes);
    expect_bytes(rig.read(buffer.get(), 0, bytes.size()), bytes, "a buffer made after memory ran out");
  }
}

void statistics(Rig& rig) {
  const hal_heap_statistics_t before = rig.statistics();
  {
    const Buffer first = rig.buffer(10000), second = rig.buffer(1);
    const hal_heap_statistics_t during = rig.statistics();
    expect_equal(during.live_buffers, before.live_buffers + 2, "live_buffers with two more buffers");
    expect(during.live_bytes >= before.live_bytes + 10001, "live_bytes did not grow by what was made");
    expect(during.peak_bytes >= during.live_bytes, "peak_bytes is below live_bytes");
    expect_equal(during.total_allocations, before.total_allocations + 2, "total_allocations with two more buffers");
  }
  const hal_heap_statistics_t after = rig.statistics();
  expect_equal(after.live_buffers, before.live_buffers, "live_buffers after the buffers were destroyed");
  expect_equal(after.live_bytes, before.live_bytes, "live_bytes after the buffers were destroyed");
  expect(after.peak_bytes >= before.live_bytes + 10001, "peak_bytes forgot the peak");
}

void statistics_out_of_range(Rig& rig) {
  hal_heap_statistics_t statistics{};
  statistics.struct_size = sizeof statistics;
  for (const uint32_t heap : {static_cast<uint32_t>(rig.heaps().size()), UINT32_MAX}) {
    expect_code(hal_heap_statistics(rig.device(), heap, &statistics), HAL_STATUS_OUT_OF_RANGE,
                "memory.heap_statistics of heap " + std::to_string(heap));
  }
}

void every_heap(Rig& rig) {
  Random random = rig.context().random();
  for (uint32_t heap = 0; heap < rig.heaps().size(); heap++) {
    const Bytes bytes = random.bytes(5001);
    const Buffer buffer = rig.buffer(bytes.size(), 0, heap);
    rig.write(buffer.get(), bytes);
    expect_bytes(rig.read(buffer.get(), 0, bytes.size()), bytes, "bytes through heap " + std::to_string(heap));
  }
}

void many_small(Rig& rig) {
  std::vector<Buffer> buffers;
  const hal_heap_statistics_t before = rig.statistics();
  for (int i = 0; i < 1000; i++) buffers.push_back(rig.buffer(static_cast<uint64_t>(1 + i % 200)));
  expect_equal(rig.statistics().live_buffers, before.live_buffers + 1000, "live_buffers with a thousand more");
  while (!buffers.empty()) {
    std::swap(buffers[buffers.size() / 2], buffers.back());
    buffers.pop_back();
  }
  expect_equal(rig.statistics().live_buffers, before.live_buffers, "live_buffers after a thousand were destroyed");
  expect_equal(rig.statistics().live_bytes, before.live_bytes, "live_bytes after a thousand buffers were destroyed");
}

// ---- maps ----

uint32_t visible_heap(Rig& rig) {
  for (uint32_t i = 0; i < rig.heaps().size(); i++) {
    if (rig.is_visible(i)) return i;
  }
  throw CaseFailure("no heap is host-visible");
}

struct Mapped {
  Mapped(Rig& rig, hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags)
      : rig_(rig), buffer_(buffer) {
    expect_ok(hal_buffer_map(buffer, offset, length, flags, &address), "memory.buffer_map");
    expect(address != nullptr, "memory.buffer_map succeeded and gave no address");
  }
  std::byte* bytes() const { return static_cast<std::byte*>(address); }
  void end(uint64_t offset, uint64_t length, bool written) const {
    if (written && (rig_.heaps()[visible_heap(rig_)].kind & HAL_HEAP_HOST_COHERENT) == 0) {
      expect_ok(hal_buffer_flush(buffer_, offset, length), "memory.buffer_flush");
    }
    expect_ok(hal_buffer_unmap(buffer_), "memory.buffer_unmap");
  }
  Rig& rig_;
  hal_buffer_t* buffer_;
  void* address = nullptr;
};

// Written by the host through a map, read by the device.
void map_write(Rig& rig) {
  Random random = rig.context().random();
  const Buffer buffer = rig.buffer(3000, 0, visible_heap(rig)), copy = rig.buffer(3000);
  for (int round = 0; round < 2; round++) {
    const Bytes bytes = random.bytes(3000);
    const Mapped map(rig, buffer.get(), 0, HAL_WHOLE_BUFFER, HAL_MAP_WRITE);
    std::memcpy(map.bytes(), bytes.data(), bytes.size());
    map.end(0, bytes.size(), true);
    const hal_work_copy_t work = copy_work(range_of(buffer.get()), range_of(copy.get()));
    rig.run({as_work(work)});
    expect_bytes(rig.read(copy.get(), 0, bytes.size()), bytes,
                 "what the device read of a buffer that the host wrote through a map");
  }
}

void map_with_offset(Rig& rig) {
  Random random = rig.context().random();
  const Bytes bytes = random.bytes(1000);
  const Buffer buffer = rig.buffer(bytes.size(), 0, visible_heap(rig));
  rig.write(buffer.get(), bytes);
  for (const uint64_t offset : {0u, 1u, 7u, 64u, 999u}) {
    const uint64_t length = bytes.size() - offset;
    expect_bytes(rig.read_mapped(buffer.get(), offset, length), std::span(bytes).subspan(offset),
                 "a map from offset " + std::to_string(offset));
  }
}

// The device writes again and again; each map sees what finished work left.
void map_is_fresh(Rig& rig) {
  const Buffer buffer = rig.buffer(4096, 0, visible_heap(rig));
  for (uint32_t round = 1; round <= 50; round++) {
    const hal_work_fill_t fill = fill_work(range_of(buffer.get()), round, 1);
    rig.run({as_work(fill)});
    expect_bytes(rig.read_mapped(buffer.get(), 0, 4096), Bytes(4096, static_cast<std::byte>(round)),
                 "a map after fill number " + std::to_string(round));
  }
}

void two_maps(Rig& rig) {
  const Buffer buffer = rig.buffer(256, 0, visible_heap(rig));
  const Mapped first(rig, buffer.get(), 0, 128, HAL_MAP_WRITE), second(rig, buffer.get(), 128, 128, HAL_MAP_WRITE);
  std::memset(first.bytes(), 0x11, 128);
  std::memset(second.bytes(), 0x22, 128);
  second.end(128, 128, true);
  first.end(0, 128, true);
  Bytes expected(256, std::byte{0x11});
  std::fill(expected.begin() + 128, expected.end(), std::byte{0x22});
  expect_bytes(rig.read(buffer.get(), 0, 256), expected, "two maps of one buffer that were live together");
}

void map_out_of_range(Rig& rig) {
  const Buffer buffer = rig.buffer(100, 0, visible_heap(rig));
  const uint64_t ranges[][2] = {
      {0, 101}, {100, 1}, {101, 0}, {50, 51}, {1, UINT64_MAX - 1}, {UINT64_MAX, 2}, {101, HAL_WHOLE_BUFFER}};
  for (const auto& [offset, length] : ranges) {
    void* address = &rig;
    const std::string what =
        "memory.buffer_map of " + std::to_string(length) + " bytes at " + std::to_string(offset) + " of 100";
    expect_code(hal_buffer_map(buffer.get(), offset, length, HAL_MAP_READ, &address), HAL_STATUS_OUT_OF_RANGE, what);
    expect(address == nullptr, what + " failed and did not zero *out_address");
  }
}

void map_bad_arguments(Rig& rig) {
  const Buffer buffer = rig.buffer(100, 0, visible_heap(rig));
  void* address = nullptr;
  expect_code(hal_buffer_map(buffer.get(), 0, 1, HAL_MAP_READ, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "memory.buffer_map with out_address NULL");
  expect_code(hal_buffer_map(buffer.get(), 0, 1, uint64_t{1} << 40, &address), HAL_STATUS_UNSUPPORTED,
              "memory.buffer_map with an unknown flag");
}

void address_is_own(Rig& rig) {
  const Buffer first = rig.buffer(100), second = rig.buffer(100);
  uint64_t a = 0, b = 0, again = 0;
  expect_ok(hal_buffer_address(first.get(), &a), "memory.buffer_address");
  expect_ok(hal_buffer_address(second.get(), &b), "memory.buffer_address");
  expect_ok(hal_buffer_address(first.get(), &again), "memory.buffer_address");
  expect(a != 0 && b != 0 && a != b, "two buffers share an address, or one is 0");
  expect(a + 100 <= b || b + 100 <= a, "the addresses of two live buffers overlap");
  expect_equal(again, a, "the address of a buffer, asked for twice");
  expect_equal(a % rig.heaps()[0].alignment, 0, "the address modulo the heap's alignment");
}

void address_unsupported(Rig& rig) {
  const Buffer buffer = rig.buffer(100);
  uint64_t address = 1;
  expect_code(hal_buffer_address(buffer.get(), &address), HAL_STATUS_UNSUPPORTED,
              "memory.buffer_address where DEVICE_ADDRESS is not declared");
}

// ---- imports ----

// Pages between two that no one may touch: an access outside ends the process.
class GuardedPages {
 public:
  explicit GuardedPages(size_t bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    inner_ = (bytes + page - 1) / page * page;
    whole_ = inner_ + 2 * page;
    void* memory = mmap(nullptr, whole_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(memory != MAP_FAILED, "no memory for guarded pages");
    base_ = static_cast<std::byte*>(memory);
    expect(mprotect(base_ + page, inner_, PROT_READ | PROT_WRITE) == 0, "mprotect of guarded pages");
    bytes_ = bytes;
    page_ = page;
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;
  ~GuardedPages() { munmap(base_, whole_); }
  // So placed that the byte after the last is in the guard.
  std::span<std::byte> at_end() const { return {base_ + page_ + inner_ - bytes_, bytes_}; }

 private:
  std::byte* base_;
  size_t bytes_, inner_, whole_, page_;
};

hal_external_memory_t host_memory(std::span<std::byte> bytes) {
  hal_external_memory_t memory = HAL_EXTERNAL_MEMORY_INIT;
  memory.type = HAL_HANDLE_HOST_POINTER;
  memory.value = reinterpret_cast<uintptr_t>(bytes.data());
  memory.size = bytes.size();
  return memory;
}

void import_host(Rig& rig) {
  Random random = rig.context().random();
  for (const size_t size : {size_t{4096}, size_t{64}, size_t{4160}}) {
    const GuardedPages pages(size);
    const std::span<std::byte> host = pages.at_end();
    const hal_external_memory_t memory = host_memory(host);
    hal_buffer_t* raw = nullptr;
    expect_ok(hal_buffer_import(rig.device(), &memory, &raw), "memory.buffer_import of a host pointer");
    Buffer imported(raw);
    const Buffer other = rig.buffer(size);
    const Bytes bytes = random.bytes(size);
    rig.write(other.get(), bytes);
    const hal_work_copy_t in = copy_work(range_of(other.get()), range_of(raw));
    rig.run({as_work(in)});
    expect_bytes(host, bytes, "host memory that a device wrote through an import");
    std::reverse(host.begin(), host.end());
    const hal_work_copy_t out = copy_work(range_of(raw), range_of(other.get()));
    rig.run({as_work(out)});
    expect_bytes(rig.read(other.get(), 0, size), host, "what a device read of imported host memory");
    imported.reset();
    expect(host[0] == bytes[size - 1], "destroying an imported buffer changed the host's memory");
  }
}

void import_null(Rig& rig) {
  hal_external_memory_t memory = host_memory({});
  memory.size = 64;
  auto* buffer = reinterpret_cast<hal_buffer_t*>(&rig);
  const auto import = hal_calls_of(rig.device())->memory.buffer_import;
  expect_code(import(rig.device(), &memory, &buffer), HAL_STATUS_INVALID_ARGUMENT, "memory.buffer_import of NULL");
  expect(buffer == nullptr, "memory.buffer_import failed and did not zero *out_buffer");
}

void import_unsupported(Rig& rig) {
  std::byte bytes[64];
  const hal_external_memory_t memory = host_memory(bytes);
  hal_buffer_t* buffer = nullptr;
  const auto import = hal_calls_of(rig.device())->memory.buffer_import;
  expect_code(import(rig.device(), &memory, &buffer), HAL_STATUS_UNSUPPORTED,
              "memory.buffer_import where IMPORT_HOST is not declared");
}

}  // namespace

Cases memory_cases() {
  Cases cases = {with_rig("memory.heaps", kMemoryRules, heaps_are_sound)};
  for (const uint64_t size : {1u, 63u, 64u, 65u, 4095u, 4096u, 4097u, (1u << 20) + 1}) {
    const std::string text = std::to_string(size);
    cases.push_back(with_rig("memory.create_" + text, kMemoryRules, [size](Rig& rig) { size_of(rig, size); }));
    cases.push_back(
        with_rig("memory.disjoint_" + text, kMemoryRules, [size](Rig& rig) { buffers_are_disjoint(rig, size); }));
  }
  for (Case& item :
       Cases{with_rig("memory.zero_size", kMemoryRules, zero_size),
             with_rig("memory.zeroed", "HAL_BUFFER_ZEROED, hal/memory.h", zeroed),
             with_rig("memory.alignment", kMemoryRules, alignment),
             negative(with_rig("memory.bad_descriptors", kMemoryRules, bad_descriptors)),
             negative(with_rig("memory.unknown_flag", "HAL-ABI-04", unknown_flag)),
             lacking(HAL_FEATURE_QUEUE_ALLOC,
                     negative(with_rig("memory.deferred_unsupported", kMemoryRules, deferred_unsupported))),
             negative(with_rig("memory.null_out", kMemoryRules, null_out)),
             negative(with_rig("memory.too_large", kMemoryRules, too_large)),
             with_rig("memory.out_of_memory_recovers", kMemoryRules, out_of_memory_recovers),
             with_rig("memory.statistics", kMemoryRules, statistics),
             negative(with_rig("memory.statistics_out_of_range", kMemoryRules, statistics_out_of_range)),
             with_rig("memory.every_heap", kMemoryRules, every_heap),
             stress(0.1, with_rig("memory.many_small", kMemoryRules, many_small)),
             with_rig("memory.map_write", kMemoryRules, map_write),
             with_rig("memory.map_with_offset", kMemoryRules, map_with_offset),
             with_rig("memory.map_is_fresh", kMemoryRules, map_is_fresh),
             with_rig("memory.two_maps", kMemoryRules, two_maps),
             negative(with_rig("memory.map_out_of_range", kMemoryRules, map_out_of_range)),
             negative(with_rig("memory.map_bad_arguments", kMemoryRules, map_bad_arguments)),
             needing(HAL_FEATURE_DEVICE_ADDRESS, with_rig("memory.address", kMemoryRules, address_is_own)),
             lacking(HAL_FEATURE_DEVICE_ADDRESS,
                     negative(with_rig("memory.address_unsupported", kMemoryRules, address_unsupported))),
             needing(HAL_FEATURE_IMPORT_HOST, with_rig("memory.import_host", kMemoryRules, import_host)),
             needing(HAL_FEATURE_IMPORT_HOST, negative(with_rig("memory.import_null", kMemoryRules, import_null))),
             lacking(HAL_FEATURE_IMPORT_HOST,
                     negative(with_rig("memory.import_unsupported", kMemoryRules, import_unsupported)))}) {
    cases.push_back(std::move(item));
  }
  return cases;
}

}  // namespace hal::conformance
