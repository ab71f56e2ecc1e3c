// SPDX-License-Identifier: Apache-2.0
//
// Source text of the operator language and the diagnostics about it: every error has a place, its line, a caret and,
// where one is near, a suggestion. Not here: what is an error (lexer, parser, check).
#ifndef HAL_COMPILER_LANG_SOURCE_HPP_
#define HAL_COMPILER_LANG_SOURCE_HPP_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::compiler::lang {

struct Position {
  int line = 1, column = 1;  // from 1; columns count bytes
};

struct Source {
  std::string name, text;
  std::string_view line(int number) const;
  std::string place(Position at) const;  // "softmax.op:5:9"
};

// The candidate that was probably meant; "" if none is near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);
// "; did you mean \"axis\"?" or "".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

class Diagnostics {
 public:
  explicit Diagnostics(const Source& source) : source_(source) {}
  void error(Position at, const std::string& message);
  bool empty() const { return texts_.empty(); }
  std::string text() const;  // in the order of lines

 private:
  const Source& source_;
  std::map<int, std::string> texts_;  // by line
};

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_SOURCE_HPP_
