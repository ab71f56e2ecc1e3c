// SPDX-License-Identifier: Apache-2.0
#include "graph/find_operator.hpp"

#include <algorithm>
#include <set>

#include "lang/source.hpp"

namespace hal::compiler::graph {
namespace {

const OperatorAttribute* find_attribute(const OperatorDefinition& definition, const std::string& wanted) {
  for (const OperatorAttribute& attribute : attributes(definition)) {
    if (attribute.name == wanted) return &attribute;
  }
  return nullptr;
}

Error no_operator(const Graph& graph, const Node& node, const OperatorLibrary& library) {
  std::set<std::string> operators;
  std::set<int64_t> versions;
  for (const std::string& known : library.names()) {
    for (const OperatorAlias& alias : aliases(*library.find(known))) {
      if (alias.domain != node.domain) continue;
      operators.insert(alias.name);
      if (alias.name == node.op) versions.insert(alias.since_version);
    }
  }
  std::string where = place(graph, node) + ": ";
  if (!versions.empty()) {
    return unsupported(where + "version " + std::to_string(node.version) + " of " + node.op +
                       " is not supported; expected " + std::to_string(*versions.begin()) + " or newer");
  }
  std::string suggestion = lang::suggestion(node.op, {operators.begin(), operators.end()});
  if (operators.empty()) suggestion = "; no operator of the domain " + quoted(node.domain) + " is known";
  return unsupported(where + "unknown operator " + quoted(node.op) + suggestion);
}

constexpr const char* kKinds[] = {"an int", "a float", "a string", "ints", "floats", "strings", "a tensor", "a dtype"};

// Which kinds of AttributeValue an attribute of this type takes; a whole number is a float, too.
bool takes(const std::string& type, const AttributeValue& value) {
  bool is_int = std::holds_alternative<int64_t>(value);
  if (type == "int" || type == "bool") return is_int;
  if (type == "float") return is_int || std::holds_alternative<double>(value);
  if (type == "string") return std::holds_alternative<std::string>(value);
  bool are_ints = std::holds_alternative<std::vector<int64_t>>(value);
  if (type == "ints") return are_ints;
  if (type == "floats") return are_ints || std::holds_alternative<std::vector<double>>(value);
  if (type == "strings") return std::holds_alternative<std::vector<std::string>>(value);
  if (type == "tensor") return std::holds_alternative<Tensor>(value);
  return type == "dtype" && std::holds_alternative<DType>(value);
}

}  // namespace

Result<const OperatorDefinition*> find_operator(const Graph& graph, const Node& node, const OperatorLibrary& library) {
  const OperatorDefinition* found = library.find_alias(node.domain, node.op, node.version);
  if (found == nullptr) return no_operator(graph, node, library);
  return found;
}

Result<void> check_attributes(const std::string& where, const OperatorDefinition& definition,
                              const AttributeMap& given) {
  for (const auto& [name, value] : given) {
    const OperatorAttribute* known = find_attribute(definition, name);
    if (known == nullptr) {
      std::vector<std::string> names;
      for (const OperatorAttribute& attribute : attributes(definition)) names.push_back(attribute.name);
      return unsupported(where + ": attribute " + quoted(name) + " is not supported" + lang::suggestion(name, names));
    }
    if (!takes(known->type, value)) {
      return invalid_argument(where + ": attribute " + name + ": expected " + known->type + ", not " +
                              kKinds[value.index()]);
    }
  }
  for (const OperatorAttribute& attribute : attributes(definition)) {
    if (!attribute.required || given.count(attribute.name) != 0) continue;
    return invalid_argument(where + ": attribute " + attribute.name + " (" + attribute.type +
                            ") is missing and has no default");
  }
  return {};
}

}  // namespace hal::compiler::graph
