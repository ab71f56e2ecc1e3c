// SPDX-License-Identifier: Apache-2.0
//
// What the device says about itself. Every number is measured, read from the machine, or a limit that the code keeps.
#include <string_view>

#include "features.hpp"
#include "hal/formats/elf_cpu.h"
#include "plugin.hpp"

namespace hal::cpu {
namespace {

constexpr hal_string_t kFormats[] = {HAL_SDK_STRING_INIT(HAL_ELF_CPU_FORMAT_X86_64)};

constexpr hal_sdk_driver_t kDriver = {
    hal_sdk_host_allocate, hal_sdk_host_release, copy, fill, hal_sdk_host_update, dispatch};

constexpr uint64_t kPage = 4096;

void describe_heap(hal_device_t& device) {
  hal_heap_info_t& info = device.heap.info;
  info.struct_size = sizeof info;
  info.numa_node = UINT32_MAX;
  info.kind = HAL_HEAP_DEVICE_LOCAL | HAL_HEAP_HOST_VISIBLE | HAL_HEAP_HOST_COHERENT | HAL_HEAP_HOST_CACHED;
  info.size = device.instance->machine.memory;
  info.alignment = 64;
  info.granularity = 64;
  device.heap.max_alignment = kPage;
  device.base.heaps = &device.heap;
  device.base.heap_count = 1;
}

// Peak rates depend on clocks that nothing here knows, so they stay 0, "not known".
void add_unit(hal_device_t& device, hal_dtype_t input, hal_dtype_t accumulator, uint32_t lanes, uint32_t depth) {
  device.units.push_back({input, accumulator, 1, lanes, depth, 0, 0.0});
}

void describe_units(hal_device_t& device) {
  const uint32_t bits = has_feature("avx512f") ? 512 : has_feature("avx2") ? 256 : 128;
  add_unit(device, HAL_DTYPE_F32, HAL_DTYPE_F32, bits / 32, 1);
  add_unit(device, HAL_DTYPE_F64, HAL_DTYPE_F64, bits / 64, 1);
  add_unit(device, HAL_DTYPE_I32, HAL_DTYPE_I32, bits / 32, 1);
  if (has_feature("avx512bf16")) add_unit(device, HAL_DTYPE_BF16, HAL_DTYPE_F32, 16, 2);
  if (has_feature("avx512fp16")) add_unit(device, HAL_DTYPE_F16, HAL_DTYPE_F16, 32, 1);
  if (has_feature("avx512vnni")) add_unit(device, HAL_DTYPE_U8, HAL_DTYPE_I32, 16, 4);
}

void describe_limits(hal_device_caps_t& caps) {
  const uint32_t grid[3] = {0x7FFFFFFFu, 65535, 65535};
  for (int i = 0; i < 3; i++) caps.max_workgroup_count[i] = grid[i];
  for (uint32_t& size : caps.max_workgroup_size) size = 1;
  caps.max_bindings = 256;
  caps.max_constant_bytes = 65536;
  caps.local_memory_size = kLocalMemoryBytes;
  caps.max_queues = 1024;
}

void describe_code(hal_device_t& device) {
  hal_device_caps_t& caps = device.caps;
  if (architecture().empty()) return;
  caps.features |= HAL_FEATURE_EXECUTABLES;
  caps.formats = kFormats;
  caps.format_count = 1;
  caps.target = to_string(machine_target());
  describe_units(device);
  caps.compute_units = device.units.data();
  caps.compute_unit_count = static_cast<uint32_t>(device.units.size());
}

}  // namespace

void describe(hal_device_t& device) {
  const Machine& machine = device.instance->machine;
  hal_device_caps_t& caps = device.caps;
  describe_heap(device);
  caps.struct_size = sizeof caps;
  caps.core_count = static_cast<uint32_t>(machine.cores.size());
  caps.features = HAL_FEATURE_DEVICE_ADDRESS | HAL_FEATURE_ASYNC_SUBMIT | HAL_FEATURE_HOST_CALL |
                  HAL_FEATURE_IMPORT_HOST | HAL_FEATURE_COPY_2D;
  caps.max_buffer_size = machine.memory;
  caps.cache_levels = machine.caches.data();
  caps.cache_level_count = static_cast<uint32_t>(machine.caches.size());
  caps.numa_node_count = machine.numa_nodes;
  describe_limits(caps);
  describe_code(device);
  device.base.driver = &kDriver;
  device.base.caps = &caps;
}

}  // namespace hal::cpu
