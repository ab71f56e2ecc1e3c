// SPDX-License-Identifier: Apache-2.0
#include "onnx/nodes.hpp"

#include <set>

#include "onnx/tensor_proto.hpp"

namespace hal::compiler {
namespace {

constexpr int kMaxCallDepth = 32;
constexpr size_t kMaxNodes = 1'000'000;        // after expansion: functions that call functions grow fast
constexpr size_t kMaxAttributes = 16'000'000;  // and so do their attributes

using Attributes = std::map<std::string, const proto::AttributeProto*>;

// Where nodes stand: at the top, or in a function that is expanded for one call.
struct Scope {
  const Opsets& opsets;
  bool is_function = false;
  std::string prefix;                        // of names that are local to the call
  std::map<std::string, std::string> names;  // formal -> actual
  Attributes attributes;                     // of the call, with the function's defaults
  int depth = 0;

  std::string resolve(const std::string& name) const {
    if (name.empty() || !is_function) return name;
    auto found = names.find(name);
    return found == names.end() ? prefix + name : found->second;
  }
};

std::string function_key(const std::string& domain, const std::string& name, const std::string& overload) {
  return domain_of(domain) + "\n" + name + "\n" + overload;
}

class NodeReader {
 public:
  NodeReader(const proto::ModelProto& model, const ReadExternal& read_external, graph::Graph& graph)
      : read_external_(read_external), graph_(graph) {
    for (const auto& function : model.functions()) {
      functions_[function_key(function.domain(), function.name(), function.overload())] = &function;
    }
  }

  template <typename Nodes>
  Result<void> read(const Nodes& nodes, const Scope& scope) {
    int index = 0;
    for (const proto::NodeProto& from : nodes) {
      graph::Node node = header(from, scope, index++);
      if (++count_ > kMaxNodes) return unsupported(graph_.file + ": more than a million nodes");
      auto done = read(from, std::move(node), scope);
      if (!done) return done;
    }
    return {};
  }

 private:
  graph::Node header(const proto::NodeProto& from, const Scope& scope, int index) const {
    graph::Node node;
    node.domain = domain_of(from.domain());
    node.op = from.op_type();
    node.name = scope.prefix + (from.name().empty() ? "#" + std::to_string(index) : from.name());
    auto version = scope.opsets.find(node.domain);
    node.version = version == scope.opsets.end() ? 0 : version->second;
    for (const std::string& input : from.input()) node.inputs.push_back(scope.resolve(input));
    for (const std::string& output : from.output()) node.outputs.push_back(scope.resolve(output));
    return node;
  }

  Error fault(const graph::Node& node, const std::string& what, Error error) const {
    return {error.code, graph::place(graph_, node) + ": " + what + error.message};
  }

  Result<void> read(const proto::NodeProto& from, graph::Node node, const Scope& scope) {
    auto attributes = resolve(from, scope);
    if (!attributes) return fault(node, "", std::move(attributes).error());
    auto function = functions_.find(function_key(from.domain(), from.op_type(), from.overload()));
    if (function != functions_.end()) return expand(*function->second, node, *attributes, scope);
    if (node.version == 0) {
      return fault(node, "",
                   data_corrupt("the model imports no version of the operator set " + graph::quoted(node.domain)));
    }
    for (const auto& [name, attribute] : *attributes) {
      if (attribute->has_g()) {
        HAL_TRY(body(name, attribute->g(), node, scope));
        continue;
      }
      auto value = attribute_value(*attribute, read_external_);
      std::string what = "attribute " + graph::quoted(name) + ": ";
      if (value) {
        node.attributes[name] = std::move(value).value();
      } else if (value.error().code == HAL_STATUS_UNSUPPORTED) {
        node.unsupported = what + value.error().message;
      } else {
        return fault(node, what, std::move(value).error());
      }
    }
    if (node.domain == "onnx" && node.op == "Constant") return constant(std::move(node));
    graph_.nodes.push_back(std::move(node));
    return {};
  }

  // A subgraph: what it uses and does not make itself comes from the graphs around it, and is an input more.
  Result<void> body(const std::string& name, const proto::GraphProto& from, graph::Node& node, const Scope& scope) {
    if (scope.depth == kMaxCallDepth) return fault(node, "", unsupported("subgraphs nested more than 32 deep"));
    auto made = std::make_shared<graph::Graph>();
    made->file = graph_.file;
    for (const auto& initializer : from.initializer()) {
      auto tensor = tensor_of(initializer, read_external_);
      if (!tensor) return fault(node, graph::quoted(initializer.name()) + ": ", std::move(tensor).error());
      made->constants[scope.resolve(initializer.name())] = std::move(*tensor);
    }
    for (const auto& input : from.input()) made->inputs.push_back({scope.resolve(input.name()), {}});
    for (const auto& output : from.output()) made->outputs.push_back({scope.resolve(output.name()), DType::kNone});
    Scope inner = scope;
    inner.prefix += node.name + "/";
    inner.depth = scope.depth + 1;
    if (scope.is_function) inner.prefix = scope.prefix;
    NodeReader reader(*this, *made);
    HAL_TRY(reader.read(from.node(), inner));
    count_ = reader.count_;
    attribute_count_ = reader.attribute_count_;
    capture(*made, node);
    HAL_TRY(graph::order(*made));
    node.bodies[name] = std::move(made);
    return {};
  }

