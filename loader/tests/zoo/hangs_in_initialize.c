/* SPDX-License-Identifier: Apache-2.0
 * Never comes back from initialize. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define ZOO_NAME "zoo-hangs"
#include "zoo.h"

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  (void)desc;
  *out_instance = NULL;
  for (;;) pause();
  return NULL;
}

ZOO_QUERY_SPOILT(zoo_device.initialize = initialize)
