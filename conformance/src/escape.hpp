// SPDX-License-Identifier: Apache-2.0
//
// Text of unknown origin into XML and HTML.
#ifndef CONFORMANCE_SRC_ESCAPE_HPP_
#define CONFORMANCE_SRC_ESCAPE_HPP_

#include <string>
#include <string_view>

namespace hal::conformance {

// Markup characters become entities; control characters, which XML 1.0 forbids, and bytes that are not ASCII become
// '?'.
inline std::string escape_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t' ? c : '?';
    }
  }
  return result;
}

}  // namespace hal::conformance

#endif  // CONFORMANCE_SRC_ESCAPE_HPP_
