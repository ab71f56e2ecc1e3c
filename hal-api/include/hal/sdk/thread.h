/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads as the ABI wants them: named, with all signals blocked. And the clock of deadlines.
 */
#ifndef HAL_SDK_THREAD_H_
#define HAL_SDK_THREAD_H_

#include <pthread.h>

#include "hal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hal_sdk_thread {
  pthread_t handle;
  void* (*run)(void* argument);
  void* argument;
  uint64_t id; /* atomic; the system's, once it runs */
} hal_sdk_thread_t;

/* Starts a thread; 0 or an errno. `thread` stays where it is until the join. Names over 15 bytes are cut. */
int hal_sdk_thread_start(hal_sdk_thread_t* thread, const char* name, void* (*run)(void*), void* argument);

/* Waits for its end, and until the system lists it no more. */
void hal_sdk_thread_join(hal_sdk_thread_t* thread);

/* CLOCK_MONOTONIC in nanoseconds. */
hal_time_t hal_sdk_now(void);

/* Between rounds of polling that began at `start`: 1 while it may be faster than sleeping. Never on one core, where
 * polling only keeps the other side from running. */
int hal_sdk_keep_polling(hal_time_t start);

/* Tells the core that this is a polling loop. */
static inline void hal_sdk_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

#ifdef __cplusplus
}
#endif
#endif /* HAL_SDK_THREAD_H_ */
