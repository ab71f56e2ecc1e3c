// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "run.hpp"

namespace hal::tools {
namespace {

void progress(const SuiteCase& ended, size_t index, size_t total) {
  if (isatty(STDERR_FILENO)) std::fprintf(stderr, "\r\033[K%zu/%zu %s", index + 1, total, ended.name.c_str());
}
void no_progress(const SuiteCase&, size_t, size_t) {}

void print_text(const std::vector<SuiteCase>& cases, const std::array<size_t, 5>& totals) {
  for (const SuiteCase& item : cases) {
    std::printf("%-11s %s%s%s\n", name(item.verdict), item.name.c_str(), item.reason.empty() ? "" : ": ",
                item.reason.c_str());
  }
  std::printf("%zu cases:", cases.size());
  for (size_t i = 0; i < totals.size(); ++i) {
    std::printf("%s %zu %s", i ? "," : "", totals[i], name(static_cast<SuiteVerdict>(i)));
  }
  std::printf("\n");
}

void print_json(const std::vector<SuiteCase>& cases, const std::array<size_t, 5>& totals) {
  nlohmann::ordered_json out = {{"schema_version", 1}};
  for (size_t i = 0; i < totals.size(); ++i) out["totals"][name(static_cast<SuiteVerdict>(i))] = totals[i];
  out["cases"] = nlohmann::json::array();
  for (const SuiteCase& item : cases) {
    out["cases"].push_back({{"name", item.name}, {"verdict", name(item.verdict)}, {"reason", item.reason}});
  }
  std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace

Result<int> run_suite_command(const RunOptions& options) {
  SuiteOptions suite = options.suite;
  suite.device = options.device;
  suite.plugins = options.plugins;
  suite.tolerance = options.tolerance;
  auto cases = run_suite(suite, options.quiet ? no_progress : progress);
  if (isatty(STDERR_FILENO) && !options.quiet) std::fprintf(stderr, "\r\033[K");
  if (cases.empty()) {
    return not_found(suite.folder + ": no folder below it has a model.onnx whose name matches " + suite.filter);
  }
  std::array<size_t, 5> totals = {};
  for (const SuiteCase& item : cases) ++totals[static_cast<size_t>(item.verdict)];
  if (options.json) {
    print_json(cases, totals);
  } else {
    print_text(cases, totals);
  }
  return totals[0] == cases.size() ? 0 : 1;
}

}  // namespace hal::tools
