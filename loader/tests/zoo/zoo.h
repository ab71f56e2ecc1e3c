/* SPDX-License-Identifier: Apache-2.0
 *
 * The zoo: strange plugins that the loader must survive. This header is a small honest plugin in plain C99 (one device
 * over host memory, work done inside submit); a strange one defines a ZOO_ macro, or changes a table, and is otherwise
 * like it. Not an example to copy for a real chip: see backends/template.
 *
 *   #define ZOO_NAME "zoo-good"
 *   #include "zoo.h"
 *   ZOO_QUERY()
 */
#ifndef LOADER_TESTS_ZOO_H_
#define LOADER_TESTS_ZOO_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal/plugin.h"

#ifndef ZOO_ABI
#define ZOO_ABI HAL_ABI_VERSION
#endif
#ifndef ZOO_SANITIZER
#define ZOO_SANITIZER HAL_SANITIZER_NONE
#endif
#ifndef ZOO_BUILD_ID
#define ZOO_BUILD_ID ZOO_NAME "-1"
#endif
#ifndef ZOO_UUID
#define ZOO_UUID ZOO_NAME /* its first 16 bytes */
#endif
#ifndef ZOO_DEVICE_COUNT
#define ZOO_DEVICE_COUNT 1u
#endif

static const hal_host_t* zoo_host;

static inline hal_string_t zoo_text(const char* text) {
  hal_string_t string;
  string.data = text;
  string.length = strlen(text);
  return string;
}

/* ---- statuses: from malloc, so that "who allocates frees" is really tested ---- */

static void zoo_status_release(hal_status_t* self) { free(self); }

static inline hal_status_t* zoo_fail(hal_status_code_t code, const char* message) {
  hal_status_t* status = (hal_status_t*)calloc(1, sizeof(hal_status_t));
  if (status == NULL) abort();
  status->struct_size = (uint32_t)sizeof(hal_status_t);
  status->code = code;
  status->message = zoo_text(message);
  status->plugin = zoo_text(ZOO_NAME);
  status->release = zoo_status_release;
  return status;
}

/* ---- objects ---- */

typedef struct zoo_instance {
  hal_object_t header;
  int open_devices;
  int live_children;
} zoo_instance;

typedef struct zoo_device_object {
  hal_object_t header;
  zoo_instance* instance;
} zoo_device_object;

typedef struct zoo_buffer_object {
  hal_object_t header;
  zoo_instance* instance;
  unsigned char* bytes;
  uint64_t size;
} zoo_buffer_object;

typedef struct zoo_child { /* a queue or a semaphore */
  hal_object_t header;
  zoo_instance* instance;
  uint64_t value;
} zoo_child;

static inline void* zoo_new(size_t size, hal_object_kind_t kind) {
  hal_object_t* object = (hal_object_t*)calloc(1, size);
  if (object == NULL) abort();
  object->kind = kind;
  object->generation = 1;
  return object;
}

/* ---- device ---- */

static hal_status_t* zoo_initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  *out_instance = NULL;
  if (desc->config_count != 0) return zoo_fail(HAL_STATUS_INVALID_ARGUMENT, "no configuration key is known");
  *out_instance = (hal_instance_t*)zoo_new(sizeof(zoo_instance), HAL_OBJECT_INSTANCE);
  return NULL;
}

static hal_status_t* zoo_shutdown(hal_instance_t* handle) {
  zoo_instance* instance = (zoo_instance*)handle;
  if (instance->open_devices + instance->live_children != 0) {
    return zoo_fail(HAL_STATUS_BUSY, "1 or more objects of this instance live");
  }
  free(instance);
  return NULL;
}

static hal_status_t* zoo_enumerate(hal_instance_t* instance, uint32_t capacity, uint32_t* out_count,
                                   hal_device_info_t* out_infos) {
  static const char uuid[] = ZOO_UUID "................";
  uint32_t i;
  (void)instance;
  *out_count = ZOO_DEVICE_COUNT;
  for (i = 0; i < capacity && i < ZOO_DEVICE_COUNT; ++i) {
    hal_device_info_t info;
    memset(&info, 0, sizeof info);
    info.struct_size = out_infos[i].struct_size;
    info.type = HAL_DEVICE_TYPE_OTHER;
    memcpy(info.uuid, uuid, 16);
    info.uuid[15] = (uint8_t)(info.uuid[15] + i);
    info.name = zoo_text("A device of " ZOO_NAME);
    info.vendor = zoo_text("The zoo");
#ifdef ZOO_PCI_ADDRESS
    info.pci_address = zoo_text(ZOO_PCI_ADDRESS);
#endif
    out_infos[i] = info;
  }
  return NULL;
}

