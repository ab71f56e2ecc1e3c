// SPDX-License-Identifier: Apache-2.0
//
// Which portable primitives code on this device computes, with which dtypes. Whole operators are the compiler's to make
// from these; the plugin brings no kernels of its own, so it claims none.
#include <string_view>

#include "plugin.hpp"

namespace hal::cpu {
namespace {

// Kinds of dtypes, as bits.
enum : unsigned { kBool = 1, kInt = 2, kFloat = 4, kNumber = kInt | kFloat, kBits = kBool | kInt, kAny = 7 };

struct Row {
  std::string_view primitives;  // separated by blanks
  unsigned kinds;
};

constexpr Row kRows[] = {
    {"constant iota cast bitcast select reshape transpose broadcast slice pad concat window gather scatter", kAny},
    {"cmp min max reduce arg_reduce scan", kAny},
    {"neg abs sign add sub mul div rem contract syms", kNumber},
    {"floor ceil trunc round_even sqrt exp log sin cos tanh erf is_nan is_inf log1p expm1 atan pow atan2 fma", kFloat},
    {"not and or xor", kBits},
    {"shl shr", kInt},
};

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t end = list.find(' ');
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(end == list.npos ? list.size() : end + 1);
  }
  return false;
}

unsigned kinds_of(std::string_view primitive) {
  for (const Row& row : kRows) {
    if (has_word(row.primitives, primitive)) return row.kinds;
  }
  return 0;
}

struct DtypeSupport {
  unsigned kind = 0;
  hal_support_t support = HAL_SUPPORT_NONE;
};

// Native: the instruction set computes with it. Emulated: code widens it first, and rounds afterwards.
DtypeSupport dtype_support(hal_dtype_t dtype) {
  switch (dtype) {
    case HAL_DTYPE_BOOL:
      return {kBool, HAL_SUPPORT_NATIVE};
    case HAL_DTYPE_I8:
    case HAL_DTYPE_I16:
    case HAL_DTYPE_I32:
    case HAL_DTYPE_I64:
    case HAL_DTYPE_U8:
    case HAL_DTYPE_U16:
    case HAL_DTYPE_U32:
    case HAL_DTYPE_U64:
      return {kInt, HAL_SUPPORT_NATIVE};
    case HAL_DTYPE_F32:
    case HAL_DTYPE_F64:
      return {kFloat, HAL_SUPPORT_NATIVE};
    case HAL_DTYPE_BF16:
    case HAL_DTYPE_F16:
      return {kFloat, HAL_SUPPORT_EMULATED};
    default:
      return {};
  }
}

}  // namespace

hal_support_t support_of(const hal_support_query_t& query) {
  constexpr std::string_view kPrefix = "portable.";
  const DtypeSupport dtype = dtype_support(query.dtype);
  const std::string_view name(query.operator_name.data, query.operator_name.length);
  if (query.layout > HAL_LAYOUT_STRIDED) return HAL_SUPPORT_NONE;
  if (query.accumulator != HAL_DTYPE_NONE && dtype_support(query.accumulator).kind != dtype.kind) {
    return HAL_SUPPORT_NONE;
  }
  if (name.empty()) return dtype.support;
  if (name.substr(0, kPrefix.size()) != kPrefix) return HAL_SUPPORT_NONE;
  return (kinds_of(name.substr(kPrefix.size())) & dtype.kind) != 0 ? dtype.support : HAL_SUPPORT_NONE;
}

}  // namespace hal::cpu
