// SPDX-License-Identifier: Apache-2.0
//
// What an application asked for and what the environment says, checked and in one struct. Made once per loader.
#ifndef LOADER_OPTIONS_HPP_
#define LOADER_OPTIONS_HPP_

#include <map>
#include <string>
#include <vector>

#include "environment.hpp"
#include "filter.hpp"
#include "hal/loader.h"
#include "log.hpp"
#include "manifest.hpp"

namespace hal::loader {

struct Options {
  std::vector<std::string> plugin_paths;
  std::vector<std::string> manifest_dirs;
  std::map<std::string, Config> config;        // by plugin
  Filter filter;                               // of the application
  Filter environment_filter;                   // of the user; both must take a plugin
  Environment environment;                     // empty with HAL_LOADER_EXPLICIT_ONLY
  std::vector<std::string> layers;             // of the application, outermost first
  std::map<std::string, Config> layer_config;  // of the application, by layer
  uint64_t probe_timeout = 0;                  // nanoseconds for a plugin to be opened, and again to come up
  bool explicit_only = false;
  Log log;

  bool takes(const std::string& plugin) const { return filter.takes(plugin) && environment_filter.takes(plugin); }
};

Result<Options> read_options(const hal_loader_desc_t* desc);

}  // namespace hal::loader

#endif  // LOADER_OPTIONS_HPP_
