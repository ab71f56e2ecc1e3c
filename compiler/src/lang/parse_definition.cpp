// SPDX-License-Identifier: Apache-2.0
//
// Operators: signature, attributes, body, numerics, aliases, samples; and functions.
#include <algorithm>
#include <array>

#include "lang/dtype_sets.hpp"
#include "lang/parser.hpp"

namespace hal::compiler::lang {
namespace {

constexpr std::array<std::string_view, 9> kTypeNames = {"int",     "ints", "float", "floats", "string",
                                                        "strings", "bool", "dtype", "tensor"};
const std::vector<std::string> kItems = {"where", "attr", "doc", "numerics", "alias", "sample", "op", "fn"};

class DefinitionParser {
 public:
  explicit DefinitionParser(TokenStream& tokens) : tokens_(tokens) {}

  bool parse(OperatorDefinition& out) {
    if (!tokens_.expect_name(out.local_name, "the operator's name")) return false;
    if (!tokens_.expect("(", "before the parameters") || !ports(out.ports, ")")) return false;
    if (!tokens_.expect(")", "after the parameters")) return false;
    if (!tokens_.accept("->")) return tokens_.fail("expected \"->\" and the results, found " + tokens_.found());
    return ports(out.results, "");
  }

  // The items after the signature, up to the next operator.
  void parse_items(OperatorDefinition& out) {
    for (tokens_.skip_newlines(); !tokens_.at_end(); tokens_.skip_newlines()) {
      if ((tokens_.is_word("op") || tokens_.is_word("fn")) && tokens_.peek().at.column == 1) return;
      if (!item(out)) {
        tokens_.recover();
        if (tokens_.is("}")) tokens_.next();
      }
    }
  }

 private:
  bool item(OperatorDefinition& out) {
    if (tokens_.is("{")) return parse_block(tokens_, out.body);
    if (tokens_.accept_word("where")) return where(out);
    if (tokens_.accept_word("attr")) return attribute(out);
    if (tokens_.accept_word("doc")) return doc(out);
    if (tokens_.accept_word("numerics")) return numerics(out);
    if (tokens_.accept_word("alias")) return alias(out);
    if (tokens_.accept_word("sample")) return sample(out);
    std::string hint = tokens_.peek().kind == TokenKind::kName ? suggestion(tokens_.peek().text, kItems) : "";
    return tokens_.fail("expected where, attr, doc, numerics, alias, sample or { body }, found " + tokens_.found() +
                        hint);
  }

  // name[?][...]: dtype[dims], ...
  bool ports(std::vector<Port>& out, std::string_view end) {
    while (end.empty() || !tokens_.is(end)) {
      Port port;
      port.at = tokens_.peek().at;
      if (!tokens_.expect_name(port.name, "the name of a tensor")) return false;
      if (tokens_.accept("?")) port.optional = true;
      if (tokens_.accept("...")) port.variadic = true;
      if (!tokens_.expect(":", "and a dtype after the name of a tensor")) return false;
      if (!tokens_.expect_name(port.dtype, "a dtype or type variable") || !shape(port.shape)) return false;
      out.push_back(std::move(port));
      if (!tokens_.accept(",")) break;
    }
    return true;
  }

  bool shape(ShapePattern& out) {
    if (!tokens_.accept("[")) return true;
    out.any = false;
    while (!tokens_.is("]")) {
      DimPattern dim;
      dim.at = tokens_.peek().at;
      dim.list = tokens_.accept("..");
      dim.value = parse_expression(tokens_);
      if (!dim.value) return false;
      out.dims.push_back(std::move(dim));
      if (!tokens_.accept(",")) break;
    }
    return tokens_.expect("]", "after a shape");
  }

  bool dtype_set(std::vector<DType>& out) {
    bool braces = tokens_.accept("{");
    do {
      std::string word;
      Position at = tokens_.peek().at;
      if (!tokens_.expect_name(word, "a dtype")) return false;
      if (!add_dtypes(word, out)) {
        tokens_.diagnostics().error(at, "unknown dtype \"" + word + "\"" + suggestion(word, dtype_words()));
        return false;
      }
    } while (braces && tokens_.accept(","));
    return !braces || tokens_.expect("}", "after a set of dtypes");
  }

