// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer on the check of executables. Nothing is loaded.
#include "elf_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const hal::cpu::ElfVerdict verdict = hal::cpu::check_elf({reinterpret_cast<const std::byte*>(data), size});
  if (!verdict.good() && verdict.reason[0] == '\0') __builtin_trap();
  return 0;
}
