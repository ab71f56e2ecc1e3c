// SPDX-License-Identifier: Apache-2.0
//
// Every environment variable that the loader reads, read once, here (docs/loader.md has the table). In a program with
// raised privileges (AT_SECURE) they are all ignored.
#ifndef LOADER_ENVIRONMENT_HPP_
#define LOADER_ENVIRONMENT_HPP_

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hal::loader {

struct Environment {
  std::string plugin_path;    // MORTISE_PLUGIN_PATH: instead of the documented folders
  std::string plugin_add;     // MORTISE_PLUGIN_ADD: before them
  std::string plugin_filter;  // MORTISE_PLUGIN_FILTER
  std::string plugin_config;  // MORTISE_PLUGIN_CONFIG: "cpu.threads=2,..."
  std::string probe_timeout;  // MORTISE_PROBE_TIMEOUT: milliseconds
  std::string layers;         // MORTISE_LAYERS: "trace:validation:-overlay"
  std::string layer_path;     // MORTISE_LAYER_PATH: folders of layers, before the documented ones
  std::vector<std::pair<std::string, std::string>> layer_options;  // the other MORTISE_LAYER_*, without that prefix
  std::filesystem::path config_home;                               // $XDG_CONFIG_HOME, else $HOME/.config
  std::vector<std::string> ignored;  // names of variables that are set but not read, because of AT_SECURE
};

Environment read_environment();
// The same, for tests of both kinds of process.
Environment read_environment(bool is_secure);

}  // namespace hal::loader

#endif  // LOADER_ENVIRONMENT_HPP_
