// SPDX-License-Identifier: Apache-2.0
//
// Symbolic dimensions of a graph's inputs, and inputs themselves, get their values.
#include <algorithm>
#include <set>

#include "hal/compiler/graph.hpp"
#include "lang/source.hpp"
#include "tensor_io/extents.hpp"

namespace hal::compiler::graph {
namespace {

std::set<std::string> symbols_of(const Graph& graph) {
  std::set<std::string> out;
  for (const Input& input : graph.inputs) {
    for (const Sym& extent : input.type.shape) out.merge(extent.symbols());
  }
  return out;
}

Error unknown(const Graph& graph, const std::string& dim, const std::set<std::string>& symbols) {
  std::vector<std::string> known(symbols.begin(), symbols.end());
  for (const auto& [name, symbol] : graph.symbols) {
    if (symbols.count(symbol) != 0) known.push_back(name);
  }
  std::string list;
  for (const std::string& symbol : symbols) list += (list.empty() ? "" : ", ") + symbol;
  return invalid_argument(graph.file + ": no input has the dimension " + quoted(dim) + lang::suggestion(dim, known) +
                          (list.empty() ? "; all its dimensions are fixed" : "; it has " + list));
}

}  // namespace

Result<void> fix_dims(Graph& graph, const std::map<std::string, int64_t>& dims) {
  std::set<std::string> symbols = symbols_of(graph);
  std::map<std::string, Sym> values;
  for (const auto& [dim, value] : dims) {
    auto named = graph.symbols.find(dim);
    const std::string& symbol = named == graph.symbols.end() ? dim : named->second;
    if (symbols.count(symbol) == 0) return unknown(graph, dim, symbols);
    if (value < 0 || value > kMaxFileExtent) {
      return invalid_argument("dimension " + quoted(dim) + ": expected 0 to 2^31 - 1, not " + std::to_string(value));
    }
    values[symbol] = value;
  }
  for (Input& input : graph.inputs) {
    for (Sym& extent : input.type.shape) extent = extent.substitute(values);
  }
  return {};
}

// The dimensions of the input follow from the tensor.
Result<void> fix_value(Graph& graph, Input& input, const Tensor& value) {
  TensorType given{value.dtype, Shape(value.shape.begin(), value.shape.end())};
  std::map<std::string, int64_t> dims;
  bool fits = given.dtype == input.type.dtype && given.shape.size() == input.type.shape.size();
  for (size_t i = 0; fits && i < given.shape.size(); ++i) {
    if (input.type.shape[i] == given.shape[i]) continue;
    auto solved = solve(input.type.shape[i], value.shape[i]);
    fits = solved && dims.insert(*solved).first->second == solved->second;
  }
  if (!fits) {
    return invalid_argument(graph.file + ": the value given for input " + quoted(input.name) + " is " + text(given) +
                            "; expected " + text(input.type));
  }
  HAL_TRY(fix_dims(graph, dims));
  graph.constants[input.name] = value;
  input.fixed = true;
  return {};
}

Result<void> fix_values(Graph& graph, const std::map<std::string, Tensor>& values) {
  for (const auto& [name, value] : values) {
    auto input = std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](const Input& i) { return i.name == name; });
    if (input == graph.inputs.end()) return invalid_argument(graph.file + ": there is no input " + quoted(name));
    HAL_TRY(fix_value(graph, *input, value));
  }
  return {};
}

}  // namespace hal::compiler::graph
