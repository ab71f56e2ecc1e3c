// SPDX-License-Identifier: Apache-2.0
//
// hal-compile's work: input file -> module -> compiled program -> file, printing what was asked for.
#ifndef TOOLS_HAL_COMPILE_COMPILE_HPP_
#define TOOLS_HAL_COMPILE_COMPILE_HPP_

#include "hal_compile/options.hpp"

namespace hal::tools {

// Results go to standard output, what is going on to `tool`'s notes.
Result<void> compile_file(const CompileRequest& request, const Tool& tool);

}  // namespace hal::tools

#endif  // TOOLS_HAL_COMPILE_COMPILE_HPP_
