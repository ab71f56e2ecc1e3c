// SPDX-License-Identifier: Apache-2.0
//
// Any bytes are a library for this machine or an error, before the dynamic linker sees them.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "elf_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  const hal::Result<hal::loader::ElfFile> elf = hal::loader::inspect_elf("/proc/self/fd/" + std::to_string(file));
  if (!elf && elf.error().message.empty()) std::abort();
  if (elf) (void)hal::loader::sanitizer_of(*elf);
  close(file);
  return 0;
}
