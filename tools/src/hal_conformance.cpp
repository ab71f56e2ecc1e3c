// SPDX-License-Identifier: Apache-2.0
//
// hal-conformance: the command line of the conformance suite (conformance/). Results go to standard output, progress to
// standard error.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "hal/conformance/runner.hpp"
#include "hal/conformance/writers.hpp"
#include "tool.hpp"

namespace {

using namespace hal;
using namespace hal::conformance;

struct Arguments {
  RunOptions run;
  std::string profile = "smoke";
  std::string levels;
  std::string shard;
  std::vector<std::string> config;
  bool plan_only = false;
  bool json = false;
  std::string line;
  std::string before, after;
};

Result<void> take_levels(const std::string& text, Selection& selection) {
  std::stringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) {
    HAL_TRY_ASSIGN(const Level level, parse_level(word));
    selection.levels.push_back(level);
  }
  return {};
}

Result<void> take_config(const std::string& text, Target& target) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || text.find('.') > equals) {
    return invalid_argument("--config is PLUGIN.KEY=VALUE; got '" + text + "'");
  }
  target.config.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return {};
}

Result<void> check(Arguments& arguments) {
  Selection& selection = arguments.run.selection;
  HAL_TRY_ASSIGN(selection.profile, parse_profile(arguments.profile));
  HAL_TRY(take_levels(arguments.levels, selection));
  if (!arguments.shard.empty()) HAL_TRY(parse_shard(arguments.shard, selection));
  for (const std::string& item : arguments.config) HAL_TRY(take_config(item, arguments.run.target));
  if (arguments.run.target.plugin.empty() && arguments.run.target.device.empty()) {
    return invalid_argument("what to certify? --device cpu:0, or --plugin FILE.so");
  }
  if (arguments.run.resume && arguments.run.directory.empty())
    return invalid_argument("--resume needs the --out DIR of the run to go on with");
  return {};
}

// One line that is rewritten on a terminal; on a file only what is bad.
void show_progress(uint64_t done, uint64_t planned, const CaseResult& result) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (is_bad(result.verdict)) {
    std::fprintf(stderr, "%s%s %s\n", terminal ? "\r\x1b[K" : "", std::string(to_text(result.verdict)).c_str(),
                 result.name.c_str());
  }
  if (terminal)
    std::fprintf(stderr, "\r\x1b[K%llu/%llu %s", static_cast<unsigned long long>(done),
                 static_cast<unsigned long long>(planned), result.name.c_str());
  if (terminal && done == planned) std::fprintf(stderr, "\r\x1b[K");
}

int print_plan(const tools::Tool& tool, const Registry& registry, const RunOptions& options) {
  const auto snapshot = probe(options.target, 30.0);
  if (!snapshot) return tool.fail(snapshot.error());
  const auto plan = make_plan(registry, options.selection, *snapshot);
  if (!plan) return tool.fail(plan.error());
  for (const PlannedCase& planned : plan->cases) {
    std::cout << planned.item->name << (planned.item->required ? "" : "  optional")
              << (planned.unsupported.empty() ? "" : "  UNSUPPORTED: " + planned.unsupported) << '\n';
  }
  std::cout << plan->cases.size() << " cases, about "
            << static_cast<int>(plan->cost_seconds / std::max(1u, options.jobs) + 1) << " s on the CPU plugin\n";
  return tools::kExitGood;
}

int print_report(const tools::Tool& tool, const Report& report, const Arguments& arguments) {
  if (!arguments.run.directory.empty()) {
    if (const auto written = write_reports(report, arguments.run.directory); !written)
      return tool.fail(written.error());
  }
  std::cout << (arguments.json ? write_json(report) : write_text(report));
  if (!arguments.run.directory.empty())
    tool.note("reports: " + arguments.run.directory + "/report.{html,json,xml,txt}");
  return report.holds() ? tools::kExitGood : tools::kExitNotHeld;
}

int certify(const tools::Tool& tool, const Registry& registry, Arguments& arguments) {
  if (!tool.quiet()) arguments.run.progress = show_progress;
  const auto report = run(registry, arguments.run);
  return report ? print_report(tool, *report, arguments) : tool.fail(report.error());
}

