/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "profiling" (HAL-ABI-17): counters with name, unit and source, calibrated timestamps, and trace records that say
 * when something was lost. A counter that cannot be read is UNAVAILABLE, never a false 0.
 */
#ifndef HAL_PROFILING_H_
#define HAL_PROFILING_H_

#include "hal/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t hal_counter_source_t;
#define HAL_COUNTER_UNAVAILABLE 0u
#define HAL_COUNTER_HARDWARE 1u
#define HAL_COUNTER_SIMULATED 2u
#define HAL_COUNTER_MODEL 3u

typedef struct hal_counter_info {
  uint32_t struct_size;
  hal_counter_source_t source;
  hal_string_t name;        /* "cycles", "dram.read" */
  hal_string_t unit;        /* UCUM: "1", "By", "ns" */
  hal_string_t description;
} hal_counter_info_t;

/* Two clocks read together: device ticks and hal_time_t. */
typedef struct hal_calibration {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t device_ticks;
  hal_time_t host_time;
  uint64_t uncertainty; /* ns */
} hal_calibration_t;

typedef uint32_t hal_record_kind_t;
#define HAL_RECORD_NONE 0u
#define HAL_RECORD_OPERATION 1u
#define HAL_RECORD_COUNTER 2u
#define HAL_RECORD_TRUNCATED 3u /* `value` records were lost here */

typedef struct hal_profile_record {
  uint32_t struct_size;
  hal_record_kind_t kind;
  uint64_t queue;       /* identity of the queue */
  uint64_t operation;   /* running number of the submission */
  hal_string_t label;   /* lives as long as the profiler */
  uint64_t submitted;   /* device ticks; 0: not known */
  uint64_t started;
  uint64_t ended;
  uint32_t counter;     /* index of the counter list */
  uint32_t reserved0;
  uint64_t value;
} hal_profile_record_t;

typedef struct hal_profiler_desc {
  uint32_t struct_size;
  uint32_t counter_count;
  const uint32_t* counters;  /* indices; an unavailable one is UNSUPPORTED */
  uint64_t buffer_records;   /* 0: the plugin's default */
  const hal_chain_t* next;
} hal_profiler_desc_t;

typedef struct hal_profiling_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required with HAL_FEATURE_PROFILING, all of them. */
  hal_status_t* (*counters)(hal_device_t* device, uint32_t capacity, uint32_t* out_count, hal_counter_info_t* out_infos);
  hal_status_t* (*calibrate)(hal_device_t* device, hal_calibration_t* out_calibration);
  hal_status_t* (*create)(hal_device_t* device, const hal_profiler_desc_t* desc, hal_profiler_t** out_profiler);
  void (*destroy)(hal_profiler_t* profiler);
  hal_status_t* (*start)(hal_profiler_t* profiler);
  hal_status_t* (*stop)(hal_profiler_t* profiler);
  /* Takes records out, oldest first; fills at most `capacity`. */
  hal_status_t* (*read)(hal_profiler_t* profiler, uint32_t capacity, uint32_t* out_count,
                        hal_profile_record_t* out_records);
} hal_profiling_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_PROFILING_H_ */
