// SPDX-License-Identifier: Apache-2.0
//
// Where a program's temporaries lie, once its extents are known.
#ifndef HAL_COMPILER_MEMORY_PLAN_HPP_
#define HAL_COMPILER_MEMORY_PLAN_HPP_

#include "hal/compiler/program.hpp"

namespace hal::compiler {

struct MemoryPlan {
  uint64_t arena_bytes = 0;
  uint64_t largest_live_bytes = 0;  // a lower bound of any plan: the most that is live at one step
  std::vector<uint64_t> offsets;    // of each program buffer in the arena; 0 for those that are not temporaries
};

// Temporaries that are live at the same step do not overlap; offsets are multiples of 64. Errors: an extent that is
// negative or without value, a total over kMaxArenaBytes.
Result<MemoryPlan> plan_memory(const CompiledProgram& program, const std::map<std::string, int64_t>& binding);

inline constexpr uint64_t kMaxArenaBytes = uint64_t{1} << 46;

}  // namespace hal::compiler

#endif  // HAL_COMPILER_MEMORY_PLAN_HPP_
