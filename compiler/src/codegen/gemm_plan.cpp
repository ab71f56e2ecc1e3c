// SPDX-License-Identifier: Apache-2.0
//
// Which axes are m, n and k, how large the blocks are, and what is packed apart.
#include <algorithm>

#include "gemm.hpp"
#include "tile/expr.hpp"

namespace hal::compiler::codegen {

using tile::Axis;
using tile::ExprPtr;

namespace {

int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

// Blocks of about equal size: the least multiple of `unit` with which `extent` takes no more of them than with `block`.
int64_t even(const Sym& extent, int64_t block, int64_t unit) {
  auto known = extent.constant();
  if (!known || *known <= 0) return block;
  return std::min(block, parts(parts(*known, parts(*known, block)), unit) * unit);
}

bool find_roles(const Nest& nest, GemmPlan* plan) {
  if (!nest.reduction || !nest.reduction->contraction || nest.reduction->order != Order::kAny || nest.reduce.empty())
    return false;
  DType dtype = nest.reduction->accumulator;
  if (dtype != DType::kF32 && dtype != DType::kF64) return false;
  if (nest.body->kind != tile::ExprKind::kPrimitive || nest.body->prim != Prim::kMul || nest.body->dtype != dtype)
    return false;
  plan->dtype = dtype;
  plan->a.expr = nest.body->operands[0], plan->b.expr = nest.body->operands[1];
  plan->k = nest.reduce;
  bool contiguous_in_a = false;
  for (const Axis& axis : nest.parallel) {
    bool in_a = depends_on(plan->a.expr, axis.name), in_b = depends_on(plan->b.expr, axis.name);
    (in_a == in_b ? plan->batch : in_a ? plan->m : plan->n).push_back(axis);
    auto stride = nest.target_offset.coefficient_of(axis.name);
    if (stride && stride->is_constant(1) && in_a && !in_b) contiguous_in_a = true;
  }
  if (contiguous_in_a) {
    std::swap(plan->a, plan->b);
    std::swap(plan->m, plan->n);
  }
  if (plan->n.empty() || plan->m.empty()) return false;
  auto stride = nest.target_offset.coefficient_of(plan->n.back().name);
  return stride && stride->is_constant(1);
}

// Packing pays when each packed element is used often enough.
bool worthwhile(const GemmPlan& plan) {
  auto at_least = [](const Sym& extent, int64_t least) { return !extent.constant() || *extent.constant() >= least; };
  return at_least(plan.m_extent, 4) && at_least(plan.n_extent, 8) && at_least(plan.k_extent, 4);
}

// The micro-kernel fills the registers with accumulators, less one row of the second operand and two broadcasts. A
// panel of the second operand takes two thirds of L1 and stays there while the panels of the first pass; the tile and
// both packed blocks take half of L2.
void choose_blocks(const Isa& isa, const Target& target, GemmPlan* plan) {
  int64_t element = info(plan->dtype).bits / 8;
  plan->lanes = static_cast<int>(isa.vector_bytes / element);
  plan->vectors = 2;
  plan->columns = int64_t{plan->vectors} * plan->lanes;
  int most_rows = isa.vector_registers == 32 ? 14 : isa.fma ? 6 : 5;
  plan->rows = static_cast<int>(even(plan->m_extent, most_rows, 1));  // panels of equal height waste the least

  int64_t l1_share = static_cast<int64_t>(target.l1_bytes) * 2 / 3 / (plan->columns * element);
  plan->kc = even(plan->k_extent, std::clamp<int64_t>(l1_share / 32 * 32, 64, 384), plan->lanes);
  int64_t half_l2 = static_cast<int64_t>(std::max<uint64_t>(target.l2_bytes, 256 << 10)) / 2;
  int64_t quarter = half_l2 / 2 / (plan->kc * element);
  auto blocks_of = [&](int64_t unit, int64_t most) {
    return std::clamp(quarter / unit * unit, unit, std::max(unit, most / unit * unit));
  };
  plan->nc = even(plan->n_extent, blocks_of(plan->columns, 512), plan->columns);
  plan->mc = even(plan->m_extent, blocks_of(plan->rows, 196), plan->rows);
  auto bytes = [&] { return (plan->mc * plan->nc + plan->kc * (plan->mc + plan->nc)) * element; };
  while (plan->nc > plan->columns && bytes() > static_cast<int64_t>(target.local_memory_bytes))
    plan->nc -= plan->columns;
}

// Few tiles are made as many as the cores can share evenly: along n, where the second operand is packed by parts,
// before m. A tile keeps enough work to be worth waking a core for.
void balance(const Target& target, GemmPlan* plan) {
  constexpr int64_t kFew = 8, kLeastProducts = 100'000;
  auto m = plan->m_extent.constant(), n = plan->n_extent.constant(), k = plan->k_extent.constant();
  auto batch = extent_of(plan->batch).constant();
  int64_t cores = target.core_count;
  if (!m || !n || !k || !batch || *m * *n * *k == 0 || *batch == 0) return;
  auto tiles = [&](int64_t mc, int64_t nc) { return parts(*m, mc) * parts(*n, nc) * *batch; };
  int64_t least = *m * *n * *k / kLeastProducts * *batch;
  auto try_block = [&](int64_t extent, int64_t unit, int64_t* block) {
    for (int64_t more = 1; more <= cores; ++more) {
      int64_t smaller = parts(parts(extent, parts(extent, *block) + more), unit) * unit;
      int64_t count = block == &plan->mc ? tiles(smaller, plan->nc) : tiles(plan->mc, smaller);
      if (count % cores != 0 || count > least) continue;
      *block = smaller;
      return true;
    }
    return false;
  };
  int64_t now = tiles(plan->mc, plan->nc);
  if (now % cores == 0 || now >= kFew * cores) return;
  bool by_columns = *m <= plan->mc;
  if (by_columns && try_block(*n, plan->columns, &plan->nc)) return;
  if (try_block(*m, plan->rows, &plan->mc)) return;
  if (!by_columns) try_block(*n, plan->columns, &plan->nc);
}

std::vector<Axis> used_of(const std::vector<Axis>& axes, const ExprPtr& expr) {
  std::vector<Axis> out;
  for (const Axis& axis : axes) {
    if (depends_on(expr, axis.name)) out.push_back(axis);
  }
  return out;
}

bool reads_only(const ExprPtr& expr, const std::function<bool(uint32_t)>& is_constant) {
  if (expr->kind == tile::ExprKind::kLoad && !is_constant(expr->buffer)) return false;
  for (const tile::DataIndex& index : expr->data_indices) {
    if (!reads_only(index.value, is_constant)) return false;
  }
  return std::all_of(expr->operands.begin(), expr->operands.end(),
                     [&](const ExprPtr& operand) { return reads_only(operand, is_constant); });
}

bool all_known(const std::vector<Axis>& axes) {
  return std::all_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.extent.constant().has_value(); });
}

}  // namespace

