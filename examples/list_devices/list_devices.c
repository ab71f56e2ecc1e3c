/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest host: finds every device, and has each one fill a buffer and copy it to another.
 *
 *   list_devices [PLUGIN.so ...]     the plugins named here, and those that are installed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/loader.h"

enum { kSize = 4096, kMaxPlugins = 64 };

/* Prints a failure with its causes; gives the status back. Returns 1 if there was one. */
static int failed(const char* what, hal_status_t* status) {
  const hal_status_t* at;
  if (status == NULL) return 0;
  fprintf(stderr, "%s: %s", what, hal_status_code_name(status->code));
  for (at = status; at != NULL; at = at->cause) fprintf(stderr, ": %.*s", (int)at->message.length, at->message.data);
  fprintf(stderr, "\n");
  hal_status_release(status);
  return 1;
}

/* What one device needs for the work below. */
typedef struct workplace {
  hal_buffer_t* source;
  hal_buffer_t* target;
  hal_queue_t* queue;
  hal_semaphore_t* done;
} workplace_t;

static int set_up(hal_device_t* device, workplace_t* place) {
  const hal_queue_desc_t queue_desc = HAL_QUEUE_DESC_INIT;
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = kSize;
  return !failed("buffer", hal_buffer_create(device, &desc, &place->source)) &&
         !failed("buffer", hal_buffer_create(device, &desc, &place->target)) &&
         !failed("queue", hal_queue_create(device, &queue_desc, &place->queue)) &&
         !failed("semaphore", hal_semaphore_create(device, 0, &place->done));
}

static void tear_down(workplace_t* place) {
  hal_semaphore_destroy(place->done);
  hal_queue_destroy(place->queue);
  hal_buffer_destroy(place->target);
  hal_buffer_destroy(place->source);
}

/* One submission: fill one buffer, copy it to the other, signal. */
static int run(hal_device_t* device, const workplace_t* place) {
  hal_work_fill_t fill = HAL_WORK_FILL_INIT;
  hal_work_copy_t copy = HAL_WORK_COPY_INIT;
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  const hal_work_t* work[2];
  hal_semaphore_value_t done;
  done.semaphore = place->done;
  done.value = 1;
  fill.target.buffer = copy.source.buffer = place->source;
  fill.target.length = copy.source.length = copy.target.length = kSize;
  copy.target.buffer = place->target;
  fill.pattern = 0x5A;
  fill.pattern_size = 1;
  work[0] = &fill.header;
  work[1] = &copy.header;
  submission.work = work;
  submission.work_count = 2;
  submission.signals = &done;
  submission.signal_count = 1;
  return !failed("submit", hal_queue_submit(place->queue, &submission)) &&
         !failed("wait", hal_semaphore_wait(device, HAL_WAIT_ALL, 1, &done, HAL_TIME_FOREVER, NULL));
}

static int is_right(const workplace_t* place) {
  unsigned char expected[kSize];
  void* bytes = NULL;
  int same;
  memset(expected, 0x5A, sizeof expected);
  if (failed("map", hal_buffer_map(place->target, 0, kSize, HAL_MAP_READ, &bytes))) return 0;
  same = memcmp(bytes, expected, sizeof expected) == 0;
  hal_status_release(hal_buffer_unmap(place->target));
  return same;
}

/* Returns 1 if the device did the work and the bytes are right. */
static int try_device(hal_loader_t* loader, const hal_loader_device_t* info) {
  workplace_t place = {NULL, NULL, NULL, NULL};
  hal_device_t* device = NULL;
  int good;
  if (failed("open", hal_loader_open(loader, info->name, &device))) return 0;
  good = set_up(device, &place) && run(device, &place) && is_right(&place);
  printf("%.*s  %.*s  %s\n", (int)info->name.length, info->name.data, (int)info->info->name.length, info->info->name.data,
         good ? "fill and copy: right" : "fill and copy: WRONG");
  tear_down(&place);
  hal_loader_close(loader, device);
  return good;
}

static int try_all(hal_loader_t* loader) {
  hal_loader_device_t* devices;
  uint32_t count = 0, i;
  int good = 1;
  if (failed("devices", hal_loader_devices(loader, 0, &count, NULL))) return 0;
  devices = (hal_loader_device_t*)calloc(count + 1, sizeof *devices);
  if (devices == NULL) return 0;
  for (i = 0; i < count; ++i) devices[i].struct_size = (uint32_t)sizeof *devices;
  if (failed("devices", hal_loader_devices(loader, count, &count, devices))) good = 0;
  for (i = 0; good && i < count; ++i) good = try_device(loader, &devices[i]);
  free(devices);
  return good;
}

/* What plugins and layers have to say. */
static void write_log(void* context, hal_log_level_t level, hal_string_t message) {
  (void)context;
  if (level <= HAL_LOG_INFO) fprintf(stderr, "%.*s\n", (int)message.length, message.data);
}

int main(int argc, char** argv) {
  hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
  hal_string_t plugins[kMaxPlugins];
  hal_loader_t* loader = NULL;
  int good, i;
  for (i = 1; i < argc && i <= kMaxPlugins; ++i) {
    plugins[i - 1].data = argv[i];
    plugins[i - 1].length = strlen(argv[i]);
    desc.plugin_path_count = (uint32_t)i;
  }
  desc.plugin_paths = plugins;
  desc.log = write_log;
  if (failed("loader", hal_loader_create(&desc, &loader))) return 1;
  good = try_all(loader);
  return !failed("destroy", hal_loader_destroy(loader)) && good ? 0 : 1;
}
