/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "memory": heaps and buffers (HAL-ABI-13). A buffer is a handle; sub-ranges are (buffer, offset, length) in
 * bytes, 64 bits wide. New memory has no defined content unless HAL_BUFFER_ZEROED is asked for.
 */
#ifndef HAL_MEMORY_H_
#define HAL_MEMORY_H_

#include "hal/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of a heap's kind. */
typedef uint64_t hal_heap_kind_t;
#define HAL_HEAP_DEVICE_LOCAL (UINT64_C(1) << 0)
#define HAL_HEAP_HOST_VISIBLE (UINT64_C(1) << 1)  /* buffer_map works */
#define HAL_HEAP_HOST_COHERENT (UINT64_C(1) << 2) /* flush and invalidate are not needed */
#define HAL_HEAP_HOST_CACHED (UINT64_C(1) << 3)
#define HAL_HEAP_PINNED (UINT64_C(1) << 4)
#define HAL_HEAP_SHARED (UINT64_C(1) << 5)        /* migrates by itself between host and device */

typedef struct hal_heap_info {
  uint32_t struct_size;
  uint32_t numa_node;       /* UINT32_MAX: none */
  hal_heap_kind_t kind;
  uint64_t size;            /* bytes; 0: not known */
  uint64_t alignment;       /* of every buffer, bytes; a power of two, at least 64 */
  uint64_t granularity;     /* sizes are rounded up to it, bytes */
} hal_heap_info_t;

typedef struct hal_heap_statistics {
  uint32_t struct_size;
  uint32_t reserved0;
  uint64_t live_bytes;
  uint64_t peak_bytes;
  uint64_t live_buffers;
  uint64_t total_allocations;
} hal_heap_statistics_t;

#define HAL_BUFFER_ZEROED (UINT64_C(1) << 0)
#define HAL_BUFFER_DEFERRED (UINT64_C(1) << 1) /* memory comes with HAL_WORK_ALLOC (HAL_FEATURE_QUEUE_ALLOC) */

typedef struct hal_buffer_desc {
  uint32_t struct_size;
  uint32_t heap;        /* index in the heap list */
  uint64_t size;        /* bytes; 0 is allowed and gives a buffer that no operation may touch */
  uint64_t alignment;   /* 0: the heap's own; else a power of two, UNSUPPORTED if the heap cannot */
  uint64_t flags;       /* HAL_BUFFER_* */
  hal_string_t label;   /* for traces and messages */
  const hal_chain_t* next;
} hal_buffer_desc_t;
#define HAL_BUFFER_DESC_INIT {sizeof(hal_buffer_desc_t), 0, 0, 0, 0, {NULL, 0}, NULL}

typedef struct hal_buffer_info {
  uint32_t struct_size;
  uint32_t heap;
  uint64_t size;        /* as asked for, bytes */
} hal_buffer_info_t;

/* Memory that comes from or goes to somewhere else. `value` is a host address or a file descriptor. */
typedef uint32_t hal_handle_type_t;
#define HAL_HANDLE_NONE 0u
#define HAL_HANDLE_HOST_POINTER 1u /* stays the caller's; must outlive the buffer */
#define HAL_HANDLE_FD 2u           /* duplicated by the callee; close your own */
#define HAL_HANDLE_DMA_BUF 3u

typedef struct hal_external_memory {
  uint32_t struct_size;
  hal_handle_type_t type;
  uint64_t value;
  uint64_t offset; /* bytes into it */
  uint64_t size;   /* bytes */
} hal_external_memory_t;
#define HAL_EXTERNAL_MEMORY_INIT {sizeof(hal_external_memory_t), 0, 0, 0, 0}

#define HAL_MAP_READ (UINT64_C(1) << 0)
#define HAL_MAP_WRITE (UINT64_C(1) << 1)
#define HAL_MAP_DISCARD (UINT64_C(1) << 2) /* the old content is not needed */

typedef struct hal_memory_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required. Heaps, count-then-fill; heap 0 is the one for general use. out_infos are out-structs. */
  hal_status_t* (*heaps)(hal_device_t* device, uint32_t capacity, uint32_t* out_count, hal_heap_info_t* out_infos);
  /* Required. Live and peak numbers of one heap. Errors: OUT_OF_RANGE. */
  hal_status_t* (*heap_statistics)(hal_device_t* device, uint32_t heap, hal_heap_statistics_t* out_statistics);
  /* Required. Errors: OUT_OF_MEMORY (the device stays usable), OUT_OF_RANGE (heap), INVALID_ARGUMENT (alignment). */
  hal_status_t* (*buffer_create)(hal_device_t* device, const hal_buffer_desc_t* desc, hal_buffer_t** out_buffer);
  /* Required. Allowed at once after the last submission that uses it; the plugin keeps what is in flight. */
  void (*buffer_destroy)(hal_buffer_t* buffer);
  /* Required. Size and heap; an out-struct. */
  hal_status_t* (*buffer_info)(hal_buffer_t* buffer, hal_buffer_info_t* out_info);
  /* Required where a heap is HOST_VISIBLE. A host address for a range; the content is what finished work left. Several
   * maps of one buffer may be live. Errors: OUT_OF_RANGE, UNSUPPORTED (not host-visible). Does not wait for work. */
  hal_status_t* (*buffer_map)(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags,
                              void** out_address);
  /* Required with buffer_map. Ends one map. */
  hal_status_t* (*buffer_unmap)(hal_buffer_t* buffer);
  /* Optional, for heaps that are not HOST_COHERENT: host writes become visible to the device. */
  hal_status_t* (*buffer_flush)(hal_buffer_t* buffer, uint64_t offset, uint64_t length);
  /* Optional, for heaps that are not HOST_COHERENT: device writes become visible to the host. */
  hal_status_t* (*buffer_invalidate)(hal_buffer_t* buffer, uint64_t offset, uint64_t length);
  /* Optional (HAL_FEATURE_DEVICE_ADDRESS). The device's raw address of the buffer's first byte. */
  hal_status_t* (*buffer_address)(hal_buffer_t* buffer, uint64_t* out_address);
  /* Optional. A buffer over memory from elsewhere. */
  hal_status_t* (*buffer_import)(hal_device_t* device, const hal_external_memory_t* memory, hal_buffer_t** out_buffer);
  /* Optional. A handle that others can import; the caller owns it. */
  hal_status_t* (*buffer_export)(hal_buffer_t* buffer, hal_handle_type_t type, hal_external_memory_t* out_memory);
} hal_memory_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_MEMORY_H_ */
