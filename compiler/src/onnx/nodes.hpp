// SPDX-License-Identifier: Apache-2.0
//
// Nodes of an ONNX graph -> graph nodes: domains and versions, attributes, Constant nodes, and the expansion of
// model-local functions.
#ifndef HAL_COMPILER_ONNX_NODES_HPP_
#define HAL_COMPILER_ONNX_NODES_HPP_

#include <map>
#include <string>

#include "hal/compiler/graph.hpp"
#include "onnx/tensor_proto.hpp"

namespace hal::compiler {

// The newest version of ONNX's own operators whose meaning the importer was checked against.
inline constexpr int64_t kNewestOpset = 28;

using Opsets = std::map<std::string, int64_t>;  // domain ("onnx" for ONNX's own) -> version

std::string domain_of(const std::string& domain);

// Errors: no version, one below 1, or a newer one than kNewestOpset.
template <typename Proto>
Result<Opsets> opsets_of(const Proto& proto) {
  Opsets opsets;
  for (const auto& set : proto.opset_import()) opsets[domain_of(set.domain())] = set.version();
  for (const auto& [domain, version] : opsets) {
    if (version >= 1 && (domain != "onnx" || version <= kNewestOpset)) continue;
    return unsupported("operator set " + domain + " version " + std::to_string(version) +
                       " is not supported; expected 1 to " + std::to_string(kNewestOpset));
  }
  return opsets;
}

// The value of an attribute. Errors: a type without its value, subgraphs, sparse tensors; they do not name the node.
Result<AttributeValue> attribute_value(const proto::AttributeProto& attribute, const ReadExternal& read_external);

// Appends the nodes to `graph`. Errors name file and node.
Result<void> read_nodes(const proto::ModelProto& model, const Opsets& opsets, const ReadExternal& read_external,
                        graph::Graph& graph);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_ONNX_NODES_HPP_
