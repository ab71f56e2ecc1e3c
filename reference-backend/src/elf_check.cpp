// SPDX-License-Identifier: Apache-2.0
//
// ELF-64 (System V gABI, chapters 4 and 5; x86-64 psABI for machine and relocations).
#include "elf_check.hpp"

#include <elf.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "hal/formats/elf_cpu.h"

namespace hal::cpu {
namespace {

// A kernel's image in memory is smaller than this; a header that says otherwise is corrupt.
constexpr uint64_t kMaxImage = uint64_t{1} << 30;
constexpr uint64_t kPage = 4096;

// Why the check stopped. Thrown inside of this file alone: thirty checks read better without a test after each.
struct Refusal {
  hal_status_code_t code;
  const char* reason;
  uint64_t where;
};

[[noreturn]] void corrupt(const char* reason, uint64_t where) { throw Refusal{HAL_STATUS_DATA_CORRUPT, reason, where}; }

void demand(bool holds, const char* reason, uint64_t where) {
  if (!holds) corrupt(reason, where);
}

// The dynamic section, by tag; absent entries are 0.
struct Dynamic {
  uint64_t symbols = 0, strings = 0, strings_size = 0, hash = 0, gnu_hash = 0;
  uint64_t rela = 0, rela_size = 0, relr = 0, relr_size = 0;
};

class Checker {
 public:
  explicit Checker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  ElfVerdict run() {
    check_header();
    read_segments();
    read_dynamic();
    check_relocations();
    ElfVerdict verdict;
    verdict.symbol = find_symbol();
    for (const Elf64_Phdr& segment : segments_) {
      verdict.segments.push_back(
          {segment.p_vaddr, segment.p_vaddr + segment.p_memsz, (segment.p_flags & PF_X) != 0});
    }
    return verdict;
  }

 private:
  // A T at a file offset. The offset may be anything.
  template <typename T>
  T at(uint64_t offset, const char* reason) const {
    demand(offset <= bytes_.size() && sizeof(T) <= bytes_.size() - offset, reason, offset);
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  // The file offset of `size` bytes at a virtual address, which must come from the file.
  uint64_t offset_of(uint64_t address, uint64_t size, const char* reason) const {
    for (const Elf64_Phdr& segment : segments_) {
      if (address < segment.p_vaddr) continue;
      const uint64_t inside = address - segment.p_vaddr;
      if (inside <= segment.p_filesz && size <= segment.p_filesz - inside) return segment.p_offset + inside;
    }
    corrupt(reason, address);
  }

  template <typename T>
  T at_address(uint64_t address, const char* reason) const {
    return at<T>(offset_of(address, sizeof(T), reason), reason);
  }

  void check_header();
  void read_segments();
  void add_segment(const Elf64_Phdr& segment);
  void check_other_segment(const Elf64_Phdr& segment) const;
  void read_dynamic();
  void take_dynamic(const Elf64_Dyn& entry);
  void check_flags(uint64_t tag, uint64_t flags) const;
  void check_relocations() const;
  void check_target(uint64_t address) const;
  uint64_t symbol_count() const;
  uint64_t gnu_symbol_count() const;
  std::string_view symbol_name(uint64_t offset) const;
  uint64_t find_symbol() const;
  void check_symbol(const Elf64_Sym& symbol) const;

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> segments_;  // PT_LOAD, in order of address
  Elf64_Phdr dynamic_segment_{};
  Dynamic dynamic_;
};

void Checker::check_header() {
  header_ = at<Elf64_Ehdr>(0, "the file is shorter than an ELF header");
  demand(std::memcmp(header_.e_ident, ELFMAG, SELFMAG) == 0, "not an ELF file", 0);
  demand(header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB,
         "not a 64-bit little-endian ELF file", EI_CLASS);
  demand(header_.e_ident[EI_VERSION] == EV_CURRENT && header_.e_version == EV_CURRENT, "unknown ELF version",
         EI_VERSION);
  demand(header_.e_type == ET_DYN, "not a shared object (e_type)", header_.e_type);
  if (header_.e_machine != EM_X86_64) {
    throw Refusal{HAL_STATUS_INCOMPATIBLE, "built for another machine than x86-64 (e_machine)", header_.e_machine};
  }
  demand(header_.e_ehsize == sizeof(Elf64_Ehdr), "wrong size of the ELF header", header_.e_ehsize);
  demand(header_.e_phentsize == sizeof(Elf64_Phdr), "wrong size of a program header", header_.e_phentsize);
  demand(header_.e_phnum >= 1 && header_.e_phnum <= 64, "no or too many program headers", header_.e_phnum);
}

void Checker::read_segments() {
  for (uint64_t i = 0; i < header_.e_phnum; i++) {
    demand(header_.e_phoff <= bytes_.size(), "the program headers lie outside of the file", header_.e_phoff);
    const auto segment =
        at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr), "the program headers lie outside of the file");
    demand(segment.p_type != PT_INTERP && segment.p_type != PT_TLS, "asks for an interpreter or thread-local storage",
           segment.p_type);
    if (segment.p_type == PT_LOAD) add_segment(segment);
    if (segment.p_type != PT_DYNAMIC) continue;
    demand(dynamic_segment_.p_type == PT_NULL, "has two dynamic sections", i);
    dynamic_segment_ = segment;
  }
  demand(!segments_.empty(), "has nothing to load", 0);
  demand(dynamic_segment_.p_type == PT_DYNAMIC, "has no dynamic section", 0);
  for (uint64_t i = 0; i < header_.e_phnum; i++) {
    check_other_segment(at<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr), "program headers"));
  }
}

