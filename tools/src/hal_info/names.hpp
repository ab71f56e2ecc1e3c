// SPDX-License-Identifier: Apache-2.0
//
// The words that hal-info uses for numbers and bits of the ABI; the same in text and JSON.
#ifndef TOOLS_HAL_INFO_NAMES_HPP_
#define TOOLS_HAL_INFO_NAMES_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "hal/loader.h"

namespace hal::tools {

// A bit that has no name yet shows as "bit-17".
std::vector<std::string> feature_names(uint64_t features);
std::vector<std::string> heap_kind_names(uint64_t kind);
std::vector<std::string> group_names(uint64_t groups);

std::string device_type_name(hal_device_type_t type);
std::string verdict_name(hal_loader_verdict_t verdict);
std::string dtype_name(uint32_t dtype);
std::string abi_text(uint32_t abi_version);
std::string uuid_text(const uint8_t (&uuid)[16]);

// "16.0 GiB"
std::string bytes_text(uint64_t bytes);

std::string join(const std::vector<std::string>& words, const std::string& separator);

}  // namespace hal::tools

#endif  // TOOLS_HAL_INFO_NAMES_HPP_
