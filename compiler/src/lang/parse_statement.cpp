// SPDX-License-Identifier: Apache-2.0
//
// The token stream, blocks and statements.
#include <algorithm>

#include "lang/parser.hpp"

namespace hal::compiler::lang {
namespace {

constexpr int kMaxDepth = 200;  // of nesting: the parser and the elaborator recurse

bool parse_statement(TokenStream& tokens, Block& block);

bool parse_names(TokenStream& tokens, std::vector<std::string>& names) {
  do {
    std::string name;
    if (!tokens.expect_name(name, "a name")) return false;
    names.push_back(std::move(name));
  } while (tokens.accept(","));
  return true;
}

// "else" may stand on the next line; a newline that ends the statement stays.
bool next_is_else(TokenStream& tokens) {
  size_t ahead = 0;
  while (tokens.peek(ahead).kind == TokenKind::kNewline) ++ahead;
  if (tokens.peek(ahead).kind != TokenKind::kName || tokens.peek(ahead).text != "else") return false;
  for (size_t i = 0; i <= ahead; ++i) tokens.next();
  return true;
}

bool parse_if_statement(TokenStream& tokens, Statement& statement) {
  statement.kind = StatementKind::kIf;
  statement.value = parse_expression(tokens);
  if (!statement.value) return false;
  if (!tokens.is("{")) return tokens.fail("expected \"{\" after the condition, found " + tokens.found());
  if (!parse_block(tokens, statement.body)) return false;
  if (!next_is_else(tokens)) return true;
  if (!tokens.accept_word("if")) return parse_block(tokens, statement.other);
  Statement inner;
  inner.at = tokens.peek().at;
  bool ok = tokens.enter() && parse_if_statement(tokens, inner);
  tokens.leave();
  statement.other.push_back(std::move(inner));
  return ok;
}

bool parse_for(TokenStream& tokens, Statement& statement) {
  statement.kind = StatementKind::kFor;
  if (!parse_names(tokens, statement.names)) return false;
  if (!tokens.accept_word("in")) return tokens.fail("expected \"in\", found " + tokens.found());
  statement.value = parse_expression(tokens);
  return statement.value && parse_block(tokens, statement.body);
}

// `a = value`, `a, b = value`, or a call on its own.
bool parse_assign_or_call(TokenStream& tokens, Statement& statement) {
  bool call =
      tokens.peek().kind == TokenKind::kName && tokens.peek(1).kind == TokenKind::kSymbol && tokens.peek(1).text == "(";
  if (call) {
    statement.kind = StatementKind::kCall;
    statement.value = parse_expression(tokens);
    return statement.value != nullptr;
  }
  statement.kind = StatementKind::kAssign;
  if (!parse_names(tokens, statement.names)) return false;
  if (!tokens.accept("=")) return tokens.fail("expected \"=\" after a name, found " + tokens.found());
  statement.value = parse_expression(tokens);
  if (statement.value) return true;
  // What it assigns is known all the same: uses of it are no further mistakes.
  auto placeholder = std::make_unique<Expr>();
  placeholder->kind = ExprKind::kInt;
  statement.value = std::move(placeholder);
  return false;
}

bool parse_statement_into(TokenStream& tokens, Statement& statement) {
  if (tokens.accept_word("if")) return parse_if_statement(tokens, statement);
  if (tokens.accept_word("for")) return parse_for(tokens, statement);
  if (tokens.accept_word("return")) {
    statement.kind = StatementKind::kReturn;
    statement.value = parse_expression(tokens);
    return statement.value != nullptr;
  }
  return parse_assign_or_call(tokens, statement);
}

bool parse_statement(TokenStream& tokens, Block& block) {
  Statement statement;
  statement.at = tokens.peek().at;
  if (!tokens.enter()) return false;
  bool ok = parse_statement_into(tokens, statement);
  tokens.leave();
  if (!ok) {
    if (statement.kind == StatementKind::kAssign && statement.value) block.push_back(std::move(statement));
    return false;
  }
  block.push_back(std::move(statement));
  if (tokens.is("}") || tokens.accept(";") || tokens.peek().kind == TokenKind::kNewline) return true;
  return tokens.fail("expected the end of the statement, found " + tokens.found());
}

}  // namespace

bool TokenStream::expect(std::string_view symbol, const char* where) {
  if (accept(symbol)) return true;
  return fail("expected \"" + std::string(symbol) + "\" " + where + ", found " + found());
}

bool TokenStream::expect_name(std::string& name, const char* what) {
  if (peek().kind != TokenKind::kName) return fail(std::string("expected ") + what + ", found " + found());
  name = next().text;
  return true;
}

void TokenStream::skip_newlines() {
  while (peek().kind == TokenKind::kNewline || is(";")) next();
}

std::string TokenStream::found() const {
  switch (peek().kind) {
    case TokenKind::kEnd:
      return "the end of the file";
    case TokenKind::kNewline:
      return "the end of the line";
    case TokenKind::kString:
      return "a string";
    default:
      return "\"" + peek().text + "\"";
  }
}

bool TokenStream::fail(const std::string& message) {
  diagnostics_.error(peek().at, message);
  return false;
}

void TokenStream::recover() {
  int depth = 0;
  while (!at_end()) {
    if (is("{")) ++depth;
    if (is("}") && depth-- == 0) return;
    if (depth == 0 && peek().kind == TokenKind::kNewline) return;
    if (is_word("op") && peek().at.column == 1) return;
    next();
  }
}

bool TokenStream::enter() {
  if (++depth_ <= kMaxDepth) return true;
  return fail("nested more than " + std::to_string(kMaxDepth) + " deep");
}

bool parse_block(TokenStream& tokens, Block& block) {
  if (!tokens.expect("{", "before a block")) return false;
  tokens.skip_newlines();
  while (!tokens.is("}")) {
    if (tokens.at_end()) return tokens.fail("expected \"}\" at the end of a block, found the end of the file");
    if (tokens.is_word("op") && tokens.peek().at.column == 1)
      return tokens.fail("expected \"}\" before the next operator");
    if (!parse_statement(tokens, block)) tokens.recover();
    tokens.skip_newlines();
  }
  return tokens.expect("}", "after a block");
}

}  // namespace hal::compiler::lang
