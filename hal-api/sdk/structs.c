/* SPDX-License-Identifier: Apache-2.0
 *
 * Struct sizes, zero tails, chains and ranges: hal/sdk/structs.h.
 */
#include "hal/sdk/structs.h"

#include <stdio.h>
#include <string.h>

hal_string_t hal_sdk_string(const char* text) {
  hal_string_t string = {text, strlen(text)};
  return string;
}

int hal_sdk_string_equals(hal_string_t string, const char* text) {
  size_t length = strlen(text);
  return string.length == length && (length == 0 || memcmp(string.data, text, length) == 0);
}

static hal_status_t* check_size(const char* call, const char* name, const void* in, uint32_t least, uint32_t known) {
  uint32_t size;
  if (in == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "expected a %s; got NULL", name);
  memcpy(&size, in, sizeof size);
  if (size >= least && size <= known + HAL_SDK_MAX_STRUCT_TAIL) return NULL;
  return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call,
                        "%s.struct_size is %u; expected %u to %u; begin with the struct's INIT macro", name, size,
                        least, known + HAL_SDK_MAX_STRUCT_TAIL);
}

hal_status_t* hal_sdk_check_zero(const char* call, const char* name, uint64_t unknown_bits, uint64_t offset) {
  if (unknown_bits == 0) return NULL;
  return hal_sdk_status(HAL_STATUS_UNSUPPORTED, call,
                        "%s has 0x%llx at offset %llu, which this plugin does not know; expected zero", name,
                        (unsigned long long)unknown_bits, (unsigned long long)offset);
}

hal_status_t* hal_sdk_read_struct(const char* call, const char* name, const void* in, uint32_t least_size,
                                  uint32_t known_size, void* out) {
  uint32_t size, at;
  hal_status_t* status = check_size(call, name, in, least_size, known_size);
  if (status != NULL) return status;
  memcpy(&size, in, sizeof size);
  for (at = known_size; at < size; at++) {
    unsigned char byte = ((const unsigned char*)in)[at];
    if (byte != 0) return hal_sdk_check_zero(call, name, byte, at);
  }
  if (size < known_size) memset(out, 0, known_size);
  memcpy(out, in, size < known_size ? size : known_size);
  return NULL;
}

hal_status_t* hal_sdk_check_chain(const char* call, const hal_chain_t* next) {
  uint32_t depth;
  for (depth = 0; next != NULL; depth++, next = next->next) {
    if (depth == HAL_CHAIN_MAX_DEPTH) {
      return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "the chain has over %u nodes or is a cycle",
                            HAL_CHAIN_MAX_DEPTH);
    }
    if (next->struct_size < sizeof(hal_chain_t) || next->struct_size > HAL_SDK_MAX_STRUCT_TAIL) {
      return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "chain node %u has struct_size %u; expected %u to %u",
                            depth, next->struct_size, (unsigned)sizeof(hal_chain_t), HAL_SDK_MAX_STRUCT_TAIL);
    }
    if ((next->flags & HAL_CHAIN_REQUIRED) != 0) {
      return hal_sdk_status(HAL_STATUS_UNSUPPORTED, call,
                            "chain node %u has type 0x%x, which is required and which this plugin does not know", depth,
                            next->type);
    }
  }
  return NULL;
}

/* Copies all but the leading struct_size. */
static void fill(const void* value, uint32_t known_size, void* out, uint32_t size) {
  uint32_t count = size < known_size ? size : known_size;
  memcpy((char*)out + sizeof(uint32_t), (const char*)value + sizeof(uint32_t), count - sizeof(uint32_t));
}

hal_status_t* hal_sdk_write_struct(const char* call, const char* name, const void* value, uint32_t known_size,
                                   void* out) {
  uint32_t size;
  hal_status_t* status = check_size(call, name, out, sizeof(uint32_t), known_size);
  if (status != NULL) return status;
  memcpy(&size, out, sizeof size);
  fill(value, known_size, out, size);
  return NULL;
}

