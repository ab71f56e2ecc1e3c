// SPDX-License-Identifier: Apache-2.0
#include "lang/check.hpp"

#include <algorithm>

#include "lang/builtins.hpp"
#include "lang/parser.hpp"

namespace hal::compiler::lang {
namespace {

class Checker {
 public:
  Checker(const OperatorLibrary& library, Diagnostics& diagnostics) : library_(library), diagnostics_(diagnostics) {
    known_ = {"true", "false", "none", "inf", "nan", "pi", "_"};
  }

  void define(const std::string& name) { known_.insert(name); }
  bool knows(const std::string& name) const { return known_.count(name) != 0; }
  void error(Position at, const std::string& message) { diagnostics_.error(at, message); }

  std::string hint(const std::string& name) const {
    return suggestion(name, std::vector<std::string>(known_.begin(), known_.end()));
  }

  void block(const Block& statements) {
    for (const Statement& statement : statements) this->statement(statement);
  }

  void expression(const Expr& expr) {
    if (expr.kind == ExprKind::kName && !knows(expr.text) && !dtype_from(expr.text)) {
      error(expr.at, "unknown name \"" + expr.text + "\"" + hint(expr.text));
    }
    if (expr.kind == ExprKind::kComprehension) return comprehension(expr);
    if (expr.kind == ExprKind::kCall) call(expr);
    if (expr.kind == ExprKind::kIndex && expr.args.size() != 2) {
      error(expr.at, "an index is one value, found " + std::to_string(expr.args.size() - 1));
    }
    for (const ExprPtr& arg : expr.args) {
      if (arg) expression(*arg);
    }
    for (const ExprPtr& bracket : expr.brackets) expression(*bracket);
    for (const auto& [name, arg] : expr.named) expression(*arg);
  }

 private:
  void statement(const Statement& statement) {
    expression(*statement.value);
    if (statement.kind == StatementKind::kCall && statement.value->text != "require") {
      error(statement.at, "the result of " + statement.value->text +
                              " is not used; give it a name: y = " + statement.value->text + "(...)");
    }
    for (const std::string& name : statement.names) define(name);
    block(statement.body);
    block(statement.other);
  }

  void comprehension(const Expr& expr) {
    expression(*expr.args[1]);
    std::set<std::string> outer = known_;
    for (const std::string& name : expr.names) define(name);
    expression(*expr.args[0]);
    if (expr.args.size() == 3) expression(*expr.args[2]);
    known_ = std::move(outer);
  }

  void call(const Expr& expr) {
    if (const Builtin* builtin = find_builtin(expr.text)) return check_builtin(*builtin, expr);
    if (!expr.brackets.empty()) return error(expr.at, "\"" + expr.text + "\" takes no [...]; only reductions do");
    if (const Function* function = library_.find_function(expr.text)) return check_function(*function, expr);
    if (const OperatorDefinition* definition = library_.find(operator_name(expr.text));
        definition && definition->local_name == expr.text) {
      return check_operator(*definition, expr);
    }
    std::vector<std::string> names = builtin_names();
    for (const std::string& name : library_.function_names()) names.push_back(name);
    for (const std::string& name : library_.names()) names.push_back(library_.find(name)->local_name);
    error(expr.at, "unknown function or operator \"" + expr.text + "\"" + suggestion(expr.text, names));
  }

  void check_builtin(const Builtin& builtin, const Expr& expr) {
    std::vector<std::string> names = parameter_names(builtin);
    size_t given = expr.args.size() + expr.named.size();
    for (const auto& [name, value] : expr.named) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        return error(value->at, expr.text + " has no parameter \"" + name + "\"" + suggestion(name, names));
      }
    }
    if (!expr.brackets.empty() && !builtin.brackets)
      return error(expr.at, "\"" + expr.text + "\" takes no [...]; only reductions do");
    if (expr.brackets.empty() && builtin.brackets && !takes_more(builtin))
      return error(expr.at, "\"" + expr.text + "\" needs its axes: " + expr.text + "[axes](x)");
    bool too_many = given > names.size() && !takes_more(builtin);
    if (given < required_parameters(builtin) || too_many) {
      error(expr.at, expr.text + " takes (" + builtin.parameters + "), found " + std::to_string(given) + " arguments");
    }
  }

  void check_function(const Function& function, const Expr& expr) {
    if (!expr.named.empty()) return error(expr.at, "arguments of the function " + expr.text + " have no names");
    if (expr.args.size() == function.parameters.size()) return;
    error(expr.at, expr.text + " takes " + std::to_string(function.parameters.size()) + " arguments, found " +
                       std::to_string(expr.args.size()));
  }

