// SPDX-License-Identifier: Apache-2.0
//
// hal-run's command line.
#ifndef TOOLS_HAL_RUN_OPTIONS_HPP_
#define TOOLS_HAL_RUN_OPTIONS_HPP_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "model.hpp"
#include "suite.hpp"

namespace hal::tools {

struct RunOptions {
  std::string model;
  std::string device = "cpu:0";
  std::vector<std::string> plugins;  // libraries or manifests to load besides those found
  std::vector<std::string> inputs;   // NAME=FILE
  std::vector<std::string> dims;     // NAME=N
  std::string output;                // folder
  std::string test_data;             // folder
  unsigned repeat = 1;
  bool json = false;
  bool quiet = false;
  bool no_fuse = false;
  Tolerance tolerance;
  SuiteOptions suite;                // folder empty: not a suite run
};

const char* run_examples();
void add_run_options(CLI::App& app, RunOptions& options);

// "NAME=VALUE" split at the first '='.
Result<std::pair<std::string, std::string>> split_pair(const std::string& text, const std::string& option);
Result<ModelOptions> model_options(const RunOptions& options);

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_OPTIONS_HPP_
