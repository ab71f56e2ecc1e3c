/* SPDX-License-Identifier: Apache-2.0
 * Good but for one wrong value in what it says of itself, of its devices or of their memory: see garbage.h. */
#define _DEFAULT_SOURCE
#define ZOO_NAME "zoo-garbage"
#include "garbage.h"
#include "zoo.h"

/* ---- what hal_plugin_query returns ---- */

static void spoil_plugin(void) {
  GARBAGE_NUMBER(hal_plugin, &zoo_plugin, struct_size);
  GARBAGE_NUMBER(hal_plugin, &zoo_plugin, abi_version);
  GARBAGE_TEXT(hal_plugin, &zoo_plugin, name);
  GARBAGE_TEXT(hal_plugin, &zoo_plugin, version);
  GARBAGE_TEXT(hal_plugin, &zoo_plugin, vendor);
  GARBAGE_TEXT(hal_plugin, &zoo_plugin, build_id);
  GARBAGE_NUMBER(hal_plugin, &zoo_plugin, sanitizer);
  GARBAGE_NUMBER(hal_plugin, &zoo_plugin, group_count);
  GARBAGE_POINTER(hal_plugin, &zoo_plugin, groups);
}

static void spoil_groups(void) {
  static unsigned char odd_table[sizeof(hal_memory_group_t) + 8];
  static hal_group_t twice[4];
  GARBAGE_NUMBER(hal_group, &zoo_groups[1], id);
  GARBAGE_POINTER(hal_group, &zoo_groups[1], table);
  if (garbage_is("hal_group.table", "odd")) {
    memcpy(odd_table + 4, &zoo_memory, sizeof zoo_memory);
    zoo_groups[1].table = odd_table + 4;
  }
  if (garbage_is("hal_group.id", "twice")) {
    memcpy(twice, zoo_groups, sizeof zoo_groups);
    twice[3] = zoo_groups[1];
    zoo_plugin.groups = twice;
    zoo_plugin.group_count = 4;
  }
}

static void spoil_tables(void) {
  GARBAGE_NUMBER(hal_device_group, &zoo_device, struct_size);
  GARBAGE_NUMBER(hal_memory_group, &zoo_memory, struct_size);
  GARBAGE_NUMBER(hal_queue_group, &zoo_queue, struct_size);
#define SLOT(group, slot) GARBAGE_POINTER(hal_##group##_group, &zoo_##group, slot)
  SLOT(device, initialize), SLOT(device, shutdown), SLOT(device, enumerate), SLOT(device, open), SLOT(device, close);
  SLOT(device, capabilities), SLOT(device, query_support), SLOT(device, state);
  SLOT(memory, heaps), SLOT(memory, heap_statistics), SLOT(memory, buffer_create), SLOT(memory, buffer_destroy);
  SLOT(memory, buffer_info);
  SLOT(queue, queue_create), SLOT(queue, queue_destroy), SLOT(queue, submit), SLOT(queue, semaphore_create);
  SLOT(queue, semaphore_destroy), SLOT(queue, semaphore_query), SLOT(queue, semaphore_signal);
  SLOT(queue, semaphore_fail), SLOT(queue, semaphore_wait);
}

/* A status with one wrong field; the message of a good one is "as it should be". */
static hal_status_t* spoilt_status(void) {
  static hal_status_t cause;
  hal_status_t* status;
  if (getenv("ZOO_GARBAGE") == NULL || strncmp(getenv("ZOO_GARBAGE"), "hal_status.", 11) != 0) return NULL;
  status = zoo_fail(HAL_STATUS_UNAVAILABLE, "as it should be");
  cause = *status;
  status->cause = &cause;
  GARBAGE_NUMBER(hal_status, status, struct_size);
  GARBAGE_NUMBER(hal_status, status, code);
  GARBAGE_TEXT(hal_status, status, message);
  GARBAGE_POINTER(hal_status, status, cause);
  GARBAGE_POINTER(hal_status, status, release);
  if (garbage_is("hal_status.cause", "cycle")) cause.cause = status;
  if (garbage_is("hal_status.self", "odd")) return (hal_status_t*)(void*)((char*)status + 4);
  if (garbage_is("hal_status.self", "wild")) return (hal_status_t*)garbage_wild();
  return status;
}

/* ---- what its slots return ---- */

static void spoil_object(const char* type, void** object) {
  char field[64];
  hal_object_t* header = (hal_object_t*)*object;
  if (header == NULL) return;
  snprintf(field, sizeof field, "%s.kind", type);
  garbage_number(field, &header->kind, sizeof header->kind);
  snprintf(field, sizeof field, "%s.generation", type);
  garbage_number(field, &header->generation, sizeof header->generation);
  snprintf(field, sizeof field, "%s.self", type);
  garbage_pointer(field, object);
}

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  hal_status_t* status = zoo_initialize(desc, out_instance);
  spoil_object("hal_instance", (void**)out_instance);
  return status;
}

