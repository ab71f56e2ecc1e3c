/* SPDX-License-Identifier: Apache-2.0
 * Its driver is not there; another reason each time it is asked. */
#define ZOO_NAME "zoo-fails-initialize"
#include "zoo.h"

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  static int times;
  (void)desc;
  *out_instance = NULL;
  return zoo_fail(HAL_STATUS_UNAVAILABLE, ++times == 1 ? "/dev/zoo0 is not there" : "asked again");
}

ZOO_QUERY_SPOILT(zoo_device.initialize = initialize)
