// SPDX-License-Identifier: Apache-2.0
//
// The layer "trace" over the CPU plugin: what it writes is JSON, slices nest, names and statuses are there, and each
// submission flows from its submit to its completion.
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "fixture.hpp"
#include "hal/cxx/hal.hpp"

namespace hal::loader {
namespace {

using Json = nlohmann::json;

std::string read(const std::string& path) {
  std::ifstream file(path);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

class Trace : public testing::Test {
 protected:
  void set_up(TestLoader& loader) {
    loader.paths = {PLUGIN_FOLDER "/cpu.json"};
    loader.layers = {LAYER_FOLDER "/trace.json"};
    loader.layer_config = {{"trace.file", path}};
  }

  TemporaryFolder folder;
  const std::string path = folder.path() + "/trace.json";
};

Result<void> work_on(hal_device_t* device, int rounds) {
  hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
  const std::string label = "busy";
  desc.label = text(label);
  HAL_TRY_ASSIGN(const Queue queue, create_queue(device, desc));
  HAL_TRY_ASSIGN(const Buffer buffer, create_buffer(device, 64));
  for (int i = 0; i < rounds; ++i) {
    Submission work;
    work.label("round").fill(range(buffer), 0x11, 1);
    HAL_TRY(submit_and_wait(device, queue, work));
  }
  return {};
}

// Slices of each track nest: every E closes the B of the same name that was opened last. Returns the number of slices.
size_t check_nesting(const Json& events) {
  std::map<int64_t, std::vector<Json>> open;
  size_t slices = 0;
  for (const Json& event : events) {
    std::vector<Json>& stack = open[event.at("tid").get<int64_t>()];
    if (event.at("ph") == "B") stack.push_back(event);
    if (event.at("ph") != "E") continue;
    if (stack.empty()) {
      ADD_FAILURE() << "nothing is open at " << event;
      continue;
    }
    EXPECT_EQ(stack.back().at("name"), event.at("name"));
    EXPECT_LE(stack.back().at("ts").get<double>(), event.at("ts").get<double>());
    stack.pop_back();
    ++slices;
  }
  for (const auto& [track, stack] : open) EXPECT_TRUE(stack.empty()) << track << " has an open slice";
  return slices;
}

std::multiset<uint64_t> ids(const Json& events, const std::string& phase) {
  std::multiset<uint64_t> found;
  for (const Json& event : events) {
    if (event.at("ph") == phase) found.insert(event.at("id").get<uint64_t>());
  }
  return found;
}

size_t count(const Json& events, const std::string& name, const std::string& phase) {
  return static_cast<size_t>(std::count_if(events.begin(), events.end(), [&](const Json& event) {
    return event.at("name") == name && event.at("ph") == phase;
  }));
}

TEST_F(Trace, EveryCallIsANestedSliceAndEverySubmissionFlowsToItsEnd) {
  constexpr int kThreads = 3, kRounds = 20;
  {
    TestLoader loader;
    set_up(loader);
    ASSERT_TRUE(loader.create());
    const Result<hal_device_t*> device = loader.open("cpu:0");
    ASSERT_TRUE(device) << device.error().message;
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const Result<void> worked = work_on(*device, kRounds);
        EXPECT_TRUE(worked) << worked.error().message;
      });
    }
    for (std::thread& thread : threads) thread.join();
    loader.close(*device);
  }
  const Json events = Json::parse(read(path));
  EXPECT_GE(check_nesting(events), 4u * kThreads * kRounds) << "create, submit, wait, destroy";
  constexpr size_t kSubmits = kThreads * kRounds;
  EXPECT_EQ(count(events, "queue.submit", "B"), kSubmits);
  EXPECT_EQ(ids(events, "s").size(), kSubmits);
  EXPECT_EQ(ids(events, "s"), ids(events, "f"));
  EXPECT_EQ(ids(events, "b"), ids(events, "e"));
  EXPECT_EQ(count(events, "done: round", "X"), kSubmits);
  EXPECT_EQ(count(events, "device.initialize", "E"), 1u);
  EXPECT_EQ(count(events, "device.shutdown", "E"), 1u);
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Json& event) {
    return event.at("ph") == "M" && event.at("args").at("name") == "queue busy";
  }));
}

