// SPDX-License-Identifier: Apache-2.0
//
// What hal-info was asked for, and the answer.
#ifndef TOOLS_HAL_INFO_REQUEST_HPP_
#define TOOLS_HAL_INFO_REQUEST_HPP_

#include <string>
#include <vector>

#include "telemetry.hpp"
#include "tool.hpp"

namespace hal::tools {

struct Request {
  std::string device;                // "": all
  std::vector<std::string> plugins;  // look at these alone
  bool json = false;
  bool verbose = false;
  bool diagnose = false;
  bool tree = false;
  Watch watch;
};

// Prints what was asked for; gives the exit code. A device that cannot be asked is shown with its problem.
Result<int> answer(const Tool& tool, const Request& request);

}  // namespace hal::tools

#endif  // TOOLS_HAL_INFO_REQUEST_HPP_
