// SPDX-License-Identifier: Apache-2.0
//
// The input file as a portable module: a model through the importer, an operator through the library.
#ifndef TOOLS_HAL_COMPILE_INPUT_HPP_
#define TOOLS_HAL_COMPILE_INPUT_HPP_

#include <functional>

#include "hal_compile/options.hpp"

namespace hal::tools {

using PrintAfter = std::function<void(const std::string& pass, const std::string& text)>;

// The built-in operators and those of --operators (files, and the .op files of folders).
Result<compiler::OperatorLibrary> library_of(const CompileRequest& request);

Result<compiler::Module> module_of(const CompileRequest& request, const PrintAfter& print_after);

}  // namespace hal::tools

#endif  // TOOLS_HAL_COMPILE_INPUT_HPP_
