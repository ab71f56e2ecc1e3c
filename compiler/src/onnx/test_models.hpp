// SPDX-License-Identifier: Apache-2.0
//
// Small ONNX models for tests, built message by message.
#ifndef HAL_COMPILER_ONNX_TEST_MODELS_HPP_
#define HAL_COMPILER_ONNX_TEST_MODELS_HPP_

#include <string>
#include <vector>

#include "onnx/tensor_proto.hpp"

namespace hal::compiler {

inline void add_value(proto::ValueInfoProto& value, const std::string& name, const std::vector<std::string>& dims) {
  value.set_name(name);
  auto* type = value.mutable_type()->mutable_tensor_type();
  type->set_elem_type(1);
  type->mutable_shape();
  for (const std::string& dim : dims) {
    auto* to = type->mutable_shape()->add_dim();
    bool is_number = !dim.empty() && dim.find_first_not_of("-0123456789") == std::string::npos;
    is_number ? to->set_dim_value(std::stoll(dim)) : to->set_dim_param(dim);
  }
}

class TestModel {
 public:
  explicit TestModel(int64_t opset = 18) {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(opset);
    graph().set_name("test");
  }

  proto::ModelProto& proto() { return model_; }
  proto::GraphProto& graph() { return *model_.mutable_graph(); }

  TestModel& input(const std::string& name, const std::vector<std::string>& dims) {
    add_value(*graph().add_input(), name, dims);
    return *this;
  }
  TestModel& output(const std::string& name) {
    graph().add_output()->set_name(name);
    return *this;
  }
  TestModel& initializer(const std::string& name, const Tensor& tensor) {
    *graph().add_initializer() = proto_of(tensor, name);
    return *this;
  }
  proto::NodeProto& node(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs) {
    auto& node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string& value : inputs) node.add_input(value);
    for (const std::string& value : outputs) node.add_output(value);
    return node;
  }
  std::string bytes() const { return model_.SerializeAsString(); }

 private:
  proto::ModelProto model_;
};

inline void set_int(proto::NodeProto& node, const std::string& name, int64_t value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(proto::AttributeProto::INT);
  attribute.set_i(value);
}

}  // namespace hal::compiler

#endif  // HAL_COMPILER_ONNX_TEST_MODELS_HPP_
