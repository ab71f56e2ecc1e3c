/* SPDX-License-Identifier: Apache-2.0
 *
 * Counted statuses: one block holds the status and its texts.
 */
#include "hal/sdk/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/sdk/structs.h"
#include "runtime.h"

/* A foreign chain of causes deeper than this is cut, so that a cycle ends. */
#define MAX_CAUSES 16

typedef struct counted_status {
  hal_status_t base;
  uint32_t references;
  char text[];
} counted_status_t;

static hal_string_t plugin_name;

static void release_static(hal_status_t* self) { (void)self; }

static const char out_of_memory_text[] = "host memory for the call is used up; free some, then call again";
static hal_status_t out_of_memory = {sizeof(hal_status_t),
                                     HAL_STATUS_OUT_OF_MEMORY,
                                     0,
                                     HAL_SDK_STRING_INIT(out_of_memory_text),
                                     {NULL, 0},
                                     {NULL, 0},
                                     NULL,
                                     release_static};

hal_status_t* hal_sdk_status_out_of_memory(void) { return &out_of_memory; }

static void release_counted(hal_status_t* self) {
  counted_status_t* status = (counted_status_t*)self;
  if (__atomic_sub_fetch(&status->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (self->cause != NULL) hal_status_release((hal_status_t*)self->cause);
  free(status);
}

static hal_string_t put(char** at, const char* data, uint64_t length) {
  hal_string_t string = {*at, length};
  if (length != 0) memcpy(*at, data, length);
  *at += length;
  return string;
}

/* Copies the texts; takes over the reference to `cause`. */
static hal_status_t* make(hal_status_code_t code, int64_t vendor_code, hal_string_t message, hal_string_t plugin,
                          hal_string_t call, hal_status_t* cause) {
  counted_status_t* status = malloc(sizeof *status + message.length + plugin.length + call.length);
  char* at;
  if (status == NULL) {
    hal_status_release(cause);
    return &out_of_memory;
  }
  at = status->text;
  status->references = 1;
  status->base.struct_size = sizeof(hal_status_t);
  status->base.code = code;
  status->base.vendor_code = vendor_code;
  status->base.message = put(&at, message.data, message.length);
  status->base.plugin = put(&at, plugin.data, plugin.length);
  status->base.call = put(&at, call.data, call.length);
  status->base.cause = cause;
  status->base.release = release_counted;
  return &status->base;
}

static hal_status_t* make_formatted(hal_status_code_t code, int64_t vendor_code, const hal_status_t* cause,
                                    const char* call, const char* format, va_list arguments) {
  char text[1024];
  int length = vsnprintf(text, sizeof text, format, arguments);
  hal_string_t message = {text, 0};
  hal_string_t slot = {call, call != NULL ? strlen(call) : 0};
  if (length > 0) message.length = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
  return make(code, vendor_code, message, plugin_name, slot, hal_sdk_status_share(cause));
}

hal_status_t* hal_sdk_status(hal_status_code_t code, const char* call, const char* format, ...) {
  va_list arguments;
  hal_status_t* status;
  va_start(arguments, format);
  status = make_formatted(code, 0, NULL, call, format, arguments);
  va_end(arguments);
  return status;
}

hal_status_t* hal_sdk_status_caused(hal_status_code_t code, int64_t vendor_code, const hal_status_t* cause,
                                    const char* call, const char* format, ...) {
  va_list arguments;
  hal_status_t* status;
  va_start(arguments, format);
  status = make_formatted(code, vendor_code, cause, call, format, arguments);
  va_end(arguments);
  return status;
}

static hal_status_t* copy_chain(const hal_status_t* status, int depth) {
  hal_status_t* cause = NULL;
  if (status->cause != NULL && depth < MAX_CAUSES) cause = copy_chain(status->cause, depth + 1);
  return make(status->code, status->vendor_code, status->message, status->plugin, status->call, cause);
}

hal_status_t* hal_sdk_status_share(const hal_status_t* status) {
  if (status == NULL) return NULL;
  if (status->release == release_static) return (hal_status_t*)status;
  if (status->release != release_counted) return copy_chain(status, 1);
  __atomic_add_fetch(&((counted_status_t*)status)->references, 1, __ATOMIC_RELAXED);
  return (hal_status_t*)status;
}

void hal_sdk_status_set_plugin(hal_string_t name) {
  plugin_name = name;
  out_of_memory.plugin = name;
}