Sym extent_of(const std::vector<Axis>& axes) {
  Sym extent = 1;
  for (const Axis& axis : axes) extent *= axis.extent;
  return extent;
}

bool is_flat(const ExprPtr& operand, const std::vector<Axis>& axes, const SymRanges& ranges) {
  if (operand->kind != tile::ExprKind::kLoad || !operand->data_indices.empty() || axes.empty()) return false;
  const Sym& offset = operand->indices[0];
  auto inner = offset.coefficient_of(axes.back().name);
  if (!inner) return false;
  Sym stride = *inner;
  for (size_t i = axes.size() - 1; i-- > 0;) {
    stride *= axes[i + 1].extent;
    auto coefficient = offset.coefficient_of(axes[i].name);
    if (!coefficient || !ranges.equal(*coefficient, stride)) return false;
  }
  return true;
}

bool is_contiguous(const ExprPtr& operand, const std::vector<Axis>& axes) {
  if (operand->kind != tile::ExprKind::kLoad || !operand->data_indices.empty() || axes.empty()) return false;
  auto stride = operand->indices[0].coefficient_of(axes.back().name);
  return stride && stride->is_constant(1);
}

TensorType GemmPlan::packed_type(const GemmOperand& operand) const {
  bool first = &operand == &a;
  Sym panels = ceildiv(first ? m_extent : n_extent, first ? rows : columns);
  return {dtype, {extent_of(operand.batch), ceildiv(k_extent, kc), panels, operand.panel}};
}

// An operand is packed apart if that is done once for ever, or if several workgroups would do it again.
std::optional<GemmPlan> plan_gemm(const Nest& nest, const Isa& isa, const Target& target,
                                  const std::function<bool(uint32_t)>& is_constant) {
  GemmPlan plan;
  if (!find_roles(nest, &plan)) return std::nullopt;
  plan.m_extent = extent_of(plan.m), plan.n_extent = extent_of(plan.n), plan.k_extent = extent_of(plan.k);
  if (!worthwhile(plan)) return std::nullopt;
  choose_blocks(isa, target, &plan);
  balance(target, &plan);
  auto fits = [](const Sym& extent, int64_t block) { return extent.constant() && *extent.constant() <= block; };
  for (GemmOperand* operand : {&plan.a, &plan.b}) {
    bool first = operand == &plan.a;
    operand->batch = used_of(plan.batch, operand->expr);
    // Transposing writes whole vectors: what runs over the end of one panel must not reach the next.
    operand->panel = first ? plan.kc * plan.rows + plan.lanes : plan.kc * plan.columns;
    bool once = reads_only(operand->expr, is_constant) && all_known(operand->batch) && all_known(plan.k) &&
                all_known(first ? plan.m : plan.n);
    operand->apart = once || !fits(first ? plan.n_extent : plan.m_extent, first ? plan.nc : plan.mc);
  }
  return plan;
}

}  // namespace hal::compiler::codegen
