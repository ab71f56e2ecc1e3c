// SPDX-License-Identifier: Apache-2.0
//
// Extents that come from a file: checked before anything is allocated from them.
#ifndef HAL_COMPILER_TENSOR_IO_EXTENTS_HPP_
#define HAL_COMPILER_TENSOR_IO_EXTENTS_HPP_

#include <optional>
#include <string>
#include <vector>

#include "hal/compiler/dtype.hpp"

namespace hal::compiler {

// One extent may not be 2^31 or more, and a tensor no larger than 2^40 bytes: what no model needs is a damaged file.
inline constexpr int64_t kMaxFileExtent = (int64_t{1} << 31) - 1;
inline constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 40;
inline constexpr size_t kMaxRank = 32;

std::string text(const std::vector<int64_t>& extents);  // "[2, 3]"

// The bytes of a dense tensor; nothing if an extent is negative or something is too large; then `*why` says what.
std::optional<uint64_t> checked_bytes(DType dtype, const std::vector<int64_t>& extents, std::string* why);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_TENSOR_IO_EXTENTS_HPP_
