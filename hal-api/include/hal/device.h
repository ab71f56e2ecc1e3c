/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "device": bring a plugin up, list its devices, open one, and ask what it can do. Capabilities are one immutable
 * snapshot per device (HAL-ABI-11); what depends on operator and dtype is asked with query_support.
 */
#ifndef HAL_DEVICE_H_
#define HAL_DEVICE_H_

#include "hal/dtype.h"
#include "hal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Configuration for one instance, from the manifest, the environment filter or the API. Unknown keys are
 * INVALID_ARGUMENT; config_keys lists the known ones. */
typedef struct hal_instance_desc {
  uint32_t struct_size;
  uint32_t config_count;
  const hal_key_value_t* config;
  const hal_chain_t* next;
} hal_instance_desc_t;
#define HAL_INSTANCE_DESC_INIT {sizeof(hal_instance_desc_t), 0, NULL, NULL}

/* One configuration key that the plugin understands. Static storage. */
typedef struct hal_config_key {
  hal_string_t key;
  hal_string_t default_value;
  hal_string_t description;
} hal_config_key_t;

typedef uint32_t hal_device_type_t;
#define HAL_DEVICE_TYPE_OTHER 0u
#define HAL_DEVICE_TYPE_CPU 1u
#define HAL_DEVICE_TYPE_GPU 2u
#define HAL_DEVICE_TYPE_NPU 3u
#define HAL_DEVICE_TYPE_FPGA 4u
#define HAL_DEVICE_TYPE_SIMULATOR 5u

/* Who a device is (HAL-ABI-12). Strings live as long as the instance. The UUID is the same in every process and after
 * a reopen; two devices never share one. */
typedef struct hal_device_info {
  uint32_t struct_size;
  hal_device_type_t type;
  uint8_t uuid[16];
  hal_string_t name;           /* for people: "Intel Xeon ..., 2 cores" */
  hal_string_t vendor;         /* of the chip */
  hal_string_t pci_address;    /* "0000:3b:00.0"; empty if none */
  hal_string_t partition;      /* partition or slice of a chip; empty for the whole */
  hal_string_t driver_version; /* of what is below the plugin; empty if none */
} hal_device_info_t;

/* Bits of hal_device_caps_t.features. */
#define HAL_FEATURE_DEVICE_ADDRESS (UINT64_C(1) << 0)    /* buffers have raw addresses: memory.buffer_address */
#define HAL_FEATURE_ASYNC_SUBMIT (UINT64_C(1) << 1)      /* submit returns before the work is done */
#define HAL_FEATURE_HOST_CALL (UINT64_C(1) << 2)         /* HAL_WORK_HOST_CALL */
#define HAL_FEATURE_QUEUE_ALLOC (UINT64_C(1) << 3)       /* HAL_WORK_ALLOC and HAL_WORK_FREE */
#define HAL_FEATURE_EXECUTABLES (UINT64_C(1) << 4)       /* the executable group does something */
#define HAL_FEATURE_COMMAND_BUFFERS (UINT64_C(1) << 5)
#define HAL_FEATURE_COLLECTIVES (UINT64_C(1) << 6)
#define HAL_FEATURE_PROFILING (UINT64_C(1) << 7)
#define HAL_FEATURE_TELEMETRY (UINT64_C(1) << 8)
#define HAL_FEATURE_IMPORT_HOST (UINT64_C(1) << 9)       /* memory.buffer_import of host pointers */
#define HAL_FEATURE_EXPORT_FD (UINT64_C(1) << 10)
#define HAL_FEATURE_COPY_2D (UINT64_C(1) << 11)          /* HAL_WORK_COPY with rows > 1 */

/* One matrix or vector unit, for the compiler's schedules (tier T0, "describe"). */
typedef struct hal_compute_unit {
  hal_dtype_t input;
  hal_dtype_t accumulator;
  uint32_t m, n, k;              /* one instruction's tile; a vector unit has m = k = 1 and n = lanes */
  uint32_t reserved0;
  double operations_per_second;  /* peak, multiply and add counted as two; 0: not known */
} hal_compute_unit_t;

/* One cache or scratchpad level, nearest first. */
typedef struct hal_cache_level {
  uint64_t size;         /* bytes */
  uint32_t line;         /* bytes */
  uint32_t shared_by;    /* compute cores that share it */
} hal_cache_level_t;

