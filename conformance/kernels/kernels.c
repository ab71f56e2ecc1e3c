/* SPDX-License-Identifier: Apache-2.0
 *
 * The core level's programs in the format "elf-<machine>/1". Built without a library: no undefined symbols.
 */
#include "hal/formats/elf_cpu.h"

/* Workgroup (x, y, z) writes its linear number plus one. */
static int32_t write_ids(const hal_elf_cpu_call_t* call) {
  uint32_t* out = call->bindings[0];
  uint64_t index = (uint64_t)call->workgroup_id[2] * call->workgroup_count[1] + call->workgroup_id[1];
  index = index * call->workgroup_count[0] + call->workgroup_id[0];
  if (index * 4 < call->binding_bytes[0]) out[index] = (uint32_t)index + 1;
  return 0;
}

/* out[x] = in[x] + the sum of four constants. */
static int32_t add_constants(const hal_elf_cpu_call_t* call) {
  const uint32_t* in = call->bindings[0];
  const uint32_t* constants = call->constants;
  uint32_t* out = call->bindings[1];
  uint32_t x = call->workgroup_id[0];
  out[x] = in[x] + constants[0] + constants[1] + constants[2] + constants[3];
  return 0;
}

static int32_t fail_with_42(const hal_elf_cpu_call_t* call) {
  (void)call;
  return 42;
}

static const hal_elf_cpu_entry_t entries[] = {{"write_ids", write_ids, 1, 0, 0, 0, 1},
                                              {"add_constants", add_constants, 2, 16, 0, 0, 2},
                                              {"fail_with_42", fail_with_42, 0, 0, 0, 0, 0}};

__attribute__((visibility("default")))
const hal_elf_cpu_t hal_elf_cpu = {HAL_ELF_CPU_MAGIC, sizeof entries / sizeof *entries, "x86-64", entries};
