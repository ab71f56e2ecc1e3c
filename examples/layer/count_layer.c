/* SPDX-License-Identifier: Apache-2.0
 *
 * A whole layer: counts the calls that make and use buffers and the bytes that work moves, and says so in the log when
 * the plugin goes down. C99, one file, nothing but hal/layer.h and the C library.
 *
 *   MORTISE_LAYERS=/where/it/is/mortise_layer_count.so  any-program
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/layer.h"

static hal_layer_t count_layer;

/* What is counted for one plugin. */
typedef struct count_state {
  const hal_host_t* host;
  hal_string_t plugin;
  pthread_mutex_t mutex;
  unsigned long buffers, submits, works;
  unsigned long long bytes;
} count_state_t;

static count_state_t* state_of(const hal_layer_link_t* link) { return (count_state_t*)link->state; }

/* How long a range is; the whole of a buffer is asked for below this layer, so that it does not count itself. */
static uint64_t length_of(const hal_layer_link_t* link, const hal_buffer_range_t* range) {
  hal_buffer_info_t info = {sizeof info, 0, 0};
  if (range->length != HAL_WHOLE_BUFFER || range->buffer == NULL) return range->length;
  hal_status_release(link->next->memory->buffer_info(range->buffer, &info));
  return info.size > range->offset ? info.size - range->offset : 0;
}

static uint64_t bytes_of(const hal_layer_link_t* link, const hal_work_t* work) {
  const void* item = work;
  switch (work->type) {
    case HAL_WORK_COPY: {
      const hal_work_copy_t* copy = (const hal_work_copy_t*)item;
      return length_of(link, &copy->target) * (copy->rows > 1 ? copy->rows : 1);
    }
    case HAL_WORK_FILL:
      return length_of(link, &((const hal_work_fill_t*)item)->target);
    case HAL_WORK_UPDATE:
      return length_of(link, &((const hal_work_update_t*)item)->target);
    default:
      return 0;
  }
}

static hal_status_t* count_submit(hal_queue_t* queue, const hal_submission_t* submission) {
  const hal_layer_link_t* link = hal_layer_link_of(queue, &count_layer);
  count_state_t* state = state_of(link);
  /* Before the call: work may end, and the application destroy its buffers, before submit has returned. */
  uint64_t bytes = 0;
  uint32_t i, works = submission->work_count;
  hal_status_t* status;
  for (i = 0; i < works; ++i) bytes += bytes_of(link, submission->work[i]);
  status = link->next->queue->submit(queue, submission); /* no lock is held here (HAL-ABI-21) */
  pthread_mutex_lock(&state->mutex);
  ++state->submits;
  if (status == NULL) {
    state->works += works;
    state->bytes += bytes;
  }
  pthread_mutex_unlock(&state->mutex);
  return status;
}

static hal_status_t* count_buffer_create(hal_device_t* device, const hal_buffer_desc_t* desc,
                                         hal_buffer_t** out_buffer) {
  const hal_layer_link_t* link = hal_layer_link_of(device, &count_layer);
  count_state_t* state = state_of(link);
  pthread_mutex_lock(&state->mutex);
  ++state->buffers;
  pthread_mutex_unlock(&state->mutex);
  return link->next->memory->buffer_create(device, desc, out_buffer);
}

static void release_nothing(hal_status_t* self) { (void)self; }

static hal_status_t* out_of_memory(void) {
  static hal_status_t status = {
      sizeof(hal_status_t), HAL_STATUS_OUT_OF_MEMORY, 0, {NULL, 0}, {NULL, 0}, {NULL, 0}, NULL, release_nothing};
  return &status;
}

static hal_status_t* count_attach(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state) {
  count_state_t* state = (count_state_t*)calloc(1, sizeof *state);
  if (state == NULL) return out_of_memory();
  state->host = desc->host;
  state->plugin = desc->plugin; /* lives until detach */
  pthread_mutex_init(&state->mutex, NULL);
  tables->memory->buffer_create = count_buffer_create;
  tables->queue->submit = count_submit;
  *out_state = state;
  return NULL;
}

static void count_detach(void* data) {
  count_state_t* state = (count_state_t*)data;
  char text[160];
  hal_string_t message = {text, 0};
  snprintf(text, sizeof text, "count: %.*s: %lu buffers, %lu submits, %lu works, %llu bytes", (int)state->plugin.length,
           state->plugin.data, state->buffers, state->submits, state->works, state->bytes);
  message.length = strlen(text);
  state->host->log(state->host->context, HAL_LOG_INFO, message);
  pthread_mutex_destroy(&state->mutex);
  free(state);
}

hal_status_t* hal_layer_query(uint32_t host_abi_version, const hal_layer_t** out_layer) {
  (void)host_abi_version; /* the loader refuses a layer that is newer than itself */
  *out_layer = &count_layer;
  return NULL;
}

static hal_layer_t count_layer = {sizeof(hal_layer_t), HAL_ABI_VERSION, {"count", 5}, {"1.0", 3}, HAL_SANITIZER_NONE, 0,
                                  count_attach,        count_detach};
