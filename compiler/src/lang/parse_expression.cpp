// SPDX-License-Identifier: Apache-2.0
//
// Expressions, by precedence climbing.
#include <array>

#include "lang/parser.hpp"

namespace hal::compiler::lang {
namespace {

using ExprMaker = std::unique_ptr<Expr>;

ExprMaker make(ExprKind kind, Position at, std::string text = {}) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->at = at;
  expr->text = std::move(text);
  return expr;
}

ExprPtr parse_unary(TokenStream& tokens);
ExprPtr parse_binary(TokenStream& tokens, int minimum);

// Binding strength of a binary operator; 0 if the token is none.
int strength(const Token& token) {
  static const std::map<std::string, int, std::less<>> kStrength = {
      {"or", 1}, {"and", 2}, {"==", 4}, {"!=", 4}, {"<", 4}, {"<=", 4}, {">", 4},  {">=", 4}, {"in", 4},  {"|", 5},
      {"^", 6},  {"&", 7},   {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"//", 10}, {"%", 10}};
  bool is_word = token.kind == TokenKind::kName;
  if (!is_word && token.kind != TokenKind::kSymbol) return 0;
  auto found = kStrength.find(token.text);
  return found == kStrength.end() ? 0 : found->second;
}

bool parse_list(TokenStream& tokens, std::string_view end, std::vector<ExprPtr>& out, const char* where) {
  while (!tokens.is(end)) {
    ExprPtr item = parse_expression(tokens);
    if (!item) return false;
    out.push_back(std::move(item));
    if (!tokens.accept(",")) break;
  }
  return tokens.expect(end, where);
}

// After "[": a list, or [body for a, b in list if condition].
ExprPtr parse_list_or_comprehension(TokenStream& tokens, Position at) {
  ExprMaker list = make(ExprKind::kList, at);
  if (tokens.accept("]")) return list;
  ExprPtr first = parse_expression(tokens);
  if (!first) return nullptr;
  list->args.push_back(std::move(first));
  if (!tokens.accept_word("for")) {
    bool more = tokens.accept(",");
    if (more ? !parse_list(tokens, "]", list->args, "after a list") : !tokens.expect("]", "after a list"))
      return nullptr;
    return list;
  }
  list->kind = ExprKind::kComprehension;
  do {
    std::string name;
    if (!tokens.expect_name(name, "a name after \"for\"")) return nullptr;
    list->names.push_back(std::move(name));
  } while (tokens.accept(","));
  if (!tokens.accept_word("in")) return tokens.fail("expected \"in\", found " + tokens.found()), nullptr;
  ExprPtr source = parse_expression(tokens);
  if (!source) return nullptr;
  list->args.push_back(std::move(source));
  if (tokens.accept_word("if")) {
    ExprPtr condition = parse_expression(tokens);
    if (!condition) return nullptr;
    list->args.push_back(std::move(condition));
  }
  if (!tokens.expect("]", "after a list")) return nullptr;
  return list;
}

bool parse_arguments(TokenStream& tokens, Expr& call) {
  while (!tokens.is(")")) {
    bool named = tokens.peek().kind == TokenKind::kName && tokens.peek(1).kind == TokenKind::kSymbol &&
                 tokens.peek(1).text == "=";
    std::string name = named ? tokens.next().text : "";
    if (named) tokens.next();
    ExprPtr argument = parse_expression(tokens);
    if (!argument) return false;
    if (named) {
      call.named.emplace_back(std::move(name), std::move(argument));
    } else if (!call.named.empty()) {
      return tokens.fail("an argument without a name after one with a name");
    } else {
      call.args.push_back(std::move(argument));
    }
    if (!tokens.accept(",")) break;
  }
  return tokens.expect(")", "after the arguments");
}

// A "[" after a value: an index, a slice, or the bracket arguments of a call.
ExprPtr parse_subscript(TokenStream& tokens, ExprPtr value, Position at) {
  std::vector<ExprPtr> parts;
  bool slice = false;
  if (tokens.is(":")) {
    parts.push_back(nullptr);
  } else if (!tokens.is("]")) {
    ExprPtr first = parse_expression(tokens);
    if (!first) return nullptr;
    parts.push_back(std::move(first));
  }
  if (tokens.accept(":")) {
    slice = true;
    ExprPtr high = tokens.is("]") ? nullptr : parse_expression(tokens);
    if (!high && !tokens.is("]")) return nullptr;
    parts.push_back(std::move(high));
    if (!tokens.expect("]", "after a slice")) return nullptr;
  } else {
    if (!parts.empty()) tokens.accept(",");
    if (!parse_list(tokens, "]", parts, "after an index")) return nullptr;
  }
  if (!slice && value->kind == ExprKind::kName && tokens.accept("(")) {
    ExprMaker call = make(ExprKind::kCall, value->at, value->text);
    call->brackets = std::move(parts);
    if (!parse_arguments(tokens, *call)) return nullptr;
    return call;
  }
  ExprMaker result = make(slice ? ExprKind::kSlice : ExprKind::kIndex, at);
  result->args.push_back(std::move(value));
  for (ExprPtr& part : parts) result->args.push_back(std::move(part));
  return result;
}

ExprPtr parse_if(TokenStream& tokens, Position at) {
  ExprMaker result = make(ExprKind::kIf, at);
  static constexpr std::array<const char*, 2> kWords = {"then", "else"};
  for (size_t i = 0; i < 3; ++i) {
    ExprPtr part = parse_expression(tokens);
    if (!part) return nullptr;
    result->args.push_back(std::move(part));
    if (i < 2 && !tokens.accept_word(kWords[i])) {
      return tokens.fail(std::string("expected \"") + kWords[i] + "\" of an if-expression, found " + tokens.found()),
             nullptr;
    }
  }
  return result;
}

ExprPtr parse_primary(TokenStream& tokens) {
  const Token token = tokens.peek();
  if (token.kind == TokenKind::kInt || token.kind == TokenKind::kFloat || token.kind == TokenKind::kString) {
    tokens.next();
    ExprKind kind = token.kind == TokenKind::kInt     ? ExprKind::kInt
                    : token.kind == TokenKind::kFloat ? ExprKind::kFloat
                                                      : ExprKind::kString;
    ExprMaker expr = make(kind, token.at, token.text);
    expr->integer = token.integer;
    expr->number = token.number;
    return expr;
  }
  if (token.kind == TokenKind::kName) {
    static const std::set<std::string, std::less<>> kReserved = {"for", "in", "else", "then", "and", "or", "return"};
    if (kReserved.count(token.text) != 0) return tokens.fail("expected a value, found " + tokens.found()), nullptr;
    tokens.next();
    if (token.text == "if") return parse_if(tokens, token.at);
    if (!tokens.accept("(")) return make(ExprKind::kName, token.at, token.text);
    ExprMaker call = make(ExprKind::kCall, token.at, token.text);
    if (!parse_arguments(tokens, *call)) return nullptr;
    return call;
  }
  if (tokens.accept("(")) {
    ExprPtr inner = parse_expression(tokens);
    if (!inner || !tokens.expect(")", "after an expression")) return nullptr;
    return inner;
  }
  if (tokens.accept("[")) return parse_list_or_comprehension(tokens, token.at);
  return tokens.fail("expected a value, found " + tokens.found()), nullptr;
}

ExprPtr parse_postfix(TokenStream& tokens) {
  ExprPtr value = parse_primary(tokens);
  while (value && tokens.is("[")) {
    Position at = tokens.next().at;
    value = parse_subscript(tokens, std::move(value), at);
  }
  if (!value || !tokens.is("**")) return value;
  Position at = tokens.next().at;
  ExprPtr exponent = parse_unary(tokens);
  if (!exponent) return nullptr;
  ExprMaker power = make(ExprKind::kBinary, at, "**");
  power->args.push_back(std::move(value));
  power->args.push_back(std::move(exponent));
  return power;
}

ExprPtr parse_unary(TokenStream& tokens) {
  Position at = tokens.peek().at;
  std::string op = tokens.is("-") || tokens.is("!") ? tokens.peek().text : tokens.is_word("not") ? "not" : "";
  if (!tokens.enter()) return nullptr;
  ExprPtr result;
  if (op.empty()) {
    result = parse_postfix(tokens);
  } else {
    tokens.next();
    // "not" is weaker than comparisons, the others bind to the operand alone.
    ExprPtr operand = op == "not" ? parse_binary(tokens, 4) : parse_unary(tokens);
    if (operand) {
      ExprMaker unary = make(ExprKind::kUnary, at, op);
      unary->args.push_back(std::move(operand));
      result = std::move(unary);
    }
  }
  tokens.leave();
  return result;
}

ExprPtr parse_binary(TokenStream& tokens, int minimum) {
  ExprPtr left = parse_unary(tokens);
  int length = 0;
  while (left) {
    const Token token = tokens.peek();
    int level = strength(token);
    if (level == 0 || level < minimum) return left;
    if (++length > 200) return tokens.fail("an expression of more than 200 operands"), nullptr;
    tokens.next();
    ExprPtr right = parse_binary(tokens, level + 1);
    if (!right) return nullptr;
    ExprMaker binary = make(ExprKind::kBinary, token.at, token.text);
    binary->args.push_back(std::move(left));
    binary->args.push_back(std::move(right));
    left = std::move(binary);
  }
  return nullptr;
}

}  // namespace

ExprPtr parse_expression(TokenStream& tokens) {
  if (!tokens.enter()) return nullptr;
  ExprPtr result = parse_binary(tokens, 1);
  tokens.leave();
  return result;
}

}  // namespace hal::compiler::lang
