// SPDX-License-Identifier: Apache-2.0
//
// The named sets of dtypes of "where T in ...".
#ifndef HAL_COMPILER_LANG_DTYPE_SETS_HPP_
#define HAL_COMPILER_LANG_DTYPE_SETS_HPP_

#include <string>
#include <vector>

#include "hal/compiler/dtype.hpp"

namespace hal::compiler::lang {

// Appends what the word stands for: one dtype, or floats, signed, unsigned, ints, numbers, any. False: unknown.
bool add_dtypes(const std::string& word, std::vector<DType>& out);

// Every such word, for suggestions.
std::vector<std::string> dtype_words();

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_DTYPE_SETS_HPP_
