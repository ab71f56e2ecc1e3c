// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a model: a module that verifies, or an error.
#include <cstdlib>

#include "hal/compiler/onnx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hal::compiler;
  auto module =
      import_onnx({reinterpret_cast<const char*>(data), size}, "fuzz.onnx", "", OperatorLibrary::builtin(), {});
  if (module && !verify(*module)) std::abort();
  if (!module && module.error().message.empty()) std::abort();
  return 0;
}
