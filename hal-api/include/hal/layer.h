/* SPDX-License-Identifier: Apache-2.0
 *
 * What a layer is (HAL-ABI-24): a shared library that stands between applications and a plugin by changing the tables
 * of calls. It exports one function, hal_layer_query. See docs/write-a-layer.md; examples/layer is a whole one.
 *
 * The loader copies the table of what lies below, the layer's attach replaces the slots that it wants in the copy, and
 * each object made from then on leads to the copy. A layer that is not switched on leaves no trace in any table.
 *
 * A function of a layer finds what to call, and its own state, from the object that it was called with:
 *
 *   static hal_status_t* my_submit(hal_queue_t* queue, const hal_submission_t* submission) {
 *     const hal_layer_link_t* link = hal_layer_link_of(queue, &my_layer);
 *     ++((my_state_t*)link->state)->submits;
 *     return link->next->queue->submit(queue, submission);
 *   }
 *
 * Rules: no lock is held across a call of `next` (HAL-ABI-21). State per object goes into a map of the layer's own,
 * keyed by the handle. The object that a create call of `next` gives has no table yet: whoever uses it before returning
 * calls hal_adopt(hal_calls_of(parent), status, object) first. No exception leaves the layer.
 */
#ifndef HAL_LAYER_H_
#define HAL_LAYER_H_

#include "hal/calls.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hal_layer;

/* One layer over one plugin. Lives until the layer's detach has returned. */
typedef struct hal_layer_link {
  const struct hal_layer* layer;
  const hal_calls_t* next; /* what to call: the layer below, or the plugin */
  void* state;             /* what attach gave */
} hal_layer_link_t;

/* All the layers over one plugin, outermost first. */
typedef struct hal_layer_stack {
  uint32_t struct_size;
  uint32_t link_count;
  const hal_layer_link_t* links;
} hal_layer_stack_t;

/* What objects under layers point to: the stack lies in front of the table. */
typedef struct hal_layered_calls {
  const hal_layer_stack_t* stack;
  hal_calls_t calls;
} hal_layered_calls_t;

/* device.initialize has no object to start from: the stack comes in a node of hal_instance_desc_t's chain. */
#define HAL_CHAIN_LAYER_STACK 0x4C59u
typedef struct hal_layer_stack_node {
  hal_chain_t chain;
  const hal_layer_stack_t* stack;
} hal_layer_stack_node_t;

/* The tables to change: full-length copies of those below. A slot stays never NULL. Append-only, in group-id order. */
typedef struct hal_layer_tables {
  hal_device_group_t* device;
  hal_memory_group_t* memory;
  hal_queue_group_t* queue;
  hal_executable_group_t* executable;
  hal_command_buffer_group_t* command_buffer;
  hal_collective_group_t* collective;
  hal_profiling_group_t* profiling;
  hal_telemetry_group_t* telemetry;
  hal_extension_group_t* extension;
} hal_layer_tables_t;

/* In-struct of attach. */
typedef struct hal_layer_desc {
  uint32_t struct_size;
  uint32_t config_count;
  const hal_key_value_t* config; /* of this layer: from its manifest, the environment and the application */
  hal_string_t plugin;           /* whose calls these are: "cpu" */
  const hal_host_t* host;        /* log and clock; lives until detach returns */
  const hal_calls_t* next;       /* the same as in the link */
  const hal_chain_t* chain;
} hal_layer_desc_t;

/* What a layer returns. Static storage: its address is the layer's identity. */
typedef struct hal_layer {
  uint32_t struct_size;
  uint32_t abi_version;  /* that the layer was built against: HAL_ABI_VERSION. A later minor than the host's is refused */
  hal_string_t name;     /* [a-z][a-z0-9-]*, at most 32 bytes */
  hal_string_t version;
  uint32_t sanitizer;    /* HAL_SANITIZER_* */
  uint32_t reserved0;
  /* Called once for each plugin of each loader, before the plugin is initialised. Replaces slots and gives a state, which
   * may be NULL. An error keeps the layer off that plugin, and the application goes on. */
  hal_status_t* (*attach)(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state);
  /* Ends it, when the plugin has been shut down. Threads of the layer are gone when it returns. */
  void (*detach)(void* state);
} hal_layer_t;

/* The one exported symbol. Errors: INCOMPATIBLE (the host is too old; the text names both versions). */
typedef hal_status_t* (*hal_layer_query_fn)(uint32_t host_abi_version, const hal_layer_t** out_layer);
#define HAL_LAYER_QUERY_NAME "hal_layer_query"

/* Layers define this function; the loader looks it up by HAL_LAYER_QUERY_NAME. */
HAL_EXPORT hal_status_t* hal_layer_query(uint32_t host_abi_version, const hal_layer_t** out_layer);

/* The link of `layer` in a stack. A layer asks only for its own, which is there: never NULL then. */
static inline const hal_layer_link_t* hal_layer_link_in(const hal_layer_stack_t* stack, const hal_layer_t* layer) {
  uint32_t i;
  for (i = 0; i < stack->link_count; ++i) {
    if (stack->links[i].layer == layer) return &stack->links[i];
  }
  return NULL;
}

/* The same, from an object: the first argument of every slot but device.initialize and device.config_keys. */
static inline const hal_layer_link_t* hal_layer_link_of(const void* object, const hal_layer_t* layer) {
  const char* calls = (const char*)hal_calls_of(object);
  const void* layered = calls - offsetof(hal_layered_calls_t, calls);
  return hal_layer_link_in(((const hal_layered_calls_t*)layered)->stack, layer);
}

/* The same, in device.initialize. */
static inline const hal_layer_link_t* hal_layer_link_of_desc(const hal_instance_desc_t* desc,
                                                             const hal_layer_t* layer) {
  const hal_chain_t* node;
  for (node = desc->next; node != NULL; node = node->next) {
    if (node->type == HAL_CHAIN_LAYER_STACK) {
      const void* found = node;
      return hal_layer_link_in(((const hal_layer_stack_node_t*)found)->stack, layer);
    }
  }
  return NULL;
}

#ifdef __cplusplus
}
#endif
#endif /* HAL_LAYER_H_ */
