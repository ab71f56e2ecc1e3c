// SPDX-License-Identifier: Apache-2.0
#include "hal_compile/input.hpp"

#include <algorithm>
#include <filesystem>

#include "hal/compiler/graph.hpp"
#include "hal/compiler/onnx.hpp"
#include "hal/compiler/tensor_io.hpp"

namespace hal::tools {
namespace {

namespace fs = std::filesystem;
using compiler::OperatorDefinition;
using compiler::OperatorLibrary;

Result<std::vector<std::string>> operator_files(const std::string& path) {
  if (!fs::is_directory(path)) return std::vector{path};
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    if (entry.path().extension() == ".op") files.push_back(entry.path().string());
  }
  if (error) return not_found(path + ": " + error.message());
  if (files.empty()) return not_found(path + ": expected at least one .op file in it");
  std::sort(files.begin(), files.end());
  return files;
}

struct LoadedOperator {
  OperatorLibrary library;
  std::string name;
};

// A text that needs no other one stands alone, so that it may carry the name of a built-in operator.
Result<OperatorLibrary> library_with(const CompileRequest& request, const std::string& text) {
  auto alone = OperatorLibrary::parse({{request.input, text}});
  if (alone) return alone;
  HAL_TRY_ASSIGN(OperatorLibrary library, library_of(request));
  HAL_TRY(library.add(request.input, text));
  return library;
}

Result<LoadedOperator> load_operator(const CompileRequest& request) {
  HAL_TRY_ASSIGN(std::string text, compiler::read_bytes(request.input, 4 << 20));
  HAL_TRY_ASSIGN(OperatorLibrary library, library_with(request, text));
  HAL_TRY_ASSIGN(OperatorLibrary known, library_of(request));
  std::vector<std::string> names;
  bool alone = library.names().size() < known.names().size();
  for (const std::string& name : library.names()) {
    bool is_new = alone || known.find(name) == nullptr;
    bool is_wanted =
        request.operator_name.empty() || name == request.operator_name || name == "mortise." + request.operator_name;
    if (is_new && is_wanted) names.push_back(name);
  }
  if (names.size() == 1) return LoadedOperator{std::move(library), names[0]};
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  if (!names.empty()) return invalid_argument(request.input + ": choose one with --operator: " + list);
  return not_found(request.input + ": defines no operator" +
                   (request.operator_name.empty() ? "" : " " + request.operator_name));
}

Result<compiler::AttributeMap> attributes_of(const CompileRequest& request, const OperatorDefinition& definition) {
  compiler::AttributeMap out;
  for (const std::string& word : request.attributes) {
    HAL_TRY_ASSIGN(auto pair, name_and_value("--attr", word));
    std::string type = "string", known;
    for (const auto& attribute : compiler::attributes(definition)) {
      if (attribute.name == pair.first) type = attribute.type;
    }
    auto value = parse_attribute(type, pair.second);
    if (!value) return invalid_argument("--attr " + word + ": " + value.error().message);
    out[pair.first] = std::move(value).value();
  }
  return out;
}

// Each word goes to the parameter of its name; of a variadic one, to the next place.
Result<void> place(const std::string& option, const std::string& word, const OperatorDefinition& definition,
                   std::vector<compiler::graph::Operand>& operands, compiler::graph::Operand operand,
                   const std::string& name) {
  const auto& ports = compiler::parameters(definition);
  std::string list;
  for (size_t i = 0; i < ports.size(); ++i) {
    list += (list.empty() ? "" : ", ") + ports[i].name;
    if (ports[i].name != name) continue;
    size_t at = ports[i].variadic ? std::max(i, operands.size()) : i;
    if (operands.size() <= at) operands.resize(at + 1);
    operands[at] = std::move(operand);
    return {};
  }
  return invalid_argument(option + " " + word + ": the operator has no input " + name + "; it has " + list);
}

Result<std::vector<compiler::graph::Operand>> operands_of(const CompileRequest& request,
                                                          const OperatorDefinition& definition) {
  std::vector<compiler::graph::Operand> operands;
  for (const std::string& word : request.shapes) {
    HAL_TRY_ASSIGN(auto pair, name_and_value("--shape", word));
    auto type = parse_type(pair.second);
    if (!type) return invalid_argument("--shape " + word + ": " + type.error().message);
    HAL_TRY(place("--shape", word, definition, operands, {std::move(type).value(), std::nullopt}, pair.first));
  }
  for (const std::string& word : request.values) {
    HAL_TRY_ASSIGN(auto pair, name_and_value("--value", word));
    bool is_file = fs::path(pair.second).extension() == ".npy" || fs::path(pair.second).extension() == ".pb";
    auto value = is_file ? compiler::read_tensor(pair.second) : parse_numbers(pair.second);
    if (!value) return Error{value.error().code, "--value " + word + ": " + value.error().message};
    HAL_TRY(place("--value", word, definition, operands, {{}, std::move(value).value()}, pair.first));
  }
  return operands;
}

Result<compiler::Module> operator_module(const CompileRequest& request) {
  HAL_TRY_ASSIGN(LoadedOperator loaded, load_operator(request));
  const OperatorDefinition& definition = *loaded.library.find(loaded.name);
  HAL_TRY_ASSIGN(auto operands, operands_of(request, definition));
  HAL_TRY_ASSIGN(auto attributes, attributes_of(request, definition));
  return compiler::graph::lower_operator(definition, loaded.library, operands, attributes);
}

}  // namespace

Result<OperatorLibrary> library_of(const CompileRequest& request) {
  OperatorLibrary library = OperatorLibrary::builtin();
  for (const std::string& path : request.operators) {
    HAL_TRY_ASSIGN(auto files, operator_files(path));
    for (const std::string& file : files) {
      HAL_TRY_ASSIGN(std::string text, compiler::read_bytes(file, 4 << 20));
      HAL_TRY(library.add(file, text));
    }
  }
  return library;
}

Result<compiler::Module> module_of(const CompileRequest& request, const PrintAfter& print_after) {
  std::string extension = fs::path(request.input).extension().string();
  if (extension == ".op") return operator_module(request);
  if (extension != ".onnx") return invalid_argument(request.input + ": expected a .onnx or .op file");
  HAL_TRY_ASSIGN(OperatorLibrary library, library_of(request));
  compiler::ImportOptions options;
  options.print_after = print_after;
  HAL_TRY_ASSIGN(options.dims, parse_dims(request.dims));
  return compiler::import_onnx_file(request.input, library, options);
}

}  // namespace hal::tools
