// SPDX-License-Identifier: Apache-2.0
#ifndef COMPILER_PROGRAM_PREPARE_HPP_
#define COMPILER_PROGRAM_PREPARE_HPP_

#include "hal/compiler/program.hpp"

namespace hal::compiler {

// Finds the steps that depend on constants alone, whatever the inputs and extents, and makes the temporaries that they
// write prepared buffers.
void prepare_constants(CompiledProgram* program);

}  // namespace hal::compiler

#endif  // COMPILER_PROGRAM_PREPARE_HPP_
