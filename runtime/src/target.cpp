// SPDX-License-Identifier: Apache-2.0
//
// A device's capabilities as the compiler's Target.
#include "hal/runtime/session.hpp"

namespace hal::runtime {

Result<compiler::Target> target_of(hal_device_t* device) {
  hal_device_caps_t caps = {};
  caps.struct_size = sizeof(caps);
  HAL_TRY(take_status(hal_device_capabilities(device, &caps)));
  if ((caps.features & HAL_FEATURE_EXECUTABLES) == 0 || caps.format_count == 0) {
    return unsupported("the device takes no executables, so there is nothing to compile for it");
  }
  compiler::Target target;
  target.format = std::string(caps.formats[0].data, caps.formats[0].length);
  target.features = std::string(caps.target.data, caps.target.length);
  target.core_count = caps.core_count;
  target.local_memory_bytes = caps.local_memory_size;
  uint64_t* levels[] = {&target.l1_bytes, &target.l2_bytes, &target.l3_bytes};
  for (uint32_t i = 0; i < caps.cache_level_count && i < 3; ++i) *levels[i] = caps.cache_levels[i].size;
  return target;
}

}  // namespace hal::runtime
