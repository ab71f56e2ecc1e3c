// SPDX-License-Identifier: Apache-2.0
#include "nest.hpp"

#include <algorithm>

#include "tile/expr.hpp"

namespace hal::compiler::codegen {

using tile::Axis;
using tile::AxisKind;
using tile::Expr;
using tile::ExprKind;
using tile::ExprPtr;

namespace {

Sym linear_offset(const std::vector<Sym>& indices, const Shape& shape) {
  Sym offset = 0;
  for (size_t d = 0; d < shape.size(); ++d) offset = offset * shape[d] + indices[d];
  return offset;
}

ExprPtr linearise(const tile::Program& program, const ExprPtr& expr, const SymRanges& ranges) {
  return tile::rewrite(expr, [&](const Expr& node) -> ExprPtr {
    if (node.kind != ExprKind::kLoad) return nullptr;
    Expr copy = node;
    copy.indices = {ranges.simplify(linear_offset(node.indices, program.buffers[node.buffer].type.shape))};
    return std::make_shared<const Expr>(std::move(copy));
  });
}

// Every place where an axis may stand.
struct Accesses {
  std::vector<Sym> offsets;  // of loads and of the target: may merge
  std::vector<Sym> others;   // conditions and index values: must not depend on a merged axis
};

void collect(const ExprPtr& expr, Accesses* out) {
  tile::visit(expr, [&](const Expr& node) {
    if (node.kind == ExprKind::kLoad) out->offsets.push_back(node.indices[0]);
    if (node.kind == ExprKind::kIndex) out->others.push_back(node.index);
    out->others.insert(out->others.end(), node.conditions.begin(), node.conditions.end());
  });
}

bool mergeable(const Axis& outer, const Axis& inner, const Accesses& accesses, const SymRanges& ranges) {
  for (const Sym& other : accesses.others) {
    if (other.depends_on(outer.name) || other.depends_on(inner.name)) return false;
  }
  for (const Sym& offset : accesses.offsets) {
    auto a = offset.coefficient_of(outer.name), b = offset.coefficient_of(inner.name);
    if (!a || !b || ranges.simplify(*a - *b * inner.extent) != Sym(0)) return false;
  }
  return true;
}

// outer := floordiv(merged, inner extent) disappears from every affine offset, so it is enough to set the outer axis to
// zero and let the inner one run over both.
void merge(std::vector<Axis>* axes, size_t i, Nest* nest, SymRanges* ranges) {
  Axis& inner = (*axes)[i + 1];
  std::map<std::string, Sym> gone = {{(*axes)[i].name, Sym(0)}};
  inner.extent = ranges->simplify((*axes)[i].extent * inner.extent);
  ranges->set_index(inner.name, inner.extent);
  nest->body = tile::substitute(nest->body, gone, *ranges);
  nest->epilogue = tile::substitute(nest->epilogue, gone, *ranges);
  nest->target_offset = ranges->simplify(nest->target_offset.substitute(gone));
  axes->erase(axes->begin() + static_cast<ptrdiff_t>(i));
}

void merge_axes(std::vector<Axis>* axes, Nest* nest, SymRanges* ranges) {
  for (size_t i = axes->size(); i-- > 1;) {
    Accesses accesses;
    collect(nest->body, &accesses);
    collect(nest->epilogue, &accesses);
    accesses.offsets.push_back(nest->target_offset);
    if (mergeable((*axes)[i - 1], (*axes)[i], accesses, *ranges)) merge(axes, i - 1, nest, ranges);
  }
}

}  // namespace

Nest make_nest(const tile::Program& program, const tile::Block& block, SymRanges* ranges) {
  Nest nest;
  nest.name = block.name;
  nest.reduction = block.reduction;
  nest.target = block.target;
  nest.target_dtype = program.buffers[block.target].type.dtype;
  std::map<std::string, Sym> ones;
  for (const Axis& axis : block.axes) {
    if (axis.extent.is_constant(1)) {
      ones[axis.name] = 0;
    } else {
      (axis.kind == AxisKind::kParallel ? nest.parallel : nest.reduce).push_back(axis);
    }
  }
  Sym offset = linear_offset(block.target_indices, program.buffers[block.target].type.shape);
  nest.target_offset = ranges->simplify(offset.substitute(ones));
  nest.body = linearise(program, tile::substitute(block.body, ones, *ranges), *ranges);
  nest.epilogue = linearise(program, tile::substitute(block.epilogue, ones, *ranges), *ranges);
  merge_axes(&nest.parallel, &nest, ranges);
  bool is_arg = nest.reduction && nest.reduction->arg;
  if (!is_arg) merge_axes(&nest.reduce, &nest, ranges);
  return nest;
}

bool depends_on(const ExprPtr& expr, const std::string& axis) {
  bool found = false;
  tile::visit(expr, [&](const Expr& node) {
    for (const Sym& index : node.indices) found = found || index.depends_on(axis);
    for (const Sym& condition : node.conditions) found = found || condition.depends_on(axis);
    found = found || node.index.depends_on(axis);
  });
  return found;
}

}  // namespace hal::compiler::codegen
