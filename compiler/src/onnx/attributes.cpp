// SPDX-License-Identifier: Apache-2.0
#include "onnx/nodes.hpp"

namespace hal::compiler {
namespace {

using Type = proto::AttributeProto;

// Models before IR version 2 may leave the type out; then it is what is there.
int32_t type_of(const proto::AttributeProto& attribute) {
  if (attribute.type() != Type::UNDEFINED) return attribute.type();
  if (attribute.has_f()) return Type::FLOAT;
  if (attribute.has_i()) return Type::INT;
  if (attribute.has_s()) return Type::STRING;
  if (attribute.has_t()) return Type::TENSOR;
  if (attribute.has_g()) return Type::GRAPH;
  if (attribute.floats_size() != 0) return Type::FLOATS;
  if (attribute.ints_size() != 0) return Type::INTS;
  if (attribute.strings_size() != 0) return Type::STRINGS;
  return attribute.tensors_size() != 0 ? Type::TENSORS : Type::UNDEFINED;
}

Error no_value(const char* type) { return data_corrupt(std::string("it says that it is ") + type + ", but has none"); }

Result<AttributeValue> tensor_value(const proto::AttributeProto& attribute, const ReadExternal& read_external) {
  if (!attribute.has_t()) return no_value("a tensor");
  HAL_TRY_ASSIGN(Tensor tensor, tensor_of(attribute.t(), read_external));
  return AttributeValue(std::move(tensor));
}

}  // namespace

Result<AttributeValue> attribute_value(const proto::AttributeProto& attribute, const ReadExternal& read_external) {
  switch (type_of(attribute)) {
    case Type::FLOAT:
      if (!attribute.has_f()) return no_value("a float");
      return AttributeValue(static_cast<double>(attribute.f()));
    case Type::INT:
      if (!attribute.has_i()) return no_value("an int");
      return AttributeValue(attribute.i());
    case Type::STRING:
      if (!attribute.has_s()) return no_value("a string");
      return AttributeValue(attribute.s());
    case Type::TENSOR:
      return tensor_value(attribute, read_external);
    case Type::FLOATS:
      return AttributeValue(std::vector<double>(attribute.floats().begin(), attribute.floats().end()));
    case Type::INTS:
      return AttributeValue(std::vector<int64_t>(attribute.ints().begin(), attribute.ints().end()));
    case Type::STRINGS:
      return AttributeValue(std::vector<std::string>(attribute.strings().begin(), attribute.strings().end()));
    case Type::GRAPH:
    case Type::GRAPHS:
      return unsupported("subgraphs (If, Loop, Scan) are not supported");
    case Type::SPARSE_TENSOR:
    case Type::SPARSE_TENSORS:
      return unsupported("sparse tensors are not supported; expected a dense one");
    case Type::TENSORS:
    case Type::TYPE_PROTO:
    case Type::TYPE_PROTOS:
      return unsupported("lists of tensors and types are not supported");
    default:
      return data_corrupt("attribute type " + std::to_string(attribute.type()) + " is unknown");
  }
}

}  // namespace hal::compiler
