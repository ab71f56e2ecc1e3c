// SPDX-License-Identifier: Apache-2.0
//
// Finds candidates in the documented order (docs/loader.md) and judges what can be judged without opening a library:
// manifest, owner and mode, filter, architecture. Each file gets a report, whatever becomes of it (HAL-ABI-22).
#ifndef LOADER_DISCOVERY_HPP_
#define LOADER_DISCOVERY_HPP_

#include <filesystem>
#include <string>
#include <vector>

#include "hal/loader.h"
#include "options.hpp"

namespace hal::loader {

// What became of one file; hal_loader_file_t with its own strings.
struct FileReport {
  hal_loader_verdict_t verdict = HAL_LOADER_TAKEN;
  hal_status_code_t code = HAL_STATUS_OK;  // of a refusal
  std::string path;
  std::string library;
  std::string plugin;
  std::string reason;
  std::string origin;
  bool is_explicit = false;  // named by the application: a refusal is an error of hal_loader_create
  Config config;             // of the manifest
  int64_t priority = 0;

  void refuse(const Error& error) {
    verdict = HAL_LOADER_REFUSED;
    code = error.code;
    reason = error.message;
  }
  void skip(std::string why) {
    verdict = HAL_LOADER_SKIPPED;
    reason = std::move(why);
  }
};

// In the order in which they are to be taken; the same on every call while the files are the same. `library_folder` is
// where libhal lies. Opens no library.
std::vector<FileReport> discover(const Options& options, const std::filesystem::path& library_folder);

// What can be judged of a library before it is opened: machine and sanitizer. `promised`: the manifest's arch, or
// empty.
Result<void> check_architecture(const std::filesystem::path& library, const std::string& promised);

// Where this library (or the program that it is linked into) lies.
std::filesystem::path own_folder();

}  // namespace hal::loader

#endif  // LOADER_DISCOVERY_HPP_
