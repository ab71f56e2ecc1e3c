// SPDX-License-Identifier: Apache-2.0
//
// The C++ headers (hal/cxx/hal.hpp, hal/loader.hpp) over a real plugin.
#include "hal/loader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <type_traits>

namespace hal {
namespace {

LoaderOptions only(const std::string& animal) {
  return {.plugin_paths = {ZOO_FOLDER "/mortise_" + animal + ".so"}, .explicit_only = true};
}

Result<std::array<std::byte, 8>> fill_copy_and_read() {
  HAL_TRY_ASSIGN(const Loader loader, Loader::create(only("good")));
  HAL_TRY_ASSIGN(const Device device, loader.open("zoo-good:0"));
  HAL_TRY_ASSIGN(const Queue queue, create_queue(device.get()));
  HAL_TRY_ASSIGN(const Buffer source, create_buffer(device.get(), 64));
  HAL_TRY_ASSIGN(const Buffer target, create_buffer(device.get(), 64, HAL_BUFFER_ZEROED));
  const std::array<std::byte, 2> two = {std::byte{0xAA}, std::byte{0xBB}};
  Submission work;
  work.label("test").fill(range(source), 0x11, 1).update(range(source, 2, 2), two.data());
  work.copy(range(source, 0, 8), range(target, 0, 8));
  HAL_TRY(submit_and_wait(device.get(), queue, work));
  std::array<std::byte, 8> bytes{};
  HAL_TRY(read_buffer(target.get(), 0, bytes));
  return bytes;
}

TEST(Cxx, WorkRunsAndEverythingIsGivenBack) {
  const auto bytes = fill_copy_and_read();
  ASSERT_TRUE(bytes) << bytes.error().message;
  const std::array<uint8_t, 8> expected = {0x11, 0x11, 0xAA, 0xBB, 0x11, 0x11, 0x11, 0x11};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(std::to_integer<uint8_t>((*bytes)[i]), expected[i]) << i;
}

TEST(Cxx, HandlesMoveAndDoNotCopy) {
  static_assert(!std::is_copy_constructible_v<Buffer> && std::is_nothrow_move_constructible_v<Buffer>);
  static_assert(!std::is_convertible_v<hal_buffer_t*, Buffer>);
  const Result<Loader> loader = Loader::create(only("good"));
  ASSERT_TRUE(loader);
  {
    const Result<Device> device = loader->open("zoo-good");
    ASSERT_TRUE(device);
    Result<Buffer> made = create_buffer(device->get(), 16);
    ASSERT_TRUE(made);
    Buffer first = std::move(*made);
    hal_buffer_t* const object = first.get();
    Buffer second = std::move(first);
    EXPECT_FALSE(first);
    EXPECT_EQ(second.get(), object);
    Buffer& itself = second;
    second = std::move(itself);
    EXPECT_EQ(second.get(), object);
  }
  hal_loader_t* const handle = loader->get();
  uint32_t count = 0;
  EXPECT_EQ(hal_loader_devices(handle, 0, &count, nullptr), nullptr);
}

TEST(Cxx, WriteThenReadThroughMappings) {
  const Result<Loader> loader = Loader::create(only("good"));
  ASSERT_TRUE(loader);
  const Result<Device> device = loader->open("zoo-good");
  ASSERT_TRUE(device);
  const Result<Buffer> buffer = create_buffer(device->get(), 4);
  ASSERT_TRUE(buffer);
  const std::array<std::byte, 4> written = {std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  ASSERT_TRUE(write_buffer(buffer->get(), 0, written));
  std::array<std::byte, 2> read{};
  ASSERT_TRUE(read_buffer(buffer->get(), 1, read));
  EXPECT_EQ(read[0], std::byte{2});
  EXPECT_EQ(read_buffer(buffer->get(), 3, read).error().code, HAL_STATUS_OUT_OF_RANGE);
}

TEST(Cxx, ErrorsCarryTheirText) {
  const Result<Loader> loader = Loader::create(only("null_required"));
  ASSERT_FALSE(loader);
  EXPECT_EQ(loader.error().code, HAL_STATUS_INCOMPATIBLE);
  EXPECT_NE(loader.error().message.find("memory.buffer_create"), std::string::npos);
}

TEST(Cxx, CapabilitiesHeapsAndLists) {
  const Result<Loader> loader = Loader::create(only("good"));
  ASSERT_TRUE(loader);
  const auto devices = loader->devices();
  ASSERT_TRUE(devices);
  ASSERT_EQ(devices->size(), 1u);
  EXPECT_EQ(view((*devices)[0].name), "zoo-good:0");
  const Result<Device> device = loader->open("zoo-good");
  ASSERT_TRUE(device);
  EXPECT_EQ(capabilities(device->get())->core_count, 1u);
  const auto found = heaps(device->get());
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ((*found)[0].size, 1u << 20);
  EXPECT_EQ(heap_statistics(device->get(), 1).error().code, HAL_STATUS_OUT_OF_RANGE);
}

TEST(Cxx, TheLogIsHeard) {
  std::vector<std::string> heard;
  LoaderOptions options = only("calls_back");
  options.log = [&](hal_log_level_t, std::string_view message) { heard.emplace_back(message); };
  const Result<Loader> loader = Loader::create(options);
  ASSERT_TRUE(loader);
  ASSERT_TRUE(loader->devices());
  EXPECT_NE(std::find(heard.begin(), heard.end(), "zoo-calls-back: up"), heard.end());
}

}  // namespace
}  // namespace hal
