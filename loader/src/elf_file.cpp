// SPDX-License-Identifier: Apache-2.0
#include "elf_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>

#include "hal/plugin.h"

namespace hal::loader {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kHostMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t kHostMachine = EM_RISCV;
#else
#error "name this machine's ELF number here and in machine_name"
#endif

constexpr size_t kMaxTable = 1 << 16;  // entries of a program header or dynamic table
constexpr size_t kMaxNames = 1 << 20;  // bytes of names that are looked at

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "riscv64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_PPC64:
      return "ppc64";
    case EM_S390:
      return "s390";
    default:
      return "machine " + std::to_string(machine);
  }
}

// An open file, read by position; every read is checked against what there is.
class File {
 public:
  explicit File(const std::filesystem::path& path) : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }

  bool read(uint64_t offset, void* target, size_t bytes) const {
    if (offset > static_cast<uint64_t>(std::numeric_limits<off_t>::max())) return false;
    return pread(descriptor_, target, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

  // A NUL-terminated name, at most 256 bytes.
  std::string name(uint64_t offset) const {
    std::array<char, 256> bytes{};
    if (offset > static_cast<uint64_t>(std::numeric_limits<off_t>::max())) return {};
    const ssize_t got = pread(descriptor_, bytes.data(), bytes.size() - 1, static_cast<off_t>(offset));
    return got <= 0 ? std::string() : std::string(bytes.data());
  }

 private:
  int descriptor_;
};

Result<void> check_header(const Elf64_Ehdr& header) {
  const auto incompatible = [](std::string text) { return Error{HAL_STATUS_INCOMPATIBLE, std::move(text)}; };
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return incompatible("a 32-bit library; this process is 64-bit");
  if (header.e_ident[EI_DATA] != ELFDATA2LSB) return incompatible("built big-endian; this machine is little-endian");
  if (header.e_machine != kHostMachine) {
    return incompatible("built for " + machine_name(header.e_machine) + ", this is " + host_machine());
  }
  if (header.e_type != ET_DYN)
    return incompatible("not a shared library (ELF type " + std::to_string(header.e_type) + ")");
  if (header.e_phentsize != sizeof(Elf64_Phdr)) return data_corrupt("malformed ELF header (e_phentsize)");
  return {};
}

// Where an address of the loaded image lies in the file.
std::optional<uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

// Names of DT_NEEDED. A malformed table gives a short list: opening the library will say what is wrong.
std::vector<std::string> needed_libraries(const File& file, const std::vector<Elf64_Phdr>& segments) {
  std::vector<uint64_t> offsets;
  uint64_t names = 0;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (size_t i = 0; i < std::min<uint64_t>(segment.p_filesz / sizeof(Elf64_Dyn), kMaxTable); ++i) {
      Elf64_Dyn entry;
      if (!file.read(segment.p_offset + i * sizeof entry, &entry, sizeof entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < kMaxNames) offsets.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) names = entry.d_un.d_ptr;
    }
  }
  std::vector<std::string> needed;
  const std::optional<uint64_t> table = file_offset(segments, names);
  for (size_t i = 0; table && i < offsets.size(); ++i) needed.push_back(file.name(*table + offsets[i]));
  return needed;
}

}  // namespace

std::string host_machine() { return machine_name(kHostMachine); }

Result<ElfFile> inspect_elf(const std::filesystem::path& path) {
  const File file(path);
  if (!file.is_open()) return Error{HAL_STATUS_PERMISSION_DENIED, "cannot be opened for reading"};
  Elf64_Ehdr header{};
  if (!file.read(0, &header, EI_NIDENT) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return data_corrupt("not an ELF file; expected a shared library that exports " HAL_PLUGIN_QUERY_NAME);
  }
  if (!file.read(0, &header, sizeof header)) return data_corrupt("a truncated ELF file: its header is cut off");
  HAL_TRY(check_header(header));
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!file.read(header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr))) {
    return data_corrupt("a truncated ELF file: its program headers are cut off");
  }
  return ElfFile{machine_name(header.e_machine), needed_libraries(file, segments)};
}

uint32_t sanitizer_of(const ElfFile& file) {
  for (const std::string& library : file.needed) {
    if (library.rfind("libasan.so", 0) == 0) return HAL_SANITIZER_ADDRESS;
    if (library.rfind("libtsan.so", 0) == 0) return HAL_SANITIZER_THREAD;
  }
  return HAL_SANITIZER_NONE;
}

}  // namespace hal::loader
