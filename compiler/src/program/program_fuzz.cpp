// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer on the reader of .halp files: an error or a program, never a crash; a program that loads can be planned.
#include "hal/compiler/memory_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto program = hal::compiler::load_program(reinterpret_cast<const std::byte*>(data), size, "fuzz.halp");
  if (program) {
    std::map<std::string, int64_t> binding;
    for (const std::string& symbol : program->symbols) binding[symbol] = 3;
    (void)hal::compiler::plan_memory(*program, binding).has_value();
  }
  return 0;
}
