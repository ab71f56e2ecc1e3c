// SPDX-License-Identifier: Apache-2.0
//
// Executables: what loads, what is refused and why, and what is left behind.
#include <filesystem>

#include "kernel_files.hpp"

namespace hal::test {
namespace {

Outcome try_load(const Session& session, const hal_executable_desc_t& desc) {
  hal_executable_t* executable = nullptr;
  const Outcome outcome = take(hal_executable_load(session.device(), &desc, &executable));
  EXPECT_EQ(executable == nullptr, outcome.code != HAL_STATUS_OK);
  hal_executable_destroy(executable);
  return outcome;
}

TEST(Executable, EntriesAreReflected) {
  const Session session;
  const Executable kernels = load(session);
  const auto infos = entries_of(kernels);
  ASSERT_EQ(infos.size(), 8u);
  const hal_entry_info_t& scale = infos[entry(kernels, "scale")];
  EXPECT_EQ(scale.binding_count, 2u);
  EXPECT_EQ(scale.constant_bytes, 8u);
  EXPECT_EQ(scale.written_bindings, 2u);
  EXPECT_EQ(infos[entry(kernels, "use_local")].local_memory_bytes, 4096u);
  for (const auto& info : infos) EXPECT_EQ(info.workgroup_size[0], 1u);
}

TEST(Executable, EachFaultIsRefusedWithItsReason) {
  const Session session;
  const struct {
    int fault;
    hal_status_code_t code;
    const char* reason;
  } cases[] = {{2, HAL_STATUS_DATA_CORRUPT, ""},
               {3, HAL_STATUS_DATA_CORRUPT, "runs code when it is loaded"},
               {4, HAL_STATUS_DATA_CORRUPT, "magic"},
               {5, HAL_STATUS_DATA_CORRUPT, "does not export hal_elf_cpu"},
               {6, HAL_STATUS_DATA_CORRUPT, "function outside of the code"},
               {7, HAL_STATUS_INCOMPATIBLE, "time-travel"},
               {8, HAL_STATUS_DATA_CORRUPT, "thread-local"},
               {9, HAL_STATUS_DATA_CORRUPT, "60000 entries"},
               {10, HAL_STATUS_UNSUPPORTED, "local memory"}};
  for (const auto& test : cases) {
    const std::vector<char> bytes = kernel_bytes("bad" + std::to_string(test.fault));
    const Outcome outcome = try_load(session, describe(bytes));
    EXPECT_EQ(outcome.code, test.code) << test.fault << ": " << outcome.message;
    EXPECT_NE(outcome.message.find(test.reason), std::string::npos) << outcome.message;
  }
}

TEST(Executable, AnOrdinaryLibraryIsRefused) {
  const Session session;
  const std::vector<char> bytes = read_file(HAL_TEST_PLUGIN);
  const Outcome outcome = try_load(session, describe(bytes));
  EXPECT_EQ(outcome.code, HAL_STATUS_DATA_CORRUPT);
}

TEST(Executable, FormatTargetAndCompatibilityAreChecked) {
  const Session session;
  const std::vector<char> bytes = kernel_bytes("kernels");
  hal_executable_desc_t desc = describe(bytes);
  desc.format = view("opencl-c/1.2");
  EXPECT_EQ(try_load(session, desc).code, HAL_STATUS_UNSUPPORTED);
  const Outcome lacking = try_load(session, describe(bytes, "x86-64+sse3+flux-capacitor"));
  EXPECT_EQ(lacking.code, HAL_STATUS_INCOMPATIBLE);
  EXPECT_NE(lacking.message.find("flux-capacitor"), std::string::npos) << lacking.message;
  EXPECT_EQ(try_load(session, describe(bytes, "aarch64+neon")).code, HAL_STATUS_INCOMPATIBLE);
  desc = describe(bytes);
  desc.compatibility = view("from elsewhere");
  EXPECT_EQ(try_load(session, desc).code, HAL_STATUS_INCOMPATIBLE);
  const std::vector<char> wide = kernel_bytes("wide");
  EXPECT_EQ(try_load(session, describe(wide, "")).code, HAL_STATUS_INCOMPATIBLE) << "the code's own target counts too";
  EXPECT_EQ(try_load(session, describe(bytes, "")).code, HAL_STATUS_OK);
}

TEST(Executable, CanLoadGivesAGradeAndAReason) {
  const Session session;
  const std::vector<char> bytes = kernel_bytes("kernels"), bad = kernel_bytes("bad3");
  const auto ask = [&](const hal_executable_desc_t& desc) {
    hal_load_grade_t grade = 99;
    hal_string_t reason{};
    HAL_EXPECT_OK(hal_executable_can_load(session.device(), &desc, &grade, &reason));
    EXPECT_NE(reason.length, 0u);
    return grade;
  };
  const std::string machine = text(session.caps().target);
  EXPECT_EQ(ask(describe({}, machine.c_str())), HAL_LOAD_BEST);
  EXPECT_NE(ask(describe(bytes)), HAL_LOAD_NO);
  EXPECT_EQ(ask(describe(bad)), HAL_LOAD_NO);
  EXPECT_EQ(ask(describe({}, "x86-64+nothing")), HAL_LOAD_NO);
  hal_executable_desc_t desc = describe({});
  desc.format = view("ptx/8.0");
  EXPECT_EQ(ask(desc), HAL_LOAD_NO);
}

TEST(Executable, TruncatedBytesAreCorruptAtEveryLength) {
  const Session session;
  const std::vector<char> whole = kernel_bytes("kernels");
  size_t shortest = whole.size();
  for (size_t length = 0; length < whole.size(); length += 1 + whole.size() / 3000) {
    const std::vector<char> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const Outcome outcome = try_load(session, describe(bytes));
    if (outcome.code == HAL_STATUS_OK) {
      shortest = std::min(shortest, length);
    } else {
      EXPECT_EQ(outcome.code, HAL_STATUS_DATA_CORRUPT) << outcome.message;
    }
  }
  EXPECT_GT(shortest, whole.size() / 2) << "only the section table at the end is not needed";
}

TEST(Executable, TwoLoadsOfOneFileAreTwoLibraries) {
  const Session session;
  const Executable a = load(session), b = load(session);
  EXPECT_NE(entries_of(a)[0].name.data, entries_of(b)[0].name.data);
}

size_t count_mappings() {
  std::ifstream maps("/proc/self/maps");
  size_t count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("hal-kernel") != std::string::npos ? 1 : 0;
  return count;
}

TEST(Executable, AThousandLoadsLeaveNothingBehind) {
  const Session session;
  const auto count_files = [] {
    size_t count = 0;
    for ([[maybe_unused]] auto& file : std::filesystem::directory_iterator("/proc/self/fd")) count++;
    return count;
  };
  const size_t files = count_files();
  const std::vector<char> bytes = kernel_bytes("kernels");
  for (int i = 0; i < 1000; i++) ASSERT_EQ(try_load(session, describe(bytes)).code, HAL_STATUS_OK);
  EXPECT_EQ(count_files(), files);
  EXPECT_EQ(count_mappings(), 0u);
  const Executable loaded = load(session);
  EXPECT_GT(count_mappings(), 0u) << "the count above can see nothing";
}

}  // namespace
}  // namespace hal::test
