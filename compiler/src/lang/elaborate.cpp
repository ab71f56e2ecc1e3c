// SPDX-License-Identifier: Apache-2.0
//
// Statements and expressions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "lang/elaborator.hpp"
#include "lang/parser.hpp"

namespace hal::compiler::lang {
namespace {

constexpr size_t kMaxSteps = 2'000'000;  // of one instantiation: texts may come from strangers
constexpr int kMaxCallDepth = 48;

std::string trimmed(std::string_view line) {
  size_t start = line.find_first_not_of(" \t");
  return start == std::string_view::npos ? "" : std::string(line.substr(start));
}

std::vector<std::string> keys(const Names& names) {
  std::vector<std::string> out;
  for (const auto& [name, value] : names) out.push_back(name);
  return out;
}

Result<void> unpack(const std::vector<std::string>& names, const Datum& value, Scope& scope) {
  if (names.size() == 1) {
    scope.names[names[0]] = value;
    return {};
  }
  const List* list = value.as_list();
  if (!list || list->size() != names.size()) {
    return invalid_argument("expected a list of " + std::to_string(names.size()) + " for as many names, not " +
                            (list ? "one of " + std::to_string(list->size()) : kind(value)));
  }
  for (size_t i = 0; i < names.size(); ++i) scope.names[names[i]] = (*list)[i];
  return {};
}

}  // namespace

Error Elaborator::locate(Scope& scope, Position at, Error error) const {
  if (scope.located) return error;
  scope.located = true;
  error.message += "\n  " + scope.source->place(at) + ": " + trimmed(scope.source->line(at.line));
  return error;
}

Result<void> Elaborator::spend(size_t steps) {
  steps_ += steps;
  if (steps_ <= kMaxSteps) return {};
  return unsupported("more than " + std::to_string(kMaxSteps) +
                     " steps at compile time; is a loop or a list too long?");
}

Result<void> Elaborator::run_block(const Block& block, Scope& scope) {
  for (const Statement& statement : block) {
    auto done = run_statement(statement, scope);
    if (!done) return locate(scope, statement.at, std::move(done).error());
    if (scope.returned) return {};
  }
  return {};
}

Result<void> Elaborator::run_statement(const Statement& statement, Scope& scope) {
  if (statement.kind == StatementKind::kFor) return run_for(statement, scope);
  if (statement.kind == StatementKind::kCall && statement.value->text == "require")
    return call_require(*statement.value, scope);
  HAL_TRY_ASSIGN(Datum value, evaluate(*statement.value, scope));
  if (statement.kind == StatementKind::kAssign) return unpack(statement.names, value, scope);
  if (statement.kind == StatementKind::kReturn) scope.returned = value;
  if (statement.kind != StatementKind::kIf) return {};
  HAL_TRY_ASSIGN(bool condition, to_bool(value, "a condition"));
  return run_block(condition ? statement.body : statement.other, scope);
}

Result<void> Elaborator::run_for(const Statement& statement, Scope& scope) {
  HAL_TRY_ASSIGN(Datum source, evaluate(*statement.value, scope));
  const List* list = source.as_list();
  if (!list) return invalid_argument("\"for\" goes over a list, not " + kind(source));
  for (const Datum& item : *list) {
    HAL_TRY(spend(1));
    HAL_TRY(unpack(statement.names, item, scope));
    HAL_TRY(run_block(statement.body, scope));
    if (scope.returned) break;
  }
  return {};
}

Result<void> Elaborator::call_require(const Expr& expr, Scope& scope) {
  HAL_TRY_ASSIGN(Datum condition, evaluate(*expr.args[0], scope));
  HAL_TRY_ASSIGN(bool holds, to_bool(condition, "a requirement"));
  if (holds) return {};
  std::string message;
  for (size_t i = 1; i < expr.args.size(); ++i) {
    HAL_TRY_ASSIGN(Datum part, evaluate(*expr.args[i], scope));
    message += (message.empty() ? "" : " ") + (part.as_string() ? *part.as_string() : lang::text(part));
  }
  return invalid_argument(message);
}

Result<Datum> Elaborator::evaluate(const Expr& expr, Scope& scope) {
  HAL_TRY(spend(1));
  auto result = compute(expr, scope);
  if (!result) return locate(scope, expr.at, std::move(result).error());
  return result;
}

Result<Datum> Elaborator::compute(const Expr& expr, Scope& scope) {
  switch (expr.kind) {
    case ExprKind::kInt:
      return Datum(expr.integer);
    case ExprKind::kFloat:
      return Datum(expr.number);
    case ExprKind::kString:
      return Datum(expr.text);
    case ExprKind::kName:
      return name(expr, scope);
    case ExprKind::kComprehension:
      return comprehension(expr, scope);
    case ExprKind::kBinary:
      return binary(expr, scope);
    case ExprKind::kIndex:
      return index(expr, scope);
    case ExprKind::kSlice:
      return slice(expr, scope);
    case ExprKind::kCall:
      return call(expr, scope);
    case ExprKind::kUnary: {
      HAL_TRY_ASSIGN(Datum operand, evaluate(*expr.args[0], scope));
      return apply_unary(tensors_, expr.text, operand);
    }
    case ExprKind::kIf: {
      HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[0], scope));
      HAL_TRY_ASSIGN(bool condition, to_bool(value, "a condition"));
      return evaluate(*expr.args[condition ? 1 : 2], scope);
    }
    case ExprKind::kList:
      break;
  }
  List list;
  for (const ExprPtr& item : expr.args) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*item, scope));
    list.push_back(std::move(value));
  }
  return Datum(std::move(list));
}

