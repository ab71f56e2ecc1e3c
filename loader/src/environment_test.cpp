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
    setenv("MORTISE_LAYERS", "trace:-fault", 1);
    setenv("MORTISE_LAYER_PATH", "/layers", 1);
    setenv("MORTISE_LAYER_TRACE_FILE", "a=b", 1);
  }
  void TearDown() override {
    unsetenv("MORTISE_PLUGIN_PATH");
    unsetenv("MORTISE_PLUGIN_FILTER");
    unsetenv("MORTISE_LAYERS");
    unsetenv("MORTISE_LAYER_PATH");
    unsetenv("MORTISE_LAYER_TRACE_FILE");
  }
};

TEST_F(EnvironmentTest, IsRead) {
  const Environment environment = read_environment(false);
  EXPECT_EQ(environment.plugin_path, "/a:/b");
  EXPECT_EQ(environment.plugin_filter, "cpu");
  EXPECT_EQ(environment.plugin_add, "");
  EXPECT_EQ(environment.config_home, "/home/x/.config");
  EXPECT_EQ(environment.layers, "trace:-fault");
  EXPECT_EQ(environment.layer_path, "/layers");
  using Options = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(environment.layer_options, (Options{{"TRACE_FILE", "a=b"}}));
  EXPECT_TRUE(environment.ignored.empty());
}

TEST_F(EnvironmentTest, IsIgnoredWithRaisedPrivilegesAndSaysSo) {
  const Environment environment = read_environment(true);
  EXPECT_EQ(environment.plugin_path, "");
  EXPECT_EQ(environment.plugin_filter, "");
  EXPECT_EQ(environment.layers, "");
  EXPECT_EQ(environment.layer_path, "");
  EXPECT_TRUE(environment.layer_options.empty());
  EXPECT_TRUE(environment.config_home.empty());
  EXPECT_EQ(environment.ignored,
            (std::vector<std::string>{"MORTISE_PLUGIN_PATH", "MORTISE_PLUGIN_FILTER", "MORTISE_LAYERS",
                                      "MORTISE_LAYER_PATH", "MORTISE_LAYER_TRACE_FILE"}));
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
