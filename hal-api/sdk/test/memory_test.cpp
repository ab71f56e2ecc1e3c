// SPDX-License-Identifier: Apache-2.0
//
// The memory group: sizes, alignment, accounts, maps, exhaustion.
#include <limits>
#include <set>

#include "harness.hpp"

namespace hal::test {
namespace {

hal_status_t* create(const Session& session, hal_buffer_desc_t desc, Buffer* out) {
  hal_buffer_t* buffer = nullptr;
  hal_status_t* status = hal_buffer_create(session.device(), &desc, &buffer);
  out->reset(buffer);
  return status;
}

TEST(Memory, HeapsAreListedByCountThenFill) {
  const Session session;
  uint32_t count = 0;
  HAL_ASSERT_OK(hal_device_heaps(session.device(), 0, &count, nullptr));
  ASSERT_GE(count, 1u);
  std::vector<hal_heap_info_t> heaps(count + 1);
  for (auto& heap : heaps) {
    std::memset(&heap, 0xAB, sizeof heap);
    heap.struct_size = sizeof heap;
  }
  HAL_ASSERT_OK(hal_device_heaps(session.device(), count, &count, heaps.data()));
  EXPECT_GE(heaps[0].alignment, 64u);
  EXPECT_EQ(heaps[0].alignment & (heaps[0].alignment - 1), 0u);
  EXPECT_EQ(heaps[count].alignment, 0xABABABABABABABABu) << "wrote past the capacity";
}

TEST(Memory, AddressesAreAlignedAndDifferAtOddSizes) {
  const Session session;
  std::set<void*> addresses;
  std::vector<Buffer> buffers;
  for (uint64_t size : {0, 0, 1, 63, 64, 65, 4095, 4097, 1 << 20, (1 << 20) + 1}) {
    buffers.push_back(session.buffer(size));
    void* address = nullptr;
    HAL_ASSERT_OK(hal_buffer_map(buffers.back().get(), 0, size, HAL_MAP_READ, &address));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % 64, 0u);
    EXPECT_TRUE(addresses.insert(address).second);
    HAL_EXPECT_OK(hal_buffer_unmap(buffers.back().get()));
  }
}

TEST(Memory, LargerAlignmentIsKeptOrRefused) {
  const Session session;
  for (uint64_t alignment = 1; alignment != 0; alignment *= 2) {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = 100;
    desc.alignment = alignment;
    Buffer buffer;
    const Outcome outcome = take(create(session, desc, &buffer));
    if (outcome.code != HAL_STATUS_OK) {
      EXPECT_EQ(outcome.code, HAL_STATUS_UNSUPPORTED);
      continue;
    }
    void* address = nullptr;
    HAL_ASSERT_OK(hal_buffer_map(buffer.get(), 0, 100, HAL_MAP_READ, &address));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(address) % alignment, 0u);
    HAL_EXPECT_OK(hal_buffer_unmap(buffer.get()));
  }
}

TEST(Memory, AnAlignmentThatIsNoPowerOfTwoIsInvalid) {
  const Session session;
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = 100;
  desc.alignment = 96;
  Buffer buffer;
  HAL_EXPECT_CODE(create(session, desc, &buffer), INVALID_ARGUMENT);
}

TEST(Memory, ZeroedMemoryIsZeroOnRecycledBlocks) {
  const Session session;
  for (uint64_t size : {100, 5000, 3 << 20}) {
    for (int round = 0; round < 20; round++) {
      Buffer buffer = session.buffer(size);
      for (uint8_t byte : session.read(buffer, 0, size)) ASSERT_EQ(byte, 0);
      session.write(buffer, 0, std::vector<uint8_t>(size, 0xCC));
    }
  }
}

TEST(Memory, StatisticsCountLiveAndPeak) {
  const Session session;
  const hal_heap_statistics_t before = session.statistics();
  {
    const Buffer a = session.buffer(1000), b = session.buffer(2000);
    const hal_heap_statistics_t during = session.statistics();
    EXPECT_GE(during.live_bytes, before.live_bytes + 3000);
    EXPECT_EQ(during.live_buffers, before.live_buffers + 2);
    EXPECT_EQ(during.total_allocations, before.total_allocations + 2);
  }
  const hal_heap_statistics_t after = session.statistics();
  EXPECT_EQ(after.live_bytes, before.live_bytes);
  EXPECT_EQ(after.live_buffers, before.live_buffers);
  EXPECT_GE(after.peak_bytes, before.live_bytes + 3000);
}

