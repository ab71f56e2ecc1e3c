// SPDX-License-Identifier: Apache-2.0
//
// Sym: an integer expression over named symbols. Extents, offsets and index maps of every layer are Syms, so a shape
// that is known only at run time is an ordinary value. Not here: tensors, floating point.
//
// A Sym is immutable, cheap to copy, and always in one canonical form: a sum of products of atoms with integer
// coefficients, where an atom is a symbol, floordiv(a, b), min(a, b) or max(a, b). mod(a, b) is a - b * floordiv(a, b).
// Equal forms compare equal; the reverse needs simplify(). Arithmetic saturates at the ends of int64_t.
#ifndef HAL_COMPILER_SYM_HPP_
#define HAL_COMPILER_SYM_HPP_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::compiler {

class Sym;

enum class SymKind { kSymbol, kFloorDiv, kMin, kMax };

struct SymAtom;
using SymAtomPtr = std::shared_ptr<const SymAtom>;

// coefficient * product of atoms; no atoms: a constant.
struct SymTerm {
  std::vector<SymAtomPtr> atoms;  // sorted; an atom may occur more than once
  int64_t coefficient = 0;        // never 0
};

class Sym {
 public:
  Sym(int64_t value = 0);  // NOLINT: integers are expressions
  static Sym symbol(std::string name);

  // The value, if it depends on no symbol.
  std::optional<int64_t> constant() const;
  bool is_constant(int64_t value) const { return constant() == value; }

  // The name, if it is a symbol and nothing else.
  std::optional<std::string> as_symbol() const;

  // The terms in canonical order; empty for 0.
  const std::vector<SymTerm>& terms() const { return terms_; }

  // The value under a binding of its symbols. Errors: a symbol without a value, division by zero.
  Result<int64_t> evaluate(const std::map<std::string, int64_t>& binding) const;

  // Each symbol replaced where `replacement` has it.
  Sym substitute(const std::map<std::string, Sym>& replacement) const;

  // The symbols that it depends on.
  std::set<std::string> symbols() const;
  bool depends_on(std::string_view symbol) const;

  // If it is coefficient * symbol + rest, with neither depending on `symbol`: the coefficient. Else nothing.
  std::optional<Sym> coefficient_of(const std::string& symbol) const;

  // "4*N + floordiv(i, 3) - 1"; parse() reads it back to an equal Sym.
  std::string text() const;
  static Result<Sym> parse(std::string_view text);

  friend Sym operator+(const Sym& a, const Sym& b);
  friend Sym operator-(const Sym& a, const Sym& b);
  friend Sym operator*(const Sym& a, const Sym& b);
  Sym operator-() const { return Sym(0) - *this; }
  Sym& operator+=(const Sym& other) { return *this = *this + other; }
  Sym& operator*=(const Sym& other) { return *this = *this * other; }
  friend bool operator==(const Sym& a, const Sym& b) { return compare(a, b) == 0; }
  friend bool operator<(const Sym& a, const Sym& b) { return compare(a, b) < 0; }

  // A total order without meaning, for maps and canonical forms.
  static int compare(const Sym& a, const Sym& b);

 private:
  friend struct SymBuilder;
  std::vector<SymTerm> terms_;
};

struct SymAtom {
  SymKind kind;
  std::string name;  // of a symbol
  Sym a, b;          // operands of the others
};

// Towards minus infinity. A divisor that is not positive is a mistake of the caller's, except in evaluate().
Sym floordiv(const Sym& a, const Sym& b);
Sym ceildiv(const Sym& a, const Sym& b);
Sym mod(const Sym& a, const Sym& b);
Sym min(const Sym& a, const Sym& b);
Sym max(const Sym& a, const Sym& b);

// The symbol's value that makes an extent of the form a*symbol + b equal to `value`: how a binding is found from shapes.
// Nothing if the extent has another form, or if no whole number does it.
std::optional<std::pair<std::string, int64_t>> solve(const Sym& extent, int64_t value);

using Shape = std::vector<Sym>;
Sym product(const Shape& extents);
std::string text(const Shape& shape);  // "[N, 3, 2*H]"

// What is known of symbols: lo <= symbol <= hi, each bound a Sym over symbols that come earlier or are free.
// A symbol without an entry is an extent: at least 0 and at most kMaxExtent.
struct SymRange {
  std::optional<Sym> lo, hi;
};
inline constexpr int64_t kMaxExtent = int64_t{1} << 48;

class SymRanges {
 public:
  void set(const std::string& symbol, SymRange range) { ranges_[symbol] = std::move(range); }
  void set_index(const std::string& symbol, const Sym& extent) { set(symbol, {Sym(0), extent - Sym(1)}); }
  const SymRange* find(const std::string& symbol) const;

  // True only when a >= 0 (a < b, ...) is proven for all values in range. False means "not known".
  bool nonnegative(const Sym& a) const;
  bool less(const Sym& a, const Sym& b) const { return nonnegative(b - a - Sym(1)); }
  bool less_equal(const Sym& a, const Sym& b) const { return nonnegative(b - a); }

  // Proven equal, or assumed to be.
  bool equal(const Sym& a, const Sym& b) const;
  // Not proven to differ.
  bool may_equal(const Sym& a, const Sym& b) const;
  // What must hold of the symbols although nothing proves it: each of these expressions is zero. Whoever binds the symbols
  // checks it (check_assumptions).
  void assume_equal(const Sym& a, const Sym& b);
  const std::vector<Sym>& assumptions() const { return assumptions_; }
  Result<void> check_assumptions(const std::map<std::string, int64_t>& binding) const;

  // An equal expression with divisions removed and min/max resolved where the ranges prove it.
  Sym simplify(const Sym& a) const;

 private:
  bool nonnegative(const Sym& a, int depth) const;
  std::map<std::string, SymRange> ranges_;
  std::vector<Sym> assumptions_;
};

}  // namespace hal::compiler

#endif  // HAL_COMPILER_SYM_HPP_
