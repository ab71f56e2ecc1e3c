// SPDX-License-Identifier: Apache-2.0
//
// Small programs for the core level, by executable format. A format is data here, not a chip: a new one is a new row.
#ifndef CONFORMANCE_CASES_KERNELS_HPP_
#define CONFORMANCE_CASES_KERNELS_HPP_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hal::conformance {

struct KernelImage {
  std::string format;
  std::string target;
  std::span<const std::byte> bytes;
};

// The programs in the first of `formats` that there are any for.
std::optional<KernelImage> find_kernels(const std::vector<std::string>& formats);

}  // namespace hal::conformance

#endif  // CONFORMANCE_CASES_KERNELS_HPP_
