/* SPDX-License-Identifier: Apache-2.0
 *
 * libhal: finds, checks and opens plugins, and names their devices. After hal_loader_open everything goes through
 * hal/hal.h, straight to the plugin. Discovery order and environment variables: docs/loader.md.
 *
 * Threads: every call may come from any thread. No lock is held across a call into a plugin. After fork the child's
 * calls return FORKED until it creates a loader of its own; once exit begins, calls return SHUTDOWN (HAL-ABI-19).
 * The log callback comes from any thread too, and must not destroy the loader.
 */
#ifndef HAL_LOADER_H_
#define HAL_LOADER_H_

#include "hal/hal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hal_loader hal_loader_t;

/* Skip the documented directories and the environment; use only what the descriptor names. */
#define HAL_LOADER_EXPLICIT_ONLY (UINT64_C(1) << 0)

/* In-struct. Everything in it is read before hal_loader_create returns. */
typedef struct hal_loader_desc {
  uint32_t struct_size;
  uint32_t plugin_path_count;
  const hal_string_t* plugin_paths;   /* libraries (.so) or manifests (.json), taken first; one that fails is an error */
  const hal_string_t* manifest_dirs;  /* searched before the documented ones */
  uint32_t manifest_dir_count;
  uint32_t config_count;
  const hal_key_value_t* config;      /* "plugin.key" = value, for initialize */
  hal_string_t filter;                /* globs by plugin name, "cpu,opencl" or "*,-cpu"; malformed: INVALID_ARGUMENT */
  uint64_t flags;
  void (*log)(void* context, hal_log_level_t level, hal_string_t message); /* NULL: messages are dropped */
  void* log_context;
  const hal_chain_t* next;
  const hal_string_t* layers;          /* nearest to the plugin last; a name, or the path of a library or manifest */
  const hal_key_value_t* layer_config; /* "trace.file" = value */
  uint32_t layer_count;
  uint32_t layer_config_count;
  uint64_t probe_timeout;              /* nanoseconds that a plugin has to be opened, and again to come up; a late one
                                          is refused as TIMEOUT. 0: MORTISE_PROBE_TIMEOUT, or else 30 seconds */
} hal_loader_desc_t;
#define HAL_LOADER_DESC_INIT \
  {sizeof(hal_loader_desc_t), 0, NULL, NULL, 0, 0, NULL, {NULL, 0}, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 0}

/* What became of one file that the loader looked at (HAL-ABI-22). Strings live as long as the loader. */
typedef uint32_t hal_loader_verdict_t;
#define HAL_LOADER_TAKEN 0u
#define HAL_LOADER_SKIPPED 1u   /* on purpose: filtered out, or a second path to the same plugin */
#define HAL_LOADER_REFUSED 2u   /* something is wrong with it: see reason */
#define HAL_LOADER_ABSENT 3u    /* a search directory that does not exist or cannot be read */

typedef struct hal_loader_file {
  uint32_t struct_size;
  hal_loader_verdict_t verdict;
  hal_string_t path;
  hal_string_t library;  /* for a manifest: the library that it names, resolved */
  hal_string_t plugin;   /* the plugin's name, once known */
  hal_string_t reason;   /* "missing symbol hal_plugin_query", "built for aarch64, this is x86-64", ... */
  hal_string_t origin;   /* why it was looked at: "api", "MORTISE_PLUGIN_PATH", "/etc/mortise/plugins.d" */
  hal_status_code_t code; /* of a refusal: TIMEOUT for a plugin that is late */
  uint32_t reserved0;
} hal_loader_file_t;

/* A layer that was found or asked for (HAL-ABI-24). TAKEN: it is on. SKIPPED: nobody switched it on. REFUSED: it was
 * asked for, and `reason` says what is wrong; the application goes on without it. Strings live as long as the loader. */
