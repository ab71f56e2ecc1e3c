// SPDX-License-Identifier: Apache-2.0
//
// Fusion of an elementwise kernel into the reduction or contraction whose result it alone reads, point for point.
#ifndef COMPILER_TILE_EPILOGUE_HPP_
#define COMPILER_TILE_EPILOGUE_HPP_

#include "hal/compiler/tile.hpp"

namespace hal::compiler::tile {

void fuse_epilogues(Program* program);

}  // namespace hal::compiler::tile

#endif  // COMPILER_TILE_EPILOGUE_HPP_