// The dynamic linker reads or protects what these name, so it must be loaded.
void Checker::check_other_segment(const Elf64_Phdr& segment) const {
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

void Checker::add_segment(const Elf64_Phdr& segment) {
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

// ---- the dynamic section ----

void Checker::check_flags(uint64_t tag, uint64_t flags) const {
  const uint64_t harmless = tag == DT_FLAGS ? DF_SYMBOLIC | DF_BIND_NOW : DF_1_NOW | DF_1_NODELETE | DF_1_GLOBAL;
  demand((flags & ~harmless) == 0, "has dynamic flags that a kernel must not have (text relocations, static TLS)",
         flags);
  demand(tag != DT_FLAGS_1 || (flags & (DF_1_NODELETE | DF_1_GLOBAL)) == 0, "asks to stay loaded or to be global",
         flags);
}

// Only these tags: all that resolves, runs or depends on something is refused, known or not.
void Checker::take_dynamic(const Elf64_Dyn& entry) {
  const uint64_t value = entry.d_un.d_val;
  switch (entry.d_tag) {
    case DT_HASH: dynamic_.hash = value; return;
    case DT_GNU_HASH: dynamic_.gnu_hash = value; return;
    case DT_SYMTAB: dynamic_.symbols = value; return;
    case DT_STRTAB: dynamic_.strings = value; return;
    case DT_STRSZ: dynamic_.strings_size = value; return;
    case DT_RELA: dynamic_.rela = value; return;
    case DT_RELASZ: dynamic_.rela_size = value; return;
    case DT_RELR: dynamic_.relr = value; return;
    case DT_RELRSZ: dynamic_.relr_size = value; return;
    case DT_SYMENT: return demand(value == sizeof(Elf64_Sym), "wrong size of a symbol", value);
    case DT_RELAENT: return demand(value == sizeof(Elf64_Rela), "wrong size of a relocation", value);
    case DT_RELRENT: return demand(value == sizeof(Elf64_Relr), "wrong size of a relative relocation", value);
    case DT_FLAGS:
    case DT_FLAGS_1: return check_flags(static_cast<uint64_t>(entry.d_tag), value);
    case DT_SONAME:
    case DT_RELACOUNT:
    case DT_SYMBOLIC: return;
    case DT_NEEDED: corrupt("needs another library (DT_NEEDED)", value);
    case DT_INIT:
    case DT_INIT_ARRAY:
    case DT_PREINIT_ARRAY: corrupt("runs code when it is loaded", value);
    case DT_FINI:
    case DT_FINI_ARRAY: corrupt("runs code when it is unloaded", value);
    case DT_TEXTREL: corrupt("has text relocations", value);
    case DT_JMPREL: corrupt("calls functions through a procedure linkage table", value);
    default: corrupt("has a dynamic entry that a kernel must not have (d_tag)", static_cast<uint64_t>(entry.d_tag));
  }
}

void Checker::read_dynamic() {
  constexpr const char* kOutside = "the dynamic section lies outside of the file or has no end";
  const uint64_t address = dynamic_segment_.p_vaddr;
  const uint64_t count = dynamic_segment_.p_memsz / sizeof(Elf64_Dyn);
  for (uint64_t i = 0;; i++) {
    demand(i < count, kOutside, address);
    const auto entry = at_address<Elf64_Dyn>(address + i * sizeof(Elf64_Dyn), kOutside);
    if (entry.d_tag == DT_NULL) break;
    take_dynamic(entry);
  }
  demand(dynamic_.symbols != 0 && dynamic_.strings != 0 && dynamic_.strings_size != 0, "has no dynamic symbols", 0);
  const uint64_t strings = offset_of(dynamic_.strings, dynamic_.strings_size, "the strings lie outside of the file");
  demand(bytes_[strings + dynamic_.strings_size - 1] == std::byte{0}, "the strings do not end with a zero", strings);
}

// ---- relocations ----

void Checker::check_target(uint64_t address) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    if ((segment.p_flags & PF_W) != 0 && inside <= segment.p_memsz && 8 <= segment.p_memsz - inside) return;
  }
  corrupt("a relocation changes what is not writable", address);
}

