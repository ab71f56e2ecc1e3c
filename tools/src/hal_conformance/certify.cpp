// SPDX-License-Identifier: Apache-2.0
//
// hal-conformance --device ... | reproduce LINE: runs cases and writes the reports.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>

#include "commands.hpp"
#include "hal/conformance/writers.hpp"

namespace hal::tools {
namespace {

using namespace hal::conformance;

struct Arguments {
  RunOptions run;
  std::string profile = "smoke";
  std::string levels;
  std::string shard;
  std::string waivers;
  std::vector<std::string> config;
  bool plan_only = false;
  bool json = false;
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
  RunOptions& run = arguments.run;
  HAL_TRY_ASSIGN(run.selection.profile, parse_profile(arguments.profile));
  HAL_TRY(take_levels(arguments.levels, run.selection));
  if (!arguments.shard.empty()) HAL_TRY(parse_shard(arguments.shard, run.selection));
  for (const std::string& item : arguments.config) HAL_TRY(take_config(item, run.target));
  if (run.target.plugin.empty() && run.target.device.empty()) {
    return invalid_argument("what to certify? --device cpu:0, or --plugin FILE.so");
  }
  if (run.resume && run.directory.empty())
    return invalid_argument("--resume needs the --out DIR of the run to go on with");
  if (!arguments.waivers.empty()) {
    HAL_TRY_ASSIGN(run.waivers, read_waivers(arguments.waivers));
  }
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

int print_plan(const Tool& tool, const Registry& registry, const RunOptions& options) {
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
  return kExitGood;
}

int certify_or_plan(const Tool& tool, Arguments& arguments) {
  if (const auto checked = check(arguments); !checked) return tool.fail(checked.error());
  const auto registry = make_registry();
  if (!registry) return tool.fail(internal_error(registry.error().message));
  return arguments.plan_only ? print_plan(tool, *registry, arguments.run)
                             : certify(tool, *registry, arguments.run, arguments.json);
}

int reproduce(const Tool& tool, const std::string& line) {
  const auto options = parse_reproduction_line(line);
  if (!options) return tool.fail(options.error());
  const auto registry = make_registry();
  return registry ? certify(tool, *registry, *options, false) : tool.fail(internal_error(registry.error().message));
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
  app.add_option("--shuffle", run.shuffle, "Run the cases in an order made from SEED (above 0)")->type_name("SEED");
  app.add_option("--waivers", arguments.waivers, "Cases that are known to fail: docs/schemas/waivers.schema.json")
      ->type_name("FILE");
  app.add_option("--out", run.directory, "Where reports and the journal go")->type_name("DIR");
  app.add_flag("--resume", run.resume, "Go on with the run whose journal is in --out");
  app.add_flag("--plan", arguments.plan_only, "Print the cases and an estimate; run nothing");
  app.add_flag("--json", arguments.json, "Print the report as JSON");
}

}  // namespace

int certify(const Tool& tool, const Registry& registry, RunOptions options, bool json) {
  if (!tool.quiet()) options.progress = show_progress;
  const auto report = run(registry, options);
  if (!report) return tool.fail(report.error());
  if (!options.directory.empty()) {
    if (const auto written = write_reports(*report, options.directory); !written) return tool.fail(written.error());
  }
  std::cout << (json ? write_json(*report) : write_text(*report));
  if (!options.directory.empty()) tool.note("reports: " + options.directory + "/report.{html,json,xml,txt}");
  return report->holds() ? kExitGood : kExitNotHeld;
}

Command add_certify(Tool& tool) {
  auto arguments = std::make_shared<Arguments>();
  add_options(tool.app(), *arguments);
  return {&tool.app(), [&tool, arguments] { return certify_or_plan(tool, *arguments); }};
}

Command add_reproduce(Tool& tool) {
  auto line = std::make_shared<std::string>();
  CLI::App* const app = tool.app().add_subcommand("reproduce", "Runs one failed case again, from the line of a report");
  app->add_option("line", *line, "The line")->required();
  return {app, [&tool, line] { return reproduce(tool, *line); }};
}

}  // namespace hal::tools
