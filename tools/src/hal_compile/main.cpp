// SPDX-License-Identifier: Apache-2.0
//
// hal-compile: models and operators to programs that a device can run.
#include "hal_compile/compile.hpp"

int main(int argc, char** argv) {
  hal::tools::Tool tool("hal-compile", "Compiles a model or an operator for a device or a format.",
                        hal::tools::compile_examples());
  hal::tools::CompileRequest request;
  add_compile_options(tool.app(), request);
  if (auto code = tool.parse(argc, argv)) return *code;
  return tool.run([&] {
    if (request.input.empty()) return tool.fail(hal::invalid_argument("expected FILE.onnx or FILE.op; see --help"));
    if (!request.device.empty() && !request.target.empty()) {
      return tool.fail(hal::invalid_argument("expected one of --device and --target, not both"));
    }
    auto done = compile_file(request, tool);
    return done ? hal::tools::kExitGood : tool.fail(done.error());
  });
}
