// SPDX-License-Identifier: Apache-2.0
//
// The graph layer: named operators `domain.op@version` over named values, as importers produce it. Only the operator
// library gives the names a meaning; lower() writes that meaning in portable primitives. Not here: file formats.
#ifndef HAL_COMPILER_GRAPH_HPP_
#define HAL_COMPILER_GRAPH_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hal/compiler/operators.hpp"

namespace hal::compiler::graph {

struct Graph;

struct Node {
  std::string domain;  // "onnx", "com.microsoft"
  std::string op;
  int64_t version = 1;
  std::string name;                  // as the model has it, or "#12", its place in the file
  std::vector<std::string> inputs;   // "": an omitted optional input
  std::vector<std::string> outputs;  // "": a result that nobody wants
  AttributeMap attributes;
  // Bodies of If, Loop and Scan by attribute; their inputs are the formal ones, then `captures`.
  std::map<std::string, std::shared_ptr<Graph>> bodies;
  std::vector<std::string> captures;  // values of the graphs around that the bodies use
  // Why it cannot be lowered, found while reading; an error only if the node is needed for an output.
  std::string unsupported;
};

struct Input {
  std::string name;
  TensorType type;
  bool fixed = false;  // its value is among the constants; it stays an input, so that programs keep their signature
};

// A name that the file gives for an output, and what it says of its dtype (kNone: nothing).
struct Output {
  std::string name;
  DType dtype = DType::kNone;
};

struct Graph {
  std::string file;  // for messages
  std::string name;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::map<std::string, Tensor> constants;
  std::vector<Node> nodes;
  std::map<std::string, std::string> symbols;  // what the file calls a dimension -> the symbol
};

// One line a node; constants by type and, if small, by value.
std::string print(const Graph& graph);

// "model.onnx: node conv1 (onnx.Conv@11)", the start of each message about a node.
std::string place(const Graph& graph, const Node& node);

// Drops the nodes that no output needs and sorts the rest so that each comes after what it uses. Errors: a value that
// is made twice, a value that nothing makes (with the nearest name), a cycle (named).
Result<void> order(Graph& graph);

// Fixes dimensions in the types of the inputs. Errors: a name that no input has, an extent below 0.
Result<void> fix_dims(Graph& graph, const std::map<std::string, int64_t>& dims);

// Fixes the value of inputs. Errors: a name that no input has, a tensor that does not fit its type.
Result<void> fix_values(Graph& graph, const std::map<std::string, Tensor>& values);

// A name as messages show it: quoted, shortened, without control characters.
std::string quoted(const std::string& name);

// An ordered graph in portable primitives. Every op's label is "Conv conv1". When it fails because shapes depend on the
// values of inputs, `wanted` gets the names of those inputs. An output whose extent along axis A depends on data is a
// buffer that is large enough; behind the graph's outputs comes its extent, an i64 scalar named "NAME#A".
Result<Module> lower(const Graph& graph, const OperatorLibrary& library, std::set<std::string>* wanted = nullptr);

// What a single operator is given for one parameter: a type, a value that is known when it is compiled, or nothing
// (an omitted optional input: DType::kNone).
struct Operand {
  TensorType type;
  std::optional<Tensor> value;
};

// One operator alone as a module; its inputs are the operands without a value.
Result<Module> lower_operator(const OperatorDefinition& definition, const OperatorLibrary& library,
                              const std::vector<Operand>& operands, const AttributeMap& attributes);

// portable -> portable: values that depend on constants alone are computed by the interpreter, bit for bit, while they
// stay under max_bytes (a broadcast of a scalar stays a broadcast); ops that no result needs are dropped.
Result<Module> fold_constants(const Module& module, uint64_t max_bytes);

}  // namespace hal::compiler::graph

#endif  // HAL_COMPILER_GRAPH_HPP_
