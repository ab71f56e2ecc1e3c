/* SPDX-License-Identifier: Apache-2.0
 *
 * The executable format "elf-<machine>/1" ("elf-x86-64/1"): native code for a CPU as a position-independent ELF shared
 * object without undefined symbols, so that a plugin needs no compiler and a debugger sees its symbols. Shared by the
 * compiler, which writes it, and CPU plugins, which load it.
 *
 * The object exports one data symbol, HAL_ELF_CPU_SYMBOL, of type hal_elf_cpu_t. All pointers in it are relocated by
 * the dynamic linker (R_*_RELATIVE only).
 */
#ifndef HAL_FORMATS_ELF_CPU_H_
#define HAL_FORMATS_ELF_CPU_H_

#include "hal/base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HAL_ELF_CPU_FORMAT_X86_64 "elf-x86-64/1"
#define HAL_ELF_CPU_SYMBOL "hal_elf_cpu"
#define HAL_ELF_CPU_MAGIC 0x31465045u /* "EPF1" */

/* What an entry point gets for one workgroup. Read-only but for what bindings and local memory point to. */
typedef struct hal_elf_cpu_call {
  void* const* bindings;          /* base address of each range, in binding order; aligned as the range is */
  const uint64_t* binding_bytes;  /* length of each range */
  const void* constants;          /* the dispatch's constants, 8-byte aligned */
  void* local_memory;             /* local_memory_bytes, 64-byte aligned, for this workgroup alone; not cleared */
  uint32_t workgroup_id[3];
  uint32_t workgroup_count[3];
} hal_elf_cpu_call_t;

/* Returns 0, or a number that the plugin reports as the failure of the dispatch (vendor_code). Must not call out,
 * throw, or change the floating-point environment; runs with round-to-nearest and subnormals kept. */
typedef int32_t (*hal_elf_cpu_entry_fn)(const hal_elf_cpu_call_t* call);

typedef struct hal_elf_cpu_entry {
  const char* name;            /* NUL-terminated */
  hal_elf_cpu_entry_fn function;
  uint32_t binding_count;
  uint32_t constant_bytes;
  uint32_t local_memory_bytes;
  uint32_t reserved0;
  uint64_t written_bindings;   /* bit i: binding i is written */
} hal_elf_cpu_entry_t;

typedef struct hal_elf_cpu {
  uint32_t magic;              /* HAL_ELF_CPU_MAGIC */
  uint32_t entry_count;
  const char* target;          /* "x86-64+avx2+fma": every feature that the code uses */
  const hal_elf_cpu_entry_t* entries;
} hal_elf_cpu_t;

#ifdef __cplusplus
}
#endif
#endif /* HAL_FORMATS_ELF_CPU_H_ */