Result<Datum> Elaborator::comprehension(const Expr& expr, Scope& scope) {
  HAL_TRY_ASSIGN(Datum source, evaluate(*expr.args[1], scope));
  const List* list = source.as_list();
  if (!list) return invalid_argument("\"for\" goes over a list, not " + kind(source));
  Names outer = scope.names;
  List out;
  for (const Datum& item : *list) {
    HAL_TRY(spend(1));
    HAL_TRY(unpack(expr.names, item, scope));
    if (expr.args.size() == 3) {
      HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[2], scope));
      HAL_TRY_ASSIGN(bool keep, to_bool(value, "a condition"));
      if (!keep) continue;
    }
    HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[0], scope));
    out.push_back(std::move(value));
  }
  scope.names = std::move(outer);
  return Datum(std::move(out));
}

Result<Datum> Elaborator::binary(const Expr& expr, Scope& scope) {
  HAL_TRY_ASSIGN(Datum left, evaluate(*expr.args[0], scope));
  if (expr.text != "and" && expr.text != "or") {
    HAL_TRY_ASSIGN(Datum right, evaluate(*expr.args[1], scope));
    return apply_binary(tensors_, expr.text, left, right);
  }
  HAL_TRY_ASSIGN(bool first, to_bool(left, "the left side of \"" + expr.text + "\""));
  if (first == (expr.text == "or")) return Datum(first);
  HAL_TRY_ASSIGN(Datum right, evaluate(*expr.args[1], scope));
  HAL_TRY_ASSIGN(bool second, to_bool(right, "the right side of \"" + expr.text + "\""));
  return Datum(second);
}

Result<Datum> Elaborator::index(const Expr& expr, Scope& scope) {
  HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[0], scope));
  HAL_TRY_ASSIGN(Datum at, evaluate(*expr.args[1], scope));
  const List* list = value.as_list();
  if (!list) return invalid_argument("only a list has elements [i], not " + kind(value));
  HAL_TRY_ASSIGN(int64_t i, to_int(at, "an index"));
  auto size = static_cast<int64_t>(list->size());
  if (i < -size || i >= size) {
    return invalid_argument("index " + std::to_string(i) + " in a list of " + std::to_string(size));
  }
  return (*list)[static_cast<size_t>(i < 0 ? i + size : i)];
}

