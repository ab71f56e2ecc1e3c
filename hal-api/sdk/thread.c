/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads and the clock: hal/sdk/thread.h.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "hal/sdk/thread.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#define SPIN_NANOSECONDS 15000u

int hal_sdk_thread_start(pthread_t* out_thread, const char* name, void* (*run)(void*), void* argument) {
  sigset_t all, before;
  char cut[16];
  int error;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  error = pthread_create(out_thread, NULL, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error != 0) return error;
  strncpy(cut, name, sizeof cut - 1);
  cut[sizeof cut - 1] = '\0';
  pthread_setname_np(*out_thread, cut);
  return 0;
}

hal_time_t hal_sdk_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (hal_time_t)now.tv_sec * 1000000000u + (hal_time_t)now.tv_nsec;
}

static hal_time_t spin_time(void) {
  static int cores; /* atomic; 0: not counted yet */
  int count = __atomic_load_n(&cores, __ATOMIC_RELAXED);
  if (count == 0) {
    cpu_set_t set;
    count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 2;
    __atomic_store_n(&cores, count, __ATOMIC_RELAXED);
  }
  return count > 1 ? SPIN_NANOSECONDS : 0u;
}

int hal_sdk_keep_polling(hal_time_t start) { return hal_sdk_now() - start < spin_time(); }
