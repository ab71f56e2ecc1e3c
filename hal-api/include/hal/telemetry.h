/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "telemetry" (HAL-ABI-18): named metrics with unit and meaning, through one call; no getter per metric.
 */
#ifndef HAL_TELEMETRY_H_
#define HAL_TELEMETRY_H_

#include "hal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t hal_metric_kind_t;
#define HAL_METRIC_GAUGE 0u   /* now */
#define HAL_METRIC_COUNTER 1u /* since the device opened; only grows */

typedef struct hal_metric_info {
  uint32_t struct_size;
  hal_metric_kind_t kind;
  hal_string_t name;        /* "temperature.core", "power.package" */
  hal_string_t unit;        /* UCUM: "Cel", "W", "Hz", "1" */
  hal_string_t description;
} hal_metric_info_t;

typedef struct hal_metric_value {
  uint32_t struct_size;
  uint32_t available;       /* 0: this reading could not be taken; `value` is then not a number to use */
  double value;
  hal_time_t time;
} hal_metric_value_t;

typedef struct hal_telemetry_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required with HAL_FEATURE_TELEMETRY. The metrics, count-then-fill. */
  hal_status_t* (*metrics)(hal_device_t* device, uint32_t capacity, uint32_t* out_count, hal_metric_info_t* out_infos);
  /* Required with HAL_FEATURE_TELEMETRY. Reads `count` metrics by index, together. */
  hal_status_t* (*read)(hal_device_t* device, uint32_t count, const uint32_t* metrics, hal_metric_value_t* out_values);
} hal_telemetry_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_TELEMETRY_H_ */
