// SPDX-License-Identifier: Apache-2.0
#include "lang/source.hpp"

#include <algorithm>

namespace hal::compiler::lang {
namespace {

constexpr size_t kMaxErrors = 50;  // a damaged file does not flood its reader

// Insertions, deletions, changes, and neighbours that changed places.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      size_t change = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0);
      rows[i][j] = std::min({change, rows[i - 1][j] + 1, rows[i][j - 1] + 1});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

// The caret's indentation keeps the line's tabs, so that it stands right in every editor.
std::string caret(std::string_view line, int column) {
  std::string out;
  for (int i = 0; i + 1 < column; ++i) out += i < static_cast<int>(line.size()) && line[i] == '\t' ? '\t' : ' ';
  return out + "^";
}

}  // namespace

std::string_view Source::line(int number) const {
  std::string_view rest = text;
  for (; number > 1; --number) {
    size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  return rest.substr(0, 200);
}

std::string Source::place(Position at) const {
  return name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > 64) return {};
  size_t best = std::max<size_t>(1, word.size() / 3) + 1;
  std::string result;
  for (const std::string& candidate : candidates) {
    size_t distance = candidate.size() > 64 ? best : edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  std::string found = nearest(word, candidates);
  return found.empty() ? "" : "; did you mean \"" + found + "\"?";
}

// Of one line only the first: a second one is nearly always a consequence.
void Diagnostics::error(Position at, const std::string& message) {
  if (texts_.count(at.line) != 0) return;
  std::string_view line = source_.line(at.line);
  std::string out = source_.place(at) + ": " + message;
  if (!line.empty()) out += "\n  " + std::string(line) + "\n  " + caret(line, at.column);
  texts_.emplace(at.line, std::move(out));
}

std::string Diagnostics::text() const {
  std::string out;
  size_t count = 0;
  for (const auto& [line, text] : texts_) {
    if (count++ == kMaxErrors)
      return out + "\n" + source_.name + ": and " + std::to_string(texts_.size() - kMaxErrors) + " more errors";
    out += (out.empty() ? "" : "\n") + text;
  }
  return out;
}

}  // namespace hal::compiler::lang
