/* SPDX-License-Identifier: Apache-2.0
 * Says one wrong thing about itself; the variable ZOO_GARBAGE says which. */
#define ZOO_NAME "zoo-garbage"
#include "zoo.h"

static unsigned char odd_table[sizeof(hal_memory_group_t) + 8];
static hal_group_t twice[4];
static char long_text[1000];

static int is(const char* what) {
  const char* chosen = getenv("ZOO_GARBAGE");
  return chosen != NULL && strcmp(chosen, what) == 0;
}

static void spoil_plugin(void) {
  if (is("plugin size huge")) zoo_plugin.struct_size = UINT32_MAX;
  if (is("plugin size zero")) zoo_plugin.struct_size = 0;
  if (is("group count")) zoo_plugin.group_count = UINT32_MAX;
  if (is("groups null")) zoo_plugin.groups = NULL;
  if (is("groups odd")) zoo_plugin.groups = (const hal_group_t*)(const void*)((const char*)zoo_groups + 4);
  if (is("name null")) zoo_plugin.name.data = NULL;
  if (is("name long")) zoo_plugin.name.length = UINT64_MAX;
  if (is("version binary")) zoo_plugin.version.data = "\x01\x02\x03\x04\x05";
  if (is("sanitizer")) zoo_plugin.sanitizer = 77;
  if (is("build id long")) {
    memset(long_text, 'x', sizeof long_text);
    zoo_plugin.build_id.data = long_text;
    zoo_plugin.build_id.length = sizeof long_text;
  }
}

static void spoil_groups(void) {
  if (is("table null")) zoo_groups[1].table = NULL;
  if (is("table size huge")) zoo_memory.struct_size = UINT32_MAX;
  if (is("table size odd")) zoo_memory.struct_size = 61;
  if (is("table size zero")) zoo_memory.struct_size = 0;
  if (is("no queue group")) zoo_plugin.group_count = 2;
  if (is("table odd")) {
    memcpy(odd_table + 4, &zoo_memory, sizeof zoo_memory);
    zoo_groups[1].table = odd_table + 4;
  }
  if (is("group twice")) {
    memcpy(twice, zoo_groups, sizeof zoo_groups);
    twice[3] = zoo_groups[1];
    zoo_plugin.groups = twice;
    zoo_plugin.group_count = 4;
  }
}

HAL_EXPORT hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin) {
  static hal_status_t malformed;
  zoo_host = host;
  spoil_plugin();
  spoil_groups();
  *out_plugin = is("plugin null") ? NULL : &zoo_plugin;
  if (is("plugin odd")) *out_plugin = (const hal_plugin_t*)(const void*)((const char*)&zoo_plugin + 4);
  return is("status") ? &malformed : NULL;
}
