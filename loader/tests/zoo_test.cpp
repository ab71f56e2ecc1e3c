// SPDX-License-Identifier: Apache-2.0
//
// Each strange plugin is refused with its own reason, or used as far as it can be, and hides nobody.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "fixture.hpp"

namespace hal::loader {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Takes one animal beside a good one, and gives back what was said of it.
struct Visit {
  hal_loader_verdict_t verdict;
  std::string reason;
  std::vector<std::string> devices;
};
Visit visit(const std::string& name, const std::string& plugin) {
  const TemporaryFolder folder;
  folder.manifest("a_strange.json", plugin, animal(name));
  folder.manifest("good.json", "zoo-good", animal("good"));
  TestLoader loader;
  loader.folders = {folder.path()};
  EXPECT_TRUE(loader.create());
  const std::vector<std::string> devices = loader.device_names();
  const hal_loader_file_t file = loader.file("a_strange.json");
  return {file.verdict, string(file.reason), devices};
}

struct Refusal {
  const char* animal;
  const char* plugin;
  std::vector<const char*> reasons;
};

void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.animal; }

class Refused : public testing::TestWithParam<Refusal> {};

TEST_P(Refused, HasItsOwnReasonAndHidesNobody) {
  const Visit seen = visit(GetParam().animal, GetParam().plugin);
  EXPECT_EQ(seen.verdict, HAL_LOADER_REFUSED);
  for (const char* part : GetParam().reasons) EXPECT_TRUE(contains(seen.reason, part)) << seen.reason;
  EXPECT_EQ(seen.devices, std::vector<std::string>{"zoo-good:0"});
}

INSTANTIATE_TEST_SUITE_P(
    Zoo, Refused,
    testing::Values(Refusal{"wrong_major", "zoo-wrong-major", {"ABI 9.2", "speaks 1.0"}},
                    Refusal{"missing_symbol", "zoo-missing", {"missing symbol hal_plugin_query", "ABI 1.0"}},
                    Refusal{"missing_dependency", "zoo-missing-dependency", {"libzoo_gone.so"}},
                    Refusal{"throws_in_query", "zoo-throws-in-query", {"hal_plugin_query", "threw", "bad mood"}},
                    Refusal{"throws_in_initialize", "zoo-throws-in-initialize", {"device.initialize", "threw"}},
                    Refusal{
                        "fails_initialize", "zoo-fails-initialize", {"device.initialize", "/dev/zoo0 is not there"}},
                    Refusal{"null_required", "zoo-null-required", {"memory.buffer_create"}},
                    Refusal{"too_short_table", "zoo-too-short-table", {"queue.semaphore_wait"}},
                    Refusal{"bad_name", "zoo-bad-name", {"Zoo:../etc", "[a-z]"}},
                    Refusal{"wrong_sanitizer", "zoo-sanitizer", {"Sanitizer", "this host"}},
                    Refusal{"good", "another-name", {"another-name", "zoo-good"}}),
    [](const auto& info) { return std::string(info.param.animal); });

TEST(Zoo, AFutureMinorWorks) {
  const Visit seen = visit("future_minor", "zoo-future-minor");
  EXPECT_EQ(seen.verdict, HAL_LOADER_TAKEN) << seen.reason;
  EXPECT_EQ(seen.devices, (std::vector<std::string>{"zoo-future-minor:0", "zoo-good:0"}));
}

TEST(Zoo, ShortTablesWorkAndWhatLiesBehindThemIsNeverCalled) {
  TestLoader loader;
  loader.paths = {animal("short_tables")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-short-tables");
  ASSERT_TRUE(device);
  const Result<void> reset = take_status(hal_device_reset(*device));
  ASSERT_FALSE(reset);
  EXPECT_EQ(reset.error().code, HAL_STATUS_UNSUPPORTED);
  loader.close(*device);
}

TEST(Zoo, AbsentSlotsNameSlotAndPluginAndZeroTheirOutParameters) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  ASSERT_TRUE(device);
  const hal_external_memory_t memory = HAL_EXTERNAL_MEMORY_INIT;
  auto* buffer = reinterpret_cast<hal_buffer_t*>(1);
  hal_status_t* status = hal_buffer_import(*device, &memory, &buffer);
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(status->code, HAL_STATUS_UNSUPPORTED);
  EXPECT_EQ(string(status->call), "memory.buffer_import");
  EXPECT_EQ(string(status->plugin), "zoo-good");
  EXPECT_TRUE(contains(string(status->message), "memory.buffer_import is not offered by plugin zoo-good"));
  loader.close(*device);
  ASSERT_TRUE(loader.destroy());
  EXPECT_EQ(string(status->plugin), "zoo-good") << "a status outlives its plugin";
  hal_status_release(status);
}

TEST(Zoo, AnAbsentGroupIsAbsentSlotBySlot) {
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good:0");
  ASSERT_TRUE(device);
  hal_load_grade_t grade = 99;
  hal_string_t reason = {"x", 1};
  const hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  EXPECT_EQ(take_status(hal_executable_can_load(*device, &desc, &grade, &reason)).error().code, HAL_STATUS_UNSUPPORTED);
  EXPECT_EQ(grade, HAL_LOAD_NO);
  EXPECT_EQ(reason.length, 0u);
  loader.close(*device);
}

