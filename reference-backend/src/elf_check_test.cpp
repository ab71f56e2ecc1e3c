// SPDX-License-Identifier: Apache-2.0
//
// The check on damaged files: it answers, and reads no byte outside (AddressSanitizer sees that).
#include "elf_check.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "../test/kernel_files.hpp"

namespace hal::cpu {
namespace {

// A copy of exactly this size on the heap, so that a read past the end is seen.
ElfVerdict check(const std::vector<char>& bytes) {
  const std::unique_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
  std::copy_n(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size(), copy.get());
  return check_elf({copy.get(), bytes.size()});
}

TEST(ElfCheck, AGoodFilePasses) {
  const ElfVerdict verdict = check(test::kernel_bytes("kernels"));
  EXPECT_TRUE(verdict.good()) << verdict.reason << " " << verdict.where;
  EXPECT_NE(verdict.symbol, 0u);
  EXPECT_GE(verdict.segments.size(), 2u);
}

TEST(ElfCheck, AnotherMachineIsIncompatible) {
  std::vector<char> bytes = test::kernel_bytes("kernels");
  const uint16_t machine = EM_AARCH64;
  std::memcpy(bytes.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  EXPECT_EQ(check(bytes).code, HAL_STATUS_INCOMPATIBLE);
}

TEST(ElfCheck, EveryTruncationIsAnswered) {
  const std::vector<char> whole = test::kernel_bytes("kernels");
  for (size_t length = 0; length < 4096 && length < whole.size(); length++) {
    const std::vector<char> bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(check(bytes).good()) << length;
  }
}

TEST(ElfCheck, DamagedBytesAreAnswered) {
  const std::vector<char> whole = test::kernel_bytes("kernels");
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 50000; round++) {
    std::vector<char> bytes = whole;
    for (unsigned i = 0, count = 1 + random() % 4; i < count; i++) {
      const size_t limit = round % 2 == 0 ? 1024 : bytes.size();
      bytes[random() % std::min(limit, bytes.size())] = static_cast<char>(random());
    }
    const ElfVerdict verdict = check(bytes);
    if (!verdict.good()) refused++;
    ASSERT_TRUE(verdict.good() || verdict.reason[0] != '\0');
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace hal::cpu
