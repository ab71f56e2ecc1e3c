// SPDX-License-Identifier: Apache-2.0
#include "expr.hpp"

namespace hal::compiler::tile {
namespace {

ExprPtr make(Expr expr) { return std::make_shared<const Expr>(std::move(expr)); }

void visit_once(const ExprPtr& expr, const std::function<void(const Expr&)>& each, std::set<const Expr*>& seen) {
  if (expr == nullptr || !seen.insert(expr.get()).second) return;
  for (const ExprPtr& operand : expr->operands) visit_once(operand, each, seen);
  for (const DataIndex& data : expr->data_indices) visit_once(data.value, each, seen);
  each(*expr);
}

using Memo = std::unordered_map<const Expr*, ExprPtr>;

ExprPtr rewrite_once(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& replace, Memo& memo) {
  if (expr == nullptr) return nullptr;
  auto found = memo.find(expr.get());
  if (found != memo.end()) return found->second;
  Expr copy = *expr;
  bool changed = false;
  for (ExprPtr& operand : copy.operands) {
    ExprPtr next = rewrite_once(operand, replace, memo);
    changed = changed || next != operand;
    operand = std::move(next);
  }
  for (DataIndex& data : copy.data_indices) {
    ExprPtr next = rewrite_once(data.value, replace, memo);
    changed = changed || next != data.value;
    data.value = std::move(next);
  }
  ExprPtr result = replace(copy);
  if (result == nullptr) result = changed ? make(std::move(copy)) : expr;
  memo.emplace(expr.get(), result);
  return result;
}

}  // namespace

ExprPtr literal(DType dtype, uint64_t bits) {
  Expr expr;
  expr.kind = ExprKind::kLiteral;
  expr.dtype = dtype;
  expr.bits = bits;
  return make(std::move(expr));
}

ExprPtr index_value(Sym index, DType dtype) {
  Expr expr;
  expr.kind = ExprKind::kIndex;
  expr.dtype = dtype;
  expr.index = std::move(index);
  return make(std::move(expr));
}

ExprPtr load(uint32_t buffer, DType dtype, std::vector<Sym> indices) {
  Expr expr;
  expr.kind = ExprKind::kLoad;
  expr.dtype = dtype;
  expr.buffer = buffer;
  expr.indices = std::move(indices);
  return make(std::move(expr));
}

ExprPtr guard(std::vector<Sym> conditions, ExprPtr inside, ExprPtr outside) {
  if (conditions.empty()) return inside;
  Expr expr;
  expr.kind = ExprKind::kGuard;
  expr.dtype = inside->dtype;
  expr.conditions = std::move(conditions);
  expr.operands = {std::move(inside), std::move(outside)};
  return make(std::move(expr));
}

ExprPtr accumulator(DType dtype) {
  Expr expr;
  expr.kind = ExprKind::kAccumulator;
  expr.dtype = dtype;
  return make(std::move(expr));
}

ExprPtr primitive(Prim prim, DType dtype, std::vector<ExprPtr> operands, const Attributes& attributes) {
  Expr expr;
  expr.kind = ExprKind::kPrimitive;
  expr.dtype = dtype;
  expr.prim = prim;
  expr.predicate = attributes.predicate;
  expr.cast = attributes.cast;
  expr.operands = std::move(operands);
  return make(std::move(expr));
}

void visit(const ExprPtr& expr, const std::function<void(const Expr&)>& each) {
  std::set<const Expr*> seen;
  visit_once(expr, each, seen);
}

ExprPtr rewrite(const ExprPtr& expr, const std::function<ExprPtr(const Expr&)>& replace) {
  Memo memo;
  return rewrite_once(expr, replace, memo);
}

ExprPtr substitute(const ExprPtr& expr, const std::map<std::string, Sym>& replacement, const SymRanges& ranges) {
  auto apply = [&](const Sym& sym) { return ranges.simplify(sym.substitute(replacement)); };
  return rewrite(expr, [&](const Expr& node) -> ExprPtr {
    if (node.kind != ExprKind::kIndex && node.kind != ExprKind::kLoad && node.kind != ExprKind::kGuard) return nullptr;
    Expr copy = node;
    copy.index = apply(copy.index);
    for (Sym& index : copy.indices) index = apply(index);
    for (Sym& condition : copy.conditions) condition = apply(condition);
    return make(std::move(copy));
  });
}

}  // namespace hal::compiler::tile