  bool where(OperatorDefinition& out) {
    do {
      TypeVariable type;
      type.at = tokens_.peek().at;
      if (!tokens_.expect_name(type.name, "a type variable")) return false;
      if (!tokens_.accept_word("in")) return tokens_.fail("expected \"in\" and dtypes, found " + tokens_.found());
      bool known = dtype_set(type.dtypes);
      out.types.push_back(std::move(type));  // even if a dtype is unknown: its uses are no further mistakes
      if (!known) return false;
    } while (tokens_.accept(","));
    return true;
  }

  bool attribute(OperatorDefinition& out) {
    AttributeDecl attr;
    attr.at = tokens_.peek().at;
    if (!tokens_.expect_name(attr.name, "the attribute's name") ||
        !tokens_.expect(":", "and a type after the attribute's name"))
      return false;
    Position at = tokens_.peek().at;
    std::string type;
    if (!tokens_.expect_name(type, "the attribute's type")) return false;
    auto found = std::find(kTypeNames.begin(), kTypeNames.end(), type);
    if (found == kTypeNames.end()) {
      std::vector<std::string> known(kTypeNames.begin(), kTypeNames.end());
      tokens_.diagnostics().error(at, "unknown attribute type \"" + type + "\"" + suggestion(type, known));
      out.attribute_decls.push_back(std::move(attr));
      return false;
    }
    attr.type = static_cast<AttributeType>(found - kTypeNames.begin());
    attr.optional = tokens_.accept("?");
    if (tokens_.accept_word("in") && !choices(attr)) return false;
    if (tokens_.accept("=")) {
      attr.fallback = parse_expression(tokens_);
      if (!attr.fallback) return false;
    }
    out.attribute_decls.push_back(std::move(attr));
    return true;
  }

  bool choices(AttributeDecl& attr) {
    if (!tokens_.expect("{", "before the allowed strings")) return false;
    do {
      if (tokens_.peek().kind != TokenKind::kString) return tokens_.fail("expected a string, found " + tokens_.found());
      attr.choices.push_back(tokens_.next().text);
    } while (tokens_.accept(","));
    return tokens_.expect("}", "after the allowed strings");
  }

  bool doc(OperatorDefinition& out) {
    if (tokens_.peek().kind != TokenKind::kString)
      return tokens_.fail("expected a string after doc, found " + tokens_.found());
    while (tokens_.peek().kind == TokenKind::kString) {
      out.doc += (out.doc.empty() ? "" : " ") + tokens_.next().text;
      tokens_.skip_newlines();
    }
    return true;
  }

  bool numerics(OperatorDefinition& out) {
    static const std::vector<std::string> kClasses = {"exact", "ulp", "linear"};
    Position at = tokens_.peek().at;
    std::string word;
    if (!tokens_.expect_name(word, "exact, ulp or linear")) return false;
    auto found = std::find(kClasses.begin(), kClasses.end(), word);
    if (found == kClasses.end()) {
      tokens_.diagnostics().error(
          at, "unknown tolerance \"" + word + "\", expected exact, ulp or linear" + suggestion(word, kClasses));
      return false;
    }
    out.tolerance_class = static_cast<ToleranceClass>(found - kClasses.begin());
    if (out.tolerance_class == ToleranceClass::kExact) return true;
    out.tolerance = parse_expression(tokens_);
    return out.tolerance != nullptr;
  }

  // alias onnx "Softmax" 13
  bool alias(OperatorDefinition& out) {
    OperatorAlias alias;
    if (!tokens_.expect_name(alias.domain, "a domain such as onnx")) return false;
    while (tokens_.accept(".")) {
      std::string part;
      if (!tokens_.expect_name(part, "the rest of a domain")) return false;
      alias.domain += "." + part;
    }
    if (tokens_.peek().kind != TokenKind::kString)
      return tokens_.fail("expected the operator's name as a string, found " + tokens_.found());
    alias.name = tokens_.next().text;
    if (tokens_.peek().kind != TokenKind::kInt)
      return tokens_.fail("expected the first version, found " + tokens_.found());
    alias.since_version = tokens_.next().integer;
    out.alias_list.push_back(std::move(alias));
    return true;
  }