static hal_status_t* zoo_open(hal_instance_t* handle, uint32_t index, hal_device_t** out_device) {
  zoo_instance* instance = (zoo_instance*)handle;
  zoo_device_object* device;
  *out_device = NULL;
  if (index >= ZOO_DEVICE_COUNT) return zoo_fail(HAL_STATUS_OUT_OF_RANGE, "there is no such device");
  device = (zoo_device_object*)zoo_new(sizeof(zoo_device_object), HAL_OBJECT_DEVICE);
  device->instance = instance;
  ++instance->open_devices;
  *out_device = (hal_device_t*)device;
  return NULL;
}

static void zoo_close(hal_device_t* handle) {
  zoo_device_object* device = (zoo_device_object*)handle;
  --device->instance->open_devices;
  free(device);
}

static hal_status_t* zoo_capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  hal_device_caps_t caps;
  (void)device;
  memset(&caps, 0, sizeof caps);
  caps.struct_size = out_caps->struct_size;
  caps.core_count = 1;
  caps.max_buffer_size = 1u << 20;
  caps.max_bindings = 64;
  caps.max_constant_bytes = 1024;
  caps.max_queues = 8;
#ifdef ZOO_FEATURES
  caps.features = ZOO_FEATURES;
#endif
  memcpy(out_caps, &caps, out_caps->struct_size < sizeof caps ? out_caps->struct_size : sizeof caps);
  return NULL;
}

static hal_status_t* zoo_query_support(hal_device_t* device, const hal_support_query_t* query,
                                       hal_support_t* out_support) {
  (void)device;
  (void)query;
  *out_support = HAL_SUPPORT_NONE;
  return NULL;
}

static hal_status_t* zoo_state(hal_device_t* device, hal_device_state_t* out_state) {
  (void)device;
  *out_state = HAL_DEVICE_STATE_READY;
  return NULL;
}

/* ---- memory ---- */

static hal_status_t* zoo_heaps(hal_device_t* device, uint32_t capacity, uint32_t* out_count,
                               hal_heap_info_t* out_infos) {
  (void)device;
  *out_count = 1;
  if (capacity != 0) {
    out_infos[0].numa_node = UINT32_MAX;
    out_infos[0].kind = HAL_HEAP_DEVICE_LOCAL;
    out_infos[0].size = 1u << 20;
    out_infos[0].alignment = 64;
    out_infos[0].granularity = 64;
  }
  return NULL;
}

static hal_status_t* zoo_heap_statistics(hal_device_t* device, uint32_t heap, hal_heap_statistics_t* out_statistics) {
  const uint32_t size = out_statistics->struct_size;
  (void)device;
  if (heap != 0) return zoo_fail(HAL_STATUS_OUT_OF_RANGE, "there is one heap");
  memset(out_statistics, 0, size < sizeof *out_statistics ? size : sizeof *out_statistics);
  out_statistics->struct_size = size;
  return NULL;
}

static hal_status_t* zoo_buffer_create(hal_device_t* handle, const hal_buffer_desc_t* desc,
                                       hal_buffer_t** out_buffer) {
  zoo_buffer_object* buffer;
  *out_buffer = NULL;
  if (desc->size > (1u << 20)) return zoo_fail(HAL_STATUS_OUT_OF_MEMORY, "the heap has 1 MiB");
  buffer = (zoo_buffer_object*)zoo_new(sizeof(zoo_buffer_object), HAL_OBJECT_BUFFER);
  buffer->instance = ((zoo_device_object*)handle)->instance;
  buffer->bytes = (unsigned char*)calloc(1, (size_t)desc->size + 1);
  if (buffer->bytes == NULL) abort();
  buffer->size = desc->size;
  ++buffer->instance->live_children;
  *out_buffer = (hal_buffer_t*)buffer;
  return NULL;
}

