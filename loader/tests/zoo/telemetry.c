/* SPDX-License-Identifier: Apache-2.0
 * Has telemetry: a temperature, a counter that grows with each reading, and a sensor that is broken. */
#define ZOO_NAME "zoo-telemetry"
#define ZOO_FEATURES HAL_FEATURE_TELEMETRY
#include "zoo.h"

static const char* const kNames[3][2] = {{"temperature.core", "Cel"}, {"readings", "1"}, {"power.package", "W"}};

static hal_status_t* metrics(hal_device_t* device, uint32_t capacity, uint32_t* out_count,
                             hal_metric_info_t* out_infos) {
  uint32_t i;
  (void)device;
  *out_count = 3;
  for (i = 0; i < capacity && i < 3; ++i) {
    out_infos[i].kind = i == 1 ? HAL_METRIC_COUNTER : HAL_METRIC_GAUGE;
    out_infos[i].name = zoo_text(kNames[i][0]);
    out_infos[i].unit = zoo_text(kNames[i][1]);
    out_infos[i].description = zoo_text("of the zoo");
  }
  return NULL;
}

static hal_status_t* read_metrics(hal_device_t* device, uint32_t count, const uint32_t* indices,
                                  hal_metric_value_t* out_values) {
  static double readings;
  uint32_t i;
  (void)device;
  ++readings;
  for (i = 0; i < count; ++i) {
    if (indices[i] > 2) return zoo_fail(HAL_STATUS_OUT_OF_RANGE, "there are three metrics");
    out_values[i].available = indices[i] != 2;
    out_values[i].value = indices[i] == 0 ? 36.5 : readings;
  }
  return NULL;
}

static hal_telemetry_group_t telemetry = {(uint32_t)sizeof(hal_telemetry_group_t), 0, metrics, read_metrics};

static void add_group(void) {
  static hal_group_t groups[4];
  memcpy(groups, zoo_groups, sizeof zoo_groups);
  groups[3].id = HAL_GROUP_TELEMETRY;
  groups[3].table = &telemetry;
  zoo_plugin.groups = groups;
  zoo_plugin.group_count = 4;
}

ZOO_QUERY_SPOILT(add_group())
