// SPDX-License-Identifier: Apache-2.0
//
// Characters to tokens. A newline ends a statement and is a token, except inside ( ) and [ ] and after a token that
// cannot end one (an operator, a comma).
#ifndef HAL_COMPILER_LANG_LEXER_HPP_
#define HAL_COMPILER_LANG_LEXER_HPP_

#include "lang/source.hpp"

namespace hal::compiler::lang {

enum class TokenKind { kName, kInt, kFloat, kString, kSymbol, kNewline, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // of a string: its contents
  Position at;
  int64_t integer = 0;
  double number = 0;
};

// Always ends with kEnd. Errors go to `diagnostics`; the rest of the text is still read.
std::vector<Token> tokenize(const Source& source, Diagnostics& diagnostics);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_LEXER_HPP_
