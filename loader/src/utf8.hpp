// SPDX-License-Identifier: Apache-2.0
//
// Text that came from a plugin: which of its bytes are UTF-8 (RFC 3629).
#ifndef LOADER_UTF8_HPP_
#define LOADER_UTF8_HPP_

#include <string>
#include <string_view>

namespace hal::loader {

// Length of the character at the start of `text`, which is not empty; 0 if there is none: a control character, a byte
// out of place, a sequence that is too long for its character, a surrogate, or beyond U+10FFFF.
size_t utf8_length(std::string_view text);

// For messages: what is no character becomes '?', except line ends and tabs.
std::string printable(std::string_view text);

}  // namespace hal::loader

#endif  // LOADER_UTF8_HPP_
