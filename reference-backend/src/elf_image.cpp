// SPDX-License-Identifier: Apache-2.0
//
// ELF header and program headers (System V gABI, chapter 5).
#include "elf_image.hpp"

namespace hal::cpu {
namespace {

// A kernel's image in memory is smaller than this; a header that says otherwise is corrupt.
constexpr uint64_t kMaxImage = uint64_t{1} << 30;
constexpr uint64_t kPage = 4096;

}  // namespace

ElfImage::ElfImage(std::span<const std::byte> bytes) : bytes_(bytes) {
  header_ = at<Elf64_Ehdr>(0, "the file is shorter than an ELF header");
  check_header();
  read_segments();
}

uint64_t ElfImage::offset_of(uint64_t address, uint64_t size, const char* reason) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    if (inside <= segment.p_filesz && size <= segment.p_filesz - inside) return segment.p_offset + inside;
  }
  corrupt(reason, address);
}

Elf64_Phdr ElfImage::program_header(uint64_t index) const {
  constexpr const char* kOutside = "the program headers lie outside of the file";
  demand(header_.e_phoff <= bytes_.size(), kOutside, header_.e_phoff);
  return at<Elf64_Phdr>(header_.e_phoff + index * sizeof(Elf64_Phdr), kOutside);
}

void ElfImage::check_header() const {
  demand(std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0, "not an ELF file", 0);
  demand(header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB,
         "not a 64-bit little-endian ELF file", EI_CLASS);
  demand(header_.e_ident[EI_VERSION] == EV_CURRENT && header_.e_version == EV_CURRENT, "unknown ELF version",
         EI_VERSION);
  demand(header_.e_type == ET_DYN, "not a shared object (e_type)", header_.e_type);
  if (header_.e_machine != EM_X86_64) {
    throw ElfRefusal{HAL_STATUS_INCOMPATIBLE, "built for another machine than x86-64 (e_machine)", header_.e_machine};
  }
  demand(header_.e_ehsize == sizeof(Elf64_Ehdr), "wrong size of the ELF header", header_.e_ehsize);
  demand(header_.e_phentsize == sizeof(Elf64_Phdr), "wrong size of a program header", header_.e_phentsize);
  demand(header_.e_phnum >= 1 && header_.e_phnum <= 64, "no or too many program headers", header_.e_phnum);
}

void ElfImage::read_segments() {
  for (uint64_t i = 0; i < header_.e_phnum; i++) {
    const Elf64_Phdr segment = program_header(i);
    demand(segment.p_type != PT_INTERP && segment.p_type != PT_TLS, "asks for an interpreter or thread-local storage",
           segment.p_type);
    if (segment.p_type == PT_LOAD) add_segment(segment);
    if (segment.p_type != PT_DYNAMIC) continue;
    demand(dynamic_segment_.p_type == PT_NULL, "has two dynamic sections", i);
    dynamic_segment_ = segment;
  }
  demand(!segments_.empty(), "has nothing to load", 0);
  demand(dynamic_segment_.p_type == PT_DYNAMIC, "has no dynamic section", 0);
  for (uint64_t i = 0; i < header_.e_phnum; i++) check_other_segment(program_header(i));
}

// The dynamic linker reads or protects what these name, so it must be loaded.
void ElfImage::check_other_segment(const Elf64_Phdr& segment) const {
  demand(segment.p_type != PT_GNU_STACK || (segment.p_flags & PF_X) == 0, "asks for executable stacks", 0);
  const bool is_read = segment.p_type == PT_PHDR || segment.p_type == PT_NOTE || segment.p_type == PT_GNU_PROPERTY ||
                       segment.p_type == PT_GNU_RELRO || segment.p_type == PT_GNU_EH_FRAME;
  if (!is_read) return;
  // Linkers round the protected part up to whole pages.
  const uint64_t rounding = segment.p_type == PT_GNU_RELRO ? kPage - 1 : 0;
  for (const Elf64_Phdr& loaded : segments_) {
    if (segment.p_vaddr < loaded.p_vaddr) continue;
    const uint64_t inside = segment.p_vaddr - loaded.p_vaddr, size = loaded.p_memsz + rounding;
    if (inside <= size && segment.p_memsz <= size - inside) return;
  }
  corrupt("a program header names what is not loaded", segment.p_vaddr);
}

void ElfImage::add_segment(const Elf64_Phdr& segment) {
  demand(segment.p_offset <= bytes_.size() && segment.p_filesz <= bytes_.size() - segment.p_offset,
         "a segment lies outside of the file", segment.p_offset);
  demand(segment.p_filesz <= segment.p_memsz, "a segment is larger in the file than in memory", segment.p_vaddr);
  demand(segment.p_vaddr < kMaxImage && segment.p_memsz < kMaxImage, "a segment is too large", segment.p_vaddr);
  demand(segment.p_align >= kPage && segment.p_align <= kMaxImage && (segment.p_align & (segment.p_align - 1)) == 0,
         "a segment's alignment is not a power of two of at least a page", segment.p_align);
  demand(segment.p_vaddr % segment.p_align == segment.p_offset % segment.p_align,
         "a segment's address and offset do not match", segment.p_vaddr);
  demand((segment.p_flags & (PF_W | PF_X)) != (PF_W | PF_X), "a segment is writable and executable", segment.p_vaddr);
  if (!segments_.empty()) {
    const Elf64_Phdr& before = segments_.back();
    demand((before.p_vaddr + before.p_memsz + kPage - 1) / kPage * kPage <= segment.p_vaddr / kPage * kPage,
           "segments overlap or are out of order", segment.p_vaddr);
  }
  segments_.push_back(segment);
}

}  // namespace hal::cpu
