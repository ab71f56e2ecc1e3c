// SPDX-License-Identifier: Apache-2.0
#include "environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace hal::loader {
namespace {

// A variable's value; under AT_SECURE empty, and its name is kept.
std::string read_variable(const char* name, bool is_secure, std::vector<std::string>& ignored) {
  const char* const value = is_secure ? std::getenv(name) : secure_getenv(name);
  if (value == nullptr) return {};
  if (!is_secure) return value;
  ignored.emplace_back(name);
  return {};
}

// Every MORTISE_LAYER_<NAME>_<KEY> that is set.
void read_layer_options(bool is_secure, Environment& environment) {
  static constexpr std::string_view kPrefix = "MORTISE_LAYER_";
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view entry = *at;
    const size_t equals = entry.find('=');
    if (entry.substr(0, kPrefix.size()) != kPrefix || equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    if (name == "MORTISE_LAYER_PATH") continue;
    if (is_secure) {
      environment.ignored.emplace_back(name);
    } else {
      environment.layer_options.emplace_back(name.substr(kPrefix.size()), entry.substr(equals + 1));
    }
  }
}

}  // namespace

Environment read_environment(bool is_secure) {
  Environment environment;
  const auto read = [&](const char* name) { return read_variable(name, is_secure, environment.ignored); };
  environment.plugin_path = read("MORTISE_PLUGIN_PATH");
  environment.plugin_add = read("MORTISE_PLUGIN_ADD");
  environment.plugin_filter = read("MORTISE_PLUGIN_FILTER");
  environment.plugin_config = read("MORTISE_PLUGIN_CONFIG");
  environment.probe_timeout = read("MORTISE_PROBE_TIMEOUT");
  environment.layers = read("MORTISE_LAYERS");
  environment.layer_path = read("MORTISE_LAYER_PATH");
  read_layer_options(is_secure, environment);
  if (is_secure) return environment;
  const char* const config_home = secure_getenv("XDG_CONFIG_HOME");
  const char* const home = secure_getenv("HOME");
  if (config_home != nullptr && config_home[0] == '/') {
    environment.config_home = config_home;
  } else if (home != nullptr && home[0] == '/') {
    environment.config_home = std::filesystem::path(home) / ".config";
  }
  return environment;
}

Environment read_environment() { return read_environment(getauxval(AT_SECURE) != 0); }

}  // namespace hal::loader
