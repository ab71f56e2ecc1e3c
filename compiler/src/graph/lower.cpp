// SPDX-License-Identifier: Apache-2.0
//
// graph -> portable: each node becomes its operator's primitives, in one builder, so that shape arithmetic folds.
#include <algorithm>

#include "graph/control.hpp"
#include "graph/find_operator.hpp"
#include "hal/compiler/graph.hpp"
#include "tensor_io/extents.hpp"

namespace hal::compiler::graph {
namespace {

constexpr size_t kMaxOps = 1'000'000;

// Symbols are extents of at least 1: an extent that may be 0 forbids too much arithmetic (the -1 of Reshape).
void set_ranges(Builder& builder, const TensorType& type) {
  for (const Sym& extent : type.shape) {
    for (const std::string& symbol : extent.symbols()) builder.ranges().set(symbol, {Sym(1), Sym(kMaxFileExtent)});
  }
}

// The bytes of what is static in the shape; a damaged shape is found here and not when memory is asked for.
Result<void> check_size(const TensorType& type) {
  std::vector<int64_t> extents;
  for (const Sym& extent : type.shape) extents.push_back(extent.constant().value_or(1));
  std::string why;
  if (checked_bytes(type.dtype, extents, &why)) return {};
  return invalid_argument(text(type) + ": " + why);
}

// Two lines are enough for who has a model: what is wrong, and the line of the operator's text that refused.
Error at(const std::string& where, Error error) {
  size_t second = error.message.find('\n');
  if (second != std::string::npos)
    error.message.resize(std::min(error.message.find('\n', second + 1), error.message.size()));
  return {error.code, where + ": " + error.message};
}

class Lowerer {
 public:
  Lowerer(const Graph& graph, const OperatorLibrary& library)
      : graph_(graph), library_(library), builder_(graph.name.empty() ? "main" : graph.name) {}

  Result<Module> run() {
    for (const Input& input : graph_.inputs) {
      auto checked = check_size(input.type);
      if (!checked) return at(graph_.file + ": input " + quoted(input.name), std::move(checked).error());
      set_ranges(builder_, input.type);
      ValueId parameter = builder_.parameter(input.name, input.type);
      if (!input.fixed) values_[input.name] = parameter;
    }
    for (const Node& node : graph_.nodes) {
      auto lowered = lower(node);
      if (!lowered) return at(place(graph_, node), std::move(lowered).error());
    }
    return finish();
  }

  const std::set<std::string>& wanted() const { return builder_.wanted(); }

 private:
  Result<void> lower(const Node& node) {
    if (!node.unsupported.empty()) return unsupported(node.unsupported);
    std::vector<std::optional<ValueId>> operands;
    for (const std::string& input : node.inputs) {
      operands.push_back(input.empty() ? std::nullopt : std::optional<ValueId>(value(input)));
    }
    if (is_control(node)) return control(node, operands);
    const OperatorDefinition& definition = *library_.find_alias(node.domain, node.op, node.version);
    AttributeMap attributes = node.attributes;
    add_output_count(definition, node, attributes);
    builder_.set_label(node.op + " " + node.name);
    HAL_TRY_ASSIGN(auto results, instantiate(definition, builder_, operands, attributes, library_));
    return name_results(node, results);
  }

  Result<void> control(const Node& node, const std::vector<std::optional<ValueId>>& operands) {
    for (const std::string& name : node.captures) value(name);  // constants of the graph around become values
    RunBody run = [&](const Graph& body, const std::vector<ValueId>& inputs) { return run_body(body, inputs); };
    HAL_TRY_ASSIGN(auto results, lower_control(node, operands, builder_, run));
    return name_results(node, results);
  }

  // Names of the body hide those around it while it is lowered.
  Result<std::vector<ValueId>> run_body(const Graph& body, const std::vector<ValueId>& inputs) {
    std::map<std::string, ValueId> around = values_;
    if (inputs.size() > body.inputs.size()) return data_corrupt("the body has too few inputs");
    if (builder_.module().function.ops.size() > kMaxOps)
      return unsupported("loops that unroll to more than a million ops");
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      const std::string& name = body.inputs[i].name;
      if (i < inputs.size()) {
        values_[name] = inputs[i];
      } else if (values_.count(name) == 0) {
        return data_corrupt("the body's input " + quoted(name) + " gets no value");
      }
    }
    for (const auto& [name, tensor] : body.constants) values_[name] = builder_.constant(tensor);
    for (const Node& node : body.nodes) {
      auto lowered = lower(node);
      if (!lowered) return at(place(graph_, node), std::move(lowered).error());
    }
    std::vector<ValueId> out;
    for (const Output& output : body.outputs) out.push_back(values_.at(output.name));
    values_ = std::move(around);
    return out;
  }

