// SPDX-License-Identifier: Apache-2.0
#include "tensor_io/npy_header.hpp"

#include <charconv>
#include <set>

#include "tensor_io/extents.hpp"

namespace hal::compiler {
namespace {

struct Row {
  const char* descr;  // without the byte order
  DType dtype;
};
constexpr Row kRows[] = {
    {"b1", DType::kBOOL}, {"i1", DType::kI8},  {"i2", DType::kI16}, {"i4", DType::kI32},   {"i8", DType::kI64},
    {"u1", DType::kU8},   {"u2", DType::kU16}, {"u4", DType::kU32}, {"u8", DType::kU64},   {"f2", DType::kF16},
    {"f4", DType::kF32},  {"f8", DType::kF64}, {"c8", DType::kC64}, {"c16", DType::kC128},
};

Error malformed(const std::string& what) { return data_corrupt("header: " + what); }

// Reads the literal from the left; each function leaves `rest_` after what it took.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view literal) : rest_(literal) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    std::set<std::string> seen;
    if (!take('{')) return malformed("expected '{'");
    while (!take('}')) {
      HAL_TRY_ASSIGN(std::string key, quoted());
      if (!seen.insert(key).second) return malformed("'" + key + "' occurs twice");
      if (!take(':')) return malformed("expected ':' after '" + key + "'");
      HAL_TRY(value(key, header));
      if (!take(',') && peek() != '}') return malformed("expected ',' or '}'");
    }
    if (peek() != '\0') return malformed("expected nothing after '}'");
    if (seen.size() != 3) return malformed("expected the keys 'descr', 'fortran_order' and 'shape'");
    return header;
  }

 private:
  char peek() {
    size_t at = rest_.find_first_not_of(" \t\n\r");
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
    return rest_.empty() ? '\0' : rest_[0];
  }

  bool take(char wanted) {
    if (peek() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_word(std::string_view word) {
    peek();
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  Result<std::string> quoted() {
    char quote = peek();
    size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos) return malformed("expected a quoted word");
    std::string word(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return word;
  }

  Result<void> value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      if (peek() == '[') return unsupported("header: records (structured dtypes) are not tensors");
      HAL_TRY_ASSIGN(std::string descr, quoted());
      HAL_TRY_ASSIGN(header.dtype, dtype_of_descr(descr));
      return {};
    }
    if (key == "fortran_order") {
      header.fortran_order = take_word("True");
      if (!header.fortran_order && !take_word("False")) return malformed("fortran_order: expected True or False");
      return {};
    }
    if (key == "shape") return shape(header.shape);
    return malformed("unknown key '" + key.substr(0, 40) + "'");
  }

  Result<void> shape(std::vector<int64_t>& out) {
    if (!take('(')) return malformed("shape: expected '('");
    while (!take(')')) {
      peek();
      int64_t extent = 0;
      auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
      if (error != std::errc()) return malformed("shape: expected a number below 2^63");
      if (out.size() == kMaxRank) return malformed("shape: expected a rank of at most 32");
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      take_word("L");  // Python 2 wrote long integers so
      out.push_back(extent);
      if (!take(',') && peek() != ')') return malformed("shape: expected ',' or ')'");
    }
    return {};
  }

  std::string_view rest_;
};

}  // namespace

Result<DType> dtype_of_descr(const std::string& descr) {
  std::string_view kind = descr;
  char byte_order = descr.empty() ? '\0' : descr[0];
  if (byte_order == '<' || byte_order == '|' || byte_order == '=' || byte_order == '>') kind.remove_prefix(1);
  if (kind == "?") kind = "b1";
  for (const Row& row : kRows) {
    if (kind != row.descr) continue;
    if (byte_order == '>' && info(row.dtype).bits > 8) {
      return unsupported("dtype '" + descr + "' is big-endian; expected little-endian ('<')");
    }
    return row.dtype;
  }
  return unsupported("dtype '" + descr.substr(0, 40) +
                     "' is not supported; expected b1, i1 to i8, u1 to u8, f2, f4, f8, c8 or c16");
}

std::string descr_of(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return (info(dtype).bits == 8 ? "|" : "<") + std::string(row.descr);
  }
  return {};
}

Result<NpyHeader> parse_npy_header(std::string_view literal) { return HeaderParser(literal).parse(); }

}  // namespace hal::compiler
