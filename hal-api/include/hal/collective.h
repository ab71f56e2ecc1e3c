/* SPDX-License-Identifier: Apache-2.0
 *
 * Group "collective" (HAL-ABI-16): communicators. The operations themselves are queue work (HAL_WORK_COLLECTIVE), so a
 * collective orders, fails and is profiled like a dispatch. One descriptor, one submit, one capability matrix.
 */
#ifndef HAL_COLLECTIVE_H_
#define HAL_COLLECTIVE_H_

#include "hal/dtype.h"
#include "hal/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t hal_collective_t;
#define HAL_COLLECTIVE_NONE 0u
#define HAL_COLLECTIVE_ALL_REDUCE 1u
#define HAL_COLLECTIVE_REDUCE 2u
#define HAL_COLLECTIVE_BROADCAST 3u
#define HAL_COLLECTIVE_ALL_GATHER 4u
#define HAL_COLLECTIVE_REDUCE_SCATTER 5u
#define HAL_COLLECTIVE_ALL_TO_ALL 6u
#define HAL_COLLECTIVE_GATHER 7u
#define HAL_COLLECTIVE_SCATTER 8u
#define HAL_COLLECTIVE_SEND 9u
#define HAL_COLLECTIVE_RECEIVE 10u
#define HAL_COLLECTIVE_BARRIER 11u

typedef uint32_t hal_reduction_t;
#define HAL_REDUCTION_NONE 0u
#define HAL_REDUCTION_SUM 1u
#define HAL_REDUCTION_PRODUCT 2u
#define HAL_REDUCTION_MIN 3u
#define HAL_REDUCTION_MAX 4u
#define HAL_REDUCTION_AVERAGE 5u

typedef struct hal_communicator_desc {
  uint32_t struct_size;
  uint32_t rank;
  uint32_t rank_count;
  uint32_t reserved0;
  hal_bytes_t unique_id; /* from unique_id on one rank, carried to the others by the application */
  hal_time_t deadline;   /* for every rank to arrive */
  const hal_chain_t* next;
} hal_communicator_desc_t;
#define HAL_COMMUNICATOR_DESC_INIT {sizeof(hal_communicator_desc_t), 0, 0, 0, {NULL, 0}, 0, NULL}

typedef struct hal_collective_query {
  uint32_t struct_size;
  hal_collective_t operation;
  hal_dtype_t dtype;
  hal_reduction_t reduction;
} hal_collective_query_t;

typedef struct hal_collective_group {
  uint32_t struct_size;
  uint32_t version;
  /* Required with HAL_FEATURE_COLLECTIVES. operation x dtype x reduction; HAL_SUPPORT_*. */
  hal_status_t* (*query_support)(hal_device_t* device, const hal_collective_query_t* query, uint32_t* out_support);
  /* Required with HAL_FEATURE_COLLECTIVES. Bytes that name a new group, count-then-fill. */
  hal_status_t* (*unique_id)(hal_device_t* device, uint64_t capacity, uint64_t* out_count, void* out_bytes);
  /* Required with HAL_FEATURE_COLLECTIVES. Blocks until all ranks are there, or TIMEOUT. */
  hal_status_t* (*create)(hal_device_t* device, const hal_communicator_desc_t* desc,
                          hal_communicator_t** out_communicator);
  /* Required with HAL_FEATURE_COLLECTIVES. As buffer_destroy. */
  void (*destroy)(hal_communicator_t* communicator);
  /* Required with HAL_FEATURE_COLLECTIVES. Fails what is in flight on this rank with CANCELLED; other ranks see ABORTED
   * or their deadline. Never blocks. */
  hal_status_t* (*abort)(hal_communicator_t* communicator);
} hal_collective_group_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_COLLECTIVE_H_ */
