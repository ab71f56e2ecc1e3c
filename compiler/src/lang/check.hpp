// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a text no matter how it is used: unknown names and functions, wrong numbers of arguments, results
// that nothing assigns, declarations that clash.
#ifndef HAL_COMPILER_LANG_CHECK_HPP_
#define HAL_COMPILER_LANG_CHECK_HPP_

#include "lang/ast.hpp"

namespace hal::compiler::lang {

void check(const OperatorDefinition& definition, const OperatorLibrary& library, Diagnostics& diagnostics);
void check(const Function& function, const OperatorLibrary& library, Diagnostics& diagnostics);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_CHECK_HPP_
