// SPDX-License-Identifier: Apache-2.0
//
// The layer "fault" over the CPU plugin: each kind of fault reaches the caller, and the same seed gives the same
// faults.
#include <chrono>

#include "fixture.hpp"
#include "hal/cxx/hal.hpp"

namespace hal::loader {
namespace {

// A device of the CPU plugin under the layer with some rules.
class Faulty {
 public:
  explicit Faulty(const std::string& rules, const std::string& seed = "") {
    loader.paths = {PLUGIN_FOLDER "/cpu.json"};
    loader.layers = {LAYER_FOLDER "/fault.json"};
    const std::string path =
        folder.write("rules.json", R"({"schema_version": 1, "seed": 1, "rules": [)" + rules + "]}");
    loader.layer_config = {{"fault.rules", path}};
    if (!seed.empty()) loader.layer_config.emplace_back("fault.seed", seed);
    EXPECT_TRUE(loader.create());
    EXPECT_EQ(string(loader.layer_list()[0].reason), "");
    const Result<hal_device_t*> opened = loader.open("cpu:0");
    EXPECT_TRUE(opened) << opened.error().message;
    if (opened) device = *opened;
  }
  ~Faulty() { loader.close(device); }

  TemporaryFolder folder;
  TestLoader loader;
  hal_device_t* device = nullptr;
};

hal_status_code_t code(const Result<void>& result) { return result ? HAL_STATUS_OK : result.error().code; }

hal_status_code_t creates(hal_device_t* device) {
  const Result<Buffer> buffer = create_buffer(device, 64);
  return buffer ? HAL_STATUS_OK : buffer.error().code;
}

TEST(Fault, TheNthCallFailsWithItsCodeAndText) {
  Faulty faulty(R"({"call": "memory.buffer_create", "when": {"nth": 2}, "then": {"fail": "out of memory"}})");
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_OK);
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = 64;
  auto* buffer = reinterpret_cast<hal_buffer_t*>(&desc);
  const Result<void> failed = take_status(hal_buffer_create(faulty.device, &desc, &buffer));
  EXPECT_EQ(code(failed), HAL_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(failed.error().message, "layer fault: memory.buffer_create: injected (rules[0] at call 2 that fits it)");
  EXPECT_EQ(buffer, nullptr) << "out-parameters are zeroed";
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_OK);
}

TEST(Fault, CallsWithoutARuleAreThePluginsOwn) {
  Faulty faulty(R"({"call": "memory.buffer_create", "then": {"delay_us": 0}},
                   {"call": "queue.submit", "plugin": "other", "then": {"fail": "internal"}})");
  TestLoader plain;
  plain.paths = faulty.loader.paths;
  ASSERT_TRUE(plain.create());
  const Result<hal_device_t*> own = plain.open("cpu:0");
  ASSERT_TRUE(own);
  EXPECT_NE(hal_calls_of(*own)->memory->buffer_create, hal_calls_of(faulty.device)->memory->buffer_create);
  EXPECT_EQ(hal_calls_of(*own)->memory->buffer_destroy, hal_calls_of(faulty.device)->memory->buffer_destroy);
  EXPECT_EQ(hal_calls_of(*own)->queue->submit, hal_calls_of(faulty.device)->queue->submit);
  plain.close(*own);
}

TEST(Fault, TheSameSeedGivesTheSameFaults) {
  const std::string rule =
      R"({"call": "memory.buffer_create", "when": {"probability": 0.3}, "then": {"fail": "busy"}})";
  const auto pattern = [&](const std::string& seed) {
    Faulty faulty(rule, seed);
    std::string codes;
    for (int i = 0; i < 100; ++i) codes += creates(faulty.device) == HAL_STATUS_OK ? '.' : 'x';
    return codes;
  };
  const std::string first = pattern("11");
  EXPECT_EQ(first, pattern("11"));
  EXPECT_NE(first, pattern("12"));
  EXPECT_NE(first.find('x'), std::string::npos);
  EXPECT_NE(first.find('.'), std::string::npos);
}

TEST(Fault, ALimitEndsIt) {
  Faulty faulty(R"({"call": "memory.buffer_*", "limit": 2, "then": {"fail": "busy"}})");
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_BUSY);
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_BUSY);
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_OK);
}

TEST(Fault, DelaysTakeTheirTime) {
  Faulty faulty(R"({"call": "device.state", "when": {"nth": 1}, "then": {"delay_us": [20000, 30000]}})");
  const auto begin = std::chrono::steady_clock::now();
  hal_device_state_t state = 0;
  EXPECT_EQ(hal_device_state(faulty.device, &state), nullptr);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));
}

