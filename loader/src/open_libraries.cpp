// SPDX-License-Identifier: Apache-2.0
#include "open_libraries.hpp"

#include <optional>
#include <utility>

#include "linker.hpp"
#include "probe.hpp"

namespace hal::loader {
namespace {

// Where the probe leaves the library; shared with it, since it may be late.
using Box = std::shared_ptr<std::shared_ptr<PluginLibrary>>;

struct Opening {
  std::string path;
  Box box;
  Probe probe;
};

Opening start(const std::string& path, const std::shared_ptr<const Log>& log) {
  const Box box = std::make_shared<std::shared_ptr<PluginLibrary>>();
  const auto open = [path, log, box]() -> Result<void> {
    log->write(HAL_LOG_DEBUG, "opening " + path);  // who crashes in there was opened and has not answered
    HAL_TRY_ASSIGN(*box, PluginLibrary::open(path, log));
    log->write(HAL_LOG_DEBUG, "opened " + path);
    return {};
  };
  return {path, box, Probe(nullptr, open, [box] { box->reset(); })};
}

Error is_late(const std::string& path, uint64_t timeout) {
  const std::string linking = Linker::now_opening();
  const std::string where = linking.empty()   ? "hal_plugin_query has not returned"
                            : linking == path ? "its constructors have not returned"
                                              : "the dynamic linker was still opening " + linking;
  return Error{HAL_STATUS_TIMEOUT, "TIMEOUT: " + where + " within " + std::to_string(timeout / 1000000) +
                                       " ms; it is left alone. MORTISE_PROBE_TIMEOUT=<milliseconds> gives more time"};
}

}  // namespace

std::vector<Result<std::shared_ptr<PluginLibrary>>> open_plugin_libraries(const std::vector<FileReport>& reports,
                                                                          const std::shared_ptr<const Log>& log,
                                                                          uint64_t timeout) {
  const Probe::Deadline deadline = deadline_in(timeout);
  std::vector<Opening> openings;
  for (const FileReport& report : reports) {
    if (report.verdict == HAL_LOADER_TAKEN) openings.push_back(start(report.library, log));
  }
  std::vector<Result<std::shared_ptr<PluginLibrary>>> opened;
  for (Opening& opening : openings) {
    const std::optional<Result<void>> result = opening.probe.wait_until(deadline);
    if (result && *result) {
      opened.emplace_back(std::move(*opening.box));
    } else {
      opened.emplace_back(result ? result->error() : is_late(opening.path, timeout));
    }
  }
  return opened;
}

}  // namespace hal::loader