TEST(Memory, AbsurdSizesAreOutOfMemoryAndLeaveTheDeviceUsable) {
  const Session session;
  for (uint64_t size : {std::numeric_limits<uint64_t>::max(), std::numeric_limits<uint64_t>::max() - 63,
                        uint64_t{1} << 63, uint64_t{1} << 48, session.caps().max_buffer_size + 1}) {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = size;
    Buffer buffer;
    HAL_EXPECT_CODE(create(session, desc, &buffer), OUT_OF_MEMORY);
    EXPECT_EQ(buffer, nullptr);
    const Buffer small = session.buffer(64);
    session.write(small, 0, {1, 2, 3});
    EXPECT_EQ(session.read(small, 0, 3), (std::vector<uint8_t>{1, 2, 3}));
  }
  EXPECT_EQ(session.statistics().live_bytes, 0u);
}

TEST(Memory, BadDescriptorsAreRefusedByName) {
  const Session session;
  Buffer buffer;
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.heap = 99;
  HAL_EXPECT_CODE(create(session, desc, &buffer), OUT_OF_RANGE);
  desc = HAL_BUFFER_DESC_INIT;
  desc.flags = uint64_t{1} << 40;
  HAL_EXPECT_CODE(create(session, desc, &buffer), UNSUPPORTED);
  desc = HAL_BUFFER_DESC_INIT;
  desc.struct_size = 8;
  HAL_EXPECT_CODE(create(session, desc, &buffer), INVALID_ARGUMENT);
  std::memset(&desc, 0xCC, sizeof desc);
  HAL_EXPECT_CODE(create(session, desc, &buffer), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(session.calls().memory->buffer_create(session.device(), nullptr, nullptr), INVALID_ARGUMENT);
}

TEST(Memory, MapsCheckTheirRange) {
  const Session session;
  const Buffer buffer = session.buffer(100);
  void* address = nullptr;
  HAL_EXPECT_CODE(hal_buffer_map(buffer.get(), 101, 0, HAL_MAP_READ, &address), OUT_OF_RANGE);
  HAL_EXPECT_CODE(hal_buffer_map(buffer.get(), 50, 51, HAL_MAP_READ, &address), OUT_OF_RANGE);
  HAL_EXPECT_CODE(hal_buffer_map(buffer.get(), 50, UINT64_MAX - 10, HAL_MAP_READ, &address), OUT_OF_RANGE);
  HAL_EXPECT_CODE(hal_buffer_map(buffer.get(), 0, 1, uint64_t{1} << 60, &address), UNSUPPORTED);
  EXPECT_EQ(address, nullptr);
  HAL_EXPECT_CODE(hal_buffer_unmap(buffer.get()), FAILED_PRECONDITION);
  HAL_EXPECT_OK(hal_buffer_map(buffer.get(), 0, 100, HAL_MAP_READ, &address));
  HAL_EXPECT_OK(hal_buffer_map(buffer.get(), 10, HAL_WHOLE_BUFFER, HAL_MAP_WRITE, &address));
  HAL_EXPECT_OK(hal_buffer_unmap(buffer.get()));
  HAL_EXPECT_OK(hal_buffer_unmap(buffer.get()));
}

TEST(Memory, HostPointersAreImportedWhereTheDeviceSaysSo) {
  const Session session;
  std::vector<uint8_t> memory(100, 5);
  hal_external_memory_t external = HAL_EXTERNAL_MEMORY_INIT;
  external.type = HAL_HANDLE_HOST_POINTER;
  external.value = reinterpret_cast<uintptr_t>(memory.data());
  external.offset = 10;
  external.size = 20;
  hal_buffer_t* raw = nullptr;
  const Outcome outcome = take(hal_buffer_import(session.device(), &external, &raw));
  const Buffer buffer(raw);
  if ((session.caps().features & HAL_FEATURE_IMPORT_HOST) == 0) {
    EXPECT_EQ(outcome.code, HAL_STATUS_UNSUPPORTED);
    return;
  }
  ASSERT_EQ(outcome.code, HAL_STATUS_OK) << outcome.message;
  session.write(buffer, 0, std::vector<uint8_t>(20, 9));
  EXPECT_EQ(memory[9], 5);
  EXPECT_EQ(memory[10], 9);
  EXPECT_EQ(memory[29], 9);
  EXPECT_EQ(memory[30], 5);
  EXPECT_EQ(session.statistics().live_bytes, 0u);
  external.offset = UINT64_MAX - 5;
  HAL_EXPECT_CODE(hal_buffer_import(session.device(), &external, &raw), OUT_OF_RANGE);
  external.type = HAL_HANDLE_DMA_BUF;
  HAL_EXPECT_CODE(hal_buffer_import(session.device(), &external, &raw), UNSUPPORTED);
}

}  // namespace
}  // namespace hal::test
