// SPDX-License-Identifier: Apache-2.0
//
// Which values become buffers, and which are computed where they are used.
#ifndef COMPILER_TILE_MATERIALISE_HPP_
#define COMPILER_TILE_MATERIALISE_HPP_

#include <vector>

#include "hal/compiler/portable.hpp"

namespace hal::compiler::tile {

// One flag for each value of the module. Without fusion every elementwise result is a buffer; movement never is, by
// itself.
std::vector<bool> choose_materialised(const Module& module, bool fuse);

}  // namespace hal::compiler::tile

#endif  // COMPILER_TILE_MATERIALISE_HPP_
