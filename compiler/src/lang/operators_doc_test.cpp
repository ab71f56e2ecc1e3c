// SPDX-License-Identifier: Apache-2.0
//
// docs/operators.md is what the operators' texts say (when this fails, copy the file that the failure names over it),
// and nothing about an operator stands anywhere but in its text: without the file, it is in no table.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "hal/compiler/operators.hpp"
#include "lang/ast.hpp"
#include "lang/source.hpp"

namespace hal::compiler {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::pair<std::string, std::string>>;

Texts all_texts() {
  Texts out;
  fs::path root = fs::path(MORTISE_SOURCE_DIR) / "operators";
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".op") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    out.emplace_back(fs::relative(entry.path(), root), text.str());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string dtypes_of(const OperatorDefinition& definition) {
  std::string out;
  for (const lang::TypeVariable& type : definition.types) {
    out += (out.empty() ? "" : "; ") + type.name + ":";
    for (DType dtype : type.dtypes) out += " " + std::string(name(dtype));
  }
  return out;
}

std::string aliases_of(const OperatorDefinition& definition) {
  std::string out;
  for (const OperatorAlias& alias : aliases(definition)) {
    out += (out.empty() ? "" : ", ") + alias.domain + "." + alias.name + " " + std::to_string(alias.since_version);
  }
  return out;
}

// Lines of the definition itself, without comments: up to its last sample.
int lines_of(const OperatorDefinition& definition) {
  int count = 0;
  for (int number = definition.at.line;; ++number) {
    std::string line(definition.source->line(number));
    bool next = number > definition.at.line && (line.rfind("op ", 0) == 0 || line.rfind("fn ", 0) == 0);
    bool end = number >=
               static_cast<int>(std::count(definition.source->text.begin(), definition.source->text.end(), '\n')) + 1;
    size_t start = line.find_first_not_of(" \t");
    if (!next && start != std::string::npos && line[start] != '#') ++count;
    if (next || end) return count;
  }
}

std::string escaped(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string reference(const OperatorLibrary& library) {
  static constexpr const char* kClasses[] = {"exact", "ulp", "linear"};
  std::string rows;
  int lines = 0;
  for (const std::string& full_name : library.names()) {
    const OperatorDefinition& definition = *library.find(full_name);
    rows += "| `" + full_name + "` | " + escaped(documentation(definition)) + " | " + dtypes_of(definition) + " | " +
            aliases_of(definition) + " | " + kClasses[static_cast<int>(definition.tolerance_class)] + " | " +
            std::to_string(lines_of(definition)) + " |\n";
    lines += lines_of(definition);
  }
  size_t count = library.names().size();
  return "<!-- SPDX-License-Identifier: Apache-2.0 -->\n# Operators\n\nMade from the texts in `operators/`; a test "
         "holds the "
         "two together. " +
         std::to_string(count) + " operators, " +
         std::to_string((lines + static_cast<int>(count) / 2) / static_cast<int>(count)) +
         " lines of text each in the mean.\n\n| operator | meaning | dtypes | aliases | numerics | lines |\n"
         "|---|---|---|---|---|---|\n" +
         rows;
}

TEST(Operators, ReferencePageIsWhatTheTextsSay) {
  std::stringstream text;
  text << std::ifstream(fs::path(MORTISE_SOURCE_DIR) / "docs" / "operators.md").rdbuf();
  std::string right = reference(OperatorLibrary::builtin());
  if (text.str() == right) return;
  auto fresh = fs::temp_directory_path() / "mortise-operators.md";
  std::ofstream(fresh) << right;
  FAIL() << "docs/operators.md is not up to date; the right text is in " << fresh;
}

TEST(Operators, AreNowhereWithoutTheirFile) {
  Texts texts = all_texts();
  std::vector<std::string> all = OperatorLibrary::builtin().names();
  int removed = 0;
  for (size_t i = 0; i < texts.size(); i += 4) {  // each fourth: parsing all of them each time takes its while
    Texts rest = texts;
    rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
    auto library = OperatorLibrary::parse(rest);
    if (!library) continue;  // other texts use it
    ++removed;
    std::string page = reference(*library);
    size_t gone = 0;
    for (const std::string& full_name : all) {
      if (library->find(full_name) != nullptr) continue;
      ++gone;
      EXPECT_EQ(page.find("`" + full_name + "`"), std::string::npos) << texts[i].first;
      for (const OperatorAlias& alias : aliases(*OperatorLibrary::builtin().find(full_name))) {
        const OperatorDefinition* other = library->find_alias(alias.domain, alias.name, alias.since_version);
        EXPECT_TRUE(other == nullptr || name(*other) != full_name) << texts[i].first;
      }
    }
    EXPECT_GT(gone, 0u) << texts[i].first;
    EXPECT_EQ(library->names().size() + gone, all.size());
  }
  EXPECT_GE(removed, 20);
}

}  // namespace
}  // namespace hal::compiler