TEST_F(Trace, ArgumentsHaveTheirNamesAndStatusesTheirTexts) {
  {
    TestLoader loader;
    set_up(loader);
    ASSERT_TRUE(loader.create());
    const Result<hal_device_t*> device = loader.open("cpu:0");
    ASSERT_TRUE(device);
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = 96;
    const std::string label = "a \"quoted\"\nlabel";
    desc.label = text(label);
    hal_buffer_t* buffer = nullptr;
    ASSERT_EQ(hal_buffer_create(*device, &desc, &buffer), nullptr);
    void* address = nullptr;
    EXPECT_EQ(take_status(hal_buffer_map(buffer, 90, 7, HAL_MAP_READ, &address)).error().code, HAL_STATUS_OUT_OF_RANGE);
    hal_buffer_destroy(buffer);
    loader.close(*device);
  }
  const Json events = Json::parse(read(path));
  Json created, made, mapped, map_end;
  for (const Json& event : events) {
    const bool begins = event.at("ph") == "B";
    if (event.at("name") == "memory.buffer_create") (begins ? created : made) = event.at("args");
    if (event.at("name") == "memory.buffer_map") (begins ? mapped : map_end) = event.at("args");
  }
  EXPECT_EQ(created.at("desc").at("size"), 96);
  EXPECT_EQ(created.at("desc").at("label"), "a \"quoted\"\nlabel");
  EXPECT_EQ(made.at("status"), "ok");
  EXPECT_EQ(made.at("out_buffer"), mapped.at("buffer"));
  EXPECT_EQ(mapped.at("offset"), 90);
  EXPECT_EQ(mapped.at("length"), 7);
  EXPECT_EQ(map_end.at("status").at("code"), "out of range");
}

TEST_F(Trace, ACrashLosesNothingThatWasCalledBefore) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    TestLoader loader;
    set_up(loader);
    hal_device_state_t state = 0;
    if (!loader.create()) _exit(1);
    const Result<hal_device_t*> device = loader.open("cpu:0");
    if (!device || !work_on(*device, 5)) _exit(1);
    hal_status_release(hal_device_state(*device, &state));
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const Json events = Json::parse(read(path) + "]");
  EXPECT_EQ(count(events, "queue.submit", "E"), 5u);
  EXPECT_EQ(count(events, "device.state", "E"), 1u) << "the last call is there";
}

TEST_F(Trace, WithoutCompletionTheSubmissionIsPassedOnAsItIs) {
  {
    TestLoader loader;
    set_up(loader);
    loader.layer_config.emplace_back("trace.completion", "0");
    ASSERT_TRUE(loader.create());
    const Result<hal_device_t*> device = loader.open("cpu:0");
    ASSERT_TRUE(device);
    ASSERT_TRUE(work_on(*device, 3));
    loader.close(*device);
  }
  const Json events = Json::parse(read(path));
  EXPECT_EQ(count(events, "queue.submit", "E"), 3u);
  EXPECT_TRUE(ids(events, "s").empty());
}

TEST_F(Trace, AWrongKeyOrFolderIsSaidAndTheApplicationGoesOn) {
  for (const auto& [key, value, reason] :
       {std::array{"trace.colour", "red", "\"colour\" is not known; there are: file"},
        std::array{"trace.file", "/no/such/folder/t", "No such file or directory"},
        std::array{"trace.completion", "yes", "expected a whole number"}}) {
    TestLoader loader;
    set_up(loader);
    loader.layer_config = {{key, value}};
    ASSERT_TRUE(loader.create());
    ASSERT_EQ(loader.layer_list().size(), 1u);
    EXPECT_NE(string(loader.layer_list()[0].reason).find(reason), std::string::npos)
        << string(loader.layer_list()[0].reason);
    EXPECT_FALSE(loader.devices().empty());
  }
}

}  // namespace
}  // namespace hal::loader
