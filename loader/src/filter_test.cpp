// SPDX-License-Identifier: Apache-2.0
#include "filter.hpp"

#include <gtest/gtest.h>

namespace hal::loader {
namespace {

bool takes(const std::string& filter, const std::string& name) {
  const Result<Filter> parsed = Filter::parse(filter, "test");
  EXPECT_TRUE(parsed) << filter;
  return parsed && parsed->takes(name);
}

TEST(Filter, TakesAndLeavesOut) {
  EXPECT_TRUE(takes("", "cpu"));
  EXPECT_TRUE(takes("cpu", "cpu"));
  EXPECT_FALSE(takes("cpu", "cpu-2"));
  EXPECT_TRUE(takes("cpu,opencl", "opencl"));
  EXPECT_FALSE(takes("cpu,opencl", "npu"));
  EXPECT_FALSE(takes("*,-cpu", "cpu"));
  EXPECT_TRUE(takes("*,-cpu", "npu-sim"));
  EXPECT_FALSE(takes("-cpu", "cpu"));
  EXPECT_TRUE(takes("-cpu", "npu"));
  EXPECT_TRUE(takes("npu-*", "npu-sim"));
  EXPECT_FALSE(takes("-npu-*,npu-*", "npu-sim")) << "leaving out wins, in whatever order";
  EXPECT_TRUE(takes("?pu", "npu"));
}

TEST(Filter, MalformedFiltersAreErrorsThatNameTheItem) {
  for (const char* text : {",",        "cpu,",    ",cpu",
                           "cpu,,npu", "-",       "--cpu",
                           "CPU",      "cpu;npu", "cpu npu",
                           " cpu",     "cpu ",    "cp[u",
                           "!cpu",     "cpu:0",   "cpu/..",
                           "\"cpu\"",  "cpu\n",   "cpu|npu",
                           "~cpu",     "ünï",     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    const Result<Filter> parsed = Filter::parse(text, "MORTISE_PLUGIN_FILTER");
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, HAL_STATUS_INVALID_ARGUMENT);
    EXPECT_EQ(parsed.error().message.rfind("MORTISE_PLUGIN_FILTER: item \"", 0), 0u) << parsed.error().message;
  }
}

TEST(Filter, PluginNames) {
  EXPECT_TRUE(is_plugin_name("cpu"));
  EXPECT_TRUE(is_plugin_name("npu-sim2"));
  EXPECT_TRUE(is_plugin_name(std::string(32, 'a')));
  for (const std::string& name :
       {std::string(), std::string("2cpu"), std::string("-cpu"), std::string("Cpu"), std::string("cpu:0"),
        std::string("c_p"), std::string(33, 'a'), std::string("cpu\0x", 5)}) {
    EXPECT_FALSE(is_plugin_name(name)) << name;
  }
}

}  // namespace
}  // namespace hal::loader