void Checker::check_relocations() const {
  constexpr const char* kOutside = "the relocations lie outside of the file";
  demand(dynamic_.rela_size % sizeof(Elf64_Rela) == 0 && dynamic_.relr_size % sizeof(Elf64_Relr) == 0,
         "the relocations end in the middle of one", dynamic_.rela_size);
  if (dynamic_.rela_size != 0) offset_of(dynamic_.rela, dynamic_.rela_size, kOutside);
  if (dynamic_.relr_size != 0) offset_of(dynamic_.relr, dynamic_.relr_size, kOutside);
  for (uint64_t i = 0; i < dynamic_.rela_size; i += sizeof(Elf64_Rela)) {
    const auto relocation = at_address<Elf64_Rela>(dynamic_.rela + i, kOutside);
    demand(ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE, "has a relocation other than R_X86_64_RELATIVE",
           ELF64_R_TYPE(relocation.r_info));
    check_target(relocation.r_offset);
  }
  uint64_t next = 0;
  for (uint64_t i = 0; i < dynamic_.relr_size; i += sizeof(Elf64_Relr)) {
    const auto entry = at_address<Elf64_Relr>(dynamic_.relr + i, kOutside);
    if ((entry & 1) == 0) {
      check_target(entry);
      next = entry + 8;
      continue;
    }
    for (unsigned bit = 1; bit < 64; bit++) {
      if (((entry >> bit) & 1) != 0) check_target(next + (bit - 1) * uint64_t{8});
    }
    next += 63 * 8;
  }
}

// ---- symbols ----