static hal_status_t* open_device(hal_instance_t* instance, uint32_t index, hal_device_t** out_device) {
  hal_status_t* status = zoo_open(instance, index, out_device);
  spoil_object("hal_device", (void**)out_device);
  return status;
}

static hal_status_t* enumerate(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                               hal_device_info_t* out_infos) {
  hal_status_t* status = zoo_enumerate(instance, capacity, out_count, out_infos);
  garbage_number("device.enumerate.out_count", out_count, sizeof *out_count);
  if (capacity == 0) {
    if (garbage_is("hal_device_info.uuid", "twice")) *out_count = 2;
    return status;
  }
  garbage_number("device.enumerate.out_count_filled", out_count, sizeof *out_count);
  GARBAGE_NUMBER(hal_device_info, out_infos, struct_size);
  GARBAGE_TEXT(hal_device_info, out_infos, name);
  GARBAGE_TEXT(hal_device_info, out_infos, vendor);
  GARBAGE_TEXT(hal_device_info, out_infos, pci_address);
  GARBAGE_TEXT(hal_device_info, out_infos, partition);
  GARBAGE_TEXT(hal_device_info, out_infos, driver_version);
  if (garbage_is("hal_device_info.pci_address", "shape")) out_infos->pci_address = zoo_text("slot 3");
  if (garbage_is("hal_device_info.uuid", "twice")) {
    *out_count = 2;
    if (capacity > 1) out_infos[1] = out_infos[0];
  }
  return status;
}

static void spoil_lists(hal_device_caps_t* caps) {
  static hal_string_t formats[1];
  static hal_compute_unit_t units[1];
  static hal_cache_level_t caches[1];
  formats[0] = zoo_text("zoo/1");
  units[0].m = units[0].n = units[0].k = 1;
  caches[0].size = 1024;
  caps->format_count = caps->compute_unit_count = caps->cache_level_count = 1;
  caps->formats = formats;
  caps->compute_units = units;
  caps->cache_levels = caches;
  garbage_text("hal_device_caps.formats[0]", &formats[0]);
  GARBAGE_NUMBER(hal_compute_unit, units, m);
  GARBAGE_NUMBER(hal_compute_unit, units, n);
  GARBAGE_NUMBER(hal_compute_unit, units, k);
  GARBAGE_NUMBER(hal_compute_unit, units, operations_per_second);
  GARBAGE_NUMBER(hal_device_caps, caps, format_count);
  GARBAGE_POINTER(hal_device_caps, caps, formats);
  GARBAGE_NUMBER(hal_device_caps, caps, compute_unit_count);
  GARBAGE_POINTER(hal_device_caps, caps, compute_units);
  GARBAGE_NUMBER(hal_device_caps, caps, cache_level_count);
  GARBAGE_POINTER(hal_device_caps, caps, cache_levels);
}

static hal_status_t* capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  hal_status_t* status = zoo_capabilities(device, out_caps);
  spoil_lists(out_caps);
  GARBAGE_NUMBER(hal_device_caps, out_caps, struct_size);
  GARBAGE_NUMBER(hal_device_caps, out_caps, features);
  GARBAGE_NUMBER(hal_device_caps, out_caps, emulated);
  GARBAGE_NUMBER(hal_device_caps, out_caps, max_bindings);
  GARBAGE_NUMBER(hal_device_caps, out_caps, max_constant_bytes);
  GARBAGE_TEXT(hal_device_caps, out_caps, target);
  GARBAGE_NUMBER(hal_device_caps, out_caps, memory_bandwidth);
  GARBAGE_NUMBER(hal_device_caps, out_caps, timestamp_bits);
  GARBAGE_NUMBER(hal_device_caps, out_caps, timestamp_period);
  return status;
}

static hal_status_t* heaps(hal_device_t* device, uint32_t capacity, uint32_t* out_count, hal_heap_info_t* out_infos) {
  hal_status_t* status = zoo_heaps(device, capacity, out_count, out_infos);
  garbage_number("memory.heaps.out_count", out_count, sizeof *out_count);
  if (capacity == 0) return status;
  garbage_number("memory.heaps.out_count_filled", out_count, sizeof *out_count);
  GARBAGE_NUMBER(hal_heap_info, out_infos, struct_size);
  GARBAGE_NUMBER(hal_heap_info, out_infos, alignment);
  GARBAGE_NUMBER(hal_heap_info, out_infos, granularity);
  return status;
}

HAL_EXPORT hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin) {
  zoo_host = host;
  zoo_device.initialize = initialize;
  zoo_device.enumerate = enumerate;
  zoo_device.open = open_device;
  zoo_device.capabilities = capabilities;
  zoo_memory.heaps = heaps;
  spoil_plugin();
  spoil_groups();
  spoil_tables();
  *out_plugin = &zoo_plugin;
  garbage_pointer("hal_plugin.self", out_plugin);
  return spoilt_status();
}
