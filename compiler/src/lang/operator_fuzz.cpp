// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as an operator text: parsing reports or accepts, and what it accepts can be expanded and instantiated
// without a crash.
#include <cstdint>

#include "hal/compiler/operators.hpp"

using namespace hal::compiler;  // NOLINT: a program of one file

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 20000) return 0;
  auto library = OperatorLibrary::parse({{"fuzz.op", std::string(reinterpret_cast<const char*>(data), size)}});
  if (!library) return 0;
  for (const std::string& name : library->names()) {
    const OperatorDefinition* definition = library->find(name);
    auto cases = samples(*definition, *library);
    for (size_t i = 0; cases && i < cases->size() && i < 4; ++i) {
      Builder builder("fuzz");
      std::vector<std::optional<ValueId>> operands;
      for (const TensorType& input : (*cases)[i].inputs) {
        bool omitted = input.dtype == DType::kNone;
        operands.push_back(omitted ? std::nullopt : std::optional<ValueId>(builder.parameter("x", input)));
      }
      auto results = instantiate(*definition, builder, operands, (*cases)[i].attributes, *library);
      if (results) (void)results->size();
    }
  }
  return 0;
}
