// SPDX-License-Identifier: Apache-2.0
//
// Devices through libhal: names, identity, opening, and real work over hal/calls.h.
#include <array>
#include <cstring>

#include "fixture.hpp"

namespace hal::loader {
namespace {

TEST(Devices, EveryChipIsListedOnceAndTheOthersAreCounted) {
  TestLoader loader;
  loader.paths = {animal("good"), animal("duplicate_device")};
  ASSERT_TRUE(loader.create());
  const auto devices = loader.devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(string(devices[0].name), "zoo-good:0") << "the plugin that was found first gives the chip";
  EXPECT_EQ(devices[0].also_count, 1u);
  EXPECT_EQ(string(devices[0].info->name), "A device of zoo-good");
  EXPECT_EQ(string(loader.plugins()[devices[0].plugin].name), "zoo-good");
  const Result<hal_device_t*> other = loader.open("zoo-duplicate:0");
  ASSERT_TRUE(other) << "by its own name the second way to the chip can still be opened";
  loader.close(*other);
}

TEST(Devices, OpenByNameByPluginAndByUuid) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  const auto devices = loader.devices();
  ASSERT_EQ(devices.size(), 1u);
  std::string uuid;
  for (size_t i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", devices[0].info->uuid[i]);
    uuid += std::string(i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + digits;
  }
  for (const std::string& name : {std::string("zoo-good:0"), std::string("zoo-good"), uuid}) {
    const Result<hal_device_t*> device = loader.open(name);
    ASSERT_TRUE(device) << name << ": " << device.error().message;
    loader.close(*device);
  }
}

TEST(Devices, AWrongNameIsAnsweredWithTheNamesThatExist) {
  TestLoader loader;
  loader.paths = {animal("good"), animal("future_minor")};
  ASSERT_TRUE(loader.create());
  for (const char* name : {"npu:0", "zoo-good:1", "zoo-good:", "zoo-good:x", "zoo-good:00", "", ":", "zoo-good:-1",
                           "00000000-0000-0000-0000-000000000000"}) {
    const Result<hal_device_t*> device = loader.open(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, HAL_STATUS_NOT_FOUND);
    EXPECT_NE(device.error().message.find("zoo-future-minor:0, zoo-good:0"), std::string::npos)
        << device.error().message;
  }
}

TEST(Devices, NoPluginIsAnEmptyListAndOpenSaysWhy) {
  const TemporaryFolder folder;
  folder.write("junk.json", "junk");
  TestLoader loader;
  loader.folders = {folder.path()};
  ASSERT_TRUE(loader.create());
  EXPECT_TRUE(loader.devices().empty());
  const Result<hal_device_t*> device = loader.open("cpu:0");
  ASSERT_FALSE(device);
  EXPECT_NE(device.error().message.find("junk.json: malformed JSON"), std::string::npos) << device.error().message;
}

TEST(Devices, ConfigurationReachesThePluginThatItNames) {
  TestLoader loader;
  loader.paths = {animal("good"), animal("future_minor")};
  loader.config = {{"zoo-good.colour", "red"}};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.device_names(), std::vector<std::string>{"zoo-future-minor:0"});
  EXPECT_EQ(string(loader.file("good.so").reason), "device.initialize: no configuration key is known");
}

TEST(Devices, AMalformedConfigurationKeyIsAnError) {
  for (const char* key : {"", "threads", ".threads", "cpu.", "CPU.threads"}) {
    TestLoader loader;
    loader.config = {{key, "1"}};
    const Result<void> created = loader.create();
    ASSERT_FALSE(created) << key;
    EXPECT_EQ(created.error().code, HAL_STATUS_INVALID_ARGUMENT);
  }
}

TEST(Devices, WorkRunsThroughTheInlineCalls) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  ASSERT_TRUE(device);
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = 64;
  hal_buffer_t* buffer = nullptr;
  hal_queue_t* queue = nullptr;
  hal_semaphore_t* semaphore = nullptr;
  const hal_queue_desc_t queue_desc = HAL_QUEUE_DESC_INIT;
  ASSERT_EQ(hal_buffer_create(*device, &desc, &buffer), nullptr);
  ASSERT_EQ(hal_queue_create(*device, &queue_desc, &queue), nullptr);
  ASSERT_EQ(hal_semaphore_create(*device, 0, &semaphore), nullptr);
  EXPECT_EQ(hal_calls_of(buffer), hal_calls_of(*device));

  hal_work_fill_t fill = HAL_WORK_FILL_INIT;
  fill.target = {buffer, 0, HAL_WHOLE_BUFFER, 0, 0};
  fill.pattern = 0xA5;
  fill.pattern_size = 1;
  const hal_work_t* work[] = {&fill.header};
  const hal_semaphore_value_t signal = {semaphore, 1};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.work = work;
  submission.work_count = 1;
  submission.signals = &signal;
  submission.signal_count = 1;
  ASSERT_EQ(hal_queue_submit(queue, &submission), nullptr);
  ASSERT_EQ(hal_semaphore_wait(*device, HAL_WAIT_ALL, 1, &signal, HAL_TIME_FOREVER, nullptr), nullptr);
  void* address = nullptr;
  ASSERT_EQ(hal_buffer_map(buffer, 0, 64, HAL_MAP_READ, &address), nullptr);
  const std::array<unsigned char, 64> expected = [] {
    std::array<unsigned char, 64> bytes;
    bytes.fill(0xA5);
    return bytes;
  }();
  EXPECT_EQ(std::memcmp(address, expected.data(), expected.size()), 0);
  hal_semaphore_destroy(semaphore);
  hal_queue_destroy(queue);
  hal_buffer_destroy(buffer);
  loader.close(*device);
}

// An application built against a later release passes longer structs; their step is the caller's own.
TEST(Devices, OutStructsOfALaterReleaseAreFilledAsFarAsWeKnow) {
  struct Later {
    hal_loader_plugin_t known;
    uint64_t added;
  };
  TestLoader loader;
  loader.paths = {animal("good"), animal("future_minor")};
  ASSERT_TRUE(loader.create());
  std::array<Later, 2> items{};
  for (Later& item : items) {
    item.known.struct_size = sizeof(Later);
    item.added = 77;
  }
  uint32_t count = 0;
  ASSERT_EQ(hal_loader_plugins(loader.handle(), 2, &count, &items[0].known), nullptr);
  EXPECT_EQ(string(items[0].known.name), "zoo-future-minor");
  EXPECT_EQ(string(items[1].known.name), "zoo-good");
  EXPECT_EQ(items[1].added, 77u);
  EXPECT_EQ(items[1].known.struct_size, sizeof(Later));
}

// And one built against an earlier release passes shorter ones.
TEST(Devices, ShortOutStructsAreNotOverrun) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  struct {
    hal_loader_plugin_t item;
  } guarded;
  std::memset(&guarded, 0xEE, sizeof guarded);
  guarded.item.struct_size = 24;  // up to and with the name
  uint32_t count = 0;
  ASSERT_EQ(hal_loader_plugins(loader.handle(), 1, &count, &guarded.item), nullptr);
  EXPECT_EQ(string(guarded.item.name), "zoo-good");
  EXPECT_EQ(reinterpret_cast<const unsigned char*>(&guarded)[24], 0xEE);
}

}  // namespace
}  // namespace hal::loader
