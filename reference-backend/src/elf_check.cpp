// SPDX-License-Identifier: Apache-2.0
//
// The symbols of a kernel library (System V gABI, chapter 4; GNU hash tables as glibc reads them), and the whole check.
#include "elf_check.hpp"

#include <string_view>

#include "elf_dynamic.hpp"
#include "hal/formats/elf_cpu.h"

namespace hal::cpu {
namespace {

class Symbols {
 public:
  Symbols(const ElfImage& image, const ElfDynamic& dynamic) : image_(image), dynamic_(dynamic) {}

  // The address of HAL_ELF_CPU_SYMBOL, and no symbol is undefined.
  uint64_t find_symbol() const;

 private:
  uint64_t symbol_count() const;
  uint64_t gnu_symbol_count() const;
  std::string_view symbol_name(uint64_t offset) const;
  void check_symbol(const Elf64_Sym& symbol) const;

  const ElfImage& image_;
  const ElfDynamic& dynamic_;
};

// One past the highest symbol in the chains of a GNU hash table: there is no count anywhere.
uint64_t Symbols::gnu_symbol_count() const {
  constexpr const char* kOutside = "the hash table lies outside of the file";
  const uint64_t table = dynamic_.gnu_hash;
  const auto buckets = image_.at_address<uint32_t>(table, kOutside);
  const auto first = image_.at_address<uint32_t>(table + 4, kOutside);
  const auto filter_words = image_.at_address<uint32_t>(table + 8, kOutside);
  demand(buckets != 0 && filter_words != 0 && (filter_words & (filter_words - 1)) == 0, "the hash table is malformed",
         table);
  const uint64_t bucket_table = table + 16 + uint64_t{8} * filter_words;
  const uint64_t chains = bucket_table + uint64_t{4} * buckets;
  image_.offset_of(table, chains - table, kOutside);
  uint64_t last = 0;
  for (uint64_t i = 0; i < buckets; i++) {
    const auto head = image_.at_address<uint32_t>(bucket_table + 4 * i, kOutside);
    demand(head == 0 || head >= first, "the hash table is malformed", table);
    last = head > last ? head : last;
  }
  if (last == 0) return first;
  while ((image_.at_address<uint32_t>(chains + 4 * (last - first), kOutside) & 1) == 0) last++;
  return last + 1;
}

uint64_t Symbols::symbol_count() const {
  constexpr const char* kOutside = "the hash table lies outside of the file";
  const uint64_t by_gnu = dynamic_.gnu_hash != 0 ? gnu_symbol_count() : 0;
  if (dynamic_.hash == 0) {
    demand(dynamic_.gnu_hash != 0, "has no hash table", 0);
    return by_gnu;
  }
  const auto buckets = image_.at_address<uint32_t>(dynamic_.hash, kOutside);
  const auto count = image_.at_address<uint32_t>(dynamic_.hash + 4, kOutside);
  demand(buckets != 0, "the hash table is malformed", dynamic_.hash);
  image_.offset_of(dynamic_.hash, 8 + uint64_t{4} * buckets + uint64_t{4} * count, kOutside);
  demand(count >= by_gnu, "the two hash tables do not agree", count);
  return count;
}

std::string_view Symbols::symbol_name(uint64_t offset) const {
  demand(offset < dynamic_.strings_size, "a symbol's name lies outside of the strings", offset);
  const uint64_t start =
      image_.offset_of(dynamic_.strings, dynamic_.strings_size, "the strings lie outside of the file");
  return image_.text(start + offset);
}

void Symbols::check_symbol(const Elf64_Sym& symbol) const {
  demand(ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size >= sizeof(hal_elf_cpu_t),
         "the symbol " HAL_ELF_CPU_SYMBOL " is not a hal_elf_cpu_t", symbol.st_value);
  demand(symbol.st_value % alignof(hal_elf_cpu_t) == 0, "the symbol " HAL_ELF_CPU_SYMBOL " is not aligned",
         symbol.st_value);
  const uint64_t offset =
      image_.offset_of(symbol.st_value, sizeof(hal_elf_cpu_t), "the symbol lies outside of the file");
  const auto magic = image_.at<uint32_t>(offset, "the symbol lies outside of the file");
  demand(magic == HAL_ELF_CPU_MAGIC, "the magic number of " HAL_ELF_CPU_SYMBOL " is wrong", magic);
}

uint64_t Symbols::find_symbol() const {
  constexpr const char* kOutside = "the symbols lie outside of the file";
  const uint64_t count = symbol_count();
  uint64_t found = 0;
  image_.offset_of(dynamic_.symbols, count * sizeof(Elf64_Sym), kOutside);
  for (uint64_t i = 1; i < count; i++) {
    const auto symbol = image_.at_address<Elf64_Sym>(dynamic_.symbols + i * sizeof(Elf64_Sym), kOutside);
    demand(symbol.st_shndx != SHN_UNDEF, "has an undefined symbol (number)", i);
    demand(ELF64_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC, "has an indirect function (number)", i);
    if (symbol_name(symbol.st_name) != HAL_ELF_CPU_SYMBOL) continue;
    check_symbol(symbol);
    found = symbol.st_value;
  }
  demand(found != 0, "does not export " HAL_ELF_CPU_SYMBOL, 0);
  return found;
}

ElfVerdict check(std::span<const std::byte> bytes) {
  const ElfImage image(bytes);
  const ElfDynamic dynamic = read_dynamic(image);
  check_relocations(image, dynamic);
  ElfVerdict verdict;
  verdict.symbol = Symbols(image, dynamic).find_symbol();
  for (const Elf64_Phdr& segment : image.segments()) {
    verdict.segments.push_back({segment.p_vaddr, segment.p_vaddr + segment.p_memsz, (segment.p_flags & PF_X) != 0});
  }
  return verdict;
}

}  // namespace

ElfVerdict check_elf(std::span<const std::byte> bytes) {
  try {
    return check(bytes);
  } catch (const ElfRefusal& refusal) {
    ElfVerdict verdict;
    verdict.code = refusal.code;
    verdict.reason = refusal.reason;
    verdict.where = refusal.where;
    return verdict;
  }
}

}  // namespace hal::cpu
