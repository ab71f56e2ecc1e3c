// SPDX-License-Identifier: Apache-2.0
//
// Changes of whole programs: several become one, so that one compilation serves many; a failing one becomes smaller.
#ifndef COMPILER_RANDOM_TRANSFORM_HPP_
#define COMPILER_RANDOM_TRANSFORM_HPP_

#include <functional>

#include "random_program.hpp"

namespace hal::compiler::random {

// One module with the parameters, ops and results of all, in order. Their symbols must differ.
RandomProgram merge(const std::vector<RandomProgram>& programs);

// The smallest program found, by delta debugging, for which `fails` still holds: one result, values turned into
// parameters that hold what the interpreter computed, and no op that nobody needs.
RandomProgram minimise(const RandomProgram& program, const std::function<bool(const RandomProgram&)>& fails);

}  // namespace hal::compiler::random

#endif  // COMPILER_RANDOM_TRANSFORM_HPP_
