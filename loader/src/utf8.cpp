// SPDX-License-Identifier: Apache-2.0
#include "utf8.hpp"

namespace hal::loader {
namespace {

unsigned char byte(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

// The second byte's range depends on the first (RFC 3629, section 4).
bool is_second(unsigned char first, unsigned char second) {
  const unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}

}  // namespace

size_t utf8_length(std::string_view text) {
  const unsigned char first = byte(text, 0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length || !is_second(first, byte(text, 1))) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(text, i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) {
      result += text[0] == '\n' || text[0] == '\t' ? text[0] : '?';
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

}  // namespace hal::loader
