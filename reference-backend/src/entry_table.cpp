// SPDX-License-Identifier: Apache-2.0
//
// Reads the table of entry points: see entry_table.hpp.
#include "entry_table.hpp"

#include <cstring>
#include <string>

#include "features.hpp"

namespace hal::cpu {
namespace {

constexpr uint32_t kMaxEntries = 65536;
constexpr uint64_t kMaxText = 4096;

class Image {
 public:
  Image(uintptr_t base, const ElfVerdict& verdict) : base_(base), verdict_(verdict) {}

  // Bytes from this address to the end of its segment; 0 outside of the library.
  uint64_t room(const void* pointer, bool executable) const {
    const uint64_t address = reinterpret_cast<uintptr_t>(pointer) - base_;
    for (const ElfSegment& segment : verdict_.segments) {
      if (address >= segment.begin && address < segment.end && (!executable || segment.executable)) {
        return segment.end - address;
      }
    }
    return 0;
  }

  // A NUL-terminated text of the library; NULL data if it is none.
  hal_string_t text(const char* pointer) const {
    const uint64_t limit = std::min(room(pointer, false), kMaxText);
    const void* end = limit != 0 ? std::memchr(pointer, 0, limit) : nullptr;
    if (end == nullptr) return {nullptr, 0};
    return {pointer, static_cast<uint64_t>(static_cast<const char*>(end) - pointer)};
  }

  const hal_elf_cpu_t* table() const { return reinterpret_cast<const hal_elf_cpu_t*>(base_ + verdict_.symbol); }

 private:
  uintptr_t base_;
  const ElfVerdict& verdict_;
};

Error at_entry(hal_status_code_t code, uint32_t index, const std::string& what) {
  return {code, "entry " + std::to_string(index) + " of " HAL_ELF_CPU_SYMBOL " " + what};
}

Result<void> check_limits(const hal_elf_cpu_entry_t& entry, uint32_t index, const hal_device_caps_t& caps) {
  if (entry.binding_count > caps.max_bindings || entry.constant_bytes > caps.max_constant_bytes ||
      entry.local_memory_bytes > caps.local_memory_size) {
    return at_entry(HAL_STATUS_UNSUPPORTED, index,
                    "wants " + std::to_string(entry.binding_count) + " bindings, " +
                        std::to_string(entry.constant_bytes) + " bytes of constants and " +
                        std::to_string(entry.local_memory_bytes) + " of local memory; the device gives " +
                        std::to_string(caps.max_bindings) + ", " + std::to_string(caps.max_constant_bytes) + " and " +
                        std::to_string(caps.local_memory_size));
  }
  if (entry.reserved0 != 0) return at_entry(HAL_STATUS_UNSUPPORTED, index, "has a reserved field that is not zero");
  return {};
}

Result<hal_entry_info_t> read_entry(const Image& image, const hal_elf_cpu_entry_t& entry, uint32_t index,
                                    const hal_device_caps_t& caps) {
  HAL_TRY(check_limits(entry, index, caps));
  hal_entry_info_t info{};
  info.struct_size = sizeof info;
  info.binding_count = entry.binding_count;
  info.constant_bytes = entry.constant_bytes;
  info.local_memory_bytes = entry.local_memory_bytes;
  for (uint32_t& size : info.workgroup_size) size = 1;
  info.name = image.text(entry.name);
  info.written_bindings = entry.written_bindings;
  if (info.name.length == 0) return at_entry(HAL_STATUS_DATA_CORRUPT, index, "has no name");
  if (image.room(reinterpret_cast<const void*>(entry.function), true) == 0) {
    return at_entry(HAL_STATUS_DATA_CORRUPT, index, "has a function outside of the code");
  }
  return info;
}

Result<void> check_code_target(const Image& image) {
  const hal_string_t target = image.text(image.table()->target);
  if (target.data == nullptr) return data_corrupt("the target of " HAL_ELF_CPU_SYMBOL " is not a text in the file");
  const TargetVerdict verdict = check_target({target.data, target.length});
  if (verdict.runs) return {};
  return Error{HAL_STATUS_INCOMPATIBLE, "the code is for '" + std::string(target.data, target.length) +
                                            "', the machine is '" + machine_target() + "': " + verdict.reason + " ('" +
                                            std::string(verdict.missing) + "')"};
}

}  // namespace

Result<EntryTable> read_entries(uintptr_t base, const ElfVerdict& verdict, const hal_device_caps_t& caps) {
  const Image image(base, verdict);
  const hal_elf_cpu_t& table = *image.table();
  if (table.entry_count == 0 || table.entry_count > kMaxEntries ||
      image.room(table.entries, false) / sizeof(hal_elf_cpu_entry_t) < table.entry_count ||
      reinterpret_cast<uintptr_t>(table.entries) % alignof(hal_elf_cpu_entry_t) != 0) {
    return data_corrupt("the " + std::to_string(table.entry_count) +
                        " entries of " HAL_ELF_CPU_SYMBOL " do not lie in the file");
  }
  HAL_TRY(check_code_target(image));
  EntryTable result;
  result.entries = table.entries;
  for (uint32_t i = 0; i < table.entry_count; i++) {
    HAL_TRY_ASSIGN(hal_entry_info_t info, read_entry(image, table.entries[i], i, caps));
    result.infos.push_back(info);
  }
  return result;
}

}  // namespace hal::cpu
