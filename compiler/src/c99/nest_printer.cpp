// SPDX-License-Identifier: Apache-2.0
#include "nest_printer.hpp"

#include "types.hpp"

namespace hal::compiler::c99 {

using tile::Axis;
using tile::Expr;
using tile::ExprKind;
using tile::ExprPtr;

std::string NestPrinter::print(const Sym& sym, const std::map<std::string, std::string>& names, Helpers* helpers) {
  auto atom = [&](const SymAtom& a) -> std::string {
    if (a.kind == SymKind::kSymbol) return names.at(a.name);
    std::string function = a.kind == SymKind::kFloorDiv ? helpers->floor_divide()
                           : a.kind == SymKind::kMin    ? helpers->least()
                                                        : helpers->greatest();
    return function + "(" + print(a.a, names, helpers) + ", " + print(a.b, names, helpers) + ")";
  };
  std::string out;
  for (const SymTerm& term : sym.terms()) {
    std::string product;
    if (term.coefficient != 1 || term.atoms.empty()) product = integer_literal(term.coefficient);
    for (const SymAtomPtr& a : term.atoms) product += (product.empty() ? "" : " * ") + atom(*a);
    out += (out.empty() ? "" : " + ") + product;
  }
  return out.empty() ? "INT64_C(0)" : sym.terms().size() > 1 ? "(" + out + ")" : out;
}

void NestPrinter::loops(const std::vector<Axis>& axes, size_t first, const std::function<void()>& inside) {
  if (first == axes.size()) return inside();
  const std::string& name = names_[axes[first].name] = axes[first].name;
  line("for (int64_t " + name + " = 0; " + name + " < " + print(axes[first].extent) + "; ++" + name + ") {");
  ++depth_;
  loops(axes, first + 1, inside);
  --depth_;
  line("}");
}

std::string NestPrinter::define(DType dtype, const std::string& value) {
  std::string name = fresh();
  line("const " + variable_type(dtype) + " " + name + " = " + value + ";");
  return name;
}

std::string NestPrinter::print() {
  loops(nest_.parallel, 0, [&] { element(); });
  return out_;
}

void NestPrinter::element() {
  memo_.clear();
  if (!nest_.reduction) return store(evaluate(nest_.body));
  accumulator_ = nest_.reduction->arg ? arg_reduce() : reduce();
  memo_.clear();
  store(nest_.epilogue != nullptr ? evaluate(nest_.epilogue) : accumulator_);
}

std::string NestPrinter::reduce() {
  DType dtype = nest_.reduction->accumulator == DType::kNone ? nest_.body->dtype : nest_.reduction->accumulator;
  std::string sum = fresh();
  line(variable_type(dtype) + " " + sum + " = " + identity(nest_.reduction->kind, dtype) + ";");
  accumulator_ = sum;  // what a body without a kind of its own refers to
  loops(nest_.reduce, 0, [&] {
    memo_.clear();
    line(sum + " = " + combine(nest_.reduction->kind, dtype, sum, evaluate(nest_.body)) + ";");
  });
  return sum;
}

std::string NestPrinter::arg_reduce() {
  std::string where = fresh(), best = fresh();
  line("int64_t " + where + " = 0;");
  if (nest_.reduce.empty()) return where;
  line(variable_type(nest_.body->dtype) + " " + best + " = 0;");
  loops(nest_.reduce, 0, [&] {
    std::string x = evaluate(nest_.body), index = names_[nest_.reduce[0].name];
    std::string better = x + (nest_.reduction->kind == ReduceKind::kMin ? " < " : " > ") + best;
    if (is_float(nest_.body->dtype)) better += " || (" + x + " != " + x + " && " + best + " == " + best + ")";
    line("if (" + index + " == 0 || " + better + ") {");
    line("  " + best + " = " + x + ";");
    line("  " + where + " = " + index + ";");
    line("}");
  });
  return where;
}

void NestPrinter::store(const std::string& value) {
  buffers_.insert(nest_.target);
  DType dtype = nest_.target_dtype;
  std::string stored = is_half(dtype) ? helpers_.to_bits(dtype) + "(" + rounded(dtype, value) + ")"
                                      : "(" + memory_type(dtype) + ")" + value;
  line("b" + std::to_string(nest_.target) + "[" + print(nest_.target_offset) + "] = " + stored + ";");
}

std::string NestPrinter::evaluate(const ExprPtr& expr) {
  auto found = memo_.find(expr.get());
  if (found != memo_.end()) return found->second;
  std::string value;
  switch (expr->kind) {
    case ExprKind::kLiteral:
      value = literal(expr->dtype, expr->bits);
      break;
    case ExprKind::kIndex:
      value = define(expr->dtype, cast(DType::kI64, expr->dtype, CastMode::kWrap, print(expr->index)));
      break;
    case ExprKind::kLoad:
      value = load(*expr);
      break;
    case ExprKind::kGuard:
      value = guard(*expr);
      break;
    case ExprKind::kAccumulator:
      value = accumulator_;
      break;
    case ExprKind::kPrimitive:
      value = define(expr->dtype, primitive(*expr));
      break;
  }
  memo_[expr.get()] = value;
  return value;
}

std::string NestPrinter::load(const Expr& expr) {
  for (const tile::DataIndex& data : expr.data_indices) names_[data.symbol] = evaluate(data.value);
  buffers_.insert(expr.buffer);
  std::string element = "b" + std::to_string(expr.buffer) + "[" + print(expr.indices[0]) + "]";
  if (is_half(expr.dtype)) return define(expr.dtype, helpers_.from_bits(expr.dtype) + "(" + element + ")");
  return define(expr.dtype, element);
}

std::string NestPrinter::guard(const Expr& expr) {
  std::string value = fresh(), condition;
  for (const Sym& sym : expr.conditions) condition += (condition.empty() ? "" : " && ") + print(sym) + " >= 0";
  line(variable_type(expr.dtype) + " " + value + ";");
  Memo outside = memo_;
  for (int side : {0, 1}) {
    line(side == 0 ? "if (" + (condition.empty() ? "1" : condition) + ") {" : "} else {");
    ++depth_;
    line(value + " = " + evaluate(expr.operands[size_t(side)]) + ";");
    --depth_;
    memo_ = outside;
  }
  line("}");
  return value;
}

}  // namespace hal::compiler::c99
