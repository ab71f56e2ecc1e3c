// SPDX-License-Identifier: Apache-2.0
//
// OperatorLibrary: parsing, looking up, and instantiating with the values of an importer.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "lang/builtin_texts.hpp"
#include "lang/check.hpp"
#include "lang/elaborator.hpp"
#include "lang/parser.hpp"

namespace hal::compiler {
namespace {

using lang::Datum;
using lang::List;

constexpr size_t kMaxTextBytes = size_t{4} << 20;
constexpr const char* kTypeTexts[] = {"int", "ints", "float", "floats", "string", "strings", "bool", "dtype", "tensor"};

void derive(OperatorDefinition& definition) {
  for (const lang::Port& port : definition.ports) {
    definition.parameter_list.push_back({port.name, port.optional, port.variadic});
  }
  for (const lang::AttributeDecl& attr : definition.attribute_decls) {
    bool required = !attr.optional && !attr.fallback;
    definition.attribute_list.push_back({attr.name, kTypeTexts[static_cast<size_t>(attr.type)], required});
  }
  for (const lang::Port& port : definition.results) definition.result_list.push_back(port.name);
}

template <typename T>
Datum list_of(const std::vector<T>& values) {
  return List(values.begin(), values.end());
}

Datum datum_of(const AttributeValue& value, Builder& builder) {
  struct Visitor {
    Builder& builder;
    Datum operator()(const Tensor& tensor) const { return lang::Tensors(builder).constant(tensor); }
    Datum operator()(const std::vector<int64_t>& values) const { return list_of(values); }
    Datum operator()(const std::vector<double>& values) const { return list_of(values); }
    Datum operator()(const std::vector<std::string>& values) const { return list_of(values); }
    Datum operator()(int64_t number) const { return number; }
    Datum operator()(double number) const { return number; }
    Datum operator()(const std::string& word) const { return word; }
    Datum operator()(DType dtype) const { return dtype; }
  };
  return std::visit(Visitor{builder}, value);
}

std::vector<Datum> operands_by_port(const OperatorDefinition& definition, lang::Tensors& tensors,
                                    const std::vector<std::optional<ValueId>>& operands) {
  std::vector<Datum> out;
  List more;
  bool variadic = !definition.ports.empty() && definition.ports.back().variadic;
  for (size_t i = 0; i < operands.size(); ++i) {
    Datum operand = operands[i] ? Datum(tensors.view(*operands[i])) : Datum();
    if (variadic && i + 1 >= definition.ports.size()) {
      more.push_back(std::move(operand));
    } else {
      out.push_back(std::move(operand));
    }
  }
  if (!variadic) return out;
  out.resize(definition.ports.size());
  out.back() = std::move(more);
  return out;
}

std::string operands_text(const Builder& builder, const std::vector<std::optional<ValueId>>& operands) {
  std::string out;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i == 8) return out + ", ...";
    if (i != 0) out += ", ";
    out += operands[i] ? text(builder.type(*operands[i])) : "-";
  }
  return out;
}

Error named(const OperatorDefinition& definition, const std::string& operands, Error error) {
  return {error.code, definition.full_name + "(" + operands + "): " + error.message};
}

}  // namespace

const OperatorLibrary& OperatorLibrary::builtin() {
  static const OperatorLibrary kLibrary = [] {
    std::vector<std::pair<std::string, std::string>> files;
    for (size_t i = 0; i < lang::kBuiltinTextCount; ++i) {
      files.emplace_back(lang::kBuiltinTexts[i].name,
                         std::string(lang::kBuiltinTexts[i].text, lang::kBuiltinTexts[i].size));
    }
    auto parsed = parse(files);
    if (!parsed) {  // the build's own texts: a mistake of ours, which the tests catch
      std::fprintf(stderr, "%s\n", parsed.error().message.c_str());
      std::abort();
    }
    return std::move(parsed).value();
  }();
  return kLibrary;
}

Result<OperatorLibrary> OperatorLibrary::parse(const std::vector<std::pair<std::string, std::string>>& files) {
  OperatorLibrary library;
  HAL_TRY(library.add_all(files));
  return library;
}

Result<void> OperatorLibrary::add(const std::string& file_name, const std::string& text) {
  OperatorLibrary next = *this;
  HAL_TRY(next.add_all({{file_name, text}}));
  *this = std::move(next);
  return {};
}