typedef struct hal_loader_layer {
  uint32_t struct_size;
  hal_loader_verdict_t verdict;
  hal_string_t name;
  hal_string_t version;  /* of a layer that is on */
  hal_string_t path;     /* of its manifest, or of the library where that was named */
  hal_string_t library;
  hal_string_t reason;
  hal_string_t origin;   /* who switched it on: "api", "MORTISE_LAYERS", its manifest; or where it was found */
} hal_loader_layer_t;

typedef struct hal_loader_plugin {
  uint32_t struct_size;
  uint32_t abi_version;
  hal_string_t name;
  hal_string_t version;
  hal_string_t vendor;
  hal_string_t build_id;
  hal_string_t path;         /* of the library */
  uint64_t groups;           /* bit HAL_GROUP_*: present */
  uint64_t reserved0;
} hal_loader_plugin_t;

typedef struct hal_loader_device {
  uint32_t struct_size;
  uint32_t plugin;           /* index in the plugin list */
  uint32_t index;            /* in that plugin */
  uint32_t also_count;       /* other plugins that claim the same chip (same UUID or PCI address and partition) */
  hal_string_t name;         /* "cpu:0" */
  const hal_device_info_t* info; /* lives as long as the loader */
} hal_loader_device_t;

/* Finds and opens the plugins. Plugins that cannot be used are reported by hal_loader_files and hide nobody. Errors:
 * INVALID_ARGUMENT (malformed filter or config), NOT_FOUND, INCOMPATIBLE, ... (an explicit path that cannot be used). */
HAL_EXPORT hal_status_t* hal_loader_create(const hal_loader_desc_t* desc, hal_loader_t** out_loader);

/* Shuts plugins down and closes their libraries. BUSY with the count while devices are open: then nothing changed. */
HAL_EXPORT hal_status_t* hal_loader_destroy(hal_loader_t* loader);

/* Each file that was looked at, in order; count-then-fill of out-structs. */
HAL_EXPORT hal_status_t* hal_loader_files(hal_loader_t* loader, uint32_t capacity, uint32_t* out_count,
                                          hal_loader_file_t* out_files);

/* The layers: those that are on first, outermost first; then those that were refused, then the others. Count-then-fill
 * of out-structs. */
HAL_EXPORT hal_status_t* hal_loader_layers(hal_loader_t* loader, uint32_t capacity, uint32_t* out_count,
                                           hal_loader_layer_t* out_layers);

/* The plugins in use, by name; count-then-fill of out-structs. */
HAL_EXPORT hal_status_t* hal_loader_plugins(hal_loader_t* loader, uint32_t capacity, uint32_t* out_count,
                                            hal_loader_plugin_t* out_plugins);

/* Every chip once; count-then-fill of out-structs. The first call initialises the plugins, side by side. A plugin that
 * fails then, or is late, is reported by hal_loader_files, and hides nobody. */
HAL_EXPORT hal_status_t* hal_loader_devices(hal_loader_t* loader, uint32_t capacity, uint32_t* out_count,
                                            hal_loader_device_t* out_devices);

/* Opens a device by name ("cpu:0", or "cpu" for its first) or by UUID. A name brings up its own plugin alone. NOT_FOUND lists the names that exist, or, if
 * there are none, why each file was refused. */
HAL_EXPORT hal_status_t* hal_loader_open(hal_loader_t* loader, hal_string_t name, hal_device_t** out_device);

/* Closes a device that hal_loader_open gave. NULL is allowed. */
HAL_EXPORT void hal_loader_close(hal_loader_t* loader, hal_device_t* device);

/* The clock of deadlines (CLOCK_MONOTONIC, nanoseconds). */
HAL_EXPORT hal_time_t hal_time_now(void);

/* The loader's own version, "1.0.0". Static storage. */
HAL_EXPORT hal_string_t hal_loader_version(void);

#ifdef __cplusplus
}
#endif
#endif /* HAL_LOADER_H_ */
