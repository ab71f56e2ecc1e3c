// SPDX-License-Identifier: Apache-2.0
#include "lang/dtype_sets.hpp"

#include <algorithm>
#include <map>

namespace hal::compiler::lang {
namespace {

using enum DType;

// f32 first: samples take the first dtype for the full product of their choices.
const std::map<std::string, std::vector<DType>>& sets() {
  static const std::map<std::string, std::vector<DType>> kSets = {
      {"floats", {kF32, kF64, kF16, kBF16}},
      {"signed", {kI32, kI64, kI8, kI16}},
      {"unsigned", {kU8, kU16, kU32, kU64}},
      {"ints", {kI32, kI64, kI8, kI16, kU8, kU16, kU32, kU64}},
      {"numbers", {kF32, kF64, kF16, kBF16, kI32, kI64, kI8, kI16, kU8, kU16, kU32, kU64}},
      {"any", {kF32, kF64, kF16, kBF16, kI32, kI64, kI8, kI16, kU8, kU16, kU32, kU64, kBOOL}},
  };
  return kSets;
}

}  // namespace

bool add_dtypes(const std::string& word, std::vector<DType>& out) {
  std::vector<DType> found;
  if (auto set = sets().find(word); set != sets().end()) {
    found = set->second;
  } else if (auto dtype = dtype_from(word)) {
    found = {*dtype};
  }
  for (DType dtype : found) {
    if (std::find(out.begin(), out.end(), dtype) == out.end()) out.push_back(dtype);
  }
  return !found.empty();
}

std::vector<std::string> dtype_words() {
  std::vector<std::string> out;
  for (const auto& [word, dtypes] : sets()) out.push_back(word);
#define HAL_ROW(code, NAME, text, kind, bits, exponent, mantissa) out.push_back(text);
  HAL_DTYPE_TABLE(HAL_ROW)
#undef HAL_ROW
  return out;
}

}  // namespace hal::compiler::lang
