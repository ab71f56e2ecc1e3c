// SPDX-License-Identifier: Apache-2.0
//
// memfd_create and dlopen: see library.hpp.
#include "library.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace hal::cpu {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

Error no_memory_file() {
  return {HAL_STATUS_OUT_OF_MEMORY, std::string("cannot keep the code in a memory file: ") + std::strerror(errno)};
}

Result<void> write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return no_memory_file();
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return {};
}

// The dynamic linker takes two equal names for one library, and descriptor numbers come again. So each load spells the
// same path in its own way: a number written in "/" and "/.".
std::string unique_path(int descriptor) {
  static std::atomic<uint64_t> loads{0};
  std::string path = "/proc/self/fd";
  for (uint64_t number = loads.fetch_add(1) + 1; number != 0; number >>= 1) path += (number & 1) != 0 ? "/." : "/";
  return path + "/" + std::to_string(descriptor);
}

}  // namespace

void LibraryCloser::operator()(void* library) const { dlclose(library); }

Result<Library> load_library(std::span<const std::byte> bytes) {
  const File file(memfd_create("hal-kernel", MFD_CLOEXEC));
  if (file.descriptor() < 0) return no_memory_file();
  HAL_TRY(write_all(file.descriptor(), bytes));
  Library library;
  library.handle.reset(dlopen(unique_path(file.descriptor()).c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library.handle == nullptr) return data_corrupt(std::string("the dynamic linker refused it: ") + dlerror());
  link_map* map = nullptr;
  if (dlinfo(library.handle.get(), RTLD_DI_LINKMAP, &map) != 0) return internal_error(dlerror());
  library.base = map->l_addr;
  return library;
}

}  // namespace hal::cpu
