// SPDX-License-Identifier: Apache-2.0
//
// If, Loop and Scan by unrolling: which branch, and how many rounds, must be known when the program is compiled. They
// are no operators of the library, since they hold graphs; the portable layer never sees them.
#ifndef HAL_COMPILER_GRAPH_CONTROL_HPP_
#define HAL_COMPILER_GRAPH_CONTROL_HPP_

#include <functional>

#include "hal/compiler/graph.hpp"

namespace hal::compiler::graph {

// Lowers a body once for these formal inputs and returns its outputs.
using RunBody = std::function<Result<std::vector<ValueId>>(const Graph& body, const std::vector<ValueId>& inputs)>;

bool is_control(const Node& node);

// The node's results. `inputs` has nothing for an omitted one.
Result<std::vector<ValueId>> lower_control(const Node& node, const std::vector<std::optional<ValueId>>& inputs,
                                           Builder& builder, const RunBody& run);

}  // namespace hal::compiler::graph

#endif  // HAL_COMPILER_GRAPH_CONTROL_HPP_