  bool sample(OperatorDefinition& out) {
    SampleDecl sample;
    sample.at = tokens_.peek().at;
    if (tokens_.peek().kind == TokenKind::kName) sample.name = tokens_.next().text;
    if (!tokens_.expect("{", "before a sample's inputs")) return false;
    for (tokens_.skip_newlines(); !tokens_.is("}"); tokens_.skip_newlines()) {
      SampleEntry entry;
      entry.at = tokens_.peek().at;
      if (!tokens_.expect_name(entry.name, "an input or attribute") || !tokens_.expect(":", "after its name"))
        return false;
      do {
        ExprPtr choice = parse_expression(tokens_);
        if (!choice) return false;
        entry.choices.push_back(std::move(choice));
      } while (tokens_.accept(","));
      sample.entries.push_back(std::move(entry));
      if (!tokens_.is("}") && !tokens_.is(";") && tokens_.peek().kind != TokenKind::kNewline) {
        return tokens_.fail("expected \";\" or \"}\", found " + tokens_.found());
      }
    }
    out.sample_decls.push_back(std::move(sample));
    return tokens_.expect("}", "after a sample");
  }

  TokenStream& tokens_;
};

// fn name(a, b) = expression, or fn name(a, b) { ... return expression }
bool parse_function(TokenStream& tokens, Function& out) {
  if (!tokens.expect_name(out.name, "the function's name") || !tokens.expect("(", "before the parameters"))
    return false;
  while (!tokens.is(")")) {
    std::string parameter;
    if (!tokens.expect_name(parameter, "a parameter")) return false;
    out.parameters.push_back(std::move(parameter));
    if (!tokens.accept(",")) break;
  }
  if (!tokens.expect(")", "after the parameters")) return false;
  if (!tokens.accept("=")) return parse_block(tokens, out.body);
  Statement statement;
  statement.kind = StatementKind::kReturn;
  statement.at = tokens.peek().at;
  statement.value = parse_expression(tokens);
  if (!statement.value) return false;
  out.body.push_back(std::move(statement));
  return true;
}

}  // namespace

std::string operator_name(const std::string& name) {
  auto upper = [&](size_t i) { return i < name.size() && name[i] >= 'A' && name[i] <= 'Z'; };
  std::string out = "mortise.";
  for (size_t i = 0; i < name.size(); ++i) {
    bool starts_word =
        upper(i) && i > 0 && (!upper(i - 1) || (i + 1 < name.size() && !upper(i + 1) && name[i + 1] >= 'a'));
    if (starts_word && name[i - 1] != '_') out += '_';
    out += upper(i) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return out;
}

ParsedFile parse_file(std::shared_ptr<const Source> source, Diagnostics& diagnostics) {
  TokenStream tokens(tokenize(*source, diagnostics), diagnostics);
  ParsedFile file{source, {}, {}};
  for (tokens.skip_newlines(); !tokens.at_end(); tokens.skip_newlines()) {
    Position at = tokens.peek().at;
    if (tokens.accept_word("op")) {
      auto definition = std::make_shared<OperatorDefinition>();
      definition->source = source;
      definition->at = at;
      DefinitionParser parser(tokens);
      if (parser.parse(*definition)) {
        definition->full_name = operator_name(definition->local_name);
      } else {
        tokens.recover();
      }
      parser.parse_items(*definition);
      file.operators.push_back(std::move(definition));
    } else if (tokens.accept_word("fn")) {
      auto function = std::make_shared<Function>();
      function->source = source;
      function->at = at;
      if (!parse_function(tokens, *function)) tokens.recover();
      file.functions.push_back(std::move(function));
    } else {
      tokens.fail("expected op or fn, found " + tokens.found());
      tokens.recover();
      if (tokens.is("}")) tokens.next();
    }
  }
  return file;
}

}  // namespace hal::compiler::lang
