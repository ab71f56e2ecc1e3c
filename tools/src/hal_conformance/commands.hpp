// SPDX-License-Identifier: Apache-2.0
//
// The commands of hal-conformance. Each add_ function gives CLI11 one command and returns what runs it, so that a
// command's options stand beside what they do.
#ifndef TOOLS_HAL_CONFORMANCE_COMMANDS_HPP_
#define TOOLS_HAL_CONFORMANCE_COMMANDS_HPP_

#include <functional>
#include <string>

#include "hal/conformance/runner.hpp"
#include "tool.hpp"

namespace hal::tools {

struct Command {
  CLI::App* app = nullptr;
  std::function<int()> run;  // the exit code
};

Command add_certify(Tool& tool);  // no word: the run itself
Command add_reproduce(Tool& tool);
Command add_diff(Tool& tool);
Command add_keygen(Tool& tool);
Command add_sign(Tool& tool);
Command add_verify(Tool& tool);

// The whole file. NOT_FOUND where it cannot be read.
Result<std::string> read_file(const std::string& path);
Result<conformance::Report> read_report(const std::string& path);

// Runs and writes the reports.
int certify(const Tool& tool, const conformance::Registry& registry, conformance::RunOptions options, bool json);

}  // namespace hal::tools

#endif  // TOOLS_HAL_CONFORMANCE_COMMANDS_HPP_
