// SPDX-License-Identifier: Apache-2.0
#include "trust.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace hal::loader {
namespace {

namespace fs = std::filesystem;

class TrustTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/mortise-trust-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "plugin.so";
    std::ofstream(file_) << "x";
    chmod(file_.c_str(), 0644);
  }
  void TearDown() override { fs::remove_all(folder_); }

  hal_status_code_t code_of(const fs::path& path) {
    const Result<void> result = check_trusted_file(path);
    return result ? static_cast<hal_status_code_t>(HAL_STATUS_OK) : result.error().code;
  }

  fs::path folder_, file_;
};

TEST_F(TrustTest, OurOwnFileIsTrusted) { EXPECT_EQ(code_of(file_), HAL_STATUS_OK); }

TEST_F(TrustTest, FilesAndFoldersThatEveryoneMayWriteAreNot) {
  chmod(file_.c_str(), 0646);
  EXPECT_EQ(code_of(file_), HAL_STATUS_PERMISSION_DENIED);
  chmod(file_.c_str(), 0644);
  chmod(folder_.c_str(), 0777);
  EXPECT_EQ(code_of(file_), HAL_STATUS_PERMISSION_DENIED);
  chmod(folder_.c_str(), 01777);
  EXPECT_EQ(code_of(file_), HAL_STATUS_OK) << "in a sticky folder nobody can replace another's file";
}

TEST_F(TrustTest, ALinkIsJudgedByWhatItLeadsTo) {
  const fs::path link = folder_ / "link.so";
  fs::create_symlink(file_, link);
  EXPECT_EQ(code_of(link), HAL_STATUS_OK);
  chmod(file_.c_str(), 0666);
  EXPECT_EQ(code_of(link), HAL_STATUS_PERMISSION_DENIED);
  chmod(file_.c_str(), 0644);
  fs::create_directory(folder_ / "open");
  chmod((folder_ / "open").c_str(), 0777);
  fs::rename(file_, folder_ / "open/plugin.so");
  fs::remove(link);
  fs::create_symlink(folder_ / "open/plugin.so", link);
  EXPECT_EQ(code_of(link), HAL_STATUS_PERMISSION_DENIED) << "the folder behind the link";
}

TEST_F(TrustTest, WhatIsNoFileIsNotTrusted) {
  EXPECT_EQ(code_of(folder_), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(code_of(folder_ / "none.so"), HAL_STATUS_NOT_FOUND);
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(code_of(folder_ / "fifo"), HAL_STATUS_INVALID_ARGUMENT) << "and it is not opened: that would block";
}

}  // namespace
}  // namespace hal::loader
