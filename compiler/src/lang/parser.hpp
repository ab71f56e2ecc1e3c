// SPDX-License-Identifier: Apache-2.0
//
// Tokens to syntax trees. After an error the parser goes on at the next statement or declaration, so that one run
// reports every error of a file.
#ifndef HAL_COMPILER_LANG_PARSER_HPP_
#define HAL_COMPILER_LANG_PARSER_HPP_

#include "lang/ast.hpp"
#include "lang/lexer.hpp"

namespace hal::compiler::lang {

struct ParsedFile {
  std::shared_ptr<const Source> source;
  std::vector<std::shared_ptr<OperatorDefinition>> operators;
  std::vector<std::shared_ptr<Function>> functions;
};

ParsedFile parse_file(std::shared_ptr<const Source> source, Diagnostics& diagnostics);

// "LayerNormalization" -> "mortise.layer_normalization", "ReduceL2" -> "mortise.reduce_l2", "LRN" -> "mortise.lrn".
std::string operator_name(const std::string& name);

// The tokens and what all parsing functions share. A function that returns a null pointer or false has reported why.
class TokenStream {
 public:
  TokenStream(std::vector<Token> tokens, Diagnostics& diagnostics)
      : tokens_(std::move(tokens)), diagnostics_(diagnostics) {}

  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token next() {
    Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  bool is(std::string_view symbol) const { return peek().kind == TokenKind::kSymbol && peek().text == symbol; }
  bool is_word(std::string_view word) const { return peek().kind == TokenKind::kName && peek().text == word; }
  bool accept(std::string_view symbol) { return is(symbol) && (next(), true); }
  bool accept_word(std::string_view word) { return is_word(word) && (next(), true); }
  bool expect(std::string_view symbol, const char* where);
  bool expect_name(std::string& name, const char* what);
  void skip_newlines();
  std::string found() const;  // the current token in words
  bool fail(const std::string& message);
  Diagnostics& diagnostics() { return diagnostics_; }
  // To the end of the statement, or to the "}" that ends the block around it.
  void recover();

  bool enter();  // false when nested too deep
  void leave() { --depth_; }

 private:
  std::vector<Token> tokens_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
  int depth_ = 0;
};

ExprPtr parse_expression(TokenStream& tokens);
bool parse_block(TokenStream& tokens, Block& block);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_PARSER_HPP_
