// SPDX-License-Identifier: Apache-2.0
//
// A loaded executable.
#ifndef HAL_REFERENCE_BACKEND_EXECUTABLE_HPP_
#define HAL_REFERENCE_BACKEND_EXECUTABLE_HPP_

#include <memory>
#include <vector>

#include "hal/formats/elf_cpu.h"
#include "hal/sdk/device.h"

namespace hal::cpu {

struct LibraryCloser {
  void operator()(void* library) const;
};

}  // namespace hal::cpu

struct hal_executable {
  hal_sdk_executable_t base{};
  std::unique_ptr<void, hal::cpu::LibraryCloser> library;
  const hal_elf_cpu_entry_t* entries = nullptr;  // in the library
  std::vector<hal_entry_info_t> infos;           // what base.entries points to
};

#endif  // HAL_REFERENCE_BACKEND_EXECUTABLE_HPP_
