// SPDX-License-Identifier: Apache-2.0
//
// A manifest: the small JSON file that says "here is a plugin". Format: docs/loader.md. Reading one opens no library.
#ifndef LOADER_MANIFEST_HPP_
#define LOADER_MANIFEST_HPP_

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "hal/cxx/result.hpp"

namespace hal::loader {

using Config = std::map<std::string, std::string>;

struct Manifest {
  std::string name;
  std::filesystem::path library;  // relative to the manifest's folder, or absolute
  uint32_t abi_version = 0;
  std::string arch;      // "x86-64"; empty: any
  int64_t priority = 0;  // higher is looked at sooner
  bool enabled = false;  // of a layer's: on in every program
  Config config;
};

// Errors: DATA_CORRUPT with line and column, or the key that is wrong; INCOMPATIBLE with both versions.
Result<Manifest> parse_manifest(std::string_view text);

// The same for a file, at most 1 MiB.
Result<Manifest> read_manifest(const std::filesystem::path& path);

}  // namespace hal::loader

#endif  // LOADER_MANIFEST_HPP_
