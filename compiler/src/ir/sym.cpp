// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/sym.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

namespace hal::compiler {
namespace {

constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
constexpr int64_t kLow = std::numeric_limits<int64_t>::min() + 1;

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return std::max(sum, kLow);
  return b > 0 ? kHigh : kLow;
}

int64_t saturating_multiply(int64_t a, int64_t b) {
  int64_t result;
  if (!__builtin_mul_overflow(a, b, &result)) return std::max(result, kLow);
  return (a > 0) == (b > 0) ? kHigh : kLow;
}

int64_t floor_divide(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - static_cast<int64_t>(a % b != 0 && (a < 0) != (b < 0));
}

int compare_atoms(const SymAtom& a, const SymAtom& b) {
  if (&a == &b) return 0;
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == SymKind::kSymbol) return a.name.compare(b.name);
  if (int order = Sym::compare(a.a, b.a)) return order;
  return Sym::compare(a.b, b.b);
}

// More atoms first, so that the constant comes last.
int compare_products(const std::vector<SymAtomPtr>& a, const std::vector<SymAtomPtr>& b) {
  if (a.size() != b.size()) return a.size() > b.size() ? -1 : 1;
  for (size_t i = 0; i < a.size(); ++i) {
    if (int order = compare_atoms(*a[i], *b[i])) return order;
  }
  return 0;
}

bool atom_less(const SymAtomPtr& a, const SymAtomPtr& b) { return compare_atoms(*a, *b) < 0; }

}  // namespace

// Makes canonical sums.
struct SymBuilder {
  static Sym sum(std::vector<SymTerm> terms) {
    std::sort(terms.begin(), terms.end(),
              [](const SymTerm& a, const SymTerm& b) { return compare_products(a.atoms, b.atoms) < 0; });
    Sym result;
    for (SymTerm& term : terms) {
      auto& out = result.terms_;
      if (!out.empty() && compare_products(out.back().atoms, term.atoms) == 0) {
        out.back().coefficient = saturating_add(out.back().coefficient, term.coefficient);
        if (out.back().coefficient == 0) out.pop_back();
      } else if (term.coefficient != 0) {
        out.push_back(std::move(term));
      }
    }
    return result;
  }

  static Sym atom(SymKind kind, std::string name, Sym a, Sym b) {
    auto node = std::make_shared<const SymAtom>(SymAtom{kind, std::move(name), std::move(a), std::move(b)});
    return sum({SymTerm{{std::move(node)}, 1}});
  }
};

Sym::Sym(int64_t value) {
  if (value != 0) terms_.push_back(SymTerm{{}, value});
}

Sym Sym::symbol(std::string name) { return SymBuilder::atom(SymKind::kSymbol, std::move(name), 0, 0); }

std::optional<int64_t> Sym::constant() const {
  if (terms_.empty()) return 0;
  if (terms_.size() == 1 && terms_[0].atoms.empty()) return terms_[0].coefficient;
  return std::nullopt;
}

std::optional<std::string> Sym::as_symbol() const {
  if (terms_.size() != 1 || terms_[0].coefficient != 1 || terms_[0].atoms.size() != 1) return std::nullopt;
  const SymAtom& atom = *terms_[0].atoms[0];
  if (atom.kind != SymKind::kSymbol) return std::nullopt;
  return atom.name;
}

int Sym::compare(const Sym& a, const Sym& b) {
  for (size_t i = 0; i < std::min(a.terms_.size(), b.terms_.size()); ++i) {
    if (int order = compare_products(a.terms_[i].atoms, b.terms_[i].atoms)) return order;
    if (a.terms_[i].coefficient != b.terms_[i].coefficient) {
      return a.terms_[i].coefficient < b.terms_[i].coefficient ? -1 : 1;
    }
  }
  if (a.terms_.size() == b.terms_.size()) return 0;
  return a.terms_.size() < b.terms_.size() ? -1 : 1;
}

Sym operator+(const Sym& a, const Sym& b) {
  std::vector<SymTerm> terms = a.terms_;
  terms.insert(terms.end(), b.terms_.begin(), b.terms_.end());
  return SymBuilder::sum(std::move(terms));
}

Sym operator-(const Sym& a, const Sym& b) { return a + b * Sym(-1); }

