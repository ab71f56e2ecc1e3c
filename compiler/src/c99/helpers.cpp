// SPDX-License-Identifier: Apache-2.0
//
// The meaning of primitives.hpp in C: no undefined case, no dependence on the width of int.
#include "helpers.hpp"

#include "types.hpp"

namespace hal::compiler::c99 {
namespace {

void replace_all(std::string* text, const std::string& what, const std::string& with) {
  for (size_t at = 0; (at = text->find(what, at)) != std::string::npos; at += with.size())
    text->replace(at, what.size(), with);
}

std::string extremum(bool least) {
  // -0 is less than +0; NaN if either is NaN.
  return std::string("static $T $N($T a, $T b) {\n  if (a != a || b != b) return a + b;\n") + "  if (a == b) return " +
         (least ? "signbit(a) ? a : b" : "signbit(a) ? b : a") + ";\n  return a " + (least ? "<" : ">") +
         " b ? a : b;\n}\n";
}

// The ends of an integer type, as double (exact or rounded outwards) and as integers.
struct Ends {
  std::string least, most, below, above;
};

Ends ends_of(DType dtype) {
  int magnitude = info(dtype).bits - (is_signed(dtype) ? 1 : 0);
  Ends ends;
  ends.most = is_signed(dtype) ? integer_literal(magnitude == 63 ? INT64_MAX : (int64_t{1} << magnitude) - 1)
                               : literal(dtype, ~uint64_t{0});
  ends.least = is_signed(dtype) ? integer_literal(magnitude == 63 ? INT64_MIN : -(int64_t{1} << magnitude)) : "0";
  ends.above = "0x1p+" + std::to_string(magnitude);
  ends.below = is_signed(dtype) ? "-0x1p+" + std::to_string(magnitude) : "0.0";
  return ends;
}

}  // namespace

std::string Helpers::add(const std::string& name, DType dtype, std::string body) {
  if (!known_.insert(name).second) return name;
  replace_all(&body, "$N", name);
  if (dtype != DType::kNone) {
    replace_all(&body, "$T", variable_type(dtype));
    replace_all(&body, "$U", unsigned_type(dtype));
    replace_all(&body, "$S", dtype == DType::kF64 ? "" : "f");
    replace_all(&body, "$B", std::to_string(info(dtype).bits));
  }
  text_ += body + "\n";
  return name;
}

std::string Helpers::floor_divide() {
  return add("m_floor_divide", DType::kNone,
             "static int64_t $N(int64_t a, int64_t b) {\n  int64_t q = a / b;\n"
             "  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;\n}\n");
}
std::string Helpers::least() {
  return add("m_least", DType::kNone, "static int64_t $N(int64_t a, int64_t b) { return a < b ? a : b; }\n");
}
std::string Helpers::greatest() {
  return add("m_greatest", DType::kNone, "static int64_t $N(int64_t a, int64_t b) { return a > b ? a : b; }\n");
}

std::string Helpers::round(DType half) {
  // The quantum is 2^(exponent - mantissa bits), the exponent not below the least normal one.
  int mantissa = info(half).mantissa_bits, least = 2 - (1 << (info(half).exponent_bits - 1));
  int above = 1 << (info(half).exponent_bits - 1);
  return add(std::string("m_round_") + name(half), half,
             "static float $N(double x) {\n  int e;\n  double r;\n"
             "  if (x == 0 || x != x || x - x != 0) return (float)x;\n  (void)frexp(x, &e);\n  e = (e - 1 < " +
                 std::to_string(least) + " ? " + std::to_string(least) + " : e - 1) - " + std::to_string(mantissa) +
                 ";\n  r = ldexp(rint(ldexp(x, -e)), e);\n  if (fabs(r) >= 0x1p+" + std::to_string(above) +
                 ") return x < 0 ? -INFINITY : INFINITY;\n  return (float)copysign(r, x);\n}\n");
}

std::string Helpers::from_bits(DType half) {
  std::string name_ = std::string("m_from_") + name(half);
  if (half == DType::kBF16) {
    return add(name_, half,
               "static float $N(uint16_t bits) {\n  uint32_t word = (uint32_t)bits << 16;\n  float x;\n"
               "  memcpy(&x, &word, sizeof x);\n  return x;\n}\n");
  }
  return add(name_, half,
             "static float $N(uint16_t bits) {\n  int e = bits >> 10 & 31;\n  float f = (float)(bits & 1023), x;\n"
             "  if (e == 31) x = f != 0 ? NAN : INFINITY;\n  else if (e == 0) x = ldexpf(f, -24);\n"
             "  else x = ldexpf(f + 1024, e - 25);\n  return bits >> 15 ? -x : x;\n}\n");
}

std::string Helpers::to_bits(DType half) {
  std::string name_ = std::string("m_to_") + name(half);
  if (half == DType::kBF16) {
    return add(name_, half,
               "static uint16_t $N(float x) {\n  uint32_t word;\n  memcpy(&word, &x, sizeof word);\n"
               "  if (x != x) word |= 0x400000;\n  return (uint16_t)(word >> 16);\n}\n");
  }
  return add(name_, half,
             "static uint16_t $N(float x) {\n  uint16_t sign = signbit(x) ? 0x8000 : 0;\n  int e;\n"
             "  float f = fabsf(x);\n  if (x != x) return (uint16_t)(sign | 0x7E00);\n"
             "  if (f == INFINITY) return (uint16_t)(sign | 0x7C00);\n  if (f < 0x1p-14f) return (uint16_t)(sign | "
             "(uint16_t)ldexpf(f, 24));\n  f = frexpf(f, &e);\n  return (uint16_t)(sign | ((e + 14) << 10) | "
             "((uint16_t)ldexpf(f, 11) & 1023));\n}\n");
}

std::string Helpers::minimum(DType dtype) {
  if (is_half(dtype)) dtype = DType::kF32;
  return add(std::string("m_min_") + name(dtype), dtype,
             is_float(dtype) ? extremum(true) : "static $T $N($T a, $T b) { return a < b ? a : b; }\n");
}
std::string Helpers::maximum(DType dtype) {
  if (is_half(dtype)) dtype = DType::kF32;
  return add(std::string("m_max_") + name(dtype), dtype,
             is_float(dtype) ? extremum(false) : "static $T $N($T a, $T b) { return a > b ? a : b; }\n");
}

std::string Helpers::sign(DType dtype) {
  if (is_half(dtype)) dtype = DType::kF32;
  return add(std::string("m_sign_") + name(dtype), dtype,
             is_float(dtype) ? "static $T $N($T x) { return x > 0 ? 1 : x < 0 ? -1 : x; }\n"
                             : "static $T $N($T x) { return ($T)((x > 0) - (x < 0)); }\n");
}

std::string Helpers::divide(DType integer) {
  std::string overflow = is_signed(integer) ? "  if (b == -1) return ($T)(0 - ($U)a);\n" : "";
  return add(std::string("m_div_") + name(integer), integer,
             "static $T $N($T a, $T b) {\n  if (b == 0) return 0;\n" + overflow + "  return ($T)(a / b);\n}\n");
}

std::string Helpers::remainder(DType integer) {
  std::string overflow = is_signed(integer) ? "  if (b == -1) return 0;\n" : "";
  return add(std::string("m_rem_") + name(integer), integer,
             "static $T $N($T a, $T b) {\n  if (b == 0) return a;\n" + overflow + "  return ($T)(a % b);\n}\n");
}

std::string Helpers::shift(DType integer, bool left) {
  std::string outside = left || !is_signed(integer) ? "0" : "a < 0 ? -1 : 0";
  // A right shift of a negative number by hand: what C does there is up to the compiler.
  std::string right = is_signed(integer) ? "a < 0 ? ($T)~(~a >> b) : ($T)(a >> b)" : "($T)(a >> b)";
  return add(std::string(left ? "m_shl_" : "m_shr_") + name(integer), integer,
             "static $T $N($T a, $T b) {\n  if (b < 0 || b >= $B) return " + outside + ";\n  return " +
                 (left ? "($T)(($U)((uint64_t)($U)a << b))" : right) + ";\n}\n");
}

std::string Helpers::saturate_float(DType to) {
  Ends ends = ends_of(to);
  return add(std::string("m_float_to_") + name(to), to,
             "static $T $N(double x) {\n  if (x != x) return 0;\n  if (x <= " + ends.below + ") return " + ends.least +
                 ";\n  if (x >= " + ends.above + ") return " + ends.most + ";\n  return ($T)x;\n}\n");
}

std::string Helpers::saturate_integer(DType to, bool from_signed) {
  Ends ends = ends_of(to);
  std::string wide = from_signed ? "int64_t" : "uint64_t", body = "static $T $N(" + wide + " x) {\n";
  if (from_signed) body += "  if (x < " + ends.least + ") return " + ends.least + ";\n";
  if (from_signed && info(to).bits == 64)
    body += "  return ($T)x;\n}\n";
  else
    body += "  if (x > " + (from_signed ? ends.most : "(uint64_t)" + ends.most) + ") return ($T)" + ends.most +
            ";\n  return ($T)x;\n}\n";
  if (from_signed && info(to).bits < 64 && !is_signed(to)) replace_all(&body, "UINT64_C", "INT64_C");
  return add(std::string(from_signed ? "m_signed_to_" : "m_unsigned_to_") + name(to), to, std::move(body));
}

std::string Helpers::bit_copy(const std::string& from_type, const std::string& to_type) {
  return add("m_bits_" + from_type + "_" + to_type, DType::kNone,
             "static " + to_type + " $N(" + from_type + " x) {\n  " + to_type +
                 " y;\n  memcpy(&y, &x, sizeof y);\n  return y;\n}\n");
}

}  // namespace hal::compiler::c99
