// SPDX-License-Identifier: Apache-2.0
//
// The ABI's rules for structs that grow, in one place for the loader: zero tail (HAL-ABI-04), extension chains
// (HAL-ABI-05) and count-then-fill of out-structs (HAL-ABI-08).
#ifndef LOADER_STRUCTS_HPP_
#define LOADER_STRUCTS_HPP_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "hal/base.h"
#include "hal/cxx/result.hpp"

namespace hal::loader {

// No struct of any minor version comes near this; a larger size is garbage.
inline constexpr uint32_t kMaxStructSize = 64 * 1024;

// What ABI 1.0's structs were: the least that a plugin may return, whatever this release appended (HAL-ABI-03).
inline constexpr uint32_t kFirstPluginSize = 88;  // of hal_plugin_t
inline constexpr uint32_t kFirstStatusSize = 80;  // of hal_status_t

// A copy of an in-struct at our own size. Bytes that we do not know must be zero.
template <typename T>
Result<T> read_in_struct(const T* given, const char* name) {
  if (given == nullptr) return invalid_argument(std::string(name) + " is NULL; pass one that HAL_..._INIT made");
  const uint32_t size = given->struct_size;
  if (size < sizeof(uint64_t) || size > kMaxStructSize) {
    return invalid_argument(std::string(name) + ".struct_size is " + std::to_string(size) + "; expected sizeof, " +
                            std::to_string(sizeof(T)) + ": start from HAL_..._INIT");
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (uint32_t at = sizeof(T); at < size; ++at) {
    if (bytes[at] != 0) {
      return unsupported(std::string(name) + " has a field at offset " + std::to_string(at) +
                         " that this release does not know and that is not zero");
    }
  }
  T copy{};
  std::memcpy(&copy, given, std::min<size_t>(size, sizeof(T)));
  return copy;
}

// The loader knows no extension yet: optional nodes are skipped, a required one is refused.
inline Result<void> check_chain(const hal_chain_t* node) {
  for (uint32_t depth = 0; node != nullptr; node = node->next) {
    if (++depth > HAL_CHAIN_MAX_DEPTH)
      return invalid_argument("the extension chain is longer than 64 nodes or a cycle");
    if ((node->flags & HAL_CHAIN_REQUIRED) != 0) {
      return unsupported("extension " + std::to_string(node->type) + " is required and not known to this release");
    }
  }
  return {};
}

// Writes `count` out-structs made by make(index). The step from one to the next is the caller's own size.
template <typename T, typename Make>
Result<void> fill_out_structs(uint32_t capacity, uint32_t count, uint32_t* out_count, T* out_items, Make&& make) {
  if (out_count == nullptr) return invalid_argument("out_count is NULL");
  *out_count = 0;
  if (capacity != 0 && out_items == nullptr) return invalid_argument("capacity is not 0 but the array is NULL");
  const uint32_t written = std::min(capacity, count);
  const size_t step = written == 0 ? sizeof(T) : out_items->struct_size;
  if (step < sizeof(uint64_t) || step > kMaxStructSize || step % alignof(T) != 0) {
    return invalid_argument("struct_size of the first item is " + std::to_string(step) + "; expected sizeof, " +
                            std::to_string(sizeof(T)));
  }
  for (uint32_t i = 0; i < written; ++i) {
    T item = make(i);
    item.struct_size = static_cast<uint32_t>(step);
    std::memcpy(reinterpret_cast<char*>(out_items) + i * step, &item, std::min(step, sizeof(T)));
  }
  *out_count = count;
  return {};
}

}  // namespace hal::loader

#endif  // LOADER_STRUCTS_HPP_
