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
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NANOSECONDS 15000u

static void* enter(void* self) {
  hal_sdk_thread_t* thread = self;
  __atomic_store_n(&thread->id, (uint64_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
  return thread->run(thread->argument);
}

int hal_sdk_thread_start(hal_sdk_thread_t* thread, const char* name, void* (*run)(void*), void* argument) {
  sigset_t all, before;
  char cut[16] = {0};
  int error;
  thread->run = run;
  thread->argument = argument;
  thread->id = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  error = pthread_create(&thread->handle, NULL, enter, thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error != 0) return error;
  strncpy(cut, name, sizeof cut - 1);
  pthread_setname_np(thread->handle, cut);
  return 0;
}

/* pthread_join returns a moment before the kernel has removed the thread. Bounded, for the id may come again. */
void hal_sdk_thread_join(hal_sdk_thread_t* thread) {
  int i;
  pthread_join(thread->handle, NULL);
  for (i = 0; i < 1000 && syscall(SYS_tgkill, getpid(), (pid_t)thread->id, 0) == 0; i++) usleep(10);
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
