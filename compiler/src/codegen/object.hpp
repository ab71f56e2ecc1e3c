// SPDX-License-Identifier: Apache-2.0
//
// An LLVM module with kernels, turned into the bytes of a shared object (hal/formats/elf_cpu.h).
#ifndef COMPILER_CODEGEN_OBJECT_HPP_
#define COMPILER_CODEGEN_OBJECT_HPP_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emitter.hpp"

namespace hal::compiler::codegen {

struct Entry {
  llvm::Function* function;
  uint32_t binding_count, constant_bytes, local_memory_bytes;
  uint64_t written_bindings;
};

// Adds the table that the plugin reads.
void add_entry_table(llvm::Module& module, const std::vector<Entry>& entries, const std::string& target);

using Print = std::function<void(const std::string& pass, const std::string& text)>;

// Light clean-up passes (no vectoriser: vectors are already there), machine code, and a link in this process. The same
// module gives the same bytes.
Result<std::vector<std::byte>> make_shared_object(llvm::Module& module, const Isa& isa, const Print& print);

}  // namespace hal::compiler::codegen

#endif  // COMPILER_CODEGEN_OBJECT_HPP_
