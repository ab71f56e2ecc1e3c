// SPDX-License-Identifier: Apache-2.0
//
// Making and walking scalar expressions of the tile layer.
#ifndef COMPILER_TILE_EXPR_HPP_
#define COMPILER_TILE_EXPR_HPP_

#include <functional>
#include <set>
#include <unordered_map>

#include "hal/compiler/tile.hpp"

namespace hal::compiler::tile {

ExprPtr literal(DType dtype, uint64_t bits);
ExprPtr index_value(Sym index, DType dtype);  // an integer dtype
ExprPtr load(uint32_t buffer, DType dtype, std::vector<Sym> indices);
ExprPtr guard(std::vector<Sym> conditions, ExprPtr inside, ExprPtr outside);
ExprPtr accumulator(DType dtype);
ExprPtr primitive(Prim prim, DType dtype, std::vector<ExprPtr> operands, const Attributes& attributes = {});

// Visits each node of a DAG once, operands first.
void visit(const ExprPtr& expr, const std::function<void(const Expr&)>& each);

// A copy in which `replace` decides each node (null: keep, with operands replaced). Shared nodes stay shared.
ExprPtr rewrite(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& replace);

// A copy with axes and symbols substituted in every index and condition, and simplified.
ExprPtr substitute(const ExprPtr& expr, const std::map<std::string, Sym>& replacement, const SymRanges& ranges);

}  // namespace hal::compiler::tile

#endif  // COMPILER_TILE_EXPR_HPP_
