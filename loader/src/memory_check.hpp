// SPDX-License-Identifier: Apache-2.0
//
// Whether a pointer that a plugin gave leads to memory, asked of the kernel instead of tried.
#ifndef LOADER_MEMORY_CHECK_HPP_
#define LOADER_MEMORY_CHECK_HPP_

#include <cstdint>

namespace hal::loader {

// All `size` bytes can be read. True where the kernel does not answer such questions (a sandbox).
bool is_readable(const void* begin, uint64_t size);

// Not NULL, aligned, and `count` of them can be read.
template <typename T>
bool is_array(const T* begin, uint64_t count = 1) {
  return begin != nullptr && reinterpret_cast<uintptr_t>(begin) % alignof(T) == 0 && count <= UINT64_MAX / sizeof(T) &&
         is_readable(begin, count * sizeof(T));
}

}  // namespace hal::loader

#endif  // LOADER_MEMORY_CHECK_HPP_
