/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "extension": tables that a vendor adds beside the standard ones. Names are "vendor.name", versions count up.
 */
#ifndef HAL_EXTENSION_H_
#define HAL_EXTENSION_H_

#include "hal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hal_extension_info {
  uint32_t struct_size;
  uint32_t version;
  hal_string_t name;
  hal_string_t description;
} hal_extension_info_t;

typedef struct hal_extension_group {
  uint32_t struct_size;
  uint32_t version;
  /* Optional. What there is, count-then-fill; static storage. */
  hal_status_t* (*list)(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                        hal_extension_info_t* out_infos);
  /* Optional. The table of one extension, static storage. NOT_FOUND, or INCOMPATIBLE with both versions. */
  hal_status_t* (*table)(hal_instance_t* instance, hal_string_t name, uint32_t version, const void** out_table);
} hal_extension_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_EXTENSION_H_ */