Sym operator*(const Sym& a, const Sym& b) {
  std::vector<SymTerm> terms;
  for (const SymTerm& x : a.terms_) {
    for (const SymTerm& y : b.terms_) {
      SymTerm term{x.atoms, saturating_multiply(x.coefficient, y.coefficient)};
      term.atoms.insert(term.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(term.atoms.begin(), term.atoms.end(), atom_less);
      terms.push_back(std::move(term));
    }
  }
  return SymBuilder::sum(std::move(terms));
}

Sym floordiv(const Sym& a, const Sym& b) {
  if (b.is_constant(1)) return a;
  if (a == Sym(0)) return 0;
  if (a == b) return 1;
  if (a.constant() && b.constant() && *b.constant() != 0) return floor_divide(*a.constant(), *b.constant());
  // Terms that are multiples of the divisor leave the division: floordiv(q*b + r, b) = q + floordiv(r, b).
  if (b.terms().size() == 1) {
    const SymTerm& divisor = b.terms()[0];
    std::vector<SymTerm> quotient, rest;
    for (const SymTerm& term : a.terms()) {
      bool divides =
          divisor.coefficient > 0 && term.coefficient % divisor.coefficient == 0 &&
          std::includes(term.atoms.begin(), term.atoms.end(), divisor.atoms.begin(), divisor.atoms.end(), atom_less);
      if (!divides) {
        rest.push_back(term);
        continue;
      }
      SymTerm part{{}, term.coefficient / divisor.coefficient};
      std::set_difference(term.atoms.begin(), term.atoms.end(), divisor.atoms.begin(), divisor.atoms.end(),
                          std::back_inserter(part.atoms), atom_less);
      quotient.push_back(std::move(part));
    }
    if (!quotient.empty()) return SymBuilder::sum(quotient) + floordiv(SymBuilder::sum(rest), b);
  }
  // floordiv(floordiv(x, c), b) = floordiv(x, c * b) for positive divisors.
  if (a.terms().size() == 1 && a.terms()[0].coefficient == 1 && a.terms()[0].atoms.size() == 1) {
    const SymAtom& atom = *a.terms()[0].atoms[0];
    if (atom.kind == SymKind::kFloorDiv) return floordiv(atom.a, atom.b * b);
  }
  return SymBuilder::atom(SymKind::kFloorDiv, {}, a, b);
}

std::optional<std::pair<std::string, int64_t>> solve(const Sym& extent, int64_t value) {
  std::set<std::string> symbols = extent.symbols();
  if (symbols.size() != 1) return std::nullopt;
  const std::string& symbol = *symbols.begin();
  auto coefficient = extent.coefficient_of(symbol);
  auto rest = extent.substitute({{symbol, Sym(0)}}).constant();
  int64_t a = coefficient ? coefficient->constant().value_or(0) : 0, difference = 0;
  if (a == 0 || !rest || __builtin_sub_overflow(value, *rest, &difference)) return std::nullopt;
  if (a == -1 || difference % a != 0) return std::nullopt;
  return std::pair{symbol, difference / a};
}

Sym ceildiv(const Sym& a, const Sym& b) { return floordiv(a + b - Sym(1), b); }

Sym mod(const Sym& a, const Sym& b) { return a - b * floordiv(a, b); }

namespace {

Sym extremum(SymKind kind, const Sym& a, const Sym& b) {
  Sym difference = a - b;
  if (auto value = difference.constant()) return ((*value <= 0) == (kind == SymKind::kMin)) ? a : b;
  return a < b ? SymBuilder::atom(kind, {}, a, b) : SymBuilder::atom(kind, {}, b, a);
}

Sym apply(SymKind kind, const Sym& a, const Sym& b) {
  return kind == SymKind::kFloorDiv ? floordiv(a, b) : extremum(kind, a, b);
}

// Rebuilds a Sym with each atom replaced.
Sym map_atoms(const Sym& sym, const std::function<Sym(const SymAtom&)>& replace) {
  Sym result;
  for (const SymTerm& term : sym.terms()) {
    Sym part = term.coefficient;
    for (const SymAtomPtr& atom : term.atoms) part *= replace(*atom);
    result += part;
  }
  return result;
}

void visit_symbols(const Sym& sym, const std::function<void(const std::string&)>& visit) {
  for (const SymTerm& term : sym.terms()) {
    for (const SymAtomPtr& atom : term.atoms) {
      if (atom->kind == SymKind::kSymbol) {
        visit(atom->name);
      } else {
        visit_symbols(atom->a, visit);
        visit_symbols(atom->b, visit);
      }
    }
  }
}

}  // namespace

Sym min(const Sym& a, const Sym& b) { return extremum(SymKind::kMin, a, b); }
Sym max(const Sym& a, const Sym& b) { return extremum(SymKind::kMax, a, b); }

Result<int64_t> Sym::evaluate(const std::map<std::string, int64_t>& binding) const {
  int64_t sum = 0;
  for (const SymTerm& term : terms_) {
    int64_t value = term.coefficient;
    for (const SymAtomPtr& atom : term.atoms) {
      int64_t factor;
      if (atom->kind == SymKind::kSymbol) {
        auto found = binding.find(atom->name);
        if (found == binding.end()) return not_found("symbol " + atom->name + " has no value in " + text());
        factor = found->second;
      } else {
        HAL_TRY_ASSIGN(int64_t a, atom->a.evaluate(binding));
        HAL_TRY_ASSIGN(int64_t b, atom->b.evaluate(binding));
        if (atom->kind == SymKind::kFloorDiv && b == 0) return invalid_argument("division by zero in " + text());
        factor = atom->kind == SymKind::kFloorDiv ? floor_divide(a, b)
                 : atom->kind == SymKind::kMin    ? std::min(a, b)
                                                  : std::max(a, b);
      }
      value = saturating_multiply(value, factor);
    }
    sum = saturating_add(sum, value);
  }
  return sum;
}

Sym Sym::substitute(const std::map<std::string, Sym>& replacement) const {
  return map_atoms(*this, [&](const SymAtom& atom) {
    if (atom.kind != SymKind::kSymbol) {
      return apply(atom.kind, atom.a.substitute(replacement), atom.b.substitute(replacement));
    }
    auto found = replacement.find(atom.name);
    return found == replacement.end() ? Sym::symbol(atom.name) : found->second;
  });
}

std::set<std::string> Sym::symbols() const {
  std::set<std::string> names;
  visit_symbols(*this, [&](const std::string& name) { names.insert(name); });
  return names;
}

bool Sym::depends_on(std::string_view symbol) const {
  bool found = false;
  visit_symbols(*this, [&](const std::string& name) { found = found || name == symbol; });
  return found;
}

std::optional<Sym> Sym::coefficient_of(const std::string& symbol) const {
  std::vector<SymTerm> terms;
  for (const SymTerm& term : terms_) {
    SymTerm rest{{}, term.coefficient};
    int power = 0;
    for (const SymAtomPtr& atom : term.atoms) {
      if (atom->kind == SymKind::kSymbol && atom->name == symbol) {
        ++power;
      } else if (atom->kind != SymKind::kSymbol && (atom->a.depends_on(symbol) || atom->b.depends_on(symbol))) {
        return std::nullopt;
      } else {
        rest.atoms.push_back(atom);
      }
    }
    if (power > 1) return std::nullopt;
    if (power == 1) terms.push_back(std::move(rest));
  }
  return SymBuilder::sum(std::move(terms));
}

std::string Sym::text() const {
  if (terms_.empty()) return "0";
  std::string out;
  for (const SymTerm& term : terms_) {
    int64_t magnitude = term.coefficient < 0 ? -term.coefficient : term.coefficient;
    if (out.empty()) {
      if (term.coefficient < 0) out += "-";
    } else {
      out += term.coefficient < 0 ? " - " : " + ";
    }
    bool need_times = false;
    if (magnitude != 1 || term.atoms.empty()) {
      out += std::to_string(magnitude);
      need_times = true;
    }
    for (const SymAtomPtr& atom : term.atoms) {
      if (need_times) out += "*";
      need_times = true;
      static constexpr const char* kNames[] = {"", "floordiv", "min", "max"};
      if (atom->kind == SymKind::kSymbol) {
        out += atom->name;
      } else {
        out += std::string(kNames[static_cast<int>(atom->kind)]) + "(" + atom->a.text() + ", " + atom->b.text() + ")";
      }
    }
  }
  return out;
}

namespace {

// sum = product {("+" | "-") product}; product = factor {"*" factor};
// factor = number | "-" factor | name | ("floordiv"|"ceildiv"|"mod"|"min"|"max") "(" sum "," sum ")" | "(" sum ")"
class SymParser {
 public:
  explicit SymParser(std::string_view text) : text_(text) {}

  Result<Sym> parse() {
    HAL_TRY_ASSIGN(Sym result, sum(0));
    skip_space();
    if (at_ != text_.size()) return fail("an operator or the end");
    return result;
  }

 private:
  static constexpr int kMaxDepth = 200;

  Error fail(const std::string& expected) const {
    return invalid_argument("expression '" + std::string(text_) + "', column " + std::to_string(at_ + 1) +
                            ": expected " + expected);
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool take(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<Sym> sum(int depth) {
    HAL_TRY_ASSIGN(Sym result, term(depth));
    for (;;) {
      if (take('+')) {
        HAL_TRY_ASSIGN(Sym next, term(depth));
        result = result + next;
      } else if (take('-')) {
        HAL_TRY_ASSIGN(Sym next, term(depth));
        result = result - next;
      } else {
        return result;
      }
    }
  }

  Result<Sym> term(int depth) {
    HAL_TRY_ASSIGN(Sym result, factor(depth));
    while (take('*')) {
      HAL_TRY_ASSIGN(Sym next, factor(depth));
      result = result * next;
    }
    return result;
  }

  Result<Sym> factor(int depth) {
    if (depth > kMaxDepth) return fail("less nesting");
    if (take('-')) {
      HAL_TRY_ASSIGN(Sym inner, factor(depth + 1));
      return -inner;
    }
    if (take('(')) {
      HAL_TRY_ASSIGN(Sym inner, sum(depth + 1));
      if (!take(')')) return fail("')'");
      return inner;
    }
    skip_space();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' ||
                                  text_[at_] == '.' || text_[at_] == '$')) {
      ++at_;
    }
    if (begin == at_) return fail("a number, a name or '('");
    std::string name(text_.substr(begin, at_ - begin));
    if (!take('(')) return Sym::symbol(name);
    HAL_TRY_ASSIGN(Sym a, sum(depth + 1));
    if (!take(',')) return fail("','");
    HAL_TRY_ASSIGN(Sym b, sum(depth + 1));
    if (!take(')')) return fail("')'");
    if (name == "floordiv") return floordiv(a, b);
    if (name == "ceildiv") return ceildiv(a, b);
    if (name == "mod") return mod(a, b);
    if (name == "min") return min(a, b);
    if (name == "max") return max(a, b);
    return fail("floordiv, ceildiv, mod, min or max");
  }

  Result<Sym> number() {
    int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      value = saturating_add(saturating_multiply(value, 10), text_[at_++] - '0');
    }
    return Sym(value);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<Sym> Sym::parse(std::string_view text) { return SymParser(text).parse(); }

Sym product(const Shape& extents) {
  Sym result = 1;
  for (const Sym& extent : extents) result *= extent;
  return result;
}

std::string text(const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + shape[i].text();
  return out + "]";
}

const SymRange* SymRanges::find(const std::string& symbol) const {
  auto found = ranges_.find(symbol);
  return found == ranges_.end() ? nullptr : &found->second;
}

bool SymRanges::equal(const Sym& a, const Sym& b) const {
  if (a == b) return true;
  Sym difference = simplify(a - b);
  if (difference == Sym(0)) return true;
  return std::any_of(assumptions_.begin(), assumptions_.end(),
                     [&](const Sym& zero) { return difference == zero || difference == -zero; });
}

bool SymRanges::may_equal(const Sym& a, const Sym& b) const {
  auto difference = simplify(a - b).constant();
  if (difference) return *difference == 0;
  return !less(a, b) && !less(b, a);
}

void SymRanges::assume_equal(const Sym& a, const Sym& b) {
  if (!equal(a, b)) assumptions_.push_back(simplify(a - b));
}

Result<void> SymRanges::check_assumptions(const std::map<std::string, int64_t>& binding) const {
  for (const Sym& zero : assumptions_) {
    HAL_TRY_ASSIGN(int64_t value, zero.evaluate(binding));
    if (value == 0) continue;
    std::string extents;
    for (const std::string& symbol : zero.symbols()) {
      extents += (extents.empty() ? "" : ", ") + symbol + " = " + std::to_string(binding.at(symbol));
    }
    return invalid_argument("with " + extents + " two extents differ that must be equal: " + zero.text() + " is " +
                            std::to_string(value) + ", not 0");
  }
  return {};
}

bool SymRanges::nonnegative(const Sym& a) const { return nonnegative(a, 12); }

// Removes one symbol or atom at a time by the bound that makes the expression smallest, until a constant is left.
bool SymRanges::nonnegative(const Sym& a, int depth) const {
  if (auto value = a.constant()) return *value >= 0;
  bool each_term = true;  // a sum of products of things that are >= 0
  for (const SymTerm& term : a.terms()) {
    bool positive = term.coefficient > 0;
    for (const SymAtomPtr& atom : term.atoms) {
      if (atom->kind == SymKind::kSymbol) {
        const SymRange* range = find(atom->name);
        positive =
            positive && (range == nullptr || (range->lo && range->lo->constant() && *range->lo->constant() >= 0));
      } else if (atom->kind == SymKind::kFloorDiv) {
        positive = positive && depth > 0 && nonnegative(atom->a, depth - 4) && nonnegative(atom->b - Sym(1), depth - 4);
      } else {
        positive = positive && depth > 0 && nonnegative(atom->a, depth - 4) && nonnegative(atom->b, depth - 4);
      }
    }
    each_term = each_term && positive;
  }
  if (each_term) return true;
  if (depth <= 0) return false;

  for (const std::string& name : a.symbols()) {
    const SymRange* range = find(name);
    if (range == nullptr) continue;
    auto coefficient = a.coefficient_of(name);
    if (!coefficient) continue;
    bool grows = nonnegative(*coefficient, depth - 4);
    bool falls = !grows && nonnegative(-*coefficient, depth - 4);
    const auto& bound = grows ? range->lo : range->hi;
    if ((!grows && !falls) || !bound || bound->depends_on(name)) continue;
    if (nonnegative(a.substitute({{name, *bound}}), depth - 1)) return true;
  }
  // q = floordiv(x, d) lies in [(x - d + 1) / d, x / d]: with coefficient +-d, x itself takes its place.
  for (const SymTerm& term : a.terms()) {
    for (const SymAtomPtr& atom : term.atoms) {
      if (atom->kind == SymKind::kSymbol) continue;
      std::string name = "$q";
      Sym replaced = map_atoms(a, [&](const SymAtom& other) {
        if (compare_atoms(other, *atom) == 0) return Sym::symbol(name);
        return other.kind == SymKind::kSymbol ? Sym::symbol(other.name) : apply(other.kind, other.a, other.b);
      });
      auto coefficient = replaced.coefficient_of(name);
      if (!coefficient) continue;
      Sym rest = replaced - *coefficient * Sym::symbol(name);
      if (atom->kind == SymKind::kFloorDiv) {
        if (*coefficient == atom->b && nonnegative(rest + atom->a - atom->b + Sym(1), depth - 2)) return true;
        if (*coefficient == -atom->b && nonnegative(rest - atom->a, depth - 2)) return true;
        if (coefficient->is_constant(-1) && atom->b.constant().value_or(0) > 0 &&
            nonnegative(rest * atom->b - atom->a, depth - 2)) {
          return true;
        }
        continue;
      }
      bool grows = nonnegative(*coefficient, depth - 4);
      bool falls = !grows && nonnegative(-*coefficient, depth - 4);
      if (!grows && !falls) continue;
      bool with_a = nonnegative(rest + *coefficient * atom->a, depth - 2);
      bool with_b = nonnegative(rest + *coefficient * atom->b, depth - 2);
      // The smaller of both must do where the expression grows with a min; either bound is enough the other way.
      bool need_both = (atom->kind == SymKind::kMin) == grows;
      if (need_both ? (with_a && with_b) : (with_a || with_b)) return true;
    }
  }
  return false;
}

Sym SymRanges::simplify(const Sym& a) const {
  return map_atoms(a, [&](const SymAtom& atom) {
    if (atom.kind == SymKind::kSymbol) return Sym::symbol(atom.name);
    Sym x = simplify(atom.a), y = simplify(atom.b);
    if (atom.kind != SymKind::kFloorDiv) {
      bool a_first = less_equal(x, y);
      if (a_first || less_equal(y, x)) return a_first == (atom.kind == SymKind::kMin) ? x : y;
      return apply(atom.kind, x, y);
    }
    Sym quotient = floordiv(x, y);
    if (quotient.terms().size() != 1 || quotient.terms()[0].coefficient != 1) {
      // A multiple left the division: what is left of it is judged by itself.
      return map_atoms(quotient, [&](const SymAtom& inner) {
        if (inner.kind == SymKind::kFloorDiv && nonnegative(inner.a) && less(inner.a, inner.b)) return Sym(0);
        return inner.kind == SymKind::kSymbol ? Sym::symbol(inner.name) : apply(inner.kind, inner.a, inner.b);
      });
    }
    if (nonnegative(x) && less(x, y)) return Sym(0);
    return quotient;
  });
}

}  // namespace hal::compiler
