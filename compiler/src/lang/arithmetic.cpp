// SPDX-License-Identifier: Apache-2.0
//
// The operators between values. A tensor on either side makes it a primitive; otherwise it is computed now.
#include <cmath>

#include "lang/builtins.hpp"

namespace hal::compiler::lang {
namespace {

const std::map<std::string, Prim>& tensor_prims() {
  static const std::map<std::string, Prim> kPrims = {
      {"+", Prim::kAdd}, {"-", Prim::kSub}, {"*", Prim::kMul}, {"/", Prim::kDiv},  {"**", Prim::kPow},
      {"&", Prim::kAnd}, {"|", Prim::kOr},  {"^", Prim::kXor}, {"<<", Prim::kShl}, {">>", Prim::kShr}};
  return kPrims;
}

std::optional<Predicate> predicate(const std::string& op) {
  static const std::map<std::string, Predicate> kPredicates = {{"==", Predicate::kEq}, {"!=", Predicate::kNe},
                                                               {"<", Predicate::kLt},  {"<=", Predicate::kLe},
                                                               {">", Predicate::kGt},  {">=", Predicate::kGe}};
  auto found = kPredicates.find(op);
  return found == kPredicates.end() ? std::nullopt : std::optional<Predicate>(found->second);
}

std::string with_article(const Datum& datum) {
  return datum.as_tensor() ? "a tensor" : kind(datum) + " " + text(datum);
}

Error no_operation(const std::string& op, const Datum& a, const Datum& b) {
  return invalid_argument("\"" + op + "\" is not defined between " + with_article(a) + " and " + with_article(b));
}

Result<Datum> on_tensors(Tensors& tensors, const std::string& op, const Datum& a, const Datum& b) {
  const TensorView* left = a.as_tensor();
  const TensorView* right = b.as_tensor();
  DType dtype = tensors.dtype(left ? *left : *right);
  auto operand = [&](const Datum& datum) -> Result<TensorView> {
    if (const TensorView* view = datum.as_tensor()) return *view;
    return tensors.number(datum, dtype);
  };
  auto known = tensor_prims().find(op);
  auto compare = predicate(op);
  if (known == tensor_prims().end() && !compare) {
    return invalid_argument("\"" + op +
                            "\" is not defined on tensors; use & and | for booleans, rem(a, b) for a remainder");
  }
  HAL_TRY_ASSIGN(TensorView x, operand(a));
  HAL_TRY_ASSIGN(TensorView y, operand(b));
  if (tensors.dtype(x) != tensors.dtype(y)) {
    return invalid_argument("\"" + op + "\" between " + name(tensors.dtype(x)) + " and " + name(tensors.dtype(y)) +
                            "; cast one of them");
  }
  Attributes attributes;
  if (compare) attributes.predicate = *compare;
  HAL_TRY_ASSIGN(TensorView out,
                 tensors.elementwise(compare ? Prim::kCompare : known->second, {x, y}, std::move(attributes)));
  return Datum(out);
}

Error undecided(const std::string& op, const Sym& a, const Sym& b) {
  return unsupported("cannot decide whether " + a.text() + " " + op + " " + b.text() + " without knowing the extents");
}

Result<Datum> compare_syms(const SymRanges& ranges, const std::string& op, const Sym& a, const Sym& b) {
  if (op == ">" || op == ">=") return compare_syms(ranges, op == ">" ? "<" : "<=", b, a);
  if (op == "==" || op == "!=") {
    Sym difference = ranges.simplify(a - b);
    if (difference.constant()) return Datum(difference.is_constant(0) == (op == "=="));
    if (ranges.less(a, b) || ranges.less(b, a)) return Datum(op == "!=");
    return undecided(op, a, b);
  }
  bool strict = op == "<";
  if (strict ? ranges.less(a, b) : ranges.less_equal(a, b)) return Datum(true);
  if (strict ? ranges.less_equal(b, a) : ranges.less(b, a)) return Datum(false);
  return undecided(op, a, b);
}

Result<Datum> power(const Sym& base, const Sym& exponent) {
  HAL_TRY_ASSIGN(int64_t count, to_int(exponent, "the exponent"));
  if (count < 0 || count > 63)
    return invalid_argument("the exponent of integers must be in 0..63, not " + std::to_string(count));
  Sym out = 1;
  for (int64_t i = 0; i < count; ++i) out *= base;
  return Datum(out);
}

Result<Datum> on_ints(const SymRanges& ranges, const std::string& op, const Sym& a, const Sym& b) {
  if (op == "+") return Datum(a + b);
  if (op == "-") return Datum(a - b);
  if (op == "*") return Datum(a * b);
  if (op == "**") return power(a, b);
  if (op == "//" || op == "%") {
    if (!ranges.less(Sym(0), b)) return invalid_argument("the divisor " + b.text() + " is not known to be above 0");
    return Datum(ranges.simplify(op == "//" ? floordiv(a, b) : mod(a, b)));
  }
  if (predicate(op)) return compare_syms(ranges, op, a, b);
  return no_operation(op, a, b);
}

Result<Datum> on_floats(const std::string& op, double a, double b) {
  if (op == "+") return Datum(a + b);
  if (op == "-") return Datum(a - b);
  if (op == "*") return Datum(a * b);
  if (op == "/") return Datum(a / b);
  if (op == "**") return Datum(std::pow(a, b));
  if (op == "<") return Datum(a < b);
  if (op == "<=") return Datum(a <= b);
  if (op == ">") return Datum(a > b);
  if (op == ">=") return Datum(a >= b);
  if (op == "==") return Datum(a == b);
  if (op == "!=") return Datum(a != b);
  return no_operation(op, a, b);
}

Result<Datum> on_lists(Tensors& tensors, const std::string& op, const List& a, const List& b) {
  if (op == "+") {
    List out = a;
    out.insert(out.end(), b.begin(), b.end());
    return Datum(std::move(out));
  }
  if (op != "==" && op != "!=") return no_operation(op, a, b);
  bool equal = a.size() == b.size();
  for (size_t i = 0; equal && i < a.size(); ++i) {
    HAL_TRY_ASSIGN(Datum same, apply_binary(tensors, "==", a[i], b[i]));
    HAL_TRY_ASSIGN(equal, to_bool(same, "a comparison"));
  }
  return Datum(equal == (op == "=="));
}

Result<Datum> contains(Tensors& tensors, const Datum& item, const List& list) {
  for (const Datum& entry : list) {
    HAL_TRY_ASSIGN(Datum same, apply_binary(tensors, "==", item, entry));
    HAL_TRY_ASSIGN(bool found, to_bool(same, "a comparison"));
    if (found) return Datum(true);
  }
  return Datum(false);
}

template <typename T>
Result<Datum> equality(const std::string& op, const T& a, const T& b) {
  if (op == "==" || op == "!=") return Datum((a == b) == (op == "=="));
  return no_operation(op, Datum(a), Datum(b));
}

bool is_number(const Datum& datum) { return datum.as_int() || datum.as_float(); }

}  // namespace

Result<Datum> apply_binary(Tensors& tensors, const std::string& op, const Datum& a, const Datum& b) {
  if (op == "in" && b.as_list()) return contains(tensors, a, *b.as_list());
  if (a.is_none() || b.is_none()) {
    return invalid_argument("\"" + op + "\" with something that was omitted; ask given(x) first");
  }
  if (a.as_tensor() || b.as_tensor()) return on_tensors(tensors, op, a, b);
  if (a.as_int() && b.as_int() && op != "/") return on_ints(tensors.builder().ranges(), op, *a.as_int(), *b.as_int());
  if (is_number(a) && is_number(b)) {
    HAL_TRY_ASSIGN(double x, to_float(a, "the left side of \"" + op + "\""));
    HAL_TRY_ASSIGN(double y, to_float(b, "the right side of \"" + op + "\""));
    return on_floats(op, x, y);
  }
  if (a.as_list() && b.as_list()) return on_lists(tensors, op, *a.as_list(), *b.as_list());
  if (a.as_string() && b.as_string()) {
    if (op == "+") return Datum(*a.as_string() + *b.as_string());
    return equality(op, *a.as_string(), *b.as_string());
  }
  if (a.as_bool() && b.as_bool()) {
    if (op == "&") return Datum(*a.as_bool() && *b.as_bool());
    if (op == "|") return Datum(*a.as_bool() || *b.as_bool());
    return equality(op, *a.as_bool(), *b.as_bool());
  }
  if (a.as_dtype() && b.as_dtype()) return equality(op, *a.as_dtype(), *b.as_dtype());
  if (op == "==" || op == "!=")
    return invalid_argument("cannot compare " + with_article(a) + " with " + with_article(b));
  return no_operation(op, a, b);
}

Result<Datum> apply_unary(Tensors& tensors, const std::string& op, const Datum& a) {
  if (const TensorView* tensor = a.as_tensor()) {
    if (op == "not") return invalid_argument("\"not\" is for booleans that are known now; use ! on tensors");
    HAL_TRY_ASSIGN(TensorView out, tensors.elementwise(op == "-" ? Prim::kNeg : Prim::kNot, {*tensor}));
    return Datum(out);
  }
  if (op == "-") {
    if (const Sym* value = a.as_int()) return Datum(-*value);
    if (const double* value = a.as_float()) return Datum(-*value);
  } else if (const bool* value = a.as_bool()) {
    return Datum(!*value);
  }
  return invalid_argument("\"" + op + "\" is not defined on " + with_article(a));
}

}  // namespace hal::compiler::lang
