/* SPDX-License-Identifier: Apache-2.0
 * Takes as many milliseconds to come up as the variable ZOO_SLOW says, and says so at both ends. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#define ZOO_NAME "zoo-slow"
#include "zoo.h"

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  const long milliseconds = atol(getenv("ZOO_SLOW"));
  struct timespec time;
  time.tv_sec = milliseconds / 1000;
  time.tv_nsec = milliseconds % 1000 * 1000000;
  zoo_host->log(zoo_host->context, HAL_LOG_INFO, zoo_text("coming up"));
  while (nanosleep(&time, &time) != 0) continue;
  zoo_host->log(zoo_host->context, HAL_LOG_INFO, zoo_text("is up"));
  return zoo_initialize(desc, out_instance);
}

static hal_status_t* shutdown_instance(hal_instance_t* instance) {
  zoo_host->log(zoo_host->context, HAL_LOG_INFO, zoo_text("going down"));
  return zoo_shutdown(instance);
}

ZOO_QUERY_SPOILT((zoo_device.initialize = initialize, zoo_device.shutdown = shutdown_instance))
