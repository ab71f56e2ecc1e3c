// SPDX-License-Identifier: Apache-2.0
//
// What became of the process since a loader was made (HAL-ABI-19): forked, or exiting. Cheap: two loads, no system
// call.
#ifndef LOADER_LIFETIME_HPP_
#define LOADER_LIFETIME_HPP_

#include <cstdint>

#include "hal/cxx/result.hpp"

namespace hal::loader {

// A number that differs between a process and its fork children. The first call installs the watchers.
uint64_t process_generation();

// Errors: SHUTDOWN once exit has begun; FORKED if `generation` is not this process's.
Result<void> check_alive(uint64_t generation);

}  // namespace hal::loader

#endif  // LOADER_LIFETIME_HPP_
