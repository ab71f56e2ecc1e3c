/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that every other header of the HAL is written in: sizes, strings, versions, extension chains, object
 * headers and dtypes. Not here: any call. Only <stddef.h> and <stdint.h> are used (HAL-ABI-01); a 64-bit host is assumed.
 *
 * Conventions named once, and cited by the other headers:
 *   - "owned": the caller destroys it with the matching destroy call. "borrowed": valid as long as the named owner.
 *   - "in-struct": the caller writes it and sets struct_size = sizeof. The callee reads min(sizes); bytes that it does
 *     not know must be zero, else HAL_STATUS_UNSUPPORTED with the offset in the message (HAL-ABI-04, "zero tail").
 *   - "out-struct": the caller sets struct_size = sizeof; the callee fills min(sizes) and leaves struct_size alone.
 *   - "count-then-fill": (capacity, out_count, out_items). *out_count is always the total; at most `capacity` items are
 *     written; capacity 0 with items NULL asks for the count alone. A short capacity is not an error.
 *   - Out-parameters come last and are zeroed on failure. Zero is always a safe default (HAL-ABI-09).
 *   - Every call may come from any thread unless its text says otherwise (HAL-ABI-21).
 */
#ifndef HAL_BASE_H_
#define HAL_BASE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ABI version that these headers describe. Major: layouts break. Minor: tables and structs grew at their end. */
#define HAL_ABI_MAJOR 1u
#define HAL_ABI_MINOR 0u
#define HAL_ABI_MAKE(major, minor) (((uint32_t)(major) << 16) | (uint32_t)(minor))
#define HAL_ABI_VERSION HAL_ABI_MAKE(HAL_ABI_MAJOR, HAL_ABI_MINOR)
#define HAL_ABI_MAJOR_OF(version) ((uint32_t)(version) >> 16)
#define HAL_ABI_MINOR_OF(version) ((uint32_t)(version)&0xFFFFu)

/* UTF-8 bytes, not NUL-terminated; borrowed. {NULL, 0} is the empty string. */
typedef struct hal_string {
  const char* data;
  uint64_t length;
} hal_string_t;

/* Read-only bytes; borrowed. */
typedef struct hal_bytes {
  const void* data;
  uint64_t length;
} hal_bytes_t;

/* One node of an extension chain (HAL-ABI-05). A reader that does not know `type` skips the node, or answers
 * UNSUPPORTED when flags has HAL_CHAIN_REQUIRED. At most HAL_CHAIN_MAX_DEPTH nodes; a longer chain (or a cycle) is
 * INVALID_ARGUMENT. */
typedef struct hal_chain {
  uint32_t struct_size;
  uint32_t type;
  uint64_t flags;
  const struct hal_chain* next;
} hal_chain_t;

#define HAL_CHAIN_REQUIRED UINT64_C(1)
#define HAL_CHAIN_MAX_DEPTH 64u

/* Vendor blocks (HAL-ABI-09): enum values of vendor v are HAL_VENDOR_BASE(v) + 0..0xFFFF; 0 is the standard's own.
 * Vendor ids are given out in docs/vendors.md. */
#define HAL_VENDOR_BASE(vendor) ((uint32_t)(vendor) << 16)

/* An instant on the host's monotonic clock (hal_host_t.now), in nanoseconds. Deadlines are absolute. */
typedef uint64_t hal_time_t;
#define HAL_TIME_POLL UINT64_C(0)
#define HAL_TIME_FOREVER UINT64_MAX

/* What every object begins with. The plugin makes room for it, zeroes `calls` and sets `kind`; the loader stores its
 * table in `calls` when the create call returns, and no one else writes it afterwards. `generation` is the plugin's:
 * never 0, and changed when memory is used for another object, so that the validation layer can tell a stale handle. */
typedef struct hal_object {
  const struct hal_calls* calls;
  uint32_t kind;
  uint32_t generation;
} hal_object_t;

typedef uint32_t hal_object_kind_t;
#define HAL_OBJECT_INSTANCE 0x494C4148u       /* "HALI" */
#define HAL_OBJECT_DEVICE 0x444C4148u         /* "HALD" */
#define HAL_OBJECT_BUFFER 0x424C4148u         /* "HALB" */
#define HAL_OBJECT_QUEUE 0x514C4148u          /* "HALQ" */
#define HAL_OBJECT_SEMAPHORE 0x534C4148u      /* "HALS" */
#define HAL_OBJECT_EXECUTABLE 0x584C4148u     /* "HALX" */
#define HAL_OBJECT_COMMAND_BUFFER 0x434C4148u /* "HALC" */
#define HAL_OBJECT_COMMUNICATOR 0x4D4C4148u   /* "HALM" */
#define HAL_OBJECT_PROFILER 0x504C4148u       /* "HALP" */

/* Handles: pointers to incomplete types, one type each (HAL-ABI-07). */
typedef struct hal_instance hal_instance_t;
typedef struct hal_device hal_device_t;
typedef struct hal_buffer hal_buffer_t;
typedef struct hal_queue hal_queue_t;
typedef struct hal_semaphore hal_semaphore_t;
typedef struct hal_executable hal_executable_t;
typedef struct hal_command_buffer hal_command_buffer_t;
typedef struct hal_communicator hal_communicator_t;
typedef struct hal_profiler hal_profiler_t;

/* One key with its value: configuration, labels, metadata. Borrowed strings. */
typedef struct hal_key_value {
  hal_string_t key;
  hal_string_t value;
} hal_key_value_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_BASE_H_ */