Result<Datum> Elaborator::slice(const Expr& expr, Scope& scope) {
  HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[0], scope));
  const List* list = value.as_list();
  if (!list) return invalid_argument("only a list has parts [a:b], not " + kind(value));
  auto size = static_cast<int64_t>(list->size());
  int64_t bounds[2] = {0, size};
  for (size_t i = 0; i < 2; ++i) {
    if (!expr.args[i + 1]) continue;
    HAL_TRY_ASSIGN(Datum at, evaluate(*expr.args[i + 1], scope));
    HAL_TRY_ASSIGN(int64_t bound, to_int(at, "a bound of a slice"));
    bounds[i] = std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
  }
  if (bounds[0] >= bounds[1]) return Datum(List());
  return Datum(List(list->begin() + bounds[0], list->begin() + bounds[1]));
}

Result<Datum> Elaborator::name(const Expr& expr, Scope& scope) {
  auto found = scope.names.find(expr.text);
  if (found != scope.names.end()) return found->second;
  static const Names kConstants = {{"true", true},
                                   {"false", false},
                                   {"none", Datum()},
                                   {"inf", std::numeric_limits<double>::infinity()},
                                   {"nan", std::numeric_limits<double>::quiet_NaN()},
                                   {"pi", std::numbers::pi}};
  if (auto constant = kConstants.find(expr.text); constant != kConstants.end()) return constant->second;
  if (auto dtype = dtype_from(expr.text)) return Datum(*dtype);
  return invalid_argument("\"" + expr.text + "\" has no value here" + suggestion(expr.text, keys(scope.names)));
}

Result<Datum> Elaborator::call(const Expr& expr, Scope& scope) {
  if (const Builtin* builtin = find_builtin(expr.text)) return call_builtin(*builtin, expr, scope);
  if (++depth_ > kMaxCallDepth)
    return invalid_argument("calls nested more than " + std::to_string(kMaxCallDepth) + " deep");
  Result<Datum> result = not_found("no function or operator \"" + expr.text + "\"");
  if (const Function* function = library_.find_function(expr.text)) {
    result = call_function(*function, expr, scope);
  } else if (const OperatorDefinition* definition = library_.find(operator_name(expr.text))) {
    result = call_operator(*definition, expr, scope);
  }
  --depth_;
  return result;
}

Result<Datum> Elaborator::call_builtin(const Builtin& builtin, const Expr& expr, Scope& scope) {
  Call call{tensors_, {}, {}};
  for (const ExprPtr& bracket : expr.brackets) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*bracket, scope));
    call.brackets.push_back(std::move(value));
  }
  for (const ExprPtr& argument : expr.args) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*argument, scope));
    call.args.push_back(std::move(value));
  }
  std::vector<std::string> names = parameter_names(builtin);
  if (call.args.size() < names.size()) call.args.resize(names.size());
  for (const auto& [name, argument] : expr.named) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*argument, scope));
    auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) call.args[static_cast<size_t>(at - names.begin())] = std::move(value);
  }
  return builtin.run(call);
}

Result<Datum> Elaborator::call_function(const Function& function, const Expr& expr, Scope& scope) {
  Scope inner{function.source.get(), {}, std::nullopt, false};
  for (size_t i = 0; i < expr.args.size() && i < function.parameters.size(); ++i) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[i], scope));
    inner.names[function.parameters[i]] = std::move(value);
  }
  HAL_TRY(run_block(function.body, inner));
  if (!inner.returned) return invalid_argument("function " + function.name + " ends without return");
  return *inner.returned;
}

Result<Datum> Elaborator::call_operator(const OperatorDefinition& definition, const Expr& expr, Scope& scope) {
  std::vector<Datum> operands(definition.ports.size());
  Names attributes;
  for (size_t i = 0; i < expr.args.size(); ++i) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*expr.args[i], scope));
    operands[i] = std::move(value);
  }
  for (const auto& [word, argument] : expr.named) {
    HAL_TRY_ASSIGN(Datum value, evaluate(*argument, scope));
    auto port = definition.ports.begin();
    while (port != definition.ports.end() && port->name != word) ++port;
    if (port != definition.ports.end()) {
      operands[static_cast<size_t>(port - definition.ports.begin())] = std::move(value);
    } else {
      attributes[word] = std::move(value);
    }
  }
  HAL_TRY_ASSIGN(std::vector<TensorView> results, run(definition, std::move(operands), attributes));
  if (results.size() == 1) return Datum(results[0]);
  return Datum(List(results.begin(), results.end()));
}

}  // namespace hal::compiler::lang
