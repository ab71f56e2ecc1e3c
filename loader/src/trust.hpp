// SPDX-License-Identifier: Apache-2.0
//
// Whether a file may decide what code runs in this process (HAL-ABI-23): it, and the folder that it lies in, belong to
// root or to us, and not everyone may write them.
#ifndef LOADER_TRUST_HPP_
#define LOADER_TRUST_HPP_

#include <filesystem>

#include "hal/cxx/result.hpp"

namespace hal::loader {

// For a regular file; links are followed first, and the folder of the link counts too. Errors: NOT_FOUND,
// PERMISSION_DENIED with owner or mode, and what to change.
Result<void> check_trusted_file(const std::filesystem::path& path);

}  // namespace hal::loader

#endif  // LOADER_TRUST_HPP_
