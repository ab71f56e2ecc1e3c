// SPDX-License-Identifier: Apache-2.0
//
// hal-run --onnx-suite: every folder below DIR that has model.onnx and test_data_set_*, each in a process of its own, so
// that one crash or hang ends one case.
#ifndef TOOLS_HAL_RUN_SUITE_HPP_
#define TOOLS_HAL_RUN_SUITE_HPP_

#include <string>
#include <vector>

#include "compare.hpp"

namespace hal::tools {

enum class SuiteVerdict { kPass, kFail, kUnsupported, kCrash, kTimeout };
const char* name(SuiteVerdict verdict);

struct SuiteCase {
  std::string name;    // the folder, relative to DIR
  SuiteVerdict verdict = SuiteVerdict::kFail;
  std::string reason;  // empty for kPass
};

struct SuiteOptions {
  std::string folder;
  std::string device = "cpu:0";
  std::vector<std::string> plugins;
  std::string filter = "*";  // glob on the name
  unsigned jobs = 2;
  unsigned seconds_per_case = 60;
  Tolerance tolerance;
};

// The cases in order of name; reports each through `done` as it ends. Opens no plugin in this process.
std::vector<SuiteCase> run_suite(const SuiteOptions& options, void (*done)(const SuiteCase&, size_t index, size_t total));

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_SUITE_HPP_
