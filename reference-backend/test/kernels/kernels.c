/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels for tests, in the form that the compiler makes: built with -nostdlib, no undefined symbol, one exported one.
 */
#include "hal/formats/elf_cpu.h"

static uint64_t linear(const hal_elf_cpu_call_t* call) {
  return ((uint64_t)call->workgroup_id[2] * call->workgroup_count[1] + call->workgroup_id[1]) *
             call->workgroup_count[0] +
         call->workgroup_id[0];
}

static int32_t nothing(const hal_elf_cpu_call_t* call) {
  (void)call;
  return 0;
}

/* Each workgroup writes its own place: x + 1000 y + 1000000 z, and adds one, so that running twice shows. */
static int32_t write_id(const hal_elf_cpu_call_t* call) {
  uint64_t* out = call->bindings[0];
  out[linear(call)] +=
      1 + call->workgroup_id[0] + UINT64_C(1000) * call->workgroup_id[1] + UINT64_C(1000000) * call->workgroup_id[2];
  return 0;
}

/* out[i] = a * x[i] + b for one element a workgroup; a and b are constants. */
typedef struct axpb {
  float a, b;
} axpb_t;

static int32_t scale(const hal_elf_cpu_call_t* call) {
  const axpb_t* constants = call->constants;
  const float* x = call->bindings[0];
  float* out = call->bindings[1];
  uint64_t i = call->workgroup_id[0];
  if ((i + 1) * sizeof(float) > call->binding_bytes[0]) return 3;
  out[i] = constants->a * x[i] + constants->b;
  return 0;
}

/* Fails in the workgroup that the constants name. */
static int32_t fail_at(const hal_elf_cpu_call_t* call) {
  const uint64_t* at = call->constants;
  return linear(call) == *at ? 42 : 0;
}

/* Uses its local memory, which no other workgroup may touch meanwhile. */
static int32_t use_local(const hal_elf_cpu_call_t* call) {
  volatile uint64_t* local = call->local_memory;
  uint64_t* out = call->bindings[0];
  uint64_t i, sum = 0;
  for (i = 0; i < 512; i++) local[i] = linear(call) + i;
  for (i = 0; i < 512; i++) sum += local[i] - i;
  out[linear(call)] = ((uintptr_t)local % 64 != 0) ? 1 : sum;
  return 0;
}

/* The smallest normal number halved: 0 where subnormals are flushed. And 1/3 by the rounding mode of the moment. */
static int32_t floating_point(const hal_elf_cpu_call_t* call) {
  volatile float small = 1.17549435e-38f, half = 0.5f, one = 1.0f, three = 3.0f;
  float* out = call->bindings[0];
  out[2 * call->workgroup_id[0]] = small * half;
  out[2 * call->workgroup_id[0] + 1] = one / three;
  return 0;
}

/* As many bindings and bytes of constants as the device must take; adds them all. */
static int32_t add_all(const hal_elf_cpu_call_t* call) {
  const uint8_t* constants = call->constants;
  uint64_t* out = call->bindings[0];
  uint64_t sum = 0;
  int i;
  for (i = 1; i < 64; i++) sum += *(const uint32_t*)call->bindings[i];
  for (i = 0; i < 1024; i++) sum += constants[i];
  out[0] = sum;
  return 0;
}

/* Works for a while: bytes of constants say how long. */
static int32_t spin(const hal_elf_cpu_call_t* call) {
  const uint64_t* rounds = call->constants;
  volatile uint64_t i;
  for (i = 0; i < *rounds; i++) {
  }
  return 0;
}

static const hal_elf_cpu_entry_t entries[] = {
    {"nothing", nothing, 0, 0, 0, 0, 0},          {"write_id", write_id, 1, 0, 0, 0, 1},
    {"scale", scale, 2, sizeof(axpb_t), 0, 0, 2}, {"fail_at", fail_at, 0, 8, 0, 0, 0},
    {"use_local", use_local, 1, 0, 4096, 0, 1},   {"floating_point", floating_point, 1, 0, 0, 0, 1},
    {"add_all", add_all, 64, 1024, 0, 0, 1},      {"spin", spin, 0, 8, 0, 0, 0},
};

#ifndef KERNEL_TARGET
#define KERNEL_TARGET "x86-64+sse3"
#endif

__attribute__((visibility("default")))
const hal_elf_cpu_t hal_elf_cpu = {HAL_ELF_CPU_MAGIC, sizeof entries / sizeof *entries, KERNEL_TARGET, entries};
