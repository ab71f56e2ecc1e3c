// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/program.hpp"

namespace hal::compiler {

Result<CompiledProgram> compile(const Module& module, const CompileOptions& options) {
  HAL_TRY(verify(module));
  if (options.print_after) options.print_after("portable", print(module));
  tile::LowerOptions lower;
  lower.fuse = options.fuse;
  HAL_TRY_ASSIGN(tile::Program program, tile::lower(module, lower));
  HAL_TRY(tile::verify(program));
  if (options.print_after) options.print_after("tile", tile::print(program));
  return generate(program, options);
}

}  // namespace hal::compiler
