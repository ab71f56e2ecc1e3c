// SPDX-License-Identifier: Apache-2.0
//
// The example of docs/operator-language.md is a real operator, and every function that the page names exists.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "hal/compiler/operators.hpp"
#include "lang/builtins.hpp"

namespace hal::compiler {
namespace {

std::string page() {
  std::ifstream file(MORTISE_SOURCE_DIR "/docs/operator-language.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Documentation, TheExampleOperatorWorks) {
  std::string text = page();
  size_t start = text.find("```op\n");
  ASSERT_NE(start, std::string::npos);
  start += 6;
  OperatorLibrary library = OperatorLibrary::builtin();
  auto added = library.add("page.op", text.substr(start, text.find("```", start) - start));
  ASSERT_TRUE(added) << added.error().message;
  const OperatorDefinition* definition = library.find("mortise.scaled_softmax");
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(library.find_alias("com.example", "ScaledSoftmax", 3), definition);
  auto cases = samples(*definition, library);
  ASSERT_TRUE(cases) << cases.error().message;
  EXPECT_GE(cases->size(), 12u);
  for (const OperatorSample& sample : *cases) {
    Builder builder("page");
    std::vector<std::optional<ValueId>> operands;
    for (size_t i = 0; i < sample.inputs.size(); ++i) {
      operands.push_back(sample.fixed_inputs[i] ? builder.constant(*sample.fixed_inputs[i])
                                                : builder.parameter("x", sample.inputs[i]));
    }
    auto results = instantiate(*definition, builder, operands, sample.attributes, library);
    ASSERT_TRUE(results) << sample.name << ": " << results.error().message;
    EXPECT_EQ(builder.type(results->front()), sample.inputs[0]);
  }
}

TEST(Documentation, EveryFunctionIsOnThePage) {
  std::string text = page();
  for (const std::string& function : lang::builtin_names()) {
    bool found = false;
    for (const char* end : {" ", "`", "("}) found = found || text.find(function + end) != std::string::npos;
    EXPECT_TRUE(found) << function;
  }
}

}  // namespace
}  // namespace hal::compiler