TEST(Zoo, AClaimedFeatureWithoutItsSlotsIsFoundWhenTheDeviceIsOpened) {
  TestLoader loader;
  loader.paths = {animal("claims_too_much")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-claims-too-much:0");
  ASSERT_FALSE(device);
  EXPECT_TRUE(contains(device.error().message, "executable.can_load")) << device.error().message;
  EXPECT_TRUE(loader.destroy()) << "the refused device was closed";
}

TEST(Zoo, AWrongArchitectureIsSeenBeforeTheLibraryIsOpened) {
  const TemporaryFolder folder;
  std::ifstream good(animal("good"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(good)), {});
  constexpr size_t kMachine = 18;            // e_machine
  bytes[kMachine] = static_cast<char>(183);  // EM_AARCH64
  bytes[kMachine + 1] = 0;
  folder.write("foreign.so", bytes);
  folder.manifest("foreign.json", "zoo-good", "foreign.so");
  TestLoader loader;
  loader.folders = {folder.path()};
  ASSERT_TRUE(loader.create());
  const hal_loader_file_t file = loader.file("foreign.json");
  EXPECT_EQ(file.verdict, HAL_LOADER_REFUSED);
  EXPECT_EQ(string(file.reason), "built for aarch64, this is x86-64");
}

TEST(Zoo, TwoPluginsWithTheSameGlobalNamesSeeEachTheirOwn) {
  TestLoader loader;
  loader.paths = {animal("clash_1"), animal("clash_2")};
  ASSERT_TRUE(loader.create());
  for (uint32_t value : {1u, 2u}) {
    const Result<hal_device_t*> device = loader.open("zoo-clash-" + std::to_string(value));
    ASSERT_TRUE(device);
    hal_device_caps_t caps{};
    caps.struct_size = sizeof caps;
    EXPECT_EQ(hal_device_capabilities(*device, &caps), nullptr);
    EXPECT_EQ(caps.core_count, value);
    loader.close(*device);
  }
}

TEST(Zoo, TheFirstReasonStays) {
  TestLoader loader;
  loader.paths = {animal("fails_initialize")};
  ASSERT_TRUE(loader.create());
  for (int i = 0; i < 3; ++i) {
    const Result<hal_device_t*> device = loader.open("zoo-fails-initialize");
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().code, HAL_STATUS_NOT_FOUND);
    EXPECT_TRUE(contains(device.error().message, "/dev/zoo0 is not there")) << device.error().message;
  }
}

TEST(Zoo, ALeftThreadIsReportedAndItsCodeStaysMapped) {
  TestLoader loader;
  loader.paths = {animal("leaves_thread")};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.devices().size(), 1u);
  ASSERT_TRUE(loader.destroy());
  ASSERT_FALSE(loader.log.empty());
  EXPECT_TRUE(contains(loader.log.back(), "zoo-left")) << loader.log.back();
  usleep(20000);  // the thread runs on in code that must still be there
}

TEST(Zoo, ThePluginsLogReachesTheHostAndGarbageInItDoesNot) {
  TestLoader loader;
  loader.paths = {animal("calls_back")};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.devices().size(), 1u);
  EXPECT_EQ(loader.log, (std::vector<std::string>{"zoo-calls-back: up",
                                                  "zoo-calls-back: the plugin's log message is NULL with length 99"}));
  ASSERT_TRUE(loader.destroy());
}

// How a child process that loads one animal ends: a signal, an exit code, or -1 if it had to be killed after `seconds`.
struct Ending {
  int signal = 0;
  int code = 0;
  bool timed_out = false;
};
Ending in_child(const std::string& name, unsigned seconds) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds);
    TestLoader loader;
    loader.paths = {animal(name)};
    _exit(loader.create() && !loader.devices().empty() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return {0, WEXITSTATUS(status), false};
  return {WTERMSIG(status), 0, WTERMSIG(status) == SIGALRM};
}

TEST(Zoo, ACrashIsTheCrashOfThatProcess) {
  const Ending ending = in_child("crashes_in_query", 20);
  EXPECT_TRUE(ending.signal == SIGSEGV || ending.code != 0);
  EXPECT_FALSE(ending.timed_out);
}

TEST(Zoo, AChildProcessThatLoadsAGoodOneEndsWell) { EXPECT_EQ(in_child("good", 20).code, 0); }

TEST(Zoo, AnExplicitPathThatCannotBeUsedIsAnError) {
  const std::vector<std::pair<std::string, hal_status_code_t>> cases = {{"wrong_major", HAL_STATUS_INCOMPATIBLE},
                                                                        {"missing_dependency", HAL_STATUS_UNAVAILABLE},
                                                                        {"no_such_animal", HAL_STATUS_NOT_FOUND},
                                                                        {"null_required", HAL_STATUS_INCOMPATIBLE}};
  for (const auto& [name, code] : cases) {
    TestLoader loader;
    loader.paths = {animal(name)};
    const Result<void> created = loader.create();
    ASSERT_FALSE(created) << name;
    EXPECT_EQ(created.error().code, code) << created.error().message;
    EXPECT_TRUE(contains(created.error().message, animal(name))) << created.error().message;
  }
}

}  // namespace
}  // namespace hal::loader
