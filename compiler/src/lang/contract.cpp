// SPDX-License-Identifier: Apache-2.0
//
// The labels of contract(): each word names an axis; X.. names a group of axes whose number follows from the ranks.
#include <algorithm>
#include <sstream>

#include "lang/builtins.hpp"

namespace hal::compiler::lang {
namespace {

struct Word {
  std::string name;
  bool group;
};
using Words = std::vector<Word>;

Words words_of(const std::string& text) {
  Words out;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    bool group = word.size() > 2 && word.substr(word.size() - 2) == "..";
    out.push_back({group ? word.substr(0, word.size() - 2) : word, group});
  }
  return out;
}

bool split(const std::string& labels, std::string parts[3]) {
  size_t comma = labels.find(','), arrow = labels.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) return false;
  parts[0] = labels.substr(0, comma);
  parts[1] = labels.substr(comma + 1, arrow - comma - 1);
  parts[2] = labels.substr(arrow + 2);
  return true;
}

// Sizes of the groups: repeatedly, the one group of an operand that is still unknown takes what its rank leaves over.
using GroupSizes = std::map<std::string, int64_t>;

bool solve(const Words& words, int64_t rank, GroupSizes& sizes, Error& error) {
  int64_t left = rank;
  const Word* unknown = nullptr;
  for (const Word& word : words) {
    auto known = sizes.find(word.name);
    if (!word.group) {
      --left;
    } else if (known != sizes.end()) {
      left -= known->second;
    } else if (unknown) {
      return true;  // two unknowns: the other operand must tell
    } else {
      unknown = &word;
    }
  }
  if (unknown && left >= 0) {
    sizes[unknown->name] = left;
    left = 0;
  }
  if (left == 0) return true;
  std::string text;
  for (const Word& word : words) text += (text.empty() ? "" : " ") + word.name + (word.group ? ".." : "");
  error = invalid_argument("labels \"" + text + "\" do not fit rank " + std::to_string(rank));
  return false;
}

}  // namespace

Result<Datum> contract(Tensors& tensors, const std::string& labels, const TensorView& a, const TensorView& b) {
  std::string parts[3];
  if (!split(labels, parts))
    return invalid_argument("expected labels like \"m k, k n -> m n\", not \"" + labels + "\"");
  Words words[3] = {words_of(parts[0]), words_of(parts[1]), words_of(parts[2])};
  GroupSizes sizes;
  Error error;
  for (int round = 0; round < 2; ++round) {
    if (!solve(words[0], a.rank, sizes, error) || !solve(words[1], b.rank, sizes, error)) return error;
  }
  std::map<std::string, std::vector<int>> numbers;
  int next = 0;
  Attributes attributes;
  for (const Words& side : words) {
    std::vector<int>& out = attributes.labels.emplace_back();
    for (const Word& word : side) {
      auto known = numbers.find(word.name);
      if (known == numbers.end()) {
        if (&side == &words[2])
          return invalid_argument("label \"" + word.name + "\" of the result is in no operand of \"" + labels + "\"");
        auto size = sizes.find(word.name);
        if (word.group && size == sizes.end())
          return invalid_argument("the number of axes of \"" + word.name + "..\" does not follow from the ranks");
        std::vector<int> axes;
        for (int64_t i = 0; i < (word.group ? size->second : 1); ++i) axes.push_back(next++);
        known = numbers.emplace(word.name, std::move(axes)).first;
      }
      out.insert(out.end(), known->second.begin(), known->second.end());
    }
  }
  attributes.dtype = tensors.dtype(a);
  HAL_TRY_ASSIGN(TensorView out, tensors.op(Prim::kContract, {a, b}, std::move(attributes)));
  return Datum(out);
}

}  // namespace hal::compiler::lang