// All files are parsed before any is checked: they may refer to each other in any order.
Result<void> OperatorLibrary::add_all(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<lang::ParsedFile> parsed;
  std::vector<lang::Diagnostics> diagnostics;
  diagnostics.reserve(files.size());
  for (const auto& [file_name, text] : files) {
    if (text.size() > kMaxTextBytes) return invalid_argument(file_name + ": an operator text is at most 4 MiB");
    auto source = std::make_shared<const lang::Source>(lang::Source{file_name, text});
    lang::Diagnostics& found = diagnostics.emplace_back(*source);
    parsed.push_back(lang::parse_file(source, found));
    for (const auto& definition : parsed.back().operators) {
      derive(*definition);
      if (definition->full_name.empty()) continue;
      if (!definitions_.emplace(definition->full_name, definition).second) {
        found.error(definition->at, "operator " + definition->local_name + " is defined twice");
      }
    }
    for (const auto& function : parsed.back().functions) {
      if (!functions_.emplace(function->name, function).second) {
        found.error(function->at, "function " + function->name + " is defined twice");
      }
    }
  }
  std::string errors;
  for (size_t i = 0; i < parsed.size(); ++i) {
    for (const auto& definition : parsed[i].operators) {
      if (!definition->full_name.empty())
        lang::check(*definition, *this, diagnostics[i]);  // else its signature is damaged
    }
    for (const auto& function : parsed[i].functions) lang::check(*function, *this, diagnostics[i]);
    if (diagnostics[i].empty()) continue;
    if (!errors.empty()) errors += "\n";
    errors += diagnostics[i].text();
  }
  if (!errors.empty()) return invalid_argument(errors);
  return {};
}

std::vector<std::string> OperatorLibrary::names() const {
  std::vector<std::string> out;
  for (const auto& [name, definition] : definitions_) out.push_back(name);
  return out;
}

std::vector<std::string> OperatorLibrary::function_names() const {
  std::vector<std::string> out;
  for (const auto& [name, function] : functions_) out.push_back(name);
  return out;
}

const OperatorDefinition* OperatorLibrary::find(const std::string& name) const {
  auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : found->second.get();
}

const lang::Function* OperatorLibrary::find_function(const std::string& name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second.get();
}

const OperatorDefinition* OperatorLibrary::find_alias(const std::string& domain, const std::string& name,
                                                      int64_t version) const {
  const OperatorDefinition* best = nullptr;
  int64_t best_version = -1;
  for (const auto& [full_name, definition] : definitions_) {
    for (const OperatorAlias& alias : definition->alias_list) {
      if (alias.domain != domain || alias.name != name) continue;
      if (alias.since_version > version || alias.since_version <= best_version) continue;
      best = definition.get();
      best_version = alias.since_version;
    }
  }
  return best;
}

const std::string& name(const OperatorDefinition& definition) { return definition.full_name; }
const std::vector<OperatorParameter>& parameters(const OperatorDefinition& definition) {
  return definition.parameter_list;
}
const std::vector<std::string>& result_names(const OperatorDefinition& definition) { return definition.result_list; }
const std::vector<OperatorAttribute>& attributes(const OperatorDefinition& definition) {
  return definition.attribute_list;
}
const std::vector<OperatorAlias>& aliases(const OperatorDefinition& definition) { return definition.alias_list; }
std::string documentation(const OperatorDefinition& definition) { return definition.doc; }

Result<std::vector<ValueId>> instantiate(const OperatorDefinition& definition, Builder& builder,
                                         const std::vector<std::optional<ValueId>>& operands,
                                         const AttributeMap& attributes, const OperatorLibrary& library) {
  lang::Elaborator elaborator(builder, library);
  lang::Names values;
  for (const auto& [name, value] : attributes) values[name] = datum_of(value, builder);
  std::string types = operands_text(builder, operands);
  auto results = elaborator.run(definition, operands_by_port(definition, elaborator.tensors(), operands), values);
  if (!results) return named(definition, types, std::move(results).error());
  std::vector<ValueId> out;
  for (const lang::TensorView& result : *results) {
    auto id = elaborator.tensors().store(result);
    if (!id) return named(definition, types, std::move(id).error());
    out.push_back(*id);
  }
  return out;
}

Result<OperatorTolerance> tolerance(const OperatorDefinition& definition, const std::vector<TensorType>& inputs,
                                    const AttributeMap& attributes, const OperatorLibrary& library) {
  OperatorTolerance out{definition.tolerance_class, 0};
  if (!definition.tolerance) return out;
  Builder builder("tolerance");
  std::vector<std::optional<ValueId>> operands;
  for (const TensorType& input : inputs) {
    bool omitted = input.dtype == DType::kNone;
    operands.push_back(omitted
                           ? std::nullopt
                           : std::optional<ValueId>(builder.parameter("p" + std::to_string(operands.size()), input)));
  }
  lang::Elaborator elaborator(builder, library);
  lang::Names values;
  for (const auto& [name, value] : attributes) values[name] = datum_of(value, builder);
  std::vector<Datum> ports = operands_by_port(definition, elaborator.tensors(), operands);
  HAL_TRY_ASSIGN(lang::Scope scope, elaborator.bind(definition, ports, values));
  HAL_TRY_ASSIGN(Datum bound, elaborator.evaluate(*definition.tolerance, scope));
  HAL_TRY_ASSIGN(out.bound, lang::to_float(bound, "the tolerance"));
  return out;
}

}  // namespace hal::compiler
