// SPDX-License-Identifier: Apache-2.0
//
// A program as one C99 file that needs nothing but <stdint.h>, <string.h> and <math.h>: for targets that no compiler of
// ours knows, and to read. The file says at its top how to call it.
#ifndef HAL_COMPILER_C99_HPP_
#define HAL_COMPILER_C99_HPP_

#include <string>

#include "hal/compiler/tile.hpp"

namespace hal::compiler {

inline constexpr const char* kC99Format = "c99";
inline constexpr uint64_t kMaxC99ConstantBytes = uint64_t{64} << 20;  // what a C compiler can still be asked to read

// `prefix` is a C identifier: the functions are <prefix>_run and <prefix>_arena_bytes. Sums run one after the other, and a
// product is rounded before it is added. Errors: a dtype that C has no type for (named, with the buffer), constants
// over kMaxC99ConstantBytes.
Result<std::string> to_c99(const tile::Program& program, const std::string& prefix);

// The name with every character that C does not allow replaced by '_'.
std::string c_identifier(const std::string& name);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_C99_HPP_
