// SPDX-License-Identifier: Apache-2.0
//
// A block made ready for code generation: each access is one linear element offset, extent-1 axes are gone, and axes
// that move together in every access are one axis.
#ifndef COMPILER_CODEGEN_NEST_HPP_
#define COMPILER_CODEGEN_NEST_HPP_

#include "hal/compiler/tile.hpp"

namespace hal::compiler::codegen {

// In a nest's expressions each load has exactly one index: the element offset in its buffer.
struct Nest {
  std::string name;
  std::vector<tile::Axis> parallel, reduce;  // outermost first
  std::optional<tile::Reduction> reduction;
  tile::ExprPtr body, epilogue;
  uint32_t target = 0;
  DType target_dtype = DType::kNone;
  Sym target_offset;
};

Nest make_nest(const tile::Program& program, const tile::Block& block, SymRanges* ranges);

// Whether the expression depends on an axis, in an index, a condition or a data index.
bool depends_on(const tile::ExprPtr& expr, const std::string& axis);

}  // namespace hal::compiler::codegen

#endif  // COMPILER_CODEGEN_NEST_HPP_