static void zoo_buffer_destroy(hal_buffer_t* handle) {
  zoo_buffer_object* buffer = (zoo_buffer_object*)handle;
  --buffer->instance->live_children;
  free(buffer->bytes);
  free(buffer);
}

static hal_status_t* zoo_buffer_info(hal_buffer_t* buffer, hal_buffer_info_t* out_info) {
  out_info->heap = 0;
  out_info->size = ((zoo_buffer_object*)buffer)->size;
  return NULL;
}

static hal_status_t* zoo_buffer_map(hal_buffer_t* handle, uint64_t offset, uint64_t length, uint64_t flags,
                                    void** out_address) {
  zoo_buffer_object* buffer = (zoo_buffer_object*)handle;
  (void)flags;
  *out_address = NULL;
  if (length == HAL_WHOLE_BUFFER && offset <= buffer->size) length = buffer->size - offset;
  if (offset > buffer->size || length > buffer->size - offset) {
    return zoo_fail(HAL_STATUS_OUT_OF_RANGE, "the range leaves the buffer");
  }
  *out_address = buffer->bytes + offset;
  return NULL;
}

static hal_status_t* zoo_buffer_unmap(hal_buffer_t* buffer) {
  (void)buffer;
  return NULL;
}

/* ---- queue: work is done inside submit, so a wait that is not reached yet is refused ---- */

static hal_status_t* zoo_child_create(hal_device_t* device, hal_object_kind_t kind, uint64_t value, void** out_child) {
  zoo_child* child = (zoo_child*)zoo_new(sizeof(zoo_child), kind);
  child->instance = ((zoo_device_object*)device)->instance;
  child->value = value;
  ++child->instance->live_children;
  *out_child = child;
  return NULL;
}

static hal_status_t* zoo_queue_create(hal_device_t* device, const hal_queue_desc_t* desc, hal_queue_t** out_queue) {
  (void)desc;
  return zoo_child_create(device, HAL_OBJECT_QUEUE, 0, (void**)out_queue);
}

static hal_status_t* zoo_semaphore_create(hal_device_t* device, uint64_t value, hal_semaphore_t** out_semaphore) {
  return zoo_child_create(device, HAL_OBJECT_SEMAPHORE, value, (void**)out_semaphore);
}

static void zoo_child_destroy(void* handle) {
  zoo_child* child = (zoo_child*)handle;
  --child->instance->live_children;
  free(child);
}
static void zoo_queue_destroy(hal_queue_t* queue) { zoo_child_destroy(queue); }
static void zoo_semaphore_destroy(hal_semaphore_t* semaphore) { zoo_child_destroy(semaphore); }

static unsigned char* zoo_range(const hal_buffer_range_t* range, uint64_t* out_length) {
  zoo_buffer_object* buffer = (zoo_buffer_object*)range->buffer;
  *out_length = range->length == HAL_WHOLE_BUFFER ? buffer->size - range->offset : range->length;
  return buffer->bytes + range->offset;
}

static hal_status_t* zoo_run(const hal_work_t* work) {
  uint64_t length = 0, i;
  if (work->type == HAL_WORK_FILL) {
    const hal_work_fill_t* fill = (const hal_work_fill_t*)(const void*)work;
    unsigned char* target = zoo_range(&fill->target, &length);
    for (i = 0; i < length; ++i) target[i] = (unsigned char)(fill->pattern >> (8 * (i % fill->pattern_size)));
  } else if (work->type == HAL_WORK_COPY) {
    const hal_work_copy_t* copy = (const hal_work_copy_t*)(const void*)work;
    unsigned char* target = zoo_range(&copy->target, &length);
    memcpy(target, zoo_range(&copy->source, &length), (size_t)length);
  } else if (work->type == HAL_WORK_UPDATE) {
    const hal_work_update_t* update = (const hal_work_update_t*)(const void*)work;
    unsigned char* target = zoo_range(&update->target, &length);
    memcpy(target, update->data, (size_t)length);
  } else {
    return zoo_fail(HAL_STATUS_UNSUPPORTED, "this device copies, fills and updates");
  }
  return NULL;
}

