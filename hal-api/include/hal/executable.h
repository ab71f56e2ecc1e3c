/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "executable": programs as {format, target, bytes} (HAL-ABI-14). Format names carry a version ("elf-x86-64/1",
 * "opencl-c/1.2"); a device lists what it takes in its capabilities, and no shared code asks which chip it is.
 */
#ifndef HAL_EXECUTABLE_H_
#define HAL_EXECUTABLE_H_

#include "hal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hal_executable_desc {
  uint32_t struct_size;
  uint32_t reserved0;
  hal_string_t format;
  hal_string_t target;        /* features that the bytes need: "x86-64+avx2+fma" */
  hal_bytes_t bytes;          /* read before the call returns */
  hal_string_t compatibility; /* of a stored artefact, from executable_export; empty: new from a compiler */
  hal_string_t label;
  const hal_chain_t* next;
} hal_executable_desc_t;
#define HAL_EXECUTABLE_DESC_INIT \
  {sizeof(hal_executable_desc_t), 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL}

/* How well a program fits. 0 is "cannot", so a zeroed answer claims nothing. */
typedef uint32_t hal_load_grade_t;
#define HAL_LOAD_NO 0u
#define HAL_LOAD_SLOW 1u       /* loads, but another format or target would be faster */
#define HAL_LOAD_TRANSLATE 2u  /* loads after the plugin's own compilation */
#define HAL_LOAD_BEST 3u

/* One parameter of an entry point (reflection). */
typedef struct hal_entry_info {
  uint32_t struct_size;
  uint32_t binding_count;
  uint32_t constant_bytes;
  uint32_t local_memory_bytes;
  uint32_t workgroup_size[3];
  uint32_t reserved0;
  hal_string_t name;          /* lives as long as the executable */
  uint64_t written_bindings;  /* bit i: binding i may be written; bindings over 63 are not described */
} hal_entry_info_t;

typedef struct hal_executable_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required with HAL_FEATURE_EXECUTABLES. Would load take it, and why not: out_reason is static or lives as long as
   * the device. Bytes may be empty, to ask about format and target alone. */
  hal_status_t* (*can_load)(hal_device_t* device, const hal_executable_desc_t* desc, hal_load_grade_t* out_grade,
                            hal_string_t* out_reason);
  /* Required with HAL_FEATURE_EXECUTABLES. Errors: UNSUPPORTED (format), INCOMPATIBLE (target or compatibility),
   * DATA_CORRUPT (bytes). Bytes are native code and are trusted as a library is: never load what you did not compile. */
  hal_status_t* (*load)(hal_device_t* device, const hal_executable_desc_t* desc, hal_executable_t** out_executable);
  /* Required with HAL_FEATURE_EXECUTABLES. As buffer_destroy. */
  void (*destroy)(hal_executable_t* executable);
  /* Required with HAL_FEATURE_EXECUTABLES. Entry points in index order, count-then-fill. */
  hal_status_t* (*entries)(hal_executable_t* executable, uint32_t capacity, uint32_t* out_count,
                           hal_entry_info_t* out_infos);
  /* Optional. The loaded form, to store: count-then-fill in bytes, with the compatibility string to give back. */
  hal_status_t* (*export_artefact)(hal_executable_t* executable, uint64_t capacity, uint64_t* out_count,
                                   void* out_bytes, hal_string_t* out_compatibility);
} hal_executable_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_EXECUTABLE_H_ */