void hal_sdk_clear_struct(uint32_t known_size, void* out) {
  uint32_t size;
  if (out == NULL) return;
  memcpy(&size, out, sizeof size);
  if (size <= sizeof size || size > known_size + HAL_SDK_MAX_STRUCT_TAIL) return;
  memset((char*)out + sizeof size, 0, (size < known_size ? size : known_size) - sizeof size);
}

static hal_status_t* check_array(const char* call, const char* name, uint32_t count, uint32_t known_size,
                                 const void* items, uint32_t* out_stride) {
  uint32_t i, size;
  hal_status_t* status = check_size(call, name, items, sizeof(uint32_t), known_size);
  if (status != NULL) return status;
  memcpy(out_stride, items, sizeof *out_stride);
  for (i = 1; i < count; i++) {
    memcpy(&size, (const char*)items + (size_t)i * *out_stride, sizeof size);
    if (size != *out_stride) {
      return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call,
                            "%s %u has struct_size %u and item 0 has %u; set it in each item", name, i, size,
                            *out_stride);
    }
  }
  return NULL;
}

hal_status_t* hal_sdk_write_array(const char* call, const char* name, const void* values, uint32_t count,
                                  uint32_t known_size, uint32_t capacity, uint32_t* out_count, void* out_items) {
  uint32_t i, stride, filled = capacity < count ? capacity : count;
  hal_status_t* status;
  if (out_count == NULL) return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, call, "out_count is NULL");
  *out_count = 0;
  if (filled != 0) {
    status = check_array(call, name, filled, known_size, out_items, &stride);
    if (status != NULL) return status;
    for (i = 0; i < filled; i++) {
      fill((const char*)values + (size_t)i * known_size, known_size, (char*)out_items + (size_t)i * stride, stride);
    }
  }
  *out_count = count;
  return NULL;
}

hal_status_t* hal_sdk_check_range(const char* call, const char* name, uint64_t size, uint64_t offset, uint64_t length,
                                  uint64_t* out_length) {
  *out_length = 0;
  if (offset > size || (length != HAL_WHOLE_BUFFER && length > size - offset)) {
    return hal_sdk_status(HAL_STATUS_OUT_OF_RANGE, call, "%s: offset %llu and length %llu do not fit in %llu bytes",
                          name, (unsigned long long)offset, (unsigned long long)length, (unsigned long long)size);
  }
  *out_length = length == HAL_WHOLE_BUFFER ? size - offset : length;
  return NULL;
}

static int is_known(hal_string_t key, const hal_config_key_t* keys, uint32_t key_count) {
  uint32_t i;
  for (i = 0; i < key_count; i++) {
    if (key.length == keys[i].key.length && memcmp(key.data, keys[i].key.data, key.length) == 0) return 1;
  }
  return 0;
}

hal_status_t* hal_sdk_check_config(const hal_instance_desc_t* desc, const hal_config_key_t* keys, uint32_t key_count) {
  char known[256] = "none";
  uint32_t i;
  size_t used = 0;
  if (desc->config_count != 0 && desc->config == NULL) {
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, "device.initialize", "config is NULL and config_count is %u",
                          desc->config_count);
  }
  for (i = 0; i < key_count && used < sizeof known; i++) {
    used += (size_t)snprintf(known + used, sizeof known - used, "%s%.*s", i == 0 ? "" : ", ",
                             HAL_SDK_STRING_ARGS(keys[i].key));
  }
  for (i = 0; i < desc->config_count; i++) {
    if (is_known(desc->config[i].key, keys, key_count)) continue;
    return hal_sdk_status(HAL_STATUS_INVALID_ARGUMENT, "device.initialize",
                          "the configuration key '%.*s' is not known; known keys: %s",
                          HAL_SDK_STRING_ARGS(desc->config[i].key), known);
  }
  return NULL;
}
