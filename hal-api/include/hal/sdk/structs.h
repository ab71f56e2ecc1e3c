/* SPDX-License-Identifier: Apache-2.0
 *
 * The ABI's rules for structs, strings, chains and ranges (HAL-ABI-04, -05, -08), each in one place. `call` and `name`
 * go into the text of the status: "queue.submit", "hal_submission_t".
 */
#ifndef HAL_SDK_STRUCTS_H_
#define HAL_SDK_STRUCTS_H_

#include "hal/sdk/first_sizes.h"
#include "hal/sdk/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A caller's struct longer than ours by more than this is taken for garbage. */
#define HAL_SDK_MAX_STRUCT_TAIL 4096u

/* A hal_string_t over a literal. The second form is a constant initializer. */
#define HAL_SDK_STRING_INIT(literal) \
  { literal, sizeof(literal) - 1u }
hal_string_t hal_sdk_string(const char* text);
int hal_sdk_string_equals(hal_string_t string, const char* text);

/* Reads an in-struct into *out (`known_size` bytes, zeroed past what the caller wrote). `least_size` is the struct's
 * size in ABI 1.0. Errors: INVALID_ARGUMENT (NULL or an impossible size), UNSUPPORTED (a tail that is not zero). */
hal_status_t* hal_sdk_read_struct(const char* call, const char* name, const void* in, uint32_t least_size,
                                  uint32_t known_size, void* out);
#define HAL_SDK_READ(call, type, in, out) \
  hal_sdk_read_struct(call, #type, in, HAL_SDK_FIRST_SIZE_##type, sizeof(type), out)

/* UNSUPPORTED, with the offset, where a reserved field or an unknown flag bit of a struct is not zero. */
hal_status_t* hal_sdk_check_zero(const char* call, const char* name, uint64_t unknown_bits, uint64_t offset);

/* Walks a chain of which the plugin knows no node: INVALID_ARGUMENT for a broken or endless one, UNSUPPORTED for a
 * node that is REQUIRED. */
hal_status_t* hal_sdk_check_chain(const char* call, const hal_chain_t* next);

/* Fills an out-struct: min(sizes) bytes of `value`, and the caller's struct_size stays. */
hal_status_t* hal_sdk_write_struct(const char* call, const char* name, const void* value, uint32_t known_size,
                                   void* out);

/* Zeroes an out-struct but for its struct_size, before anything can fail. Does nothing with NULL or a size that cannot
 * be. */
void hal_sdk_clear_struct(uint32_t known_size, void* out);

/* Count-then-fill of out-structs. The caller's array has the stride of its own struct_size. */
hal_status_t* hal_sdk_write_array(const char* call, const char* name, const void* values, uint32_t count,
                                  uint32_t known_size, uint32_t capacity, uint32_t* out_count, void* out_items);

/* The size that a range has in `size` bytes: resolves HAL_WHOLE_BUFFER and refuses with OUT_OF_RANGE what ends outside.
 * No sum here can overflow. */
hal_status_t* hal_sdk_check_range(const char* call, const char* name, uint64_t size, uint64_t offset, uint64_t length,
                                  uint64_t* out_length);

/* INVALID_ARGUMENT for a key that is not in `keys`; the text lists those that are. */
hal_status_t* hal_sdk_check_config(const hal_instance_desc_t* desc, const hal_config_key_t* keys, uint32_t key_count);

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_STRUCTS_H_ */