  // An operator that splits must know into how many, one with costly results which are wanted; in a graph that may
  // stand nowhere but in the node's results.
  static void add_output_count(const OperatorDefinition& definition, const Node& node, AttributeMap& attributes) {
    size_t wanted = node.outputs.size();
    while (wanted > 0 && node.outputs[wanted - 1].empty()) --wanted;
    for (const OperatorAttribute& attribute : compiler::attributes(definition)) {
      if (attribute.name == "num_outputs")
        attributes.emplace(attribute.name, static_cast<int64_t>(node.outputs.size()));
      if (attribute.name == "result_count") attributes.emplace(attribute.name, static_cast<int64_t>(wanted));
    }
  }

  Result<void> name_results(const Node& node, const std::vector<ValueId>& results) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (node.outputs[i].empty()) continue;
      if (i >= results.size()) {
        return unsupported("output " + std::to_string(i) + " (" + quoted(node.outputs[i]) +
                           ") is not supported; the operator gives " + std::to_string(results.size()));
      }
      HAL_TRY(check_size(builder_.type(results[i])));
      values_[node.outputs[i]] = results[i];
    }
    return {};
  }

  // order() has made sure that the name is known.
  ValueId value(const std::string& name) {
    auto found = values_.find(name);
    if (found != values_.end()) return found->second;
    builder_.set_label("constant " + name);
    return values_[name] = builder_.constant(graph_.constants.at(name));
  }

  Result<Module> finish() {
    std::vector<ValueId> results;
    std::vector<std::string> names;
    for (const Output& output : graph_.outputs) {
      ValueId result = value(output.name);
      DType dtype = builder_.type(result).dtype;
      if (output.dtype != DType::kNone && output.dtype != dtype) {
        return data_corrupt(graph_.file + ": output " + quoted(output.name) + " is declared as " + name(output.dtype) +
                            ", but the graph makes " + text(builder_.type(result)));
      }
      results.push_back(result);
      names.push_back(output.name);
    }
    name_counts(results, names);
    auto module = builder_.finish(std::move(results), std::move(names));
    if (!module) return at(graph_.file, std::move(module).error());
    return module;
  }

  // Extents that depend on data are results of their own, behind the model's: "y#1" is the extent of axis 1 of y.
  void name_counts(std::vector<ValueId>& results, std::vector<std::string>& names) const {
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const std::vector<Bound>* bounds = builder_.bounds(results[i]);
      if (!bounds) continue;
      for (const Bound& bound : *bounds) {
        results.push_back(bound.count);
        names.push_back(names[i] + "#" + std::to_string(bound.axis));
      }
    }
  }

  const Graph& graph_;
  const OperatorLibrary& library_;
  Builder builder_;
  std::map<std::string, ValueId> values_;
};

// All nodes are looked up before the first is lowered: the first unknown operator should not hide behind a shape.
Result<void> check_operators(const Graph& graph, const OperatorLibrary& library) {
  for (const Node& node : graph.nodes) {
    if (!node.unsupported.empty()) return unsupported(place(graph, node) + ": " + node.unsupported);
    for (const auto& [name, body] : node.bodies) HAL_TRY(check_operators(*body, library));
    if (is_control(node)) continue;
    if (!node.bodies.empty())
      return unsupported(place(graph, node) + ": subgraphs are known of If, Loop and Scan only");
    HAL_TRY_ASSIGN(const OperatorDefinition* definition, find_operator(graph, node, library));
    HAL_TRY(check_attributes(place(graph, node), *definition, node.attributes));
  }
  return {};
}

}  // namespace

Result<Module> lower(const Graph& graph, const OperatorLibrary& library, std::set<std::string>* wanted) {
  HAL_TRY(check_operators(graph, library));
  Lowerer lowerer(graph, library);
  auto module = lowerer.run();
  if (wanted) *wanted = lowerer.wanted();
  return module;
}

Result<Module> lower_operator(const OperatorDefinition& definition, const OperatorLibrary& library,
                              const std::vector<Operand>& operands, const AttributeMap& attributes) {
  HAL_TRY(check_attributes(name(definition), definition, attributes));
  const auto& ports = parameters(definition);
  Builder builder(name(definition));
  std::vector<std::optional<ValueId>> values;
  for (size_t i = 0; i < operands.size(); ++i) {  // parameters first, the builder wants them so
    const auto& [type, value] = operands[i];
    values.emplace_back();
    if (value || type.dtype == DType::kNone) continue;
    HAL_TRY(check_size(type));
    set_ranges(builder, type);
    bool variadic = !ports.empty() && ports.back().variadic && i + 1 >= ports.size();
    std::string name = i < ports.size() ? ports[i].name : variadic ? ports.back().name : "operand";
    if (variadic || i >= ports.size()) name += "_" + std::to_string(i);
    values.back() = builder.parameter(std::move(name), type);
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].value) values[i] = builder.constant(*operands[i].value);
  }
  builder.set_label(name(definition));
  HAL_TRY_ASSIGN(auto results, instantiate(definition, builder, values, attributes, library));
  std::vector<std::string> names = result_names(definition);
  while (names.size() < results.size()) names.push_back(names.back() + "_" + std::to_string(names.size()));
  names.resize(results.size());
  return builder.finish(std::move(results), std::move(names));
}

}  // namespace hal::compiler::graph