/* What a device can do: one snapshot, the same for its life. Arrays and strings live as long as the device. */
typedef struct hal_device_caps {
  uint32_t struct_size;
  uint32_t core_count;             /* independent cores (CPU cores, SMs, tiles) */
  uint64_t features;               /* HAL_FEATURE_* */
  uint64_t emulated;               /* those of `features` that the SDK or the host emulates */
  uint64_t max_buffer_size;        /* bytes */
  uint32_t max_workgroup_count[3]; /* of a dispatch */
  uint32_t max_workgroup_size[3];  /* invocations the device itself may run in a workgroup; 1,1,1 for a CPU */
  uint32_t max_bindings;           /* buffers of one dispatch; at least 64 */
  uint32_t max_constant_bytes;     /* constants of one dispatch; at least 1024 */
  uint64_t local_memory_size;      /* bytes of workgroup memory */
  uint32_t max_queues;
  uint32_t format_count;
  const hal_string_t* formats;     /* executable formats, best first: "elf-x86-64/1", "opencl-c/1.2" */
  hal_string_t target;             /* feature string for the compiler: "x86-64+avx2+fma" */
  uint32_t compute_unit_count;
  uint32_t cache_level_count;
  const hal_compute_unit_t* compute_units;
  const hal_cache_level_t* cache_levels;
  double memory_bandwidth;         /* bytes per second of device memory; 0: not known */
  uint32_t numa_node_count;
  uint32_t timestamp_bits;         /* valid bits of device timestamps; 0: none */
  double timestamp_period;         /* nanoseconds per tick */
} hal_device_caps_t;

/* How well something is supported (HAL-ABI-11). 0 is "none", so a zeroed answer claims nothing. */
typedef uint32_t hal_support_t;
#define HAL_SUPPORT_NONE 0u
#define HAL_SUPPORT_EMULATED 1u
#define HAL_SUPPORT_NATIVE 2u

/* "Can you run this operator with these types?" */
typedef struct hal_support_query {
  uint32_t struct_size;
  hal_dtype_t dtype;
  hal_dtype_t accumulator;   /* HAL_DTYPE_NONE: the operator's default */
  uint32_t layout;           /* HAL_LAYOUT_* */
  hal_string_t operator_name; /* "mortise.softmax@1", or a portable primitive: "portable.exp"; empty: the dtype at all */
  const hal_chain_t* next;
} hal_support_query_t;
#define HAL_SUPPORT_QUERY_INIT {sizeof(hal_support_query_t), 0, 0, 0, {NULL, 0}, NULL}
#define HAL_LAYOUT_ROW_MAJOR 0u
#define HAL_LAYOUT_STRIDED 1u

typedef uint32_t hal_device_state_t;
#define HAL_DEVICE_STATE_READY 0u
#define HAL_DEVICE_STATE_LOST 1u      /* HAL-ABI-20: calls return DEVICE_LOST at once; reset, or close and reopen */
#define HAL_DEVICE_STATE_DETACHED 2u  /* gone for good */

typedef struct hal_device_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required. Brings the plugin up for one user; several instances may live in one process and share nothing that a
   * user can see. Blocks while the driver starts. Errors: INVALID_ARGUMENT (a key), UNAVAILABLE (a dependency),
   * PERMISSION_DENIED (a device node). */
  hal_status_t* (*initialize)(const hal_instance_desc_t* desc, hal_instance_t** out_instance);
  /* Required. Ends an instance. BUSY, with the count in the message, while objects of it live; then nothing changed. */
  hal_status_t* (*shutdown)(hal_instance_t* instance);
  /* Optional. The configuration keys, count-then-fill; usable before initialize. */
  hal_status_t* (*config_keys)(uint32_t capacity, uint32_t* out_count, hal_config_key_t* out_keys);
  /* Required. Devices, count-then-fill, in the same order every time; out_infos are out-structs (the caller sets
   * struct_size in each). No device is an empty list, not an error. */
  hal_status_t* (*enumerate)(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                             hal_device_info_t* out_infos);
  /* Required. Opens device `index` of the list. Errors: OUT_OF_RANGE, UNAVAILABLE, PERMISSION_DENIED. */
  hal_status_t* (*open)(hal_instance_t* instance, uint32_t index, hal_device_t** out_device);
  /* Required. Closes a device. Waits for nothing and never fails; children pin it until they are destroyed. */
  void (*close)(hal_device_t* device);
  /* Required. The snapshot; an out-struct. */
  hal_status_t* (*capabilities)(hal_device_t* device, hal_device_caps_t* out_caps);
  /* Required. Answers for operator x dtype x accumulator x layout; an unknown operator is NONE, not an error. */
  hal_status_t* (*query_support)(hal_device_t* device, const hal_support_query_t* query, hal_support_t* out_support);
  /* Required. READY, LOST or DETACHED. Never blocks. */
  hal_status_t* (*state)(hal_device_t* device, hal_device_state_t* out_state);
  /* Optional. Brings a lost device back; its older objects stay safe and answer DEVICE_LOST. */
  hal_status_t* (*reset)(hal_device_t* device);
} hal_device_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_DEVICE_H_ */
