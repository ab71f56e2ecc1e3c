// SPDX-License-Identifier: Apache-2.0
//
// Looks through the bytes of an "elf-x86-64/1" executable before the dynamic linker does: every table lies inside of
// the file, nothing would run or be resolved while it loads, and the one symbol is there. Never reads outside of the
// bytes, whatever they are. What the code itself does is trusted.
#ifndef HAL_REFERENCE_BACKEND_ELF_CHECK_HPP_
#define HAL_REFERENCE_BACKEND_ELF_CHECK_HPP_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hal/status.h"

namespace hal::cpu {

// One loaded part of the file, in virtual addresses.
struct ElfSegment {
  uint64_t begin = 0, end = 0;
  bool executable = false;
};

// What the check found. `reason` is static text, `where` the file offset, address or number that it speaks of.
struct ElfVerdict {
  hal_status_code_t code = HAL_STATUS_OK;
  const char* reason = "";
  uint64_t where = 0;
  uint64_t symbol = 0;  // virtual address of HAL_ELF_CPU_SYMBOL
  std::vector<ElfSegment> segments;

  bool good() const { return code == HAL_STATUS_OK; }
};

ElfVerdict check_elf(std::span<const std::byte> bytes);

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_ELF_CHECK_HPP_