int reproduce(const tools::Tool& tool, const Registry& registry, Arguments& arguments) {
  const auto options = parse_reproduction_line(arguments.line);
  if (!options) return tool.fail(options.error());
  arguments.run = *options;
  return certify(tool, registry, arguments);
}

Result<Report> read_report(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found(path + " cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  auto report = read_json(text.str());
  if (!report) return Error{report.error().code, path + ": " + report.error().message};
  return report;
}

int diff(const tools::Tool& tool, const Arguments& arguments) {
  const auto before = read_report(arguments.before), after = read_report(arguments.after);
  if (!before) return tool.fail(before.error());
  if (!after) return tool.fail(after.error());
  const ReportDiff found = compare_reports(*before, *after);
  const std::pair<const char*, const std::vector<std::string>&> groups[] = {
      {"worse", found.worse}, {"better", found.better}, {"added", found.added}, {"removed", found.removed}};
  for (const auto& [name, lines] : groups) {
    for (const std::string& line : lines) std::cout << name << "  " << line << '\n';
  }
  std::cout << found.worse.size() << " worse, " << found.better.size() << " better, " << found.added.size()
            << " added, " << found.removed.size() << " removed\n";
  return found.worse.empty() && found.removed.empty() ? tools::kExitGood : tools::kExitNotHeld;
}

void add_options(CLI::App& app, Arguments& arguments) {
  RunOptions& run = arguments.run;
  app.add_option("--device", run.target.device, "The device: cpu:0, or a UUID")->type_name("NAME");
  app.add_option("--plugin", run.target.plugin, "The plugin's library or manifest")->type_name("FILE");
  app.add_option("--config", arguments.config, "PLUGIN.KEY=VALUE for the plugin; may be repeated")->type_name("K=V");
  app.add_option("--profile", arguments.profile, "smoke, standard, full, exhaustive or simulator")->type_name("NAME");
  app.add_option("--level", arguments.levels, "Levels, with commas: runtime,core,operators")->type_name("LIST");
  app.add_option("--filter", run.selection.filter, "Only cases whose name matches: 'runtime.copy.*'")
      ->type_name("GLOB");
  app.add_option("--shard", arguments.shard, "Only part I of N")->type_name("I/N");
  app.add_option("--jobs", run.jobs, "Cases at a time")->type_name("N")->check(CLI::Range(1, 256));
  app.add_option("--seed", run.seed, "Seed of all inputs")->type_name("N");
  app.add_option("--out", run.directory, "Where reports and the journal go")->type_name("DIR");
  app.add_flag("--resume", run.resume, "Go on with the run whose journal is in --out");
  app.add_flag("--plan", arguments.plan_only, "Print the cases and an estimate; run nothing");
  app.add_flag("--json", arguments.json, "Print the report as JSON");
}

}  // namespace

int main(int argc, char** argv) {
  tools::Tool tool("hal-conformance", "Certifies a device: what works, what does not, and how to reproduce it",
                   "  hal-conformance --device cpu:0 --profile smoke --out report\n"
                   "  hal-conformance --plugin ./libvendor_hal.so --filter 'runtime.memory.*'\n"
                   "  hal-conformance reproduce 'case=runtime.copy.size_64 seed=1 device=cpu:0'\n"
                   "  hal-conformance diff before/report.json after/report.json");
  Arguments arguments;
  add_options(tool.app(), arguments);
  CLI::App* const reproduce_command =
      tool.app().add_subcommand("reproduce", "Runs one failed case again, from the line of a report");
  reproduce_command->add_option("line", arguments.line, "The line")->required();
  CLI::App* const diff_command = tool.app().add_subcommand("diff", "Says what changed between two reports");
  diff_command->add_option("before", arguments.before, "report.json")->required();
  diff_command->add_option("after", arguments.after, "report.json")->required();
  if (const auto code = tool.parse(argc, argv)) return *code;
  return tool.run([&] {
    if (diff_command->parsed()) return diff(tool, arguments);
    const auto registry = make_registry();
    if (!registry) return tool.fail(internal_error(registry.error().message));
    if (reproduce_command->parsed()) return reproduce(tool, *registry, arguments);
    if (const auto checked = check(arguments); !checked) return tool.fail(checked.error());
    return arguments.plan_only ? print_plan(tool, *registry, arguments.run) : certify(tool, *registry, arguments);
  });
}
