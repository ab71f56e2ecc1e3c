// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <charconv>

#include "structs.hpp"
#include "text.hpp"

namespace hal::loader {
namespace {

Result<std::vector<std::string>> read_strings(const hal_string_t* strings, uint32_t count, const std::string& field) {
  if (count != 0 && strings == nullptr) return invalid_argument(field + " is NULL but its count is not 0");
  std::vector<std::string> result;
  for (uint32_t i = 0; i < count; ++i) {
    if (to_view(strings[i]).empty()) return invalid_argument(field + "[" + std::to_string(i) + "] is empty");
    result.push_back(to_string(strings[i]));
  }
  return result;
}

// "cpu.threads" = "2"
Result<void> add_config(std::string_view key, std::string_view value, std::map<std::string, Config>& config) {
  const size_t dot = key.find('.');
  if (dot == std::string_view::npos || !is_plugin_name(key.substr(0, dot)) || dot + 1 == key.size()) {
    return invalid_argument("the configuration key \"" + std::string(key) +
                            "\" is not \"name.key\", such as \"cpu.threads\" or \"trace.file\"");
  }
  config[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))] = value;
  return {};
}

Result<void> add_environment_config(std::string_view text, std::map<std::string, Config>& config) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return invalid_argument("MORTISE_PLUGIN_CONFIG: \"" + std::string(item) + "\" is not plugin.key=value");
    }
    HAL_TRY(add_config(item.substr(0, equals), item.substr(equals + 1), config));
  }
  return {};
}

// A driver may take many seconds to start; one that takes longer than this hangs.
constexpr uint64_t kDefaultProbeTimeout = UINT64_C(30) * 1000000000;

Result<uint64_t> parse_probe_timeout(const std::string& text) {
  uint32_t milliseconds = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, milliseconds);
  if (failed != std::errc() || at != end || milliseconds == 0) {
    return invalid_argument("MORTISE_PROBE_TIMEOUT is \"" + text +
                            "\"; expected milliseconds from 1 to 4294967295, such as 5000");
  }
  return UINT64_C(1000000) * milliseconds;
}

Result<void> read_environment_options(Options& options) {
  options.environment = read_environment();
  for (const std::string& name : options.environment.ignored) {
    options.log.write(HAL_LOG_WARNING, name + " is ignored: this program runs with raised privileges");
  }
  HAL_TRY_ASSIGN(options.environment_filter, Filter::parse(options.environment.plugin_filter, "MORTISE_PLUGIN_FILTER"));
  if (!options.environment.probe_timeout.empty()) {
    HAL_TRY_ASSIGN(options.probe_timeout, parse_probe_timeout(options.environment.probe_timeout));
  }
  return add_environment_config(options.environment.plugin_config, options.config);
}

}  // namespace

Result<Options> read_options(const hal_loader_desc_t* given) {
  static const hal_loader_desc_t kDefault = HAL_LOADER_DESC_INIT;
  HAL_TRY_ASSIGN(const hal_loader_desc_t desc,
                 read_in_struct(given == nullptr ? &kDefault : given, "hal_loader_desc_t"));
  HAL_TRY(check_chain(desc.next));
  if ((desc.flags & ~HAL_LOADER_EXPLICIT_ONLY) != 0) {
    return unsupported("hal_loader_desc_t.flags has bits that this release does not know");
  }
  Options options;
  options.explicit_only = (desc.flags & HAL_LOADER_EXPLICIT_ONLY) != 0;
  options.log = {desc.log, desc.log_context};
  options.probe_timeout = kDefaultProbeTimeout;
  if (!options.explicit_only) HAL_TRY(read_environment_options(options));
  if (desc.probe_timeout != 0) options.probe_timeout = desc.probe_timeout;
  HAL_TRY_ASSIGN(options.plugin_paths, read_strings(desc.plugin_paths, desc.plugin_path_count, "plugin_paths"));
  HAL_TRY_ASSIGN(options.manifest_dirs, read_strings(desc.manifest_dirs, desc.manifest_dir_count, "manifest_dirs"));
  HAL_TRY_ASSIGN(options.filter, Filter::parse(to_view(desc.filter), "hal_loader_desc_t.filter"));
  if (desc.config_count != 0 && desc.config == nullptr)
    return invalid_argument("config is NULL but its count is not 0");
  for (uint32_t i = 0; i < desc.config_count; ++i) {
    HAL_TRY(add_config(to_view(desc.config[i].key), to_view(desc.config[i].value), options.config));
  }
  HAL_TRY_ASSIGN(options.layers, read_strings(desc.layers, desc.layer_count, "layers"));
  if (desc.layer_config_count != 0 && desc.layer_config == nullptr)
    return invalid_argument("layer_config is NULL but its count is not 0");
  for (uint32_t i = 0; i < desc.layer_config_count; ++i) {
    HAL_TRY(add_config(to_view(desc.layer_config[i].key), to_view(desc.layer_config[i].value), options.layer_config));
  }
  return options;
}

}  // namespace hal::loader
