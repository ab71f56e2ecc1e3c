// SPDX-License-Identifier: Apache-2.0
//
// hal-conformance diff BEFORE AFTER: regressions first.
#include <fstream>
#include <memory>
#include <sstream>

#include "commands.hpp"
#include "hal/conformance/writers.hpp"

namespace hal::tools {
namespace {

using namespace hal::conformance;

int diff(const Tool& tool, const std::string& before_path, const std::string& after_path) {
  const auto before = read_report(before_path), after = read_report(after_path);
  if (!before) return tool.fail(before.error());
  if (!after) return tool.fail(after.error());
  const ReportDiff found = compare_reports(*before, *after);
  const std::pair<const char*, const std::vector<std::string>&> groups[] = {
      {"worse", found.worse}, {"removed", found.removed}, {"better", found.better}, {"added", found.added}};
  for (const auto& [name, lines] : groups) {
    for (const std::string& line : lines) std::cout << name << "  " << line << '\n';
  }
  std::cout << found.worse.size() << " worse, " << found.removed.size() << " removed, " << found.better.size()
            << " better, " << found.added.size() << " added\n";
  return found.worse.empty() && found.removed.empty() ? kExitGood : kExitNotHeld;
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) return not_found(path + " cannot be read, or is empty");
  return text.str();
}

Result<Report> read_report(const std::string& path) {
  HAL_TRY_ASSIGN(const std::string text, read_file(path));
  auto report = read_json(text);
  if (!report) return Error{report.error().code, path + ": " + report.error().message};
  return report;
}

Command add_diff(Tool& tool) {
  struct Paths {
    std::string before, after;
  };
  auto paths = std::make_shared<Paths>();
  CLI::App* const app = tool.app().add_subcommand("diff", "Says what changed between two reports, regressions first");
  app->add_option("before", paths->before, "report.json")->required();
  app->add_option("after", paths->after, "report.json")->required();
  return {app, [&tool, paths] { return diff(tool, paths->before, paths->after); }};
}

}  // namespace hal::tools
