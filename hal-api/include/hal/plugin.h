/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plugin is (HAL-ABI-02): a shared library that exports exactly one function, hal_plugin_query. It gets the
 * host's table and returns its own: a list of groups, each a table with id, version and size. A group or an optional
 * slot may be absent. Start from backends/template and hal/sdk/sdk.h.
 */
#ifndef HAL_PLUGIN_H_
#define HAL_PLUGIN_H_

#include "hal/collective.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/executable.h"
#include "hal/extension.h"
#include "hal/memory.h"
#include "hal/profiling.h"
#include "hal/queue.h"
#include "hal/telemetry.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t hal_log_level_t;
#define HAL_LOG_ERROR 1u
#define HAL_LOG_WARNING 2u
#define HAL_LOG_INFO 3u
#define HAL_LOG_DEBUG 4u

/* What the host gives a plugin. Lives until the plugin is unloaded. Slots may be called from any thread. */
typedef struct hal_host {
  uint32_t struct_size;
  uint32_t abi_version;  /* the highest that the host speaks: HAL_ABI_VERSION */
  hal_string_t name;     /* of the host: "libhal 1.0.0" */
  void* context;         /* first argument of the calls below */
  hal_time_t (*now)(void* context);
  void (*log)(void* context, hal_log_level_t level, hal_string_t message);
} hal_host_t;

typedef uint32_t hal_group_id_t;
#define HAL_GROUP_DEVICE 1u          /* hal_device_group_t; required */
#define HAL_GROUP_MEMORY 2u          /* hal_memory_group_t; required */
#define HAL_GROUP_QUEUE 3u           /* hal_queue_group_t; required */
#define HAL_GROUP_EXECUTABLE 4u      /* hal_executable_group_t */
#define HAL_GROUP_COMMAND_BUFFER 5u  /* hal_command_buffer_group_t */
#define HAL_GROUP_COLLECTIVE 6u      /* hal_collective_group_t */
#define HAL_GROUP_PROFILING 7u       /* hal_profiling_group_t */
#define HAL_GROUP_TELEMETRY 8u       /* hal_telemetry_group_t */
#define HAL_GROUP_EXTENSION 9u       /* hal_extension_group_t */

/* One group of the plugin. `table` begins with its own struct_size and version. */
typedef struct hal_group {
  hal_group_id_t id;
  uint32_t reserved0;
  const void* table;
} hal_group_t;

/* A sanitizer build loads only into a host built the same way. */
#define HAL_SANITIZER_NONE 0u
#define HAL_SANITIZER_ADDRESS 1u
#define HAL_SANITIZER_THREAD 2u

/* What a plugin returns. Static storage: it lives as long as the library is loaded. */
typedef struct hal_plugin {
  uint32_t struct_size;
  uint32_t abi_version;   /* that the plugin was built against: HAL_ABI_VERSION, never an echo of the host's */
  hal_string_t name;      /* [a-z][a-z0-9-]*, at most 32 bytes: the first half of "cpu:0" */
  hal_string_t version;
  hal_string_t vendor;
  hal_string_t build_id;  /* changes with every build */
  uint32_t sanitizer;     /* HAL_SANITIZER_* */
  uint32_t group_count;
  const hal_group_t* groups;
} hal_plugin_t;

/* The one exported symbol. Called once per load, before anything else; must not start threads or touch hardware.
 * Errors: INCOMPATIBLE (the host is too old; the text names both versions). */
typedef hal_status_t* (*hal_plugin_query_fn)(const hal_host_t* host, const hal_plugin_t** out_plugin);
#define HAL_PLUGIN_QUERY_NAME "hal_plugin_query"

#if defined(__GNUC__)
#define HAL_EXPORT __attribute__((visibility("default")))
#else
#define HAL_EXPORT
#endif

/* Plugins define this function; hosts look it up by HAL_PLUGIN_QUERY_NAME and never link it. */
HAL_EXPORT hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin);

#ifdef __cplusplus
}
#endif
#endif /* HAL_PLUGIN_H_ */
