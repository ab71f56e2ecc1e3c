/* SPDX-License-Identifier: Apache-2.0
 *
 * How a call says that it failed (HAL-ABI-06). A call returns `hal_status_t*`: NULL is success and costs nothing; else
 * a status that the caller owns and gives back with hal_status_release. There is no "last error" anywhere.
 */
#ifndef HAL_STATUS_H_
#define HAL_STATUS_H_

#include "hal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(code, NAME, "name", "what the caller should do"). Append-only. */
#define HAL_STATUS_TABLE(X)                                                                                       \
  X(1, INVALID_ARGUMENT, "invalid argument", "Correct the argument that the message names; nothing was done.")    \
  X(2, UNSUPPORTED, "unsupported", "Ask the capabilities first; use another way.")                                \
  X(3, OUT_OF_MEMORY, "out of memory", "Free device memory, or ask for less; the device stays usable.")           \
  X(4, OUT_OF_RANGE, "out of range", "Correct offset, length, index or value; nothing was done.")                 \
  X(5, NOT_FOUND, "not found", "Check the name; the message lists what exists.")                                  \
  X(6, ALREADY_EXISTS, "already exists", "Use the existing object.")                                              \
  X(7, PERMISSION_DENIED, "permission denied", "Change owner, mode or group as the message says.")                \
  X(8, UNAVAILABLE, "unavailable", "Install what the message names, or try again later.")                         \
  X(9, BUSY, "busy", "Destroy the live objects that the message counts, then call again.")                        \
  X(10, TIMEOUT, "timeout", "The deadline passed; nothing changed. Wait again or give up.")                       \
  X(11, CANCELLED, "cancelled", "Someone cancelled the operation on purpose.")                                    \
  X(12, ABORTED, "aborted", "A dependency failed; see the cause.")                                                \
  X(13, DEVICE_LOST, "device lost", "Destroy the device's objects, reset or reopen the device.")                  \
  X(14, DATA_CORRUPT, "data corrupt", "The bytes given are malformed; make them again.")                          \
  X(15, INCOMPATIBLE, "incompatible", "Versions or targets do not match; the message has both sides.")            \
  X(16, FAILED_PRECONDITION, "failed precondition", "Bring the object into the state that the message names.")    \
  X(17, SHUTDOWN, "shut down", "The process is exiting or the instance was shut down; stop calling.")             \
  X(18, FORKED, "forked", "Initialise again in this child process before any other call.")                        \
  X(19, INTERNAL, "internal", "Report it to the vendor of the plugin that the status names.")

typedef uint32_t hal_status_code_t;
#define HAL_STATUS_OK 0u

#define HAL_STATUS_ENUMERATOR_(code, NAME, text, action) HAL_STATUS_##NAME = code,
enum { HAL_STATUS_TABLE(HAL_STATUS_ENUMERATOR_) HAL_STATUS_COUNT_PLUS_ONE_ };
#undef HAL_STATUS_ENUMERATOR_

/* Read-only for everyone but its maker. Strings live as long as the status. */
typedef struct hal_status {
  uint32_t struct_size;
  hal_status_code_t code;
  int64_t vendor_code;      /* the driver's own number; 0 if none */
  hal_string_t message;     /* what was expected, what came, where, what to do */
  hal_string_t plugin;      /* who made it; empty: the loader or the SDK did not say */
  hal_string_t call;        /* the slot, as in "memory.buffer_create", or the label of the queue operation */
  const struct hal_status* cause; /* the first failure, where this one follows from it; NULL if none */
  void (*release)(struct hal_status* self); /* frees it and its cause; never NULL; any thread */
} hal_status_t;

/* Gives a status back. NULL is allowed. */
static inline void hal_status_release(hal_status_t* status) {
  if (status != NULL) status->release(status);
}

/* The code of a status; HAL_STATUS_OK for NULL. */
static inline hal_status_code_t hal_status_code(const hal_status_t* status) {
  return status != NULL ? status->code : HAL_STATUS_OK;
}

/* The code's name, such as "out of memory". Static storage. */
static inline const char* hal_status_code_name(hal_status_code_t code) {
  switch (code) {
    case HAL_STATUS_OK:
      return "ok";
#define HAL_STATUS_NAME_(value, NAME, text, action) \
  case value:                                       \
    return text;
      HAL_STATUS_TABLE(HAL_STATUS_NAME_)
#undef HAL_STATUS_NAME_
    default:
      return "unknown status";
  }
}

#ifdef __cplusplus
}
#endif
#endif /* HAL_STATUS_H_ */
