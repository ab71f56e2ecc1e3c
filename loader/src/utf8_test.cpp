// SPDX-License-Identifier: Apache-2.0
#include "utf8.hpp"

#include <gtest/gtest.h>

namespace hal::loader {
namespace {

TEST(Utf8, TheFirstAndLastCharacterOfEachLength) {
  for (const std::string text : {"\x20", "\x7E", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                                 "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(utf8_length(text), text.size());
    EXPECT_EQ(utf8_length(text + "more"), text.size());
  }
}

TEST(Utf8, NothingBeyondThem) {
  for (const std::string text :
       {"\x1F", "\x7F", "\x80", "\xBF", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2\x82", "\xF0\x90\x80"}) {
    EXPECT_EQ(utf8_length(text), 0u);
  }
}

TEST(Utf8, MessagesKeepTheirLinesAndLoseWhatIsNoText) {
  EXPECT_EQ(printable("line 1:\n\tcaf\xC3\xA9"), "line 1:\n\tcaf\xC3\xA9");
  EXPECT_EQ(printable("\x1B[31mred caf\xE9"), "?[31mred caf?");
  EXPECT_EQ(printable(""), "");
}

}  // namespace
}  // namespace hal::loader
