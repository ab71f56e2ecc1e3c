// SPDX-License-Identifier: Apache-2.0
//
// Who lives how long (HAL-ABI-19): open devices, live objects, unloading, fork, exit, and threads that meet.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "fixture.hpp"

namespace hal::loader {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string maps() {
  std::ifstream file("/proc/self/maps");
  return {(std::istreambuf_iterator<char>(file)), {}};
}

size_t entries(const char* folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

size_t resident_pages() {
  std::ifstream file("/proc/self/statm");
  size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident;
}

TEST(Lifetime, DestroyIsBusyWhileDevicesAreOpenAndThenNothingChanged) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  ASSERT_TRUE(device);
  const Result<void> busy = loader.destroy();
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, HAL_STATUS_BUSY);
  EXPECT_TRUE(contains(busy.error().message, "1 device")) << busy.error().message;
  hal_device_state_t state = 99;
  EXPECT_EQ(hal_device_state(*device, &state), nullptr);
  loader.close(*device);
  EXPECT_TRUE(loader.destroy());
}

TEST(Lifetime, DestroyIsBusyWhileABufferOutlivesItsDevice) {
  TestLoader loader;
  loader.paths = {animal("future_minor"), animal("good")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  ASSERT_TRUE(device);
  const hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(hal_buffer_create(*device, &desc, &buffer), nullptr);
  loader.close(*device);
  const Result<void> busy = loader.destroy();
  ASSERT_FALSE(busy);
  EXPECT_EQ(busy.error().code, HAL_STATUS_BUSY);
  EXPECT_TRUE(contains(busy.error().message, "zoo-good")) << busy.error().message;
  EXPECT_EQ(loader.device_names(), (std::vector<std::string>{"zoo-future-minor:0", "zoo-good:0"}));
  hal_buffer_destroy(buffer);
  EXPECT_TRUE(loader.destroy());
}

TEST(Lifetime, UnloadIsReal) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.devices().size(), 1u);
  EXPECT_TRUE(contains(maps(), "mortise_good.so"));
  ASSERT_TRUE(loader.destroy());
  EXPECT_FALSE(contains(maps(), "mortise_good.so"));
}

TEST(Lifetime, ARefusedLibraryIsUnloadedToo) {
  TestLoader loader;
  loader.paths = {animal("null_required")};
  ASSERT_FALSE(loader.create());
  EXPECT_FALSE(contains(maps(), "mortise_null_required.so"));
}

TEST(Lifetime, AThousandRoundsLeaveNothingBehind) {
  const auto round = [] {
    TestLoader loader;
    loader.paths = {animal("good"), animal("calls_back")};
    ASSERT_TRUE(loader.create());
    const Result<hal_device_t*> device = loader.open("zoo-good:0");
    ASSERT_TRUE(device);
    loader.close(*device);
    ASSERT_TRUE(loader.destroy());
  };
  for (int i = 0; i < 100; ++i) round();
  const size_t descriptors = entries("/proc/self/fd"), threads = entries("/proc/self/task");
  const size_t pages = resident_pages();
  for (int i = 0; i < 1000; ++i) round();
  EXPECT_EQ(entries("/proc/self/fd"), descriptors);
  EXPECT_EQ(entries("/proc/self/task"), threads);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(resident_pages(), pages + 64) << "256 KiB in 1,000 rounds would be a leak";
#else
  (void)pages;
#endif
}

TEST(Lifetime, TwoLoadersShareALibraryAndNotAnInstance) {
  TestLoader one, two;
  one.paths = two.paths = {animal("calls_back")};
  ASSERT_TRUE(one.create());
  ASSERT_TRUE(two.create());
  EXPECT_EQ(one.devices().size(), 1u);
  ASSERT_TRUE(one.destroy());
  const size_t said_before = two.log.size();
  const Result<hal_device_t*> device = two.open("zoo-calls-back");
  ASSERT_TRUE(device) << "the plugin's host table outlives the loader that opened it first";
  EXPECT_GT(two.log.size(), said_before);
  two.close(*device);
}

TEST(Lifetime, AClosedOrForeignDeviceIsNoCrash) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  ASSERT_TRUE(device);
  loader.close(nullptr);
  loader.close(*device);
  loader.close(*device);
  ASSERT_EQ(loader.log.size(), 1u);
  EXPECT_TRUE(contains(loader.log[0], "closed twice"));
}

// Runs `body` in a fork child and gives its exit code.
template <typename Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Lifetime, AForkChildIsToldSoUntilItMakesALoaderOfItsOwn) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  for (const bool is_up : {false, true}) {
    if (is_up) {
      EXPECT_EQ(loader.devices().size(), 1u);
    }
    const int code = in_child([&] {
      uint32_t count = 0;
      if (take_status(hal_loader_devices(loader.handle(), 0, &count, nullptr)).error().code != HAL_STATUS_FORKED)
        return 1;
      if (loader.open("zoo-good").error().code != HAL_STATUS_FORKED) return 2;
      if (take_status(hal_loader_destroy(loader.handle())).error().code != HAL_STATUS_FORKED) return 3;
      TestLoader own;
      own.paths = {animal("good")};
      if (!own.create() || own.devices().size() != 1) return 4;
      return own.destroy() ? 0 : 5;
    });
    EXPECT_EQ(code, 0) << "is_up " << is_up;
  }
  const Result<hal_device_t*> device = loader.open("zoo-good");
  ASSERT_TRUE(device) << "the parent goes on";
  loader.close(*device);
}

// The child of a process with other threads must not meet a lock that one of them held.
TEST(Lifetime, ForkWhileOtherThreadsLoadAndUnload) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own allocator is not safe over a fork of many threads";
#endif
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      TestLoader loader;
      loader.paths = {animal("good")};
      EXPECT_TRUE(loader.create());
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(in_child([] {
                alarm(20);
                TestLoader loader;
                loader.paths = {animal("future_minor")};
                return loader.create() ? 0 : 1;
              }),
              0);
  }
  stop = true;
  other.join();
}

hal_loader_t* at_exit_loader = nullptr;

// A static object of the program: made before libhal's own exit handler, so destroyed after it ran.
struct AsksAtExit {
  ~AsksAtExit() {
    if (at_exit_loader == nullptr) return;
    uint32_t count = 0;
    const Result<void> answer = take_status(hal_loader_devices(at_exit_loader, 0, &count, nullptr));
    const Result<void> destroyed = take_status(hal_loader_destroy(at_exit_loader));
    _exit(answer.error().code == HAL_STATUS_SHUTDOWN && destroyed.error().code == HAL_STATUS_SHUTDOWN ? 0 : 1);
  }
} asks_at_exit;

TEST(Lifetime, AfterExitBeginsCallsAnswerShutdown) {
  const int code = in_child([] {
    TestLoader loader;
    loader.paths = {animal("good")};
    if (!loader.create() || loader.devices().size() != 1) return 2;
    at_exit_loader = loader.handle();
    std::exit(3);
  });
  EXPECT_EQ(code, 0);
}

TEST(Lifetime, ManyThreadsUseOneLoader) {
  TestLoader loader;
  loader.paths = {animal("good"), animal("future_minor"), animal("fails_initialize")};
  ASSERT_TRUE(loader.create());
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        uint32_t count = 0;
        if (hal_loader_devices(loader.handle(), 0, &count, nullptr) != nullptr || count != 2) ++failures;
        if (hal_loader_files(loader.handle(), 0, &count, nullptr) != nullptr || count != 3) ++failures;
        if (t % 2 == 0 && loader.open("zoo-none")) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace hal::loader
