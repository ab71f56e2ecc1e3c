// SPDX-License-Identifier: Apache-2.0
#include "request.hpp"

#include "report.hpp"

namespace hal::tools {
namespace {

LoaderOptions options_for(const Tool& tool, const Request& request) {
  LoaderOptions options;
  // A plugin that diagnose is asked about may be refused: as an entry of the search that is reported, not an error.
  (request.diagnose ? options.manifest_dirs : options.plugin_paths) = request.plugins;
  options.explicit_only = !request.plugins.empty();
  if (request.verbose) options.log = [&tool](hal_log_level_t, std::string_view message) { tool.note(message); };
  return options;
}

void print(const Snapshot& snapshot, const Request& request) {
  const bool coloured = is_coloured(STDOUT_FILENO);
  if (request.diagnose && request.json) return print_diagnosis_json(std::cout, snapshot);
  if (request.diagnose) return print_diagnosis(std::cout, snapshot, coloured);
  if (request.json) return print_json(std::cout, snapshot);
  if (request.tree) return print_tree(std::cout, snapshot);
  if (request.device.empty()) return print_table(std::cout, snapshot, coloured);
  print_details(std::cout, snapshot, coloured);
}

}  // namespace

Result<int> answer(const Tool& tool, const Request& request) {
  HAL_TRY_ASSIGN(const Loader loader, Loader::create(options_for(tool, request)));
  HAL_TRY_ASSIGN(const Snapshot snapshot, take_snapshot(loader, request.device));
  if (request.watch.seconds != 0) {
    Watch how = request.watch;
    how.json = request.json;
    HAL_TRY(watch(std::cout, snapshot, how));
    return kExitGood;
  }
  print(snapshot, request);
  if (!snapshot.devices.empty()) return kExitGood;
  if (!request.diagnose) tool.warn("no device was found; hal-info diagnose says what was looked at");
  return kExitMissing;
}

}  // namespace hal::tools
