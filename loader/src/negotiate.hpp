// SPDX-License-Identifier: Apache-2.0
//
// What a plugin says of itself, checked field by field, and its tables copied by size into full-length ones
// (HAL-ABI-03, "Tables are copied by size"). Whatever a plugin returns, garbage included, is an error and not a crash.
#ifndef LOADER_NEGOTIATE_HPP_
#define LOADER_NEGOTIATE_HPP_

#include <string>

#include "hal/calls.h"
#include "hal/cxx/result.hpp"
#include "slots.hpp"

namespace hal::loader {

struct Negotiated {
  uint32_t abi_version = 0;
  std::string name;
  std::string version;
  std::string vendor;
  std::string build_id;
  uint64_t groups = 0;  // bit HAL_GROUP_*: present
  Tables tables{};
};

// `sanitizer` is the host's own HAL_SANITIZER_*.
Result<Negotiated> negotiate(const hal_plugin_t* plugin, uint32_t sanitizer);

// "1.0"
std::string abi_text(uint32_t abi_version);

// The HAL_SANITIZER_* that this library was built with.
uint32_t own_sanitizer();

// Reads a plugin's string: at most `limit` bytes of UTF-8 without control characters. `field` is named in the error.
Result<std::string> read_plugin_string(hal_string_t text, const std::string& field, uint64_t limit);

}  // namespace hal::loader

#endif  // LOADER_NEGOTIATE_HPP_
