// SPDX-License-Identifier: Apache-2.0
//
// The importer's steps in their order: read, order, fix dimensions, lower, fold.
#include <filesystem>

#include "hal/compiler/onnx.hpp"
#include "hal/compiler/tensor_io.hpp"
#include "onnx/tensor_proto.hpp"
#include "onnx/wire.hpp"

namespace hal::compiler {
namespace {

// ONNX says a dtype by its number. Which attributes are dtypes only the operator's text knows.
Result<void> name_dtypes(graph::Graph& graph, const OperatorLibrary& library) {
  for (graph::Node& node : graph.nodes) {
    for (auto& [name, body] : node.bodies) HAL_TRY(name_dtypes(*body, library));
    const OperatorDefinition* definition = library.find_alias(node.domain, node.op, node.version);
    if (definition == nullptr) continue;
    for (const OperatorAttribute& attribute : attributes(*definition)) {
      auto given = node.attributes.find(attribute.name);
      if (attribute.type != "dtype" || given == node.attributes.end()) continue;
      const auto* number = std::get_if<int64_t>(&given->second);
      if (number == nullptr) continue;  // its type is refused when the attributes are checked
      auto dtype = dtype_of_onnx(static_cast<int32_t>(*number));
      if (!dtype) {
        Error error = std::move(dtype).error();
        return Error{error.code, graph::place(graph, node) + ": attribute " + attribute.name + ": " + error.message};
      }
      given->second = *dtype;
    }
  }
  return {};
}

// Values of inputs that shapes turned out to depend on. False: there is one that nobody gives.
Result<bool> specialise(graph::Graph& graph, const std::set<std::string>& wanted, const ImportOptions& options) {
  std::map<std::string, Tensor> values;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const graph::Input& input = graph.inputs[i];
    if (wanted.count(input.name) == 0) continue;
    auto value = options.value_of ? options.value_of(input.name, i) : std::nullopt;
    if (!value) return false;
    values.emplace(input.name, std::move(*value));
  }
  HAL_TRY(graph::fix_values(graph, values));
  return !values.empty();
}

Result<Module> lower(graph::Graph& graph, const OperatorLibrary& library, const ImportOptions& options) {
  for (;;) {
    std::set<std::string> wanted;
    auto module = graph::lower(graph, library, &wanted);
    if (module || wanted.empty()) return module;
    HAL_TRY_ASSIGN(bool more, specialise(graph, wanted, options));  // each round fixes at least one more input
    if (!more) return module;
  }
}

}  // namespace

Result<Module> import_onnx(std::string_view bytes, const std::string& file_name, const std::string& folder,
                           const OperatorLibrary& library, const ImportOptions& options) {
  HAL_TRY_ASSIGN(graph::Graph graph, read_onnx(bytes, file_name, folder));
  HAL_TRY(graph::fix_dims(graph, options.dims));
  HAL_TRY(graph::order(graph));
  HAL_TRY(name_dtypes(graph, library));
  if (options.print_after) options.print_after("graph", graph::print(graph));
  HAL_TRY_ASSIGN(Module module, lower(graph, library, options));
  return graph::fold_constants(module, options.fold_bytes);
}

Result<Module> import_onnx_file(const std::string& path, const OperatorLibrary& library, const ImportOptions& options) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  HAL_TRY_ASSIGN(std::string bytes, read_bytes(path, kMaxWireBytes));
  return import_onnx(bytes, path, folder.empty() ? "." : folder, library, options);
}

}  // namespace hal::compiler
