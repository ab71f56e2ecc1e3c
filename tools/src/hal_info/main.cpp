// SPDX-License-Identifier: Apache-2.0
//
// hal-info: which devices there are and what they can do; and, with diagnose, why a plugin was taken or not.
#include "request.hpp"

namespace {

constexpr const char* kExamples =
    "  hal-info                      a line per device and per plugin\n"
    "  hal-info cpu:0                everything about one device\n"
    "  hal-info --json | jq .        the same for scripts\n"
    "  hal-info --tree               plugins, devices and what they are made of\n"
    "  hal-info --watch 1 npu:0      its telemetry, every second\n"
    "  hal-info diagnose             every file that was looked at, and why it was taken or not\n"
    "  hal-info --plugin ./mortise_npu.so diagnose\n";

}  // namespace

int main(int argc, char** argv) {
  using hal::tools::Tool;
  Tool tool("hal-info", "Shows the devices that Mortise can use, their memory and capabilities, and the plugins.",
            kExamples);
  hal::tools::Request request;
  CLI::App& app = tool.app();
  app.add_option("device", request.device, "A device (cpu:0, or a UUID): show everything about it");
  app.add_option("--plugin", request.plugins, "Look at this library or manifest alone; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--json", request.json, "Print JSON (docs/schemas/hal-info.schema.json)");
  CLI::Option* const tree =
      app.add_flag("--tree", request.tree, "Show plugins, devices, heaps, caches and links as a tree");
  app.add_option("--watch", request.watch.seconds, "Read the devices' telemetry every SECONDS, until interrupted")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.001, 86400.0))
      ->excludes(tree);
  app.add_option("--count", request.watch.count, "With --watch: end after so many readings")->needs("--watch");
  app.add_flag("-v,--verbose", request.verbose, "Say what is done, on standard error");
  app.add_subcommand("diagnose", "Every file that was looked at, and why it was taken or not")
      ->fallthrough()
      ->callback([&] { request.diagnose = true; });
  if (const std::optional<int> done = tool.parse(argc, argv)) return *done;
  return tool.run([&] {
    const hal::Result<int> code = hal::tools::answer(tool, request);
    return code ? *code : tool.fail(code.error());
  });
}
