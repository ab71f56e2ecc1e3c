/* SPDX-License-Identifier: Apache-2.0
 *
 * The size of each struct in ABI 1.0: the least that a host of any minor version passes (HAL-ABI-04). Made from
 * hal-1.0.golden by hal-api/abi/layout.py update; do not edit.
 */
#ifndef HAL_SDK_FIRST_SIZES_H_
#define HAL_SDK_FIRST_SIZES_H_

#define HAL_SDK_FIRST_SIZE_hal_chain_t 24u
#define HAL_SDK_FIRST_SIZE_hal_status_t 80u
#define HAL_SDK_FIRST_SIZE_hal_work_t 32u
#define HAL_SDK_FIRST_SIZE_hal_submission_t 64u
#define HAL_SDK_FIRST_SIZE_hal_queue_desc_t 40u
#define HAL_SDK_FIRST_SIZE_hal_queue_group_t 96u
#define HAL_SDK_FIRST_SIZE_hal_communicator_desc_t 48u
#define HAL_SDK_FIRST_SIZE_hal_collective_query_t 16u
#define HAL_SDK_FIRST_SIZE_hal_collective_group_t 48u
#define HAL_SDK_FIRST_SIZE_hal_command_buffer_desc_t 40u
#define HAL_SDK_FIRST_SIZE_hal_command_buffer_group_t 48u
#define HAL_SDK_FIRST_SIZE_hal_instance_desc_t 24u
#define HAL_SDK_FIRST_SIZE_hal_device_info_t 104u
#define HAL_SDK_FIRST_SIZE_hal_device_caps_t 152u
#define HAL_SDK_FIRST_SIZE_hal_support_query_t 40u
#define HAL_SDK_FIRST_SIZE_hal_device_group_t 88u
#define HAL_SDK_FIRST_SIZE_hal_executable_desc_t 96u
#define HAL_SDK_FIRST_SIZE_hal_entry_info_t 56u
#define HAL_SDK_FIRST_SIZE_hal_executable_group_t 48u
#define HAL_SDK_FIRST_SIZE_hal_extension_info_t 40u
#define HAL_SDK_FIRST_SIZE_hal_extension_group_t 24u
#define HAL_SDK_FIRST_SIZE_hal_heap_info_t 40u
#define HAL_SDK_FIRST_SIZE_hal_heap_statistics_t 40u
#define HAL_SDK_FIRST_SIZE_hal_buffer_desc_t 56u
#define HAL_SDK_FIRST_SIZE_hal_buffer_info_t 16u
#define HAL_SDK_FIRST_SIZE_hal_external_memory_t 32u
#define HAL_SDK_FIRST_SIZE_hal_memory_group_t 104u
#define HAL_SDK_FIRST_SIZE_hal_counter_info_t 56u
#define HAL_SDK_FIRST_SIZE_hal_calibration_t 32u
#define HAL_SDK_FIRST_SIZE_hal_profile_record_t 80u
#define HAL_SDK_FIRST_SIZE_hal_profiler_desc_t 32u
#define HAL_SDK_FIRST_SIZE_hal_profiling_group_t 64u
#define HAL_SDK_FIRST_SIZE_hal_metric_info_t 56u
#define HAL_SDK_FIRST_SIZE_hal_metric_value_t 24u
#define HAL_SDK_FIRST_SIZE_hal_telemetry_group_t 24u
#define HAL_SDK_FIRST_SIZE_hal_host_t 48u
#define HAL_SDK_FIRST_SIZE_hal_plugin_t 88u
#define HAL_SDK_FIRST_SIZE_hal_layer_stack_t 16u
#define HAL_SDK_FIRST_SIZE_hal_layer_desc_t 56u
#define HAL_SDK_FIRST_SIZE_hal_layer_t 64u
#define HAL_SDK_FIRST_SIZE_hal_loader_desc_t 120u
#define HAL_SDK_FIRST_SIZE_hal_loader_file_t 96u
#define HAL_SDK_FIRST_SIZE_hal_loader_layer_t 104u
#define HAL_SDK_FIRST_SIZE_hal_loader_plugin_t 104u
#define HAL_SDK_FIRST_SIZE_hal_loader_device_t 40u

#endif /* HAL_SDK_FIRST_SIZES_H_ */
