// SPDX-License-Identifier: Apache-2.0
//
// The ONNX importer: model bytes -> graph -> portable module, through the operator library's aliases. What it knows of
// an operator is what the operator's text says. A model is not trusted: whatever its bytes are, the result is a module
// or an error of one or two lines that names file, node, operator, version, attribute and what was expected.
#ifndef HAL_COMPILER_ONNX_HPP_
#define HAL_COMPILER_ONNX_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hal/compiler/graph.hpp"
#include "hal/compiler/operators.hpp"

namespace hal::compiler {

struct ImportOptions {
  std::map<std::string, int64_t> dims;      // symbolic dimensions that are fixed: by dim_param or by symbol
  uint64_t fold_bytes = uint64_t{4} << 20;  // constant subgraphs are folded while each value stays under this
  // The value of an input (its name, its place among the inputs), asked for only where shapes depend on it. The module
  // is right for these values alone; its signature is the model's.
  std::function<std::optional<Tensor>(const std::string& input, size_t index)> value_of;
  // Called with the printed graph, once it is ordered: pass "graph". What follows, compile() prints.
  std::function<void(const std::string& pass, const std::string& text)> print_after;
};

// Model-local functions are expanded, Constant nodes and initialisers are constants; an initialiser wins over a graph
// input of its name. `folder` is where external data lies; "": external data is an error.
Result<graph::Graph> read_onnx(std::string_view bytes, const std::string& file_name, const std::string& folder);

Result<Module> import_onnx(std::string_view bytes, const std::string& file_name, const std::string& folder,
                           const OperatorLibrary& library, const ImportOptions& options);
Result<Module> import_onnx_file(const std::string& path, const OperatorLibrary& library, const ImportOptions& options);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_ONNX_HPP_
