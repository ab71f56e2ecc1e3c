// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a serialised tensor: what is read writes and reads back to the same tensor.
#include <cstdlib>

#include "hal/compiler/tensor_io.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hal::compiler;
  auto tensor = parse_tensor_proto({reinterpret_cast<const char*>(data), size}, "fuzz.pb");
  if (!tensor) return 0;
  auto written = tensor_proto_bytes(*tensor, "again");
  auto again = written ? parse_tensor_proto(*written, "again.pb") : hal::Result<Tensor>(hal::internal_error(""));
  if (!again || again->shape != tensor->shape || *again->storage != *tensor->storage) std::abort();
  return 0;
}
