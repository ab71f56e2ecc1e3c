/* SPDX-License-Identifier: Apache-2.0
 *
 * A layer for the tests of the mechanism: writes its name to the log in device.initialize and device.state, before and
 * after the call below. MARK_NAME names it; MARK_BROKEN says what is wrong with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/layer.h"

#define MARK_WRONG_MAJOR 1
#define MARK_NEWER_MINOR 2
#define MARK_FAILS 3
#define MARK_NULL_SLOT 4
#define MARK_NO_ATTACH 5
#define MARK_SHORT 6
#define MARK_ONE_PLUGIN 7

static hal_layer_t mark_layer;

typedef struct mark_state {
  const hal_host_t* host;
  char colour[16];
} mark_state_t;

static void say(const mark_state_t* state, const char* what) {
  char text[96];
  hal_string_t message = {text, 0};
  snprintf(text, sizeof text, "%s%s %s", MARK_NAME, state->colour, what);
  message.length = strlen(text);
  state->host->log(state->host->context, HAL_LOG_INFO, message);
}

static hal_status_t* mark_initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  const hal_layer_link_t* link = hal_layer_link_of_desc(desc, &mark_layer);
  hal_status_t* status;
  say((mark_state_t*)link->state, "initialize");
  status = link->next->device->initialize(desc, out_instance);
  say((mark_state_t*)link->state, "initialized");
  return status;
}

static hal_status_t* mark_device_state(hal_device_t* device, hal_device_state_t* out_state) {
  const hal_layer_link_t* link = hal_layer_link_of(device, &mark_layer);
  hal_status_t* status;
  say((mark_state_t*)link->state, "in");
  status = link->next->device->state(device, out_state);
  say((mark_state_t*)link->state, "out");
  return status;
}

static void release_nothing(hal_status_t* self) { (void)self; }
static hal_status_t no = {sizeof(hal_status_t), HAL_STATUS_UNAVAILABLE, 0, {"not today", 9}, {NULL, 0}, {NULL, 0}, NULL,
                          release_nothing};

static hal_status_t* mark_attach(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state) {
  mark_state_t* state;
  uint32_t i;
  if (MARK_BROKEN == MARK_FAILS) return &no;
  if (MARK_BROKEN == MARK_ONE_PLUGIN && (desc->plugin.length != 8 || memcmp(desc->plugin.data, "zoo-good", 8) != 0)) {
    return &no;
  }
  state = (mark_state_t*)calloc(1, sizeof *state);
  if (state == NULL) abort();
  state->host = desc->host;
  for (i = 0; i < desc->config_count; ++i) {
    snprintf(state->colour, sizeof state->colour, ".%.*s", (int)desc->config[i].value.length,
             desc->config[i].value.data);
  }
  tables->device->initialize = mark_initialize;
  tables->device->state = mark_device_state;
  if (MARK_BROKEN == MARK_NULL_SLOT) tables->memory->heaps = NULL;
  *out_state = state;
  return NULL;
}

static void mark_detach(void* state) {
  say((mark_state_t*)state, "detach");
  free(state);
}

hal_status_t* hal_layer_query(uint32_t host_abi_version, const hal_layer_t** out_layer) {
  (void)host_abi_version;
  if (MARK_BROKEN == MARK_WRONG_MAJOR) mark_layer.abi_version = HAL_ABI_MAKE(9, 0);
  if (MARK_BROKEN == MARK_NEWER_MINOR) mark_layer.abi_version = HAL_ABI_VERSION + 1;
  if (MARK_BROKEN == MARK_NO_ATTACH) mark_layer.attach = NULL;
  if (MARK_BROKEN == MARK_SHORT) mark_layer.struct_size = 8;
  *out_layer = &mark_layer;
  return NULL;
}

static hal_layer_t mark_layer = {sizeof(hal_layer_t), HAL_ABI_VERSION,    {MARK_NAME, sizeof MARK_NAME - 1},
                                 {"1.0", 3},          HAL_SANITIZER_NONE, 0,
                                 mark_attach,         mark_detach};
