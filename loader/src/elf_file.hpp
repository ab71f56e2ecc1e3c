// SPDX-License-Identifier: Apache-2.0
//
// What an ELF file says of itself, read without opening it as a library: a wrong architecture gets its own reason, and
// a sanitizer's runtime, which would end the process while it is opened, is seen before.
#ifndef LOADER_ELF_FILE_HPP_
#define LOADER_ELF_FILE_HPP_

#include <filesystem>
#include <string>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::loader {

struct ElfFile {
  std::string machine;              // "x86-64"
  std::vector<std::string> needed;  // libraries that it asks for
};

// A shared library for this machine, or an error: DATA_CORRUPT (not ELF, truncated), INCOMPATIBLE (class, byte order,
// machine, kind: both sides are named).
Result<ElfFile> inspect_elf(const std::filesystem::path& path);

// What this process runs on.
std::string host_machine();

// HAL_SANITIZER_* that the needed libraries show.
uint32_t sanitizer_of(const ElfFile& file);

}  // namespace hal::loader

#endif  // LOADER_ELF_FILE_HPP_
