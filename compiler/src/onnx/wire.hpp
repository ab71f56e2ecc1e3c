// SPDX-License-Identifier: Apache-2.0
//
// Parsing of one protobuf message with limits, the same for models and tensors.
#ifndef HAL_COMPILER_ONNX_WIRE_HPP_
#define HAL_COMPILER_ONNX_WIRE_HPP_

#include <google/protobuf/io/coded_stream.h>

#include <limits>
#include <string_view>

namespace hal::compiler {

inline constexpr uint64_t kMaxWireBytes = std::numeric_limits<int>::max();  // protobuf's own limit: 2 GiB
inline constexpr int kMaxWireDepth = 64;                                    // of nested messages

// False: not such a message, cut off, larger than kMaxWireBytes or nested deeper than kMaxWireDepth.
template <typename Message>
bool parse_wire(std::string_view bytes, Message& message) {
  if (bytes.size() > kMaxWireBytes) return false;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxWireDepth);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

}  // namespace hal::compiler

#endif  // HAL_COMPILER_ONNX_WIRE_HPP_
