// SPDX-License-Identifier: Apache-2.0
//
// Plugins that are late: they are reported TIMEOUT by name, delay and hide nobody, and spoil nothing when they come
// back after all (HAL-ABI-22, "a broken plugin never hides another"). Hanging ones run in a child process, whose
// threads end with it.
#include <chrono>
#include <thread>

#include "fixture.hpp"

namespace hal::loader {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr uint64_t kMillisecond = 1000000;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_mapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  return contains({(std::istreambuf_iterator<char>(maps)), {}}, library);
}

// A folder with one late plugin before a good one.
struct LateAndGood {
  LateAndGood(const std::string& library, const std::string& plugin) {
    folder.manifest("a_late.json", plugin, animal(library));
    folder.manifest("good.json", "zoo-good", animal("good"));
    loader.folders = {folder.path()};
    loader.probe_timeout = 1500 * kMillisecond;
  }
  const TemporaryFolder folder;
  TestLoader loader;
};

class Hangs : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Hangs, IsATimeoutWithItsNameAndHidesNobody) {
  const auto [library, plugin] = GetParam();
  in_child([library = library, plugin = plugin] {
    LateAndGood late(library, plugin);
    const Clock::time_point begin = Clock::now();
    ASSERT_TRUE(late.loader.create());
    EXPECT_EQ(late.loader.device_names(), std::vector<std::string>{"zoo-good:0"});
    EXPECT_LT(Clock::now() - begin, 20s);
    const hal_loader_file_t file = late.loader.file("a_late.json");
    EXPECT_EQ(file.verdict, HAL_LOADER_REFUSED);
    EXPECT_EQ(file.code, HAL_STATUS_TIMEOUT);
    EXPECT_EQ(string(file.plugin), plugin);
    EXPECT_TRUE(contains(string(file.reason), "1500 ms")) << string(file.reason);
    const Result<hal_device_t*> device = late.loader.open("zoo-good");
    ASSERT_TRUE(device);
    late.loader.close(*device);
    EXPECT_TRUE(contains(late.loader.open(std::string(plugin) + ":0").error().message, "TIMEOUT"));
    EXPECT_TRUE(late.loader.destroy()) << "a late plugin is left alone";
    TestLoader again;
    again.paths = {animal("good")};
    EXPECT_TRUE(again.create()) << "nothing is held by the late one";
  });
}

INSTANTIATE_TEST_SUITE_P(Probe, Hangs,
                         testing::Values(std::pair{"hangs_in_initialize", "zoo-hangs"},
                                         std::pair{"hangs_in_query", "zoo-hangs-in-query"}),
                         [](const auto& info) { return std::string(info.param.first); });

// Opening is the dynamic linker's, one library after the other: those behind one that is stuck are late too, and say
// whom they waited for.
TEST(Probe, AStuckConstructorIsNamedByThoseBehindIt) {
  in_child([] {
    LateAndGood late("hangs_in_constructor", "zoo-hangs-in-constructor");
    ASSERT_TRUE(late.loader.create());
    const hal_loader_file_t stuck = late.loader.file("a_late.json"), good = late.loader.file("good.json");
    EXPECT_EQ(stuck.code, HAL_STATUS_TIMEOUT);
    if (good.verdict == HAL_LOADER_REFUSED) {
      EXPECT_TRUE(contains(string(good.reason), "mortise_hangs_in_constructor.so")) << string(good.reason);
    }
    EXPECT_TRUE(late.loader.destroy());
  });
}

// The child of a process whose linker is stuck gets an answer, where the linker itself would never return.
TEST(Probe, AForkWhileTheLinkerIsStuckEndsAndTheChildIsTold) {
  in_child([] {
    LateAndGood late("hangs_in_constructor", "zoo-hangs-in-constructor");
    ASSERT_TRUE(late.loader.create());
    in_child([] {
      TestLoader loader;
      loader.paths = {animal("future_minor")};
      const Result<void> created = loader.create();
      ASSERT_FALSE(created);
      EXPECT_TRUE(contains(created.error().message, "mortise_hangs_in_constructor.so")) << created.error().message;
    });
    EXPECT_TRUE(late.loader.destroy());
  });
}

TEST(Probe, PluginsComeUpSideBySideAndADeviceWaitsForItsOwnAlone) {
  setenv("ZOO_SLOW", "3000", 1);
  TestLoader loader;
  loader.paths = {animal("slow"), animal("good")};
  ASSERT_TRUE(loader.create());
  const Clock::time_point begin = Clock::now();
  std::thread lists_all([&] { EXPECT_EQ(loader.devices().size(), 2u); });
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  EXPECT_LT(Clock::now() - begin, 2500ms) << "open waited for a plugin that it did not ask for";
  ASSERT_TRUE(device);
  loader.close(*device);
  lists_all.join();
  EXPECT_GE(Clock::now() - begin, 3000ms);
  unsetenv("ZOO_SLOW");
}

TEST(Probe, ALateOneThatComesBackIsTakenDownAndUnloadedWithoutAWord) {
  setenv("ZOO_SLOW", "3500", 1);
  std::vector<std::string> said;
  {
    LateAndGood late("slow", "zoo-slow");
    ASSERT_TRUE(late.loader.create());
    EXPECT_EQ(late.loader.device_names(), std::vector<std::string>{"zoo-good:0"});
    EXPECT_EQ(late.loader.file("a_late.json").code, HAL_STATUS_TIMEOUT);
    ASSERT_TRUE(late.loader.destroy());
    said = late.loader.log;
  }
  unsetenv("ZOO_SLOW");
  EXPECT_TRUE(is_mapped("mortise_slow.so"));
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.front(), "zoo-slow: coming up");
  for (const std::string& line : said) EXPECT_FALSE(contains(line, "is up")) << "the log outlived its loader";
  for (int i = 0; i < 100 && is_mapped("mortise_slow.so"); ++i) std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(is_mapped("mortise_slow.so"));
}

TEST(Probe, AnInTimeOneIsNotTouchedByTheDeadline) {
  setenv("ZOO_SLOW", "50", 1);
  TestLoader loader;
  loader.paths = {animal("slow")};
  loader.probe_timeout = 20000 * kMillisecond;
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.device_names(), std::vector<std::string>{"zoo-slow:0"});
  unsetenv("ZOO_SLOW");
}

TEST(Probe, TheDeadlineComesFromTheEnvironmentToo) {
  in_child([] {
    setenv("MORTISE_PROBE_TIMEOUT", "200", 1);
    setenv("MORTISE_PLUGIN_PATH", animal("hangs_in_initialize").c_str(), 1);
    TestLoader loader;
    loader.flags = 0;
    ASSERT_TRUE(loader.create());
    EXPECT_TRUE(loader.devices().empty());
    EXPECT_TRUE(contains(string(loader.file("hangs_in_initialize.so").reason), "200 ms"));
  });
}

TEST(Probe, AMalformedDeadlineIsAnError) {
  for (const char* value : {"0", "-5", "5s", "1e3", " 5", "4294967296"}) {
    setenv("MORTISE_PROBE_TIMEOUT", value, 1);
    TestLoader loader;
    loader.flags = 0;
    const Result<void> created = loader.create();
    unsetenv("MORTISE_PROBE_TIMEOUT");
    ASSERT_FALSE(created) << value;
    EXPECT_EQ(created.error().code, HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_TRUE(contains(created.error().message, "MORTISE_PROBE_TIMEOUT")) << created.error().message;
  }
}

}  // namespace
}  // namespace hal::loader
