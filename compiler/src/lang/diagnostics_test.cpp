// SPDX-License-Identifier: Apache-2.0
//
// Every diagnostic of the language, one row each: the text, and where and what is reported.
#include <gtest/gtest.h>

#include <algorithm>

#include "hal/compiler/operators.hpp"

namespace hal::compiler {
namespace {

std::string errors(const std::string& text) {
  auto library = OperatorLibrary::parse({{"my.op", text}});
  return library ? "" : library.error().message;
}

// A whole operator around one body line, which stands on line 3.
std::string with_body(const std::string& line) {
  return "op My(x: T[..S]) -> y: T[..S]\n{\n" + line + "\n}\nwhere T in floats\n";
}

struct Row {
  const char* name;
  std::string text;
  const char* expected;  // the first line, whole
};

std::vector<Row> rows() {
  return {
      {"Character", with_body("y = x ~ 1"), "my.op:3:7: unexpected character; names are of a-z, A-Z, 0-9 and _"},
      {"String", with_body("y = contract(\"m k, x, x)"), "my.op:3:14: string without its closing \""},
      {"Number", with_body("y = x + 99999999999999999999"), "my.op:3:9: number out of range: 99999999999999999999"},
      {"TopLevel", "oops\n", "my.op:1:1: expected op or fn, found \"oops\""},
      {"OperatorName", "op (x: f32) -> y: f32 { y = x }", "my.op:1:4: expected the operator's name, found \"(\""},
      {"Arrow", "op My(x: f32) y: f32 { y = x }", "my.op:1:15: expected \"->\" and the results, found \"y\""},
      {"PortDType", "op My(x) -> y: f32 { y = x }",
       "my.op:1:8: expected \":\" and a dtype after the name of a tensor, found \")\""},
      {"UnknownDType", "op My(x: T) -> y: T\nwhere T in {f23}\n{ y = x }",
       "my.op:2:13: unknown dtype \"f23\"; did you mean \"f32\"?"},
      {"UnknownVariable", "op My(x: flaot) -> y: f32 { y = x }",
       "my.op:1:7: \"flaot\" is no dtype and no type variable; declare it with: where flaot in floats"},
      {"Item", "op My(x: f32) -> y: f32\nattribute k: int\n{ y = x }",
       "my.op:2:1: expected where, attr, doc, numerics, alias, sample or { body }, found \"attribute\""},
      {"ItemHint", "op My(x: f32) -> y: f32\natr k: int\n{ y = x }",
       "my.op:2:1: expected where, attr, doc, numerics, alias, sample or { body }, found \"atr\"; did you mean "
       "\"attr\"?"},
      {"AttributeType", "op My(x: f32) -> y: f32\nattr k: itn\n{ y = x }",
       "my.op:2:9: unknown attribute type \"itn\"; did you mean \"int\"?"},
      {"AttributeTwice", "op My(x: f32) -> y: f32\nattr k: int\nattr k: int\n{ y = x }",
       "my.op:3:6: attribute \"k\" is declared twice"},
      {"Tolerance", "op My(x: f32) -> y: f32\nnumerics ulps 3\n{ y = x }",
       "my.op:2:10: unknown tolerance \"ulps\", expected exact, ulp or linear; did you mean \"ulp\"?"},
      {"AliasVersion", "op My(x: f32) -> y: f32\nalias onnx \"My\"\n{ y = x }",
       "my.op:2:16: expected the first version, found the end of the line"},
      {"SampleName", "op My(x: f32) -> y: f32\n{ y = x }\nsample { z: normal[3] }\n",
       "my.op:3:10: sample of \"z\", which is no operand, attribute or type"},
      {"Variadic", "op My(x...: f32, z: f32) -> y: f32 { y = z }", "my.op:1:7: only the last operand may be variadic"},
      {"TwoLists", "op My(x: f32[..A, ..B]) -> y: f32 { y = x }",
       "my.op:1:7: a shape has at most one list of axes (..S)"},
      {"UnknownName", with_body("y = exp(z)"), "my.op:3:9: unknown name \"z\""},
      {"UnknownNameHint", "op My(data: f32) -> y: f32 { y = dtaa }",
       "my.op:1:34: unknown name \"dtaa\"; did you mean \"data\"?"},
      {"UnknownFunction", with_body("y = epx(x)"),
       "my.op:3:5: unknown function or operator \"epx\"; did you mean \"exp\"?"},
      {"UnknownOperator", with_body("y = Softmx(x)"), "my.op:3:5: unknown function or operator \"Softmx\""},
      {"Arguments", with_body("y = reshape(x)"), "my.op:3:5: reshape takes (x shape), found 1 arguments"},
      {"NamedArgument", with_body("y = pad(x, 0, lo = [1], high = [1])"),
       "my.op:3:20: pad has no parameter \"lo\"; did you mean \"low\"?"},
      {"Brackets", with_body("y = exp[0](x)"), "my.op:3:5: \"exp\" takes no [...]; only reductions do"},
      {"NoBrackets", with_body("y = sum(x)"), "my.op:3:5: \"sum\" needs its axes: sum[axes](x)"},
      {"Unassigned", "op My(x: f32) -> y: f32 { z = x }", "my.op:1:18: nothing assigns the result \"y\""},
      {"Unused", with_body("exp(x); y = x"), "my.op:3:1: the result of exp is not used; give it a name: y = exp(...)"},
      {"Index", with_body("y = S[0, 1]"), "my.op:3:6: an index is one value, found 2"},
      {"Value", with_body("y = x + * x"), "my.op:3:9: expected a value, found \"*\""},
      {"ListEnd", with_body("y = reshape(x, [1, 2)"), "my.op:3:21: expected \"]\" after a list, found \")\""},
      {"Then", with_body("y = if true x else x"), "my.op:3:13: expected \"then\" of an if-expression, found \"x\""},
      {"StatementEnd", with_body("y = x x"), "my.op:3:7: expected the end of the statement, found \"x\""},
      {"In", with_body("y = x; for i of S { y = x }"), "my.op:3:14: expected \"in\", found \"of\""},
      {"BlockEnd", "op My(x: f32) -> y: f32 {\n y = x\n",
       "my.op:3:1: expected \"}\" at the end of a block, found the end of the file"},
      {"Twice", "op My(x: f32) -> y: f32 { y = x }\nop My(x: f32) -> y: f32 { y = x }",
       "my.op:2:1: operator My is defined twice"},
      {"FunctionArguments", "fn f(a) = a\n" + with_body("y = f(x, x)"), "my.op:4:5: f takes 1 arguments, found 2"},
      {"Deep", with_body("y = " + std::string(500, '(') + "x"), "my.op:3:"},
  };
}

class Diagnostic : public testing::TestWithParam<size_t> {};

TEST_P(Diagnostic, NamesPlaceAndExpectation) {
  const Row row = rows()[GetParam()];
  std::string found = errors(row.text);
  EXPECT_EQ(found.substr(0, found.find('\n')).substr(0, row.name == std::string("Deep") ? 8 : std::string::npos),
            row.expected)
      << found;
}

std::vector<size_t> row_numbers() {
  std::vector<size_t> out(rows().size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}
INSTANTIATE_TEST_SUITE_P(Rows, Diagnostic, testing::ValuesIn(row_numbers()),
                         [](const auto& row) { return rows()[row.param].name; });

TEST(Diagnostics, EveryMistakeIsReportedOnceWithItsCaret) {
  std::string text =
      "op My(x: T[..S]) -> y: T[..S]\n"
      "  where T in {f32, f65}\n"
      "  attr axis: integer = 1\n"
      "{\n"
      "  m = max[axis](x\n"
      "  e = epx(x)\n"
      "  y = e + + m\n"
      "}\n"
      "alias onnx Softmax 13\n";
  std::string found = errors(text);
  for (const char* place :
       {"my.op:2:20: ", "my.op:3:14: ", "my.op:5:18: ", "my.op:6:7: ", "my.op:7:11: ", "my.op:9:12: "}) {
    EXPECT_NE(found.find(place), std::string::npos) << place << "\n" << found;
  }
  EXPECT_NE(found.find("  where T in {f32, f65}\n                     ^"), std::string::npos) << found;
  EXPECT_NE(found.find("did you mean \"exp\"?"), std::string::npos) << found;
  EXPECT_EQ(std::count(found.begin(), found.end(), '^'), 6) << found;
}

TEST(Diagnostics, ErrorsOfAllFilesAreReported) {
  auto library = OperatorLibrary::parse(
      {{"a.op", "op A(x: f32) -> y: f32 { y = B(z) }"}, {"b.op", "op B(x: f32) -> y: f32 { y = Q(x) }"}});
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().message.find("a.op:1:32"), std::string::npos) << library.error().message;
  EXPECT_NE(library.error().message.find("b.op:1:30"), std::string::npos) << library.error().message;
}

TEST(Diagnostics, AFailedAddChangesNothing) {
  OperatorLibrary library = OperatorLibrary::builtin();
  size_t before = library.names().size();
  EXPECT_FALSE(library.add("bad.op", "op Good(x: f32) -> y: f32 { y = x }\nop Bad(x: f32) -> y: f32 { y = z }"));
  EXPECT_EQ(library.names().size(), before);
  EXPECT_TRUE(library.add("good.op", "op Good(x: f32) -> y: f32 { y = Softmax(x) }"));
  EXPECT_EQ(library.names().size(), before + 1);
}

}  // namespace
}  // namespace hal::compiler
