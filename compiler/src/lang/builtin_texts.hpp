// SPDX-License-Identifier: Apache-2.0
//
// The texts of operators/, embedded by the build (build.cmake).
#ifndef HAL_COMPILER_LANG_BUILTIN_TEXTS_HPP_
#define HAL_COMPILER_LANG_BUILTIN_TEXTS_HPP_

#include <cstddef>

namespace hal::compiler::lang {

struct BuiltinText {
  const char* name;  // "operators/activation/relu.op"
  const char* text;
  size_t size;
};
extern const BuiltinText kBuiltinTexts[];
extern const size_t kBuiltinTextCount;

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_BUILTIN_TEXTS_HPP_
