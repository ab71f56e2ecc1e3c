// SPDX-License-Identifier: Apache-2.0
//
// What a feature string means for code generation. No code here asks which processor it is.
#ifndef COMPILER_CODEGEN_ISA_HPP_
#define COMPILER_CODEGEN_ISA_HPP_

#include <set>
#include <string>

#include "hal/cxx/result.hpp"

namespace hal::compiler::codegen {

struct Isa {
  std::set<std::string> features;  // "avx2", "fma", ...
  int vector_bytes = 16;           // of the widest vector registers
  int vector_registers = 16;
  bool fma = false;
  bool f16c = false;

  std::string llvm_features() const;  // "+avx2,+fma"
  std::string text() const;           // "x86-64+avx2+fma": back to the syntax of targets
};

// "x86-64+avx2+fma". Needs at least sse4.1 (rounding instructions). Features that no generated code uses are left out.
Result<Isa> parse_isa(const std::string& features);

}  // namespace hal::compiler::codegen

#endif  // COMPILER_CODEGEN_ISA_HPP_
