// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace hal::loader {
namespace {

class EnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("MORTISE_PLUGIN_PATH", "/a:/b", 1);
    setenv("MORTISE_PLUGIN_FILTER", "cpu", 1);
    unsetenv("MORTISE_PLUGIN_ADD");
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/home/x", 1);
  }
  void TearDown() override {
    unsetenv("MORTISE_PLUGIN_PATH");
    unsetenv("MORTISE_PLUGIN_FILTER");
  }
};

TEST_F(EnvironmentTest, IsRead) {
  const Environment environment = read_environment(false);
  EXPECT_EQ(environment.plugin_path, "/a:/b");
  EXPECT_EQ(environment.plugin_filter, "cpu");
  EXPECT_EQ(environment.plugin_add, "");
  EXPECT_EQ(environment.config_home, "/home/x/.config");
  EXPECT_TRUE(environment.ignored.empty());
}

TEST_F(EnvironmentTest, IsIgnoredWithRaisedPrivilegesAndSaysSo) {
  const Environment environment = read_environment(true);
  EXPECT_EQ(environment.plugin_path, "");
  EXPECT_EQ(environment.plugin_filter, "");
  EXPECT_TRUE(environment.config_home.empty());
  EXPECT_EQ(environment.ignored, (std::vector<std::string>{"MORTISE_PLUGIN_PATH", "MORTISE_PLUGIN_FILTER"}));
}

TEST_F(EnvironmentTest, AConfigHomeThatIsNotAbsoluteIsNotUsed) {
  setenv("XDG_CONFIG_HOME", "relative", 1);
  EXPECT_EQ(read_environment(false).config_home, "/home/x/.config");
  setenv("XDG_CONFIG_HOME", "/xdg", 1);
  EXPECT_EQ(read_environment(false).config_home, "/xdg");
  unsetenv("XDG_CONFIG_HOME");
}

}  // namespace
}  // namespace hal::loader
