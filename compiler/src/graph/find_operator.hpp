// SPDX-License-Identifier: Apache-2.0
//
// The definition of a node's operator, and what can be said when there is none.
#ifndef HAL_COMPILER_GRAPH_FIND_OPERATOR_HPP_
#define HAL_COMPILER_GRAPH_FIND_OPERATOR_HPP_

#include "hal/compiler/graph.hpp"

namespace hal::compiler::graph {

// Errors name the node and the nearest operator, or the versions that there are.
Result<const OperatorDefinition*> find_operator(const Graph& graph, const Node& node, const OperatorLibrary& library);

// Each attribute is one that the operator has, with a value of its type. Errors name both.
Result<void> check_attributes(const std::string& where, const OperatorDefinition& definition,
                              const AttributeMap& given);

}  // namespace hal::compiler::graph

#endif  // HAL_COMPILER_GRAPH_FIND_OPERATOR_HPP_