TEST(Fault, OutputsAreCorrupted) {
  Faulty faulty(R"({"call": "memory.buffer_info", "then": {"corrupt": true}},
                   {"call": "memory.buffer_map", "when": {"nth": 2}, "then": {"corrupt": true}})");
  const Result<Buffer> buffer = create_buffer(faulty.device, 64);
  ASSERT_TRUE(buffer);
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  ASSERT_EQ(hal_buffer_info(buffer->get(), &info), nullptr);
  EXPECT_NE(info.size, 64u);
  std::array<std::byte, 64> zeros{}, read{};
  ASSERT_TRUE(write_buffer(buffer->get(), 0, zeros));
  ASSERT_TRUE(read_buffer(buffer->get(), 0, read));
  size_t bits = 0;
  for (const std::byte byte : read) bits += static_cast<size_t>(__builtin_popcount(std::to_integer<unsigned>(byte)));
  EXPECT_EQ(bits, 1u) << "one bit of the memory has flipped";
}

TEST(Fault, ASubmissionFailsLater) {
  Faulty faulty(
      R"({"call": "queue.submit", "when": {"nth": 1}, "then": {"fail_later": "data corrupt", "message": "ECC"}})");
  const Result<Queue> queue = create_queue(faulty.device);
  const Result<Buffer> buffer = create_buffer(faulty.device, 64);
  ASSERT_TRUE(queue && buffer);
  const auto run = [&] {
    Submission work;
    work.fill(range(*buffer), 1, 1);
    return submit_and_wait(faulty.device, *queue, work);
  };
  const Result<void> failed = run();
  EXPECT_EQ(code(failed), HAL_STATUS_ABORTED);
  EXPECT_NE(failed.error().message.find("ECC"), std::string::npos) << failed.error().message;
  EXPECT_TRUE(run());
}

TEST(Fault, ADeviceIsLostUntilItIsReset) {
  Faulty faulty(R"({"call": "queue.submit", "when": {"nth": 1}, "then": {"lose_device": true}})");
  const Result<Queue> queue = create_queue(faulty.device);
  const Result<Semaphore> semaphore = create_semaphore(faulty.device);
  ASSERT_TRUE(queue && semaphore);
  Submission work;
  work.signal(*semaphore, 1);
  EXPECT_EQ(code(work.submit(*queue)), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_DEVICE_LOST);
  hal_device_state_t state = 0;
  ASSERT_EQ(hal_device_state(faulty.device, &state), nullptr);
  EXPECT_EQ(state, HAL_DEVICE_STATE_LOST);
  EXPECT_EQ(code(wait(faulty.device, *semaphore, 1)), HAL_STATUS_DEVICE_LOST) << "nobody waits for ever";

  ASSERT_EQ(code(take_status(hal_device_reset(faulty.device))), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_state(faulty.device, &state), nullptr);
  EXPECT_EQ(state, HAL_DEVICE_STATE_READY);
  EXPECT_EQ(creates(faulty.device), HAL_STATUS_OK);
  EXPECT_EQ(code(work.submit(*queue)), HAL_STATUS_DEVICE_LOST) << "objects from before the reset stay lost";
}

TEST(Fault, ABlockedWaitHearsOfTheLoss) {
  Faulty faulty(R"({"call": "device.query_support", "then": {"lose_device": true}})");
  const Result<Semaphore> semaphore = create_semaphore(faulty.device);
  ASSERT_TRUE(semaphore);
  std::thread waiter([&] {
    const Result<void> waited = wait(faulty.device, *semaphore, 1);
    ASSERT_FALSE(waited);
    EXPECT_NE(waited.error().message.find("the device is lost"), std::string::npos) << waited.error().message;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const hal_support_query_t query = HAL_SUPPORT_QUERY_INIT;
  hal_support_t support = 0;
  EXPECT_EQ(code(take_status(hal_device_query_support(faulty.device, &query, &support))), HAL_STATUS_DEVICE_LOST);
  waiter.join();
}

TEST(Fault, ABadFileIsRefusedWithThePlace) {
  const TemporaryFolder folder;
  for (const auto& [text, reason] :
       {std::pair<std::string, std::string>{R"({"schema_version": 1, "rules": [{"call": "queue.sumbit"}]})",
                                            "rules[0].call is \"queue.sumbit\""},
        {"{\n  \"rules\": [,]}", "line 2, column 13"}}) {
    TestLoader loader;
    loader.paths = {PLUGIN_FOLDER "/cpu.json"};
    loader.layers = {LAYER_FOLDER "/fault.json"};
    const std::string path = folder.write("rules.json", text);
    loader.layer_config = {{"fault.rules", path}};
    ASSERT_TRUE(loader.create());
    const std::string said = string(loader.layer_list()[0].reason);
    EXPECT_NE(said.find(path + ": "), std::string::npos) << said;
    EXPECT_NE(said.find(reason), std::string::npos) << said;
  }
}

}  // namespace
}  // namespace hal::loader
