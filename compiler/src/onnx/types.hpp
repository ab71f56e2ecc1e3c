// SPDX-License-Identifier: Apache-2.0
//
// Types of an ONNX graph's inputs and outputs; dimensions without a number become symbols.
#ifndef HAL_COMPILER_ONNX_TYPES_HPP_
#define HAL_COMPILER_ONNX_TYPES_HPP_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "hal/compiler/portable.hpp"
#include "onnx/onnx.pb.h"

namespace hal::compiler {

namespace proto = ::mortise::onnx;

class TypeReader {
 public:
  // Errors do not name the value; the caller knows it.
  Result<TensorType> type_of(const proto::ValueInfoProto& value);

  // The file's names of dimensions and what they became.
  const std::map<std::string, std::string>& symbols() const { return symbols_; }

 private:
  Result<Sym> extent_of(const proto::TensorShapeProto::Dimension& dim, const std::string& value, int axis);
  Sym named(const std::string& dim_param);
  std::optional<Sym> multiple(const std::string& dim_param);
  std::string fresh(const std::string& wish);

  std::map<std::string, std::string> symbols_;
  std::set<std::string> taken_;
};

// The element type alone; kNone if it is not said. Errors: not a tensor, an unknown element type.
Result<DType> dtype_of_value(const proto::ValueInfoProto& value);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_ONNX_TYPES_HPP_
