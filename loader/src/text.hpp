// SPDX-License-Identifier: Apache-2.0
//
// Between the ABI's strings and C++'s.
#ifndef LOADER_TEXT_HPP_
#define LOADER_TEXT_HPP_

#include <string>
#include <string_view>

#include "hal/base.h"

namespace hal::loader {

inline std::string_view to_view(hal_string_t text) {
  return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.length);
}
inline std::string to_string(hal_string_t text) { return std::string(to_view(text)); }

// Borrows: the argument must outlive the result.
inline hal_string_t to_hal(std::string_view text) { return {text.data(), text.size()}; }

// Words joined by a separator, for messages that list what exists.
template <typename Range>
std::string join(const Range& words, std::string_view separator) {
  std::string joined;
  for (const auto& word : words) {
    if (!joined.empty()) joined += separator;
    joined += word;
  }
  return joined;
}

}  // namespace hal::loader

#endif  // LOADER_TEXT_HPP_
