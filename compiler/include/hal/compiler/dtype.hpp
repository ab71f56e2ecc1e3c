// SPDX-License-Identifier: Apache-2.0
//
// DType: the ABI's dtype table (hal/dtype.h) as a C++ enum, with what the compiler asks of it.
#ifndef HAL_COMPILER_DTYPE_HPP_
#define HAL_COMPILER_DTYPE_HPP_

#include <cstdint>
#include <optional>
#include <string_view>

#include "hal/dtype.h"

namespace hal::compiler {

enum class DType : uint32_t {
  kNone = HAL_DTYPE_NONE,
#define HAL_ROW(code, NAME, text, kind, bits, exponent, mantissa) k##NAME = code,
  HAL_DTYPE_TABLE(HAL_ROW)
#undef HAL_ROW
};

struct DTypeInfo {
  const char* text;
  char kind;  // 'B', 'I', 'U', 'F', 'C'
  int bits;
  int exponent_bits;
  int mantissa_bits;
};

constexpr DTypeInfo info(DType dtype) {
  switch (dtype) {
#define HAL_ROW(code, NAME, text, kind, bits, exponent, mantissa) \
  case DType::k##NAME:                                            \
    return {text, #kind[0], bits, exponent, mantissa};
    HAL_DTYPE_TABLE(HAL_ROW)
#undef HAL_ROW
    default:
      return {"none", '-', 0, 0, 0};
  }
}

constexpr const char* name(DType dtype) { return info(dtype).text; }
constexpr bool is_float(DType dtype) { return info(dtype).kind == 'F'; }
constexpr bool is_signed(DType dtype) { return info(dtype).kind == 'I'; }
constexpr bool is_unsigned(DType dtype) { return info(dtype).kind == 'U'; }
constexpr bool is_integer(DType dtype) { return is_signed(dtype) || is_unsigned(dtype); }

// Bytes of `count` elements; types under 8 bits are packed.
constexpr uint64_t bytes_of(DType dtype, uint64_t count) {
  return (count * static_cast<uint64_t>(info(dtype).bits) + 7) / 8;
}

constexpr std::optional<DType> dtype_from(std::string_view text) {
#define HAL_ROW(code, NAME, name, kind, bits, exponent, mantissa) \
  if (text == name) return DType::k##NAME;
  HAL_DTYPE_TABLE(HAL_ROW)
#undef HAL_ROW
  return std::nullopt;
}

}  // namespace hal::compiler

#endif  // HAL_COMPILER_DTYPE_HPP_
