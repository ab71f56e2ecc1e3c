/* SPDX-License-Identifier: Apache-2.0
 * Built against an ABI 1.3 that appended two slots to a table, fields to hal_plugin_t and a group. */
#define ZOO_NAME "zoo-future-minor"
#define ZOO_ABI HAL_ABI_MAKE(1, 3)
#include "zoo.h"

typedef struct future_memory_group {
  hal_memory_group_t known;
  void (*new_slots[2])(void);
} future_memory_group;

typedef struct future_plugin {
  hal_plugin_t known;
  uint64_t new_fields[2];
} future_plugin;

static void new_slot(void) {}
static future_memory_group future_memory;
static hal_group_t future_groups[4];
static future_plugin future;

static void build(void) {
  future_memory.known = zoo_memory;
  future_memory.known.struct_size = (uint32_t)sizeof future_memory;
  future_memory.new_slots[0] = future_memory.new_slots[1] = new_slot;
  memcpy(future_groups, zoo_groups, sizeof zoo_groups);
  future_groups[1].table = &future_memory;
  future_groups[3].id = 12345;
  future_groups[3].table = &future_memory;
  future.known = zoo_plugin;
  future.known.struct_size = (uint32_t)sizeof future;
  future.known.group_count = 4;
  future.known.groups = future_groups;
  future.new_fields[0] = 42;
}

ZOO_QUERY_SPOILT((build(), *out_plugin = &future.known))