  static void capture(graph::Graph& body, graph::Node& node) {
    std::set<std::string> known, wanted;
    for (const auto& [name, tensor] : body.constants) known.insert(name);
    for (const auto& input : body.inputs) known.insert(input.name);
    for (const auto& inner : body.nodes) {
      known.insert(inner.outputs.begin(), inner.outputs.end());
      wanted.insert(inner.inputs.begin(), inner.inputs.end());
      wanted.insert(inner.captures.begin(), inner.captures.end());
    }
    for (const auto& output : body.outputs) wanted.insert(output.name);
    for (const std::string& name : wanted) {
      if (name.empty() || known.count(name) != 0) continue;
      body.inputs.push_back({name, {}});
      node.captures.push_back(name);
    }
  }

  NodeReader(const NodeReader& outer, graph::Graph& graph)
      : read_external_(outer.read_external_),
        graph_(graph),
        functions_(outer.functions_),
        count_(outer.count_),
        attribute_count_(outer.attribute_count_) {}

  // The node's attributes, with references to the call's attributes followed; one that was not given is left out.
  Result<Attributes> resolve(const proto::NodeProto& from, const Scope& scope) {
    Attributes out;
    for (const proto::AttributeProto& attribute : from.attribute()) {
      if (++attribute_count_ > kMaxAttributes) return unsupported("too many attributes");
      const proto::AttributeProto* value = &attribute;
      if (!attribute.ref_attr_name().empty()) {
        auto given = scope.attributes.find(attribute.ref_attr_name());
        if (given == scope.attributes.end()) continue;
        value = given->second;
      }
      if (out.emplace(attribute.name(), value).second) continue;
      return data_corrupt("attribute " + graph::quoted(attribute.name()) + " is given twice");
    }
    return out;
  }

  Result<void> expand(const proto::FunctionProto& function, const graph::Node& call, const Attributes& given,
                      const Scope& scope) {
    if (scope.depth == kMaxCallDepth) {
      return fault(call, "", unsupported("functions call each other more than 32 deep; recursion is not supported"));
    }
    auto opsets = opsets_of(function);
    if (!opsets) return fault(call, "", std::move(opsets).error());
    Scope inner{*opsets, true, call.name + "/", {}, {}, scope.depth + 1};
    for (const auto& fallback : function.attribute_proto()) inner.attributes[fallback.name()] = &fallback;
    for (const auto& [name, value] : given) inner.attributes[name] = value;
    HAL_TRY(bind("inputs", function.input(), call.inputs, call, inner));
    HAL_TRY(bind("outputs", function.output(), call.outputs, call, inner));
    return read(function.node(), inner);
  }

  template <typename Formals>
  Result<void> bind(const char* what, const Formals& formals, const std::vector<std::string>& actuals,
                    const graph::Node& call, Scope& inner) const {
    if (actuals.size() > static_cast<size_t>(formals.size())) {
      return fault(call, "",
                   data_corrupt("expected at most " + std::to_string(formals.size()) + " " + what + ", not " +
                                std::to_string(actuals.size())));
    }
    bool inputs = &actuals == &call.inputs;
    for (size_t i = 0; i < static_cast<size_t>(formals.size()); ++i) {
      const std::string& formal = formals.Get(static_cast<int>(i));
      std::string actual = i < actuals.size() ? actuals[i] : "";
      if (actual.empty() && !inputs) continue;  // nobody wants it: a local name
      inner.names[formal] = actual;
    }
    return {};
  }

  // Constant is no operator: its value becomes a constant of the graph.
  Result<void> constant(graph::Node node) {
    if (node.outputs.size() != 1 || node.attributes.size() + (node.unsupported.empty() ? 0 : 1) != 1) {
      return fault(node, "", data_corrupt("expected one output and one attribute that holds the value"));
    }
    if (!node.unsupported.empty()) {
      graph_.nodes.push_back(std::move(node));
      return {};
    }
    const AttributeValue& value = node.attributes.begin()->second;
    std::optional<Tensor> tensor = constant_tensor(value);
    if (!tensor) {
      node.unsupported = "constants of strings are not supported";
      graph_.nodes.push_back(std::move(node));
      return {};
    }
    if (graph_.constants.emplace(node.outputs[0], std::move(*tensor)).second) return {};
    return fault(node, "", data_corrupt("its output " + graph::quoted(node.outputs[0]) + " is made twice"));
  }

  static std::optional<Tensor> constant_tensor(const AttributeValue& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) return *tensor;
    if (const auto* i = std::get_if<int64_t>(&value)) return Tensor::of<int64_t>(DType::kI64, {}, std::vector{*i});
    if (const auto* f = std::get_if<double>(&value)) {
      return Tensor::of<float>(DType::kF32, {}, std::vector{static_cast<float>(*f)});
    }
    if (const auto* is = std::get_if<std::vector<int64_t>>(&value)) {
      return Tensor::of<int64_t>(DType::kI64, {static_cast<int64_t>(is->size())}, *is);
    }
    if (const auto* fs = std::get_if<std::vector<double>>(&value)) {
      std::vector<float> floats(fs->begin(), fs->end());
      return Tensor::of<float>(DType::kF32, {static_cast<int64_t>(fs->size())}, floats);
    }
    return std::nullopt;
  }

  const ReadExternal& read_external_;
  graph::Graph& graph_;
  std::map<std::string, const proto::FunctionProto*> functions_;
  size_t count_ = 0, attribute_count_ = 0;
};

}  // namespace

std::string domain_of(const std::string& domain) { return domain.empty() || domain == "ai.onnx" ? "onnx" : domain; }

Result<void> read_nodes(const proto::ModelProto& model, const Opsets& opsets, const ReadExternal& read_external,
                        graph::Graph& graph) {
  return NodeReader(model, read_external, graph).read(model.graph().node(), Scope{opsets, false, {}, {}, {}, 0});
}

}  // namespace hal::compiler
