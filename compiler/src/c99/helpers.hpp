// SPDX-License-Identifier: Apache-2.0
//
// The static functions that a C file needs, written once each, in the order of their first use.
#ifndef COMPILER_C99_HELPERS_HPP_
#define COMPILER_C99_HELPERS_HPP_

#include <set>
#include <string>

#include "hal/compiler/portable.hpp"

namespace hal::compiler::c99 {

class Helpers {
 public:
  // Each gives the name of a function, and sees to its text.
  std::string floor_divide();         // int64_t, towards minus infinity
  std::string least(), greatest();    // of two int64_t
  std::string from_bits(DType half);  // uint16_t -> float
  std::string to_bits(DType half);    // float, rounded already -> uint16_t
  std::string round(DType half);      // double -> float, rounded once to the half's precision
  std::string minimum(DType dtype), maximum(DType dtype);
  std::string sign(DType dtype);
  std::string divide(DType integer), remainder(DType integer);
  std::string shift(DType integer, bool left);
  std::string saturate_float(DType to);  // double -> integer
  std::string saturate_integer(DType to, bool from_signed);
  std::string bit_copy(const std::string& from_type, const std::string& to_type);

  const std::string& text() const { return text_; }

 private:
  // Adds `body` under `name` unless it is there; '$T' is the variable type, '$U' the unsigned type of the same width,
  // '$N' the name, '$S' "f" for float functions of <math.h>, '$B' the width.
  std::string add(const std::string& name, DType dtype, std::string body);

  std::set<std::string> known_;
  std::string text_;
};

}  // namespace hal::compiler::c99

#endif  // COMPILER_C99_HELPERS_HPP_
