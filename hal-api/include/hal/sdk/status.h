/* SPDX-License-Identifier: Apache-2.0
 *
 * Making statuses. Those made here are counted: sharing one costs no memory, and the cause of many dependants is kept
 * once. Where memory for a status is missing, a static "out of memory" takes its place: making one never fails.
 */
#ifndef HAL_SDK_STATUS_H_
#define HAL_SDK_STATUS_H_

#include "hal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HAL_SDK_PRINTF_(text, first) __attribute__((format(printf, text, first)))

/* printf arguments for "%.*s" with a hal_string_t. */
#define HAL_SDK_STRING_ARGS(string) (int)((string).length > 200u ? 200u : (string).length), (string).data

/* A status from a slot ("memory.buffer_create") or of a queue operation. The text says what was expected, what came,
 * where, and what to do. */
hal_status_t* hal_sdk_status(hal_status_code_t code, const char* call, const char* format, ...) HAL_SDK_PRINTF_(3, 4);

/* The same with the driver's own number and a cause, which is shared (and copied if the SDK did not make it). */
hal_status_t* hal_sdk_status_caused(hal_status_code_t code, int64_t vendor_code, const hal_status_t* cause,
                                    const char* call, const char* format, ...) HAL_SDK_PRINTF_(5, 6);

/* One more reference to a status of the SDK's, or a deep copy of a foreign one. NULL gives NULL. */
hal_status_t* hal_sdk_status_share(const hal_status_t* status);

/* Static: host memory is gone. */
hal_status_t* hal_sdk_status_out_of_memory(void);

/* All that hal_plugin_query does: checks the host, remembers who writes the statuses, fills in an empty build_id from
 * the library's build-id note (ld --build-id), and gives *out_plugin. Errors: INVALID_ARGUMENT, INCOMPATIBLE with both
 * versions. */
hal_status_t* hal_sdk_query(const hal_host_t* host, hal_plugin_t* plugin, const hal_plugin_t** out_plugin);

/* HAL_SANITIZER_* of this build, for hal_plugin_t.sanitizer. */
#if defined(__SANITIZE_ADDRESS__)
#define HAL_SDK_SANITIZER HAL_SANITIZER_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define HAL_SDK_SANITIZER HAL_SANITIZER_THREAD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAL_SDK_SANITIZER HAL_SANITIZER_ADDRESS
#elif __has_feature(thread_sanitizer)
#define HAL_SDK_SANITIZER HAL_SANITIZER_THREAD
#endif
#endif
#ifndef HAL_SDK_SANITIZER
#define HAL_SDK_SANITIZER HAL_SANITIZER_NONE
#endif

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_STATUS_H_ */
