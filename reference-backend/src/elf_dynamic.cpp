// SPDX-License-Identifier: Apache-2.0
//
// The dynamic section and relocations (System V gABI, chapter 5; x86-64 psABI, chapter 4).
#include "elf_dynamic.hpp"

namespace hal::cpu {
namespace {

// Tags that are kept.
constexpr struct {
  Elf64_Sxword tag;
  uint64_t ElfDynamic::*field;
} kKept[] = {{DT_HASH, &ElfDynamic::hash},          {DT_GNU_HASH, &ElfDynamic::gnu_hash},
             {DT_SYMTAB, &ElfDynamic::symbols},     {DT_STRTAB, &ElfDynamic::strings},
             {DT_STRSZ, &ElfDynamic::strings_size}, {DT_RELA, &ElfDynamic::rela},
             {DT_RELASZ, &ElfDynamic::rela_size}};

// Sizes of entries, which can have one value only.
constexpr struct {
  Elf64_Sxword tag;
  uint64_t size;
} kSizes[] = {{DT_SYMENT, sizeof(Elf64_Sym)}, {DT_RELAENT, sizeof(Elf64_Rela)}};

// Tags with a reason of their own; any other is refused, too, so that nothing new slips in.
constexpr struct {
  Elf64_Sxword tag;
  const char* reason;
} kRefused[] = {{DT_NEEDED, "needs another library (DT_NEEDED)"},
                {DT_INIT, "runs code when it is loaded"},
                {DT_INIT_ARRAY, "runs code when it is loaded"},
                {DT_PREINIT_ARRAY, "runs code when it is loaded"},
                {DT_FINI, "runs code when it is unloaded"},
                {DT_FINI_ARRAY, "runs code when it is unloaded"},
                {DT_TEXTREL, "has text relocations"},
                {DT_JMPREL, "calls functions through a procedure linkage table"},
                {DT_RELR, "has packed relocations, which the C library takes from its own dependants alone"}};

// Text relocations, static TLS, and libraries that stay loaded or become global are refused with the rest.
void check_flags(Elf64_Sxword tag, uint64_t flags) {
  const uint64_t harmless = tag == DT_FLAGS ? DF_SYMBOLIC | DF_BIND_NOW : DF_1_NOW;
  demand((flags & ~harmless) == 0, "has dynamic flags that a kernel must not have", flags);
}

void take(ElfDynamic& dynamic, const Elf64_Dyn& entry) {
  const uint64_t value = entry.d_un.d_val;
  if (entry.d_tag == DT_SONAME || entry.d_tag == DT_RELACOUNT || entry.d_tag == DT_SYMBOLIC) return;
  if (entry.d_tag == DT_FLAGS || entry.d_tag == DT_FLAGS_1) return check_flags(entry.d_tag, value);
  for (const auto& row : kKept) {
    if (row.tag != entry.d_tag) continue;
    dynamic.*row.field = value;
    return;
  }
  for (const auto& row : kSizes) {
    if (row.tag == entry.d_tag) return demand(value == row.size, "wrong size of a table's entries", value);
  }
  for (const auto& row : kRefused) {
    if (row.tag == entry.d_tag) corrupt(row.reason, value);
  }
  corrupt("has a dynamic entry that a kernel must not have (d_tag)", static_cast<uint64_t>(entry.d_tag));
}

void check_writable(const ElfImage& image, uint64_t address, uint64_t size, const char* reason) {
  for (const Elf64_Phdr& segment : image.segments()) {
    if (address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    if ((segment.p_flags & PF_W) != 0 && inside <= segment.p_memsz && size <= segment.p_memsz - inside) return;
  }
  corrupt(reason, address);
}

}  // namespace

ElfDynamic read_dynamic(const ElfImage& image) {
  ElfDynamic dynamic;
  constexpr const char* kOutside = "the dynamic section lies outside of the file or has no end";
  const uint64_t address = image.dynamic_segment().p_vaddr;
  const uint64_t count = image.dynamic_segment().p_memsz / sizeof(Elf64_Dyn);
  check_writable(image, address, image.dynamic_segment().p_memsz, "the dynamic section is not writable");
  for (uint64_t i = 0;; i++) {
    demand(i < count, kOutside, address);
    const auto entry = image.at_address<Elf64_Dyn>(address + i * sizeof(Elf64_Dyn), kOutside);
    if (entry.d_tag == DT_NULL) break;
    take(dynamic, entry);
  }
  demand(dynamic.symbols != 0 && dynamic.strings != 0 && dynamic.strings_size != 0, "has no dynamic symbols", 0);
  const uint64_t strings =
      image.offset_of(dynamic.strings, dynamic.strings_size, "the strings lie outside of the file");
  demand(image.text(strings)[dynamic.strings_size - 1] == '\0', "the strings do not end with a zero", strings);
  return dynamic;
}

void check_relocations(const ElfImage& image, const ElfDynamic& dynamic) {
  constexpr const char* kOutside = "the relocations lie outside of the file";
  demand(dynamic.rela_size % sizeof(Elf64_Rela) == 0, "the relocations end in the middle of one", dynamic.rela_size);
  if (dynamic.rela_size != 0) image.offset_of(dynamic.rela, dynamic.rela_size, kOutside);
  for (uint64_t i = 0; i < dynamic.rela_size; i += sizeof(Elf64_Rela)) {
    const auto relocation = image.at_address<Elf64_Rela>(dynamic.rela + i, kOutside);
    demand(ELF64_R_TYPE(relocation.r_info) == R_X86_64_RELATIVE, "has a relocation other than R_X86_64_RELATIVE",
           ELF64_R_TYPE(relocation.r_info));
    check_writable(image, relocation.r_offset, 8, "a relocation changes what is not writable");
  }
}

}  // namespace hal::cpu
