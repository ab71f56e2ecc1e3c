// SPDX-License-Identifier: Apache-2.0
//
// What is known of a tensor when the program is compiled. Whatever depends on constants alone is known: it is computed
// when it is asked for.
#ifndef HAL_COMPILER_LANG_KNOWN_HPP_
#define HAL_COMPILER_LANG_KNOWN_HPP_

#include "hal/compiler/portable.hpp"

namespace hal::compiler::lang {

// The tensor, if it depends on no parameter and no symbol and is small.
std::optional<Tensor> known_tensor(const Builder& builder, ValueId value);

// Its elements as expressions, symbolic ones too.
std::optional<Contents> known_contents(const Builder& builder, ValueId value);

// That they are not known, with the parameters whose values are missing; noted in the builder.
Error not_known(Builder& builder, ValueId value);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_KNOWN_HPP_
