// SPDX-License-Identifier: Apache-2.0
//
// The device group: identity, capabilities, struct sizes, configuration, reopening.
#include <filesystem>
#include <fstream>
#include <set>

#include "harness.hpp"

namespace hal::test {
namespace {

TEST(Device, TheDescriptorIsComplete) {
  const Plugin plugin;
  EXPECT_EQ(plugin.descriptor().abi_version, HAL_ABI_VERSION);
  EXPECT_FALSE(text(plugin.descriptor().name).empty());
  EXPECT_GE(text(plugin.descriptor().build_id).size(), 16u);
}

TEST(Device, AHostOfAnotherMajorVersionIsRefusedWithBothVersions) {
  const Plugin plugin;
  hal_host_t host = kHost;
  host.abi_version = HAL_ABI_MAKE(HAL_ABI_MAJOR + 1, 7);
  const hal_plugin_t* out = &plugin.descriptor();
  const Outcome outcome = take(plugin.query()(&host, &out));
  EXPECT_EQ(outcome.code, HAL_STATUS_INCOMPATIBLE);
  EXPECT_NE(outcome.message.find("2.7"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("1.0"), std::string::npos) << outcome.message;
  EXPECT_EQ(out, nullptr);
  host.abi_version = HAL_ABI_MAKE(HAL_ABI_MAJOR, HAL_ABI_MINOR + 3);
  HAL_EXPECT_OK(plugin.query()(&host, &out));
  EXPECT_EQ(take(plugin.query()(nullptr, &out)).code, HAL_STATUS_INVALID_ARGUMENT);
}

hal_device_info_t info_of(const Session& session) {
  hal_device_info_t info{};
  info.struct_size = sizeof info;
  uint32_t count = 0;
  HAL_EXPECT_OK(session.calls().device->enumerate(session.instance(), 1, &count, &info));
  EXPECT_GE(count, 1u);
  return info;
}

TEST(Device, TheUuidIsTheSameAfterReopenAndInAnotherInstance) {
  Session first;
  const Session second;
  uint8_t uuid[16];
  std::memcpy(uuid, info_of(first).uuid, sizeof uuid);
  EXPECT_NE(std::set<uint8_t>(uuid, uuid + 16).size(), 1u);
  EXPECT_EQ(std::memcmp(uuid, info_of(second).uuid, sizeof uuid), 0);
  first.close();
  first.open();
  EXPECT_EQ(std::memcmp(uuid, info_of(first).uuid, sizeof uuid), 0);
}

TEST(Device, OutStructsKeepToTheCallersSize) {
  const Session session;
  const hal_device_caps_t whole = session.caps();
  for (uint32_t size = 4; size <= sizeof whole + 64; size += 4) {
    std::vector<uint8_t> bytes(sizeof whole + 128, 0xEE);
    auto* caps = reinterpret_cast<hal_device_caps_t*>(bytes.data());
    std::memcpy(bytes.data(), &size, sizeof size);
    HAL_ASSERT_OK(hal_device_capabilities(session.device(), caps));
    EXPECT_EQ(std::memcmp(bytes.data(), &size, 4), 0) << "struct_size was changed";
    const uint32_t filled = std::min<uint32_t>(size, sizeof whole);
    EXPECT_EQ(std::memcmp(bytes.data() + 4, reinterpret_cast<const uint8_t*>(&whole) + 4, filled - 4), 0);
    for (size_t i = filled; i < bytes.size(); i++) ASSERT_EQ(bytes[i], 0xEE) << size << " at " << i;
  }
  hal_device_caps_t none{};
  HAL_EXPECT_CODE(hal_device_capabilities(session.device(), &none), INVALID_ARGUMENT);
}

TEST(Device, CapabilitiesKeepTheAbisMinimums) {
  const Session session;
  const hal_device_caps_t caps = session.caps();
  EXPECT_GE(caps.core_count, 1u);
  EXPECT_GE(caps.max_bindings, 64u);
  EXPECT_GE(caps.max_constant_bytes, 1024u);
  EXPECT_GE(caps.max_queues, 1u);
  EXPECT_EQ(caps.emulated & ~caps.features, 0u);
  hal_device_state_t state = 99;
  HAL_EXPECT_OK(hal_device_state(session.device(), &state));
  EXPECT_EQ(state, HAL_DEVICE_STATE_READY);
}

TEST(Device, UnknownConfigurationIsInvalidAndKnownKeysAreListed) {
  const Session session;
  uint32_t count = 0;
  HAL_EXPECT_OK(session.calls().device->config_keys(0, &count, nullptr));
  std::vector<hal_config_key_t> keys(count);
  HAL_EXPECT_OK(session.calls().device->config_keys(count, &count, keys.data()));
  hal_key_value_t item = {view("no-such-key"), view("1")};
  hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
  desc.config = &item;
  desc.config_count = 1;
  hal_instance_t* instance = nullptr;
  const Outcome outcome = take(session.calls().device->initialize(&desc, &instance));
  EXPECT_EQ(outcome.code, HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(outcome.message.find("no-such-key"), std::string::npos);
  for (const auto& key : keys) EXPECT_NE(outcome.message.find(text(key.key)), std::string::npos) << outcome.message;
  for (const auto& key : keys) {
    item = {key.key, key.default_value};
    HAL_ASSERT_OK(session.calls().device->initialize(&desc, &instance));
    HAL_EXPECT_OK(session.calls().device->shutdown(instance));
  }
}

TEST(Device, NullHandlesAreInvalidAndDestroyingNullIsAllowed) {
  const Session session;
  const hal_calls_t& calls = session.calls();
  hal_device_t* device = nullptr;
  hal_device_caps_t caps{};
  caps.struct_size = sizeof caps;
  uint32_t count = 0;
  uint64_t value = 0;
  HAL_EXPECT_CODE(calls.device->shutdown(nullptr), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.device->open(nullptr, 0, &device), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.device->enumerate(nullptr, 0, &count, nullptr), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.device->capabilities(nullptr, &caps), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.memory->heaps(nullptr, 0, &count, nullptr), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.memory->buffer_unmap(nullptr), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.queue->semaphore_query(nullptr, &value), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(calls.queue->submit(nullptr, nullptr), INVALID_ARGUMENT);
  const Semaphore semaphore = session.semaphore();
  HAL_EXPECT_CODE(calls.memory->buffer_unmap(reinterpret_cast<hal_buffer_t*>(semaphore.get())), INVALID_ARGUMENT);
  calls.device->close(nullptr);
  calls.memory->buffer_destroy(nullptr);
  calls.queue->queue_destroy(nullptr);
  calls.queue->semaphore_destroy(nullptr);
}

TEST(Device, OpenRefusesAnIndexOutsideOfTheList) {
  const Session session;
  uint32_t count = 0;
  HAL_EXPECT_OK(session.calls().device->enumerate(session.instance(), 0, &count, nullptr));
  hal_device_t* device = nullptr;
  HAL_EXPECT_CODE(session.calls().device->open(session.instance(), count, &device), OUT_OF_RANGE);
  EXPECT_EQ(device, nullptr);
}

TEST(Device, AnUnknownOperatorIsNoneAndNoError) {
  const Session session;
  hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
  query.dtype = HAL_DTYPE_F32;
  query.operator_name = view("nobody.nothing@1");
  hal_support_t support = 99;
  HAL_EXPECT_OK(hal_device_query_support(session.device(), &query, &support));
  EXPECT_EQ(support, HAL_SUPPORT_NONE);
  query.dtype = 12345;
  query.operator_name = {};
  HAL_EXPECT_OK(hal_device_query_support(session.device(), &query, &support));
  EXPECT_EQ(support, HAL_SUPPORT_NONE);
}

TEST(Device, ChildrenKeepAClosedDevice) {
  Session session;
  Buffer buffer = session.buffer(64);
  session.calls().device->close(session.device());
  session.write(buffer, 0, {1, 2, 3});
  EXPECT_EQ(session.read(buffer, 0, 3), (std::vector<uint8_t>{1, 2, 3}));
  HAL_EXPECT_CODE(session.calls().device->shutdown(session.instance()), BUSY);
  buffer.reset();
  HAL_EXPECT_OK(session.calls().device->shutdown(session.instance()));
  session.open();
}

// ---- unloading ----

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

size_t count_threads() {
  size_t count = 0;
  for (auto& entry : std::filesystem::directory_iterator("/proc/self/task")) count += entry.exists() ? 1 : 0;
  return count;
}

size_t count_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) count++;
  return count;
}

size_t resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * 4;
}

bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  const std::string name = std::filesystem::path(path).filename();
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

void load_use_and_unload() {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  const Buffer buffer = session.buffer(100);
  const auto work = fill(range(buffer), 1);
  HAL_ASSERT_OK((Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  HAL_ASSERT_OK(session.wait(done, 1));
}

TEST(Device, AHundredLoadsLeaveNothingBehind) {
  for (int i = 0; i < 10; i++) load_use_and_unload();
  const size_t threads = count_threads(), descriptors = count_descriptors(), memory = resident_kilobytes();
  for (int i = 0; i < 100; i++) {
    load_use_and_unload();
    ASSERT_EQ(count_threads(), threads) << "threads are left";
  }
  EXPECT_EQ(count_descriptors(), descriptors);
  if (kSanitized) return;  // they keep freed memory, and libraries for their reports
  EXPECT_FALSE(is_mapped(HAL_TEST_PLUGIN)) << "the library is still mapped";
  EXPECT_LT(resident_kilobytes(), memory + 1024);
}

}  // namespace
}  // namespace hal::test
