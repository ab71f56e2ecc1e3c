// SPDX-License-Identifier: Apache-2.0
//
// hal-run: a model on a device, by the loader and the runtime.
#include "open_device.hpp"
#include "run.hpp"
#include "tool.hpp"

namespace hal::tools {
namespace {

Result<int> run(const RunOptions& options) {
  if (!options.suite.folder.empty()) return run_suite_command(options);
  HAL_TRY_ASSIGN(ModelOptions compile, model_options(options));
  HAL_TRY_ASSIGN(OpenDevice device, OpenDevice::open(options.device, options.plugins));
  Model model(options.model, device.get(), compile);
  return options.test_data.empty() ? run_model(model, options) : run_test_data(model, options);
}

}  // namespace
}  // namespace hal::tools

int main(int argc, char** argv) {
  hal::tools::Tool tool("hal-run", "Runs a model on a device, and compares with expected outputs.",
                        hal::tools::run_examples());
  hal::tools::RunOptions options;
  add_run_options(tool.app(), options);
  if (auto code = tool.parse(argc, argv)) return *code;
  options.quiet = tool.quiet();
  return tool.run([&] {
    if (options.model.empty() == options.suite.folder.empty()) {
      return tool.fail(hal::invalid_argument("expected one of MODEL and --onnx-suite DIR; see --help"));
    }
    auto code = hal::tools::run(options);
    return code ? *code : tool.fail(code.error());
  });
}
