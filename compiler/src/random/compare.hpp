// SPDX-License-Identifier: Apache-2.0
//
// Whether two tensors hold the same values: to the bit, any NaN for a NaN; or within some units in the last place.
#ifndef COMPILER_RANDOM_COMPARE_HPP_
#define COMPILER_RANDOM_COMPARE_HPP_

#include "hal/compiler/tensor.hpp"

#include <string>

namespace hal::compiler::random {

// The first difference, with index and both values; empty if there is none.
std::string find_difference(const Tensor& want, const Tensor& got, int ulps);

}  // namespace hal::compiler::random

#endif  // COMPILER_RANDOM_COMPARE_HPP_
