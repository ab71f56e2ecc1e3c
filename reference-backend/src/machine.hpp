// SPDX-License-Identifier: Apache-2.0
//
// What this machine is: read once per instance, from hwloc.
#ifndef HAL_REFERENCE_BACKEND_MACHINE_HPP_
#define HAL_REFERENCE_BACKEND_MACHINE_HPP_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/device.h"

namespace hal::cpu {

struct Machine {
  std::string name;    // "Intel(R) Xeon(R) Processor, 2 cores"
  std::string vendor;  // "GenuineIntel"
  std::array<uint8_t, 16> uuid{};
  std::vector<hal_cache_level_t> caches;  // nearest first
  std::vector<unsigned> cores;            // for each core that this process may use, one logical processor of it
  uint32_t numa_nodes = 1;
  uint64_t memory = 0;  // bytes that this process may use
};

Result<Machine> read_machine();

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_MACHINE_HPP_
