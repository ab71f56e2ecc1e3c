// SPDX-License-Identifier: Apache-2.0
//
// Loads bytes that elf_check approved as a library, without a file on disk.
#ifndef HAL_REFERENCE_BACKEND_LIBRARY_HPP_
#define HAL_REFERENCE_BACKEND_LIBRARY_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "executable.hpp"
#include "hal/cxx/result.hpp"

namespace hal::cpu {

struct Library {
  std::unique_ptr<void, LibraryCloser> handle;
  uintptr_t base = 0;  // what is added to the file's virtual addresses
};

Result<Library> load_library(std::span<const std::byte> bytes);

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_LIBRARY_HPP_
