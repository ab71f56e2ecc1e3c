// SPDX-License-Identifier: Apache-2.0
//
// The CPU plugin's one door.
#include "plugin.hpp"

namespace {

const hal_group_t groups[] = {{HAL_GROUP_DEVICE, 0, &hal::cpu::device_group},
                              {HAL_GROUP_MEMORY, 0, &hal_sdk_memory_group},
                              {HAL_GROUP_QUEUE, 0, &hal_sdk_queue_group},
                              {HAL_GROUP_EXECUTABLE, 0, &hal::cpu::executable_group}};

hal_plugin_t plugin = {sizeof(hal_plugin_t),
                       HAL_ABI_VERSION,
                       HAL_SDK_STRING_INIT("cpu"),
                       HAL_SDK_STRING_INIT(MORTISE_VERSION),
                       HAL_SDK_STRING_INIT("Mortise"),
                       {nullptr, 0},
                       HAL_SDK_SANITIZER,
                       sizeof groups / sizeof *groups,
                       groups};

}  // namespace

hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin) {
  return hal_sdk_query(host, &plugin, out_plugin);
}
