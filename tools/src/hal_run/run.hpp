// SPDX-License-Identifier: Apache-2.0
//
// The three things that hal-run does; each returns the exit code.
#ifndef TOOLS_HAL_RUN_RUN_HPP_
#define TOOLS_HAL_RUN_RUN_HPP_

#include "options.hpp"

namespace hal::tools {

Result<int> run_suite_command(const RunOptions& options);
Result<int> run_test_data(Model& model, const RunOptions& options);
Result<int> run_model(Model& model, const RunOptions& options);

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_RUN_HPP_
