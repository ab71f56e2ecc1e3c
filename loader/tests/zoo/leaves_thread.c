/* SPDX-License-Identifier: Apache-2.0
 * Starts a thread in initialize that runs on after shutdown. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#define ZOO_NAME "zoo-leaves-thread"
#include "zoo.h"

static void* run(void* unused) {
  for (;;) usleep(1000);
  return unused;
}

static hal_status_t* initialize(const hal_instance_desc_t* desc, hal_instance_t** out_instance) {
  pthread_t thread;
  hal_status_t* status = zoo_initialize(desc, out_instance);
  if (pthread_create(&thread, NULL, run, NULL) != 0) return zoo_fail(HAL_STATUS_UNAVAILABLE, "no thread");
  pthread_setname_np(thread, "zoo-left");
  pthread_detach(thread);
  return status;
}

ZOO_QUERY_SPOILT(zoo_device.initialize = initialize)
