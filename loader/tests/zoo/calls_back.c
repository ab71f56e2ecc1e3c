/* SPDX-License-Identifier: Apache-2.0
 * Writes to the host's log wherever it can, garbage included, down to its last moment. */
#define ZOO_NAME "zoo-calls-back"
#include "zoo.h"

static void say(const char* data, uint64_t length) {
  hal_string_t text;
  text.data = data;
  text.length = length;
  zoo_host->log(zoo_host->context, HAL_LOG_INFO, text);
}

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  say("up", 2);
  say(NULL, 99);
  if (zoo_host->now(zoo_host->context) == 0) abort();
  return zoo_initialize(desc, out_instance);
}

__attribute__((destructor)) static void say_goodbye(void) {
  if (zoo_host != NULL) say("unloaded", 8);
}

ZOO_QUERY_SPOILT(zoo_device.initialize = initialize)
