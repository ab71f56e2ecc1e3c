// SPDX-License-Identifier: Apache-2.0
//
// How values look in C. In variables bool is uint8_t, f16 and bf16 are float that have been rounded; in memory f16 and
// bf16 are their bits in uint16_t.
#ifndef COMPILER_C99_TYPES_HPP_
#define COMPILER_C99_TYPES_HPP_

#include <string>

#include "hal/compiler/dtype.hpp"

namespace hal::compiler::c99 {

bool has_type(DType dtype);  // bool, integers of 8 to 64 bits, f16, bf16, f32, f64
inline bool is_half(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }
std::string variable_type(DType dtype);  // "float"
std::string memory_type(DType dtype);    // "uint16_t"
std::string unsigned_type(DType dtype);  // of the same width
std::string literal(DType dtype, uint64_t bits);
std::string integer_literal(int64_t value);  // of type int64_t

}  // namespace hal::compiler::c99

#endif  // COMPILER_C99_TYPES_HPP_
