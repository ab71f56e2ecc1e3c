// SPDX-License-Identifier: Apache-2.0
//
// Which values become buffers, and which are computed where they are used.
#ifndef COMPILER_TILE_MATERIALISE_HPP_
#define COMPILER_TILE_MATERIALISE_HPP_

#include <vector>

#include "hal/compiler/portable.hpp"

namespace hal::compiler::tile {

// The buffers that one kernel may read: with its result, and with what code generation adds to it, fewer than the 64
// bindings that every device has.
inline constexpr size_t kMaxLoads = 56;

// One flag for each value of the module. Without fusion every elementwise result is a buffer; movement is one only
// where computing it inside its readers would make them too large.
std::vector<bool> choose_materialised(const Module& module, bool fuse);

}  // namespace hal::compiler::tile

#endif  // COMPILER_TILE_MATERIALISE_HPP_
