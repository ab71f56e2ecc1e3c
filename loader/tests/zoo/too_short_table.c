/* SPDX-License-Identifier: Apache-2.0
 * A queue table that ends before a required slot. */
#include <stddef.h>

#define ZOO_NAME "zoo-too-short-table"
#include "zoo.h"

ZOO_QUERY_SPOILT(zoo_queue.struct_size = (uint32_t)offsetof(hal_queue_group_t, semaphore_wait))
