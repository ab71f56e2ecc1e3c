// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "hal/plugin.h"

namespace hal::loader {
namespace {

std::string own_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {(std::istreambuf_iterator<char>(file)), {}};
}

class ElfFileTest : public testing::Test {
 protected:
  ~ElfFileTest() override { unlink(path_.c_str()); }

  Result<ElfFile> inspect(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return inspect_elf(path_);
  }

  std::string path_ = "/tmp/mortise-elf-test-" + std::to_string(getpid());
  std::string program_ = own_program();
};

TEST_F(ElfFileTest, ThisProgramIsForThisMachine) {
  const Result<ElfFile> file = inspect(program_);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->machine, host_machine());
  const auto is_libc = [](const std::string& name) { return name.rfind("libc.so", 0) == 0; };
  EXPECT_TRUE(std::any_of(file->needed.begin(), file->needed.end(), is_libc));
}

TEST_F(ElfFileTest, EachDifferenceHasItsReason) {
  const auto changed = [&](size_t at, uint16_t value, size_t bytes) {
    std::string copy = program_;
    std::memcpy(copy.data() + at, &value, bytes);
    const Result<ElfFile> file = inspect(copy);
    return file ? std::string("accepted") : file.error().message;
  };
  EXPECT_NE(changed(EI_CLASS, ELFCLASS32, 1).find("32-bit"), std::string::npos);
  EXPECT_NE(changed(EI_DATA, ELFDATA2MSB, 1).find("big-endian"), std::string::npos);
  EXPECT_EQ(changed(offsetof(Elf64_Ehdr, e_machine), EM_RISCV, 2), "built for riscv64, this is " + host_machine());
  EXPECT_NE(changed(offsetof(Elf64_Ehdr, e_type), ET_REL, 2).find("not a shared library"), std::string::npos);
  EXPECT_NE(changed(offsetof(Elf64_Ehdr, e_phentsize), 7, 2).find("e_phentsize"), std::string::npos);
  EXPECT_NE(changed(0, 0, 1).find("not an ELF file"), std::string::npos);
}

TEST_F(ElfFileTest, EveryTruncationOfTheHeadersIsAnError) {
  for (size_t length = 0; length < sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr); ++length) {
    EXPECT_FALSE(inspect(program_.substr(0, length))) << length;
  }
}

// Every byte of the headers in turn is turned round: an answer, whichever, and no crash.
TEST_F(ElfFileTest, SpoiltHeadersAreNoCrash) {
  std::string small = program_.substr(0, 64 * 1024);
  for (size_t at = 0; at < 1024; ++at) {
    small[at] = static_cast<char>(~small[at]);
    const Result<ElfFile> file = inspect(small);
    EXPECT_TRUE(file || !file.error().message.empty());
    small[at] = static_cast<char>(~small[at]);
  }
}

TEST(ElfFile, ASanitizersRuntimeIsSeen) {
  EXPECT_EQ(sanitizer_of({"x86-64", {"libc.so.6"}}), HAL_SANITIZER_NONE);
  EXPECT_EQ(sanitizer_of({"x86-64", {"libc.so.6", "libasan.so.8"}}), HAL_SANITIZER_ADDRESS);
  EXPECT_EQ(sanitizer_of({"x86-64", {"libtsan.so.2"}}), HAL_SANITIZER_THREAD);
}

}  // namespace
}  // namespace hal::loader
