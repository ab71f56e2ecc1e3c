/* SPDX-License-Identifier: Apache-2.0
 * Exports more than it may: a global that another plugin has too, with another value (CLASH_VALUE). Built twice. */
#include "zoo.h"

HAL_EXPORT int zoo_clashing_global;
HAL_EXPORT int zoo_clashing_function(void);
int zoo_clashing_global = CLASH_VALUE;
int zoo_clashing_function(void) { return zoo_clashing_global; }

/* The chip's core count is what the global says: right only if each plugin sees its own. */
static hal_status_t* capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  hal_status_t* status = zoo_capabilities(device, out_caps);
  out_caps->core_count = (uint32_t)zoo_clashing_function();
  return status;
}

ZOO_QUERY_SPOILT(zoo_device.capabilities = capabilities)
