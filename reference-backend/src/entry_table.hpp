// SPDX-License-Identifier: Apache-2.0
//
// The hal_elf_cpu_t of a loaded library: its pointers are checked against the library's segments before they are used.
#ifndef HAL_REFERENCE_BACKEND_ENTRY_TABLE_HPP_
#define HAL_REFERENCE_BACKEND_ENTRY_TABLE_HPP_

#include <vector>

#include "elf_check.hpp"
#include "hal/cxx/result.hpp"
#include "hal/device.h"
#include "hal/executable.h"
#include "hal/formats/elf_cpu.h"

namespace hal::cpu {

struct EntryTable {
  const hal_elf_cpu_entry_t* entries = nullptr;
  std::vector<hal_entry_info_t> infos;
};

// `base` is what was added to the verdict's virtual addresses; `caps` has the limits that entries must keep.
Result<EntryTable> read_entries(uintptr_t base, const ElfVerdict& verdict, const hal_device_caps_t& caps);

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_ENTRY_TABLE_HPP_