  void check_operator(const OperatorDefinition& definition, const Expr& expr) {
    if (expr.args.size() > definition.ports.size()) {
      return error(expr.at, expr.text + " takes at most " + std::to_string(definition.ports.size()) +
                                " operands, found " + std::to_string(expr.args.size()));
    }
    std::vector<std::string> names;
    for (const Port& port : definition.ports) names.push_back(port.name);
    for (const AttributeDecl& attr : definition.attribute_decls) names.push_back(attr.name);
    for (const auto& [name, value] : expr.named) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      error(value->at, expr.text + " has no operand or attribute \"" + name + "\"" + suggestion(name, names));
    }
  }

  const OperatorLibrary& library_;
  Diagnostics& diagnostics_;
  std::set<std::string> known_;
};

bool is_dtype_attribute(const OperatorDefinition& definition, const std::string& name) {
  for (const AttributeDecl& attr : definition.attribute_decls) {
    if (attr.name == name) return attr.type == AttributeType::kDType;
  }
  return false;
}

void check_dtype(const OperatorDefinition& definition, const Port& port, Checker& checker) {
  if (definition.type_variable(port.dtype) || dtype_from(port.dtype) || is_dtype_attribute(definition, port.dtype))
    return;
  std::vector<std::string> known;
  for (const TypeVariable& type : definition.types) known.push_back(type.name);
#define HAL_ROW(code, NAME, text, kind, bits, exponent, mantissa) known.push_back(text);
  HAL_DTYPE_TABLE(HAL_ROW)
#undef HAL_ROW
  checker.error(port.at, "\"" + port.dtype + "\" is no dtype and no type variable; declare it with: where " +
                             port.dtype + " in floats" + suggestion(port.dtype, known));
}

// Names that parameters bind, in order; expressions in their shapes may use them.
void check_parameter(const Port& port, Checker& checker) {
  size_t lists = 0;
  for (const DimPattern& dim : port.shape.dims) {
    lists += dim.list ? 1 : 0;
    if (dim.value->kind == ExprKind::kName) checker.define(dim.value->text);
    checker.expression(*dim.value);
  }
  if (lists > 1) checker.error(port.at, "a shape has at most one list of axes (..S)");
  checker.define(port.name);
}

template <typename Items>
void check_unique(const Items& items, const char* what, std::set<std::string>& seen, Checker& checker) {
  for (const auto& item : items) {
    if (!seen.insert(item.name).second)
      checker.error(item.at, std::string(what) + " \"" + item.name + "\" is declared twice");
  }
}

void check_samples(const OperatorDefinition& definition, Checker& checker) {
  std::vector<std::string> names;
  for (const Port& port : definition.ports) names.push_back(port.name);
  for (const AttributeDecl& attr : definition.attribute_decls) names.push_back(attr.name);
  for (const TypeVariable& type : definition.types) names.push_back(type.name);
  for (const SampleDecl& sample : definition.sample_decls) {
    for (const SampleEntry& entry : sample.entries) {
      if (std::find(names.begin(), names.end(), entry.name) != names.end()) continue;
      checker.error(entry.at, "sample of \"" + entry.name + "\", which is no operand, attribute or type" +
                                  suggestion(entry.name, names));
    }
  }
}

}  // namespace

void check(const OperatorDefinition& definition, const OperatorLibrary& library, Diagnostics& diagnostics) {
  Checker checker(library, diagnostics);
  std::set<std::string> seen;
  for (const Port& port : definition.ports) {
    if (port.variadic && &port != &definition.ports.back())
      checker.error(port.at, "only the last operand may be variadic");
  }
  check_unique(definition.ports, "parameter", seen, checker);
  check_unique(definition.attribute_decls, "attribute", seen, checker);
  for (const TypeVariable& type : definition.types) checker.define(type.name);
  for (const Port& port : definition.ports) {
    check_dtype(definition, port, checker);
    check_parameter(port, checker);
  }
  for (const AttributeDecl& attr : definition.attribute_decls) {
    if (attr.fallback) checker.expression(*attr.fallback);
    checker.define(attr.name);
  }
  if (definition.tolerance) checker.expression(*definition.tolerance);
  checker.block(definition.body);
  for (const Port& port : definition.results) {
    check_dtype(definition, port, checker);
    if (!checker.knows(port.name))
      checker.error(port.at, "nothing assigns the result \"" + port.name + "\"" + checker.hint(port.name));
    for (const DimPattern& dim : port.shape.dims) checker.expression(*dim.value);
  }
  check_samples(definition, checker);
}

void check(const Function& function, const OperatorLibrary& library, Diagnostics& diagnostics) {
  Checker checker(library, diagnostics);
  for (const std::string& parameter : function.parameters) checker.define(parameter);
  checker.block(function.body);
}

}  // namespace hal::compiler::lang
