// SPDX-License-Identifier: Apache-2.0
//
// The dynamic section of a kernel library: what the dynamic linker would do with it, which must be next to nothing.
#ifndef HAL_REFERENCE_BACKEND_ELF_DYNAMIC_HPP_
#define HAL_REFERENCE_BACKEND_ELF_DYNAMIC_HPP_

#include "elf_image.hpp"

namespace hal::cpu {

// Addresses and sizes by tag; absent entries are 0.
struct ElfDynamic {
  uint64_t symbols = 0, strings = 0, strings_size = 0, hash = 0, gnu_hash = 0;
  uint64_t rela = 0, rela_size = 0;
};

// Refuses all that depends on another library, runs, or resolves a symbol. Throws ElfRefusal.
ElfDynamic read_dynamic(const ElfImage& image);

// Relative relocations alone, in writable memory alone. Throws ElfRefusal.
void check_relocations(const ElfImage& image, const ElfDynamic& dynamic);

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_ELF_DYNAMIC_HPP_
