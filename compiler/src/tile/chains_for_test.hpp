// SPDX-License-Identifier: Apache-2.0
//
// For tests of the tile layer alone: large modules of few lines, and the size of what they become.
#ifndef COMPILER_TILE_CHAINS_FOR_TEST_HPP_
#define COMPILER_TILE_CHAINS_FOR_TEST_HPP_

#include <algorithm>
#include <set>

#include "expr.hpp"

namespace hal::compiler::tile {

inline Attributes with_axes(std::vector<int64_t> axes) {
  Attributes a;
  a.axes = std::move(axes);
  return a;
}

inline Attributes with_shape(Shape shape) {
  Attributes a;
  a.shape = std::move(shape);
  return a;
}

inline Attributes slice_of(Shape low, Shape size) {
  Attributes a;
  a.step = Shape(low.size(), Sym(1));
  a.low = std::move(low);
  a.size = std::move(size);
  return a;
}

struct Size {
  size_t nodes = 0;          // of all expressions
  size_t largest = 0;        // of one block
  size_t most_bindings = 0;  // of one block, the target included
};

inline Size size_of(const Program& program) {
  Size size;
  for (const Kernel& kernel : program.kernels) {
    for (const Block& block : kernel.blocks) {
      size_t nodes = 0;
      std::set<uint32_t> buffers = {block.target};
      for (const ExprPtr& root : {block.body, block.epilogue}) {
        visit(root, [&](const Expr& expr) {
          ++nodes;
          if (expr.kind == ExprKind::kLoad) buffers.insert(expr.buffer);
        });
      }
      size.nodes += nodes;
      size.largest = std::max(size.largest, nodes);
      size.most_bindings = std::max(size.most_bindings, buffers.size());
    }
  }
  return size;
}

}  // namespace hal::compiler::tile

#endif  // COMPILER_TILE_CHAINS_FOR_TEST_HPP_
