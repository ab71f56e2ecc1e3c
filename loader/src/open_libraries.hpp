// SPDX-License-Identifier: Apache-2.0
//
// Opens the libraries of all plugins side by side, each with a deadline, so that one that hangs in a constructor or in
// hal_plugin_query hides nobody.
#ifndef LOADER_OPEN_LIBRARIES_HPP_
#define LOADER_OPEN_LIBRARIES_HPP_

#include <memory>
#include <vector>

#include "discovery.hpp"
#include "plugin_library.hpp"

namespace hal::loader {

// One result for each report that is TAKEN, in order. `timeout` in nanoseconds.
std::vector<Result<std::shared_ptr<PluginLibrary>>> open_plugin_libraries(const std::vector<FileReport>& reports,
                                                                          const std::shared_ptr<const Log>& log,
                                                                          uint64_t timeout);

}  // namespace hal::loader

#endif  // LOADER_OPEN_LIBRARIES_HPP_
