/* SPDX-License-Identifier: Apache-2.0
 *
 * What the plugin must refuse, one fault at a time, chosen by FAULT.
 */
#include "hal/formats/elf_cpu.h"

#define UNDEFINED_SYMBOL 2
#define CONSTRUCTOR 3
#define WRONG_MAGIC 4
#define NO_SYMBOL 5
#define FUNCTION_OUTSIDE 6
#define UNKNOWN_FEATURE 7
#define THREAD_LOCAL 8
#define TOO_MANY_ENTRIES 9
#define TOO_MUCH_LOCAL_MEMORY 10

#if FAULT == UNDEFINED_SYMBOL
extern int somewhere_else(void);
#endif

#if FAULT == CONSTRUCTOR
static volatile int loaded;
__attribute__((constructor)) static void run_at_load(void) { loaded = 1; }
#endif

#if FAULT == THREAD_LOCAL
static __thread int counter;
#endif

static int32_t run(const hal_elf_cpu_call_t* call) {
  (void)call;
#if FAULT == UNDEFINED_SYMBOL
  return somewhere_else();
#elif FAULT == THREAD_LOCAL
  return counter++;
#else
  return 0;
#endif
}

static const hal_elf_cpu_entry_t entries[] = {{"run",
#if FAULT == FUNCTION_OUTSIDE
                                               (hal_elf_cpu_entry_fn)(uintptr_t)64,
#else
                                                run,
#endif
                                               0, 0,
#if FAULT == TOO_MUCH_LOCAL_MEMORY
                                               0x7FFFFFFFu,
#else
                                                0,
#endif
                                               0, 0}};

#if FAULT == WRONG_MAGIC
#define MAGIC 7u
#else
#define MAGIC HAL_ELF_CPU_MAGIC
#endif
#if FAULT == TOO_MANY_ENTRIES
#define COUNT 60000u
#else
#define COUNT 1u
#endif
#if FAULT == UNKNOWN_FEATURE
#define TARGET "x86-64+sse3+time-travel"
#else
#define TARGET "x86-64"
#endif
#if FAULT == NO_SYMBOL
#define NAME another_name
#else
#define NAME hal_elf_cpu
#endif

__attribute__((visibility("default"))) const hal_elf_cpu_t NAME = {MAGIC, COUNT, TARGET, entries};
