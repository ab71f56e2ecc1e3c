// SPDX-License-Identifier: Apache-2.0
//
// The cases of the operator level, from an operator library.
#ifndef CONFORMANCE_CASES_OPERATORS_HPP_
#define CONFORMANCE_CASES_OPERATORS_HPP_

#include "hal/compiler/operators.hpp"
#include "hal/conformance/case.hpp"

namespace hal::conformance {

// One case for each sample of each operator named ("mortise.softmax").
Result<std::vector<Case>> operator_cases_of(compiler::OperatorLibrary library, const std::vector<std::string>& names);

}  // namespace hal::conformance

#endif  // CONFORMANCE_CASES_OPERATORS_HPP_
