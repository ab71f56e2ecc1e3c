// SPDX-License-Identifier: Apache-2.0
//
// hal-conformance: the command line of the conformance suite (conformance/). Results go to standard output, progress to
// standard error. One file for each group of commands.
#include "commands.hpp"

int main(int argc, char** argv) {
  using namespace hal::tools;
  Tool tool("hal-conformance", "Certifies a device: what works, what does not, and how to reproduce it",
            "  hal-conformance --device cpu:0 --profile smoke --out report\n"
            "  hal-conformance --plugin ./libvendor_hal.so --filter 'runtime.memory.*'\n"
            "  hal-conformance reproduce 'case=runtime.copy.size_64 seed=1 device=cpu:0'\n"
            "  hal-conformance diff before/report.json after/report.json\n"
            "  hal-conformance keygen vendor.key\n"
            "  hal-conformance sign report --key vendor.key\n"
            "  hal-conformance verify report/certificate.json --trusted-key vendor.key.pub --plugin libvendor_hal.so");
  const Command commands[] = {add_reproduce(tool), add_diff(tool), add_keygen(tool), add_sign(tool), add_verify(tool)};
  const Command run = add_certify(tool);
  if (const auto code = tool.parse(argc, argv)) return *code;
  return tool.run([&] {
    for (const Command& command : commands) {
      if (command.app->parsed()) return command.run();
    }
    return run.run();
  });
}