// One past the highest symbol in the chains of a GNU hash table: there is no count anywhere.
uint64_t Checker::gnu_symbol_count() const {
  constexpr const char* kOutside = "the hash table lies outside of the file";
  const uint64_t table = dynamic_.gnu_hash;
  const auto buckets = at_address<uint32_t>(table, kOutside);
  const auto first = at_address<uint32_t>(table + 4, kOutside);
  const auto filter_words = at_address<uint32_t>(table + 8, kOutside);
  demand(buckets != 0 && filter_words != 0 && (filter_words & (filter_words - 1)) == 0, "the hash table is malformed",
         table);
  const uint64_t bucket_table = table + 16 + uint64_t{8} * filter_words;
  const uint64_t chains = bucket_table + uint64_t{4} * buckets;
  offset_of(table, chains - table, kOutside);
  uint64_t last = 0;
  for (uint64_t i = 0; i < buckets; i++) {
    const auto head = at_address<uint32_t>(bucket_table + 4 * i, kOutside);
    demand(head == 0 || head >= first, "the hash table is malformed", table);
    last = head > last ? head : last;
  }
  if (last == 0) return first;
  while ((at_address<uint32_t>(chains + 4 * (last - first), kOutside) & 1) == 0) last++;
  return last + 1;
}

uint64_t Checker::symbol_count() const {
  constexpr const char* kOutside = "the hash table lies outside of the file";
  const uint64_t by_gnu = dynamic_.gnu_hash != 0 ? gnu_symbol_count() : 0;
  if (dynamic_.hash == 0) {
    demand(dynamic_.gnu_hash != 0, "has no hash table", 0);
    return by_gnu;
  }
  const auto buckets = at_address<uint32_t>(dynamic_.hash, kOutside);
  const auto count = at_address<uint32_t>(dynamic_.hash + 4, kOutside);
  demand(buckets != 0, "the hash table is malformed", dynamic_.hash);
  offset_of(dynamic_.hash, 8 + uint64_t{4} * buckets + uint64_t{4} * count, kOutside);
  demand(count >= by_gnu, "the two hash tables do not agree", count);
  return count;
}

std::string_view Checker::symbol_name(uint64_t offset) const {
  demand(offset < dynamic_.strings_size, "a symbol's name lies outside of the strings", offset);
  const uint64_t start = offset_of(dynamic_.strings, dynamic_.strings_size, "the strings lie outside of the file");
  return reinterpret_cast<const char*>(bytes_.data() + start + offset);
}

void Checker::check_symbol(const Elf64_Sym& symbol) const {
  demand(ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size >= sizeof(hal_elf_cpu_t),
         "the symbol " HAL_ELF_CPU_SYMBOL " is not a hal_elf_cpu_t", symbol.st_value);
  demand(symbol.st_value % alignof(hal_elf_cpu_t) == 0, "the symbol " HAL_ELF_CPU_SYMBOL " is not aligned",
         symbol.st_value);
  const uint64_t offset = offset_of(symbol.st_value, sizeof(hal_elf_cpu_t), "the symbol lies outside of the file");
  const auto magic = at<uint32_t>(offset, "the symbol lies outside of the file");
  demand(magic == HAL_ELF_CPU_MAGIC, "the magic number of " HAL_ELF_CPU_SYMBOL " is wrong", magic);
}

uint64_t Checker::find_symbol() const {
  constexpr const char* kOutside = "the symbols lie outside of the file";
  const uint64_t count = symbol_count();
  uint64_t found = 0;
  offset_of(dynamic_.symbols, count * sizeof(Elf64_Sym), kOutside);
  for (uint64_t i = 1; i < count; i++) {
    const auto symbol = at_address<Elf64_Sym>(dynamic_.symbols + i * sizeof(Elf64_Sym), kOutside);
    demand(symbol.st_shndx != SHN_UNDEF, "has an undefined symbol (number)", i);
    demand(ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC, "has an indirect function (number)", i);
    if (symbol_name(symbol.st_name) != HAL_ELF_CPU_SYMBOL) continue;
    check_symbol(symbol);
    found = symbol.st_value;
  }
  demand(found != 0, "does not export " HAL_ELF_CPU_SYMBOL, 0);
  return found;
}

}  // namespace

ElfVerdict check_elf(std::span<const std::byte> bytes) {
  try {
    return Checker(bytes).run();
  } catch (const Refusal& refusal) {
    ElfVerdict verdict;
    verdict.code = refusal.code;
    verdict.reason = refusal.reason;
    verdict.where = refusal.where;
    return verdict;
  }
}

}  // namespace hal::cpu
