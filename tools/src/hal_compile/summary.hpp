// SPDX-License-Identifier: Apache-2.0
//
// What was compiled, as text and as JSON (docs/schemas/hal-compile.schema.json).
#ifndef TOOLS_HAL_COMPILE_SUMMARY_HPP_
#define TOOLS_HAL_COMPILE_SUMMARY_HPP_

#include <string>

#include "hal/compiler/program.hpp"

namespace hal::tools {

struct CompileTimes {
  double import_ms = 0, compile_ms = 0;
};

std::string text_summary(const compiler::CompiledProgram& program, const CompileTimes& times);
std::string json_summary(const compiler::CompiledProgram& program, const CompileTimes& times);

}  // namespace hal::tools

#endif  // TOOLS_HAL_COMPILE_SUMMARY_HPP_
