// SPDX-License-Identifier: Apache-2.0
#include "lang/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace hal::compiler::lang {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 36> kSymbols = {
    "...", "->", "..", "==", "!=", "<=", ">=", "<<", ">>", "//", "**", "(", ")", "[", "]", "{", "}", ",",
    ":",   ";",  "=",  "<",  ">",  "+",  "-",  "*",  "/",  "%",  "&",  "|", "^", "!", "?", ".", "@", "$"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  Lexer(const Source& source, Diagnostics& diagnostics) : text_(source.text), diagnostics_(diagnostics) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) step();
    push(TokenKind::kNewline, "");
    push(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void advance(size_t count) {
    at_ += count;
    place_.column += static_cast<int>(count);
  }

  Token& push(TokenKind kind, std::string text) {
    tokens_.push_back(Token{kind, std::move(text), place_, 0, 0});
    return tokens_.back();
  }

  void step() {
    char c = peek();
    if (c == '\n') return newline();
    if (c == ' ' || c == '\t' || c == '\r') return advance(1);
    if (c == '#') return skip_comment();
    if (c == '"') return string();
    if (is_digit(c)) return number();
    if (is_letter(c)) return name();
    for (std::string_view symbol : kSymbols) {
      if (text_.compare(at_, symbol.size(), symbol) == 0) return this->symbol(symbol);
    }
    diagnostics_.error(place_, "unexpected character; names are of a-z, A-Z, 0-9 and _");
    advance(1);
  }

  void skip_comment() {
    while (at_ < text_.size() && peek() != '\n') advance(1);
  }

  bool ends_value() const {
    if (tokens_.empty()) return false;
    const Token& last = tokens_.back();
    return last.kind != TokenKind::kSymbol || last.text == ")" || last.text == "]";
  }

  // Whether the next line starts anew although a ( or [ is open, so that one forgotten bracket is one error: it
  // declares something, or assigns to a name where only a comma or a bracket could follow.
  bool next_line_starts_anew() const {
    std::string_view rest = std::string_view(text_).substr(at_ + 1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    for (std::string_view word : {"op ", "fn ", "attr ", "return "}) {
      if (rest.substr(0, word.size()) == word) return true;
    }
    size_t end = 0;
    while (end < rest.size() && (is_letter(rest[end]) || is_digit(rest[end]))) ++end;
    bool assigns =
        end > 0 && (rest.substr(end, 2) == " =" || rest.substr(end, 1) == "=") && rest.substr(end, 3) != " ==";
    return assigns && ends_value();
  }

  bool continues() const {
    if (tokens_.empty() || tokens_.back().kind == TokenKind::kNewline) return true;
    const Token& last = tokens_.back();
    if (last.kind == TokenKind::kName)
      return last.text == "and" || last.text == "or" || last.text == "else" || last.text == "then";
    if (last.kind != TokenKind::kSymbol) return false;
    static constexpr std::array<std::string_view, 8> kEnders = {")", "]", "}", "...", "?", ";", "{", "!"};
    return std::find(kEnders.begin(), kEnders.end(), last.text) == kEnders.end();
  }

  void newline() {
    if (nesting_ > 0 && next_line_starts_anew()) nesting_ = 0;
    if (nesting_ == 0 && !continues()) push(TokenKind::kNewline, "");
    ++at_;
    ++place_.line;
    place_.column = 1;
  }

  void string() {
    Token& token = push(TokenKind::kString, "");
    Position start = place_;
    advance(1);
    while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\')) advance(1);
      token.text += peek();
      advance(1);
    }
    if (peek() != '"') return diagnostics_.error(start, "string without its closing \"");
    advance(1);
  }

  void number() {
    size_t length = 0;
    bool is_float = false;
    while (is_digit(peek(length))) ++length;
    if (peek(length) == '.' && is_digit(peek(length + 1))) {
      is_float = true;
      ++length;
      while (is_digit(peek(length))) ++length;
    }
    if (peek(length) == 'e' || peek(length) == 'E') {
      size_t sign = peek(length + 1) == '-' || peek(length + 1) == '+' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) {
        is_float = true;
        length += 1 + sign;
        while (is_digit(peek(length))) ++length;
      }
    }
    Token& token = push(is_float ? TokenKind::kFloat : TokenKind::kInt, text_.substr(at_, length));
    const char* end = token.text.data() + token.text.size();
    std::errc status = is_float ? std::from_chars(token.text.data(), end, token.number).ec
                                : std::from_chars(token.text.data(), end, token.integer).ec;
    if (status != std::errc()) diagnostics_.error(place_, "number out of range: " + token.text);
    advance(length);
  }

  void name() {
    size_t length = 0;
    while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
    push(TokenKind::kName, text_.substr(at_, length));
    advance(length);
  }

  void symbol(std::string_view symbol) {
    if (symbol == "(" || symbol == "[") ++nesting_;
    if ((symbol == ")" || symbol == "]") && nesting_ > 0) --nesting_;
    if (symbol == "}") nesting_ = 0;
    push(TokenKind::kSymbol, std::string(symbol));
    advance(symbol.size());
  }

  const std::string& text_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  Position place_;
  int nesting_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const Source& source, Diagnostics& diagnostics) { return Lexer(source, diagnostics).run(); }

}  // namespace hal::compiler::lang
