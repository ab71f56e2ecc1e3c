// SPDX-License-Identifier: Apache-2.0
//
// docs/primitives.md is what the table says. When this fails, copy the file that the failure names over it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {
namespace {

std::string attribute_names(uint32_t bits) {
  static constexpr const char* kNames[] = {"axes",     "shape",    "low",    "high",      "step", "size",
                                           "dilation", "interior", "dtype",  "predicate", "kind", "mode",
                                           "order",    "constant", "values", "labels",    "acc"};
  std::string out;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (bits >> i & 1u) out += (out.empty() ? "" : ", ") + std::string(kNames[i]);
  }
  return out;
}

std::string reference() {
  static constexpr const char* kClasses[] = {"Sources",
                                             "Unary, element by element",
                                             "Binary, element by element",
                                             "Ternary, element by element",
                                             "Conversion",
                                             "Movement",
                                             "Indexed",
                                             "Reduction"};
  std::string out =
      "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Portable primitives\n\nMade from `primitives.hpp`; a test holds "
      "the two together. "
      "Common to all: dtypes are explicit and shapes of elementwise\noperands are equal. Each primitive rounds once to "
      "its result type, to nearest "
      "even. NaN results are quiet; subnormals are kept;\nintegers wrap.\n";
  PrimClass last = PrimClass::kReduce;
  auto row = [&](uint32_t id, const PrimInfo& prim) {
    if (id == 1 || prim.cls != last) {
      out += std::string("\n## ") + kClasses[static_cast<int>(prim.cls)] +
             "\n\n| id | name | operands | attributes | meaning |\n|---|---|---|---|---|\n";
    }
    last = prim.cls;
    std::string meaning = prim.meaning;
    for (size_t at = 0; (at = meaning.find('|', at)) != std::string::npos; at += 2) meaning.insert(at, "\\");
    out += "| " + std::to_string(id) + " | `" + prim.text + "` | " +
           (prim.operands < 0 ? "1 or more" : std::to_string(prim.operands)) + " | " +
           attribute_names(prim.attributes) + " | " + meaning + " |\n";
  };
#define HAL_ROW(id, Name, text, cls, operands, attributes, meaning) row(id, info(Prim::k##Name));
  HAL_PRIMITIVE_TABLE(HAL_ROW)
#undef HAL_ROW
  return out;
}

TEST(Primitives, ReferencePageIsWhatTheTableSays) {
  std::filesystem::path root = MORTISE_SOURCE_DIR;
  std::ifstream file(root / "docs" / "primitives.md");
  std::stringstream text;
  text << file.rdbuf();
  if (text.str() == reference()) return;
  auto fresh = std::filesystem::temp_directory_path() / "mortise-primitives.md";
  std::ofstream(fresh) << reference();
  FAIL() << "docs/primitives.md is not up to date; the right text is in " << fresh;
}

}  // namespace
}  // namespace hal::compiler