static hal_status_t* zoo_submit(hal_queue_t* queue, const hal_submission_t* submission) {
  uint32_t i;
  (void)queue;
  for (i = 0; i < submission->wait_count; ++i) {
    if (((zoo_child*)submission->waits[i].semaphore)->value < submission->waits[i].value) {
      return zoo_fail(HAL_STATUS_UNSUPPORTED, "this queue takes no wait that is not reached yet");
    }
  }
  for (i = 0; i < submission->work_count; ++i) {
    hal_status_t* status = zoo_run(submission->work[i]);
    if (status != NULL) return status;
  }
  for (i = 0; i < submission->signal_count; ++i) {
    ((zoo_child*)submission->signals[i].semaphore)->value = submission->signals[i].value;
  }
  return NULL;
}

static hal_status_t* zoo_semaphore_query(hal_semaphore_t* semaphore, uint64_t* out_value) {
  *out_value = ((zoo_child*)semaphore)->value;
  return NULL;
}

static hal_status_t* zoo_semaphore_signal(hal_semaphore_t* semaphore, uint64_t value) {
  ((zoo_child*)semaphore)->value = value;
  return NULL;
}

static hal_status_t* zoo_semaphore_fail(hal_semaphore_t* semaphore, const hal_status_t* failure) {
  (void)semaphore;
  (void)failure;
  return zoo_fail(HAL_STATUS_UNSUPPORTED, "semaphores of the zoo do not fail");
}

static hal_status_t* zoo_semaphore_wait(hal_device_t* device, hal_wait_mode_t mode, uint32_t count,
                                        const hal_semaphore_value_t* values, hal_time_t deadline,
                                        uint32_t* out_index) {
  uint32_t i;
  (void)device;
  (void)mode;
  (void)deadline;
  if (out_index != NULL) *out_index = 0;
  for (i = 0; i < count; ++i) {
    if (((zoo_child*)values[i].semaphore)->value < values[i].value) return zoo_fail(HAL_STATUS_TIMEOUT, "not reached");
  }
  return NULL;
}

/* ---- tables: not const, so that a strange plugin can spoil them in its query ---- */

static hal_device_group_t zoo_device = {(uint32_t)sizeof(hal_device_group_t), 0, zoo_initialize, zoo_shutdown, NULL,
                                        zoo_enumerate, zoo_open, zoo_close, zoo_capabilities, zoo_query_support,
                                        zoo_state, NULL};
static hal_memory_group_t zoo_memory = {(uint32_t)sizeof(hal_memory_group_t), 0, zoo_heaps, zoo_heap_statistics,
                                        zoo_buffer_create, zoo_buffer_destroy, zoo_buffer_info, zoo_buffer_map,
                                        zoo_buffer_unmap, NULL, NULL, NULL, NULL, NULL};
static hal_queue_group_t zoo_queue = {(uint32_t)sizeof(hal_queue_group_t), 0, zoo_queue_create, zoo_queue_destroy,
                                      zoo_submit, zoo_semaphore_create, zoo_semaphore_destroy, zoo_semaphore_query,
                                      zoo_semaphore_signal, zoo_semaphore_fail, zoo_semaphore_wait, NULL, NULL};

static hal_group_t zoo_groups[] = {{HAL_GROUP_DEVICE, 0, &zoo_device},
                                   {HAL_GROUP_MEMORY, 0, &zoo_memory},
                                   {HAL_GROUP_QUEUE, 0, &zoo_queue}};

static hal_plugin_t zoo_plugin = {(uint32_t)sizeof(hal_plugin_t),
                                  ZOO_ABI,
                                  {ZOO_NAME, sizeof(ZOO_NAME) - 1},
                                  {"1.0.0", 5},
                                  {"The zoo", 7},
                                  {ZOO_BUILD_ID, sizeof(ZOO_BUILD_ID) - 1},
                                  ZOO_SANITIZER,
                                  3,
                                  zoo_groups};

/* The exported function; `spoil` runs first. */
#define ZOO_QUERY_SPOILT(spoil)                                                                   \
  HAL_EXPORT hal_status_t* hal_plugin_query(const hal_host_t* host, const hal_plugin_t** out_plugin) { \
    zoo_host = host;                                                                              \
    *out_plugin = &zoo_plugin;                                                                    \
    spoil;                                                                                        \
    return NULL;                                                                                  \
  }
#define ZOO_QUERY() ZOO_QUERY_SPOILT((void)0)

#endif /* LOADER_TESTS_ZOO_H_ */
