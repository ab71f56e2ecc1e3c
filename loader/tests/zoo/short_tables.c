/* SPDX-License-Identifier: Apache-2.0
 * Tables that end after the last required slot, as a release before the optional ones would have them. What lies behind
 * them is no function. */
#include <stddef.h>

#define ZOO_NAME "zoo-short-tables"
#include "zoo.h"

static void trap(void) { abort(); }

static void shorten(void) {
  zoo_device.struct_size = (uint32_t)offsetof(hal_device_group_t, reset);
  zoo_device.reset = (hal_status_t * (*)(hal_device_t*)) trap;
  zoo_memory.struct_size = (uint32_t)offsetof(hal_memory_group_t, buffer_map);
  zoo_queue.struct_size = (uint32_t)offsetof(hal_queue_group_t, semaphore_export);
}

ZOO_QUERY_SPOILT(shorten())
