// SPDX-License-Identifier: Apache-2.0
//
// ONNX model bytes -> graph.
#include "hal/compiler/onnx.hpp"
#include "onnx/nodes.hpp"
#include "onnx/types.hpp"
#include "onnx/wire.hpp"

namespace hal::compiler {
namespace {

class Reader {
 public:
  Reader(const std::string& file_name, const std::string& folder) : read_external_(external_reader(folder)) {
    graph_.file = file_name;
  }

  Result<graph::Graph> read(std::string_view bytes) {
    if (bytes.size() > kMaxWireBytes)
      return fault("", unsupported("is larger than 2 GiB; keep the weights in external data"));
    if (!parse_wire(bytes, model_))
      return fault("", data_corrupt("not an ONNX model, or cut off: protobuf cannot read it"));
    if (!model_.has_graph()) return fault("", data_corrupt("not an ONNX model: it has no graph"));
    auto opsets = opsets_of(model_);
    if (!opsets) return fault("", std::move(opsets).error());
    if (opsets->empty()) opsets->emplace("onnx", 1);  // IR versions 1 and 2 had no list
    graph_.name = model_.graph().name();
    HAL_TRY(read_initializers());
    HAL_TRY(read_inputs());
    HAL_TRY(read_outputs());
    HAL_TRY(read_nodes(model_, *opsets, read_external_, graph_));
    return std::move(graph_);
  }

 private:
  Error fault(const std::string& what, Error error) const {
    return {error.code, graph_.file + ": " + what + error.message};
  }

  Result<void> read_initializers() {
    auto& from = *model_.mutable_graph();
    if (from.sparse_initializer_size() != 0) {
      const std::string& name = from.sparse_initializer(0).values().name();
      return fault("initializer " + graph::quoted(name) + ": ", unsupported("sparse tensors are not supported"));
    }
    for (auto& initializer : *from.mutable_initializer()) {
      std::string what = "initializer " + graph::quoted(initializer.name()) + ": ";
      auto tensor = tensor_of(initializer, read_external_);
      if (!tensor) return fault(what, std::move(tensor).error());
      if (!graph_.constants.emplace(initializer.name(), std::move(tensor).value()).second) {
        return fault(what, data_corrupt("there are two of this name"));
      }
      initializer.clear_raw_data();  // the weights need not be in memory twice
    }
    return {};
  }

  // Up to IR version 3 each initializer is listed as an input, too.
  Result<void> read_inputs() {
    TypeReader types;
    for (const auto& input : model_.graph().input()) {
      if (graph_.constants.count(input.name()) != 0) continue;
      auto type = types.type_of(input);
      if (!type) return fault("input " + graph::quoted(input.name()) + ": ", std::move(type).error());
      graph_.inputs.push_back({input.name(), std::move(type).value()});
    }
    graph_.symbols = types.symbols();
    return {};
  }

  Result<void> read_outputs() {
    if (model_.graph().output_size() == 0) return fault("", data_corrupt("the graph has no outputs"));
    for (const auto& output : model_.graph().output()) {
      auto dtype = dtype_of_value(output);
      if (!dtype) return fault("output " + graph::quoted(output.name()) + ": ", std::move(dtype).error());
      graph_.outputs.push_back({output.name(), *dtype});
    }
    return {};
  }

  proto::ModelProto model_;
  ReadExternal read_external_;
  graph::Graph graph_;
};

}  // namespace

Result<graph::Graph> read_onnx(std::string_view bytes, const std::string& file_name, const std::string& folder) {
  return Reader(file_name, folder).read(bytes);
}

}  // namespace hal::compiler
