// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

#include <algorithm>

#include "hal/formats/elf_cpu.h"

// Laid into this object by kernels_image.S.
extern "C" const std::byte hal_conformance_kernels_begin[];
extern "C" const std::byte hal_conformance_kernels_end[];

namespace hal::conformance {

std::optional<KernelImage> find_kernels(const std::vector<std::string>& formats) {
#if defined(__x86_64__)
  if (std::find(formats.begin(), formats.end(), HAL_ELF_CPU_FORMAT_X86_64) != formats.end()) {
    return KernelImage{
        HAL_ELF_CPU_FORMAT_X86_64, "x86-64", {hal_conformance_kernels_begin, hal_conformance_kernels_end}};
  }
#endif
  static_cast<void>(formats);
  return std::nullopt;
}

}  // namespace hal::conformance
