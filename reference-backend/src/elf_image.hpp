// SPDX-License-Identifier: Apache-2.0
//
// The bytes of an ELF file with their loadable segments: the part of elf_check that finds bytes by offset and by
// address.
#ifndef HAL_REFERENCE_BACKEND_ELF_IMAGE_HPP_
#define HAL_REFERENCE_BACKEND_ELF_IMAGE_HPP_

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "hal/status.h"

namespace hal::cpu {

// Why the check stopped. Thrown inside of elf_check alone: thirty checks read better without a test after each.
struct ElfRefusal {
  hal_status_code_t code;
  const char* reason;  // static
  uint64_t where;
};

[[noreturn]] inline void corrupt(const char* reason, uint64_t where) {
  throw ElfRefusal{HAL_STATUS_DATA_CORRUPT, reason, where};
}

inline void demand(bool holds, const char* reason, uint64_t where) {
  if (!holds) corrupt(reason, where);
}

class ElfImage {
 public:
  // Checks the header and the program headers. Throws ElfRefusal, as all below.
  explicit ElfImage(std::span<const std::byte> bytes);

  // A T at a file offset. The offset may be anything.
  template <typename T>
  T at(uint64_t offset, const char* reason) const {
    demand(offset <= bytes_.size() && sizeof(T) <= bytes_.size() - offset, reason, offset);
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  // The file offset of `size` bytes at a virtual address, which must come from the file.
  uint64_t offset_of(uint64_t address, uint64_t size, const char* reason) const;

  template <typename T>
  T at_address(uint64_t address, const char* reason) const {
    return at<T>(offset_of(address, sizeof(T), reason), reason);
  }

  // Characters at a file offset that the caller has checked.
  const char* text(uint64_t offset) const { return reinterpret_cast<const char*>(bytes_.data() + offset); }

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }  // PT_LOAD, in order of address
  const Elf64_Phdr& dynamic_segment() const { return dynamic_segment_; }

 private:
  void check_header() const;
  void read_segments();
  void add_segment(const Elf64_Phdr& segment);
  void check_other_segment(const Elf64_Phdr& segment) const;
  Elf64_Phdr program_header(uint64_t index) const;

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;
  Elf64_Phdr dynamic_segment_{};
};

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_ELF_IMAGE_HPP_
