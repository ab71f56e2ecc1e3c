// SPDX-License-Identifier: Apache-2.0
#include "memory_check.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace hal::loader {
namespace {

TEST(MemoryCheck, AsksForEveryPageAndForNoByteMore) {
  constexpr uint64_t kPage = 4096;
  auto* const pages =
      static_cast<char*>(mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + 3 * kPage, kPage, PROT_NONE), 0);
  EXPECT_TRUE(is_readable(pages, 3 * kPage));
  EXPECT_TRUE(is_readable(pages + 100, 3 * kPage - 100));
  EXPECT_FALSE(is_readable(pages, 3 * kPage + 1));
  EXPECT_FALSE(is_readable(pages + 3 * kPage - 1, 2));
  EXPECT_TRUE(is_readable(pages + 3 * kPage - 1, 1));
  ASSERT_EQ(munmap(pages + kPage, kPage), 0);
  EXPECT_FALSE(is_readable(pages, 3 * kPage)) << "a hole in the middle";
  munmap(pages, 4 * kPage);
}

TEST(MemoryCheck, NoPointerAndNoWrapAround) {
  EXPECT_TRUE(is_readable(nullptr, 0));
  EXPECT_FALSE(is_readable(nullptr, 1));
  EXPECT_FALSE(is_readable(reinterpret_cast<const void*>(UINTPTR_MAX), 2));
  EXPECT_FALSE(is_readable("x", UINT64_MAX));
  const uint64_t value[2] = {};
  EXPECT_TRUE(is_array(value, 2));
  EXPECT_FALSE(is_array(value, UINT64_MAX / 4)) << "its size in bytes does not fit";
  EXPECT_FALSE(is_array(reinterpret_cast<const uint64_t*>(reinterpret_cast<const char*>(value) + 4)));
  EXPECT_FALSE(is_array(static_cast<const uint64_t*>(nullptr), 0));
}

}  // namespace
}  // namespace hal::loader
