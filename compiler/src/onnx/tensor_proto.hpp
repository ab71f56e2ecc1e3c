// SPDX-License-Identifier: Apache-2.0
//
// ONNX's TensorProto and Tensor, both ways. Not here: files (external data come as a function).
#ifndef HAL_COMPILER_ONNX_TENSOR_PROTO_HPP_
#define HAL_COMPILER_ONNX_TENSOR_PROTO_HPP_

#include <functional>
#include <string>

#include "hal/compiler/tensor.hpp"
#include "hal/cxx/result.hpp"
#include "onnx/onnx.pb.h"

namespace hal::compiler {

namespace proto = ::mortise::onnx;

// ONNX's number for a dtype (TensorProto.DataType) and back. Errors say what the number means there, if it is known.
Result<DType> dtype_of_onnx(int32_t data_type);
int32_t onnx_dtype(DType dtype);

// The bytes of external data; `expected` is what the shape takes.
using ReadExternal = std::function<Result<std::string>(const proto::TensorProto& tensor, uint64_t expected)>;

// Errors do not name the tensor; the caller knows whose it is.
Result<Tensor> tensor_of(const proto::TensorProto& tensor, const ReadExternal& read_external);
proto::TensorProto proto_of(const Tensor& tensor, const std::string& name);

// External data from files below `folder` ("" refuses them). A location outside of the folder is refused.
ReadExternal external_reader(const std::string& folder);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_ONNX_TENSOR_PROTO_HPP_
