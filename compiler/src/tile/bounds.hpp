// SPDX-License-Identifier: Apache-2.0
//
// Whether a block stays inside its buffers and stores each element once.
#ifndef COMPILER_TILE_BOUNDS_HPP_
#define COMPILER_TILE_BOUNDS_HPP_

#include "hal/compiler/tile.hpp"

namespace hal::compiler::tile {

using Binding = std::map<std::string, int64_t>;

// Values of the free symbols that the program allows: small, and different from each other where that is possible.
std::vector<Binding> sample_bindings(const Program& program);

// An index that leaves its buffer, or two points that store to one element; empty if there is none. What the ranges
// prove is settled; the rest is tried at corners of the block under each binding, so that what is found is truly wrong.
std::string find_violation(const Program& program, const Block& block, const std::vector<Binding>& bindings);

}  // namespace hal::compiler::tile

#endif  // COMPILER_TILE_BOUNDS_HPP_
