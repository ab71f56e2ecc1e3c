// SPDX-License-Identifier: Apache-2.0
//
// The graph as text, for people (`hal-compile --print-after graph`) and for messages.
#include <cctype>
#include <cstdio>

#include "hal/compiler/graph.hpp"
#include "tensor_io/extents.hpp"

namespace hal::compiler::graph {
namespace {

constexpr size_t kMaxShown = 8;  // elements of a list
constexpr size_t kMaxName = 120;

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.9g", value);
  return buffer;
}

std::string shown(int64_t value) { return std::to_string(value); }
std::string shown(double value) { return number(value); }
std::string shown(const std::string& value) { return quoted(value); }
std::string shown(DType value) { return name(value); }
std::string shown(const Tensor& tensor) { return std::string(name(tensor.dtype)) + text(tensor.shape); }

template <typename T>
std::string shown(const std::vector<T>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size() && i < kMaxShown; ++i) out += (i ? ", " : "") + shown(values[i]);
  return out + (values.size() > kMaxShown ? ", ...]" : "]");
}

std::string shown(const AttributeValue& value) {
  return std::visit([](const auto& v) { return shown(v); }, value);
}

std::string value_name(const std::string& name) { return name.empty() ? "_" : "%" + quoted(name); }

template <typename Values, typename Show>
std::string joined(const Values& values, Show show) {
  std::string out;
  for (const auto& value : values) out += (out.empty() ? "" : ", ") + show(value);
  return out;
}

std::string line(const Node& node) {
  std::string out = "  " + joined(node.outputs, value_name) + " = " + node.domain + "." + node.op + "@" +
                    std::to_string(node.version) + "(" + joined(node.inputs, value_name) + ")";
  auto attribute = [](const auto& entry) { return entry.first + ": " + shown(entry.second); };
  if (!node.attributes.empty()) out += " {" + joined(node.attributes, attribute) + "}";
  return out + "  // " + quoted(node.name) + "\n";
}

}  // namespace

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (size_t i = 0; i < name.size() && i < kMaxName; ++i) {
    auto c = static_cast<unsigned char>(name[i]);
    out += c < 0x20 || c == 0x7f || c == '"' ? '?' : name[i];
  }
  return out + (name.size() > kMaxName ? "...\"" : "\"");
}

std::string place(const Graph& graph, const Node& node) {
  auto bare = [](const std::string& name) {
    std::string out = quoted(name);
    return out.substr(1, out.size() - 2);
  };
  return graph.file + ": node " + bare(node.name) + " (" + bare(node.domain) + "." + bare(node.op) + "@" +
         std::to_string(node.version) + ")";
}

std::string print(const Graph& graph) {
  auto input = [](const Input& value) { return value_name(value.name) + ": " + text(value.type); };
  std::string out = "graph " + quoted(graph.name) + " (" + joined(graph.inputs, input) + ") {\n";
  for (const auto& [name, tensor] : graph.constants)
    out += "  " + value_name(name) + " = constant " + shown(tensor) + "\n";
  for (const Node& node : graph.nodes) out += line(node);
  return out + "  return " + joined(graph.outputs, [](const Output& output) { return value_name(output.name); }) +
         "\n}\n";
}

}  // namespace hal::compiler::graph
