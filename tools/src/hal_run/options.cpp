// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <charconv>

namespace hal::tools {

const char* run_examples() {
  return "  hal-run model.onnx --input x=image.npy --output out\n"
         "  hal-run model.onnx --test-data . --scale-tolerance 1e-3\n"
         "  hal-run --onnx-suite /usr/share/libonnx-testdata/data/node --jobs 2";
}

void add_run_options(CLI::App& app, RunOptions& options) {
  app.add_option("MODEL", options.model, "A model: .onnx, or .halp from hal-compile")->type_name("FILE");
  app.add_option("--device", options.device, "Where to run: plugin:index or a UUID")->capture_default_str();
  app.add_option("--plugin", options.plugins, "A plugin library or manifest to load besides those found")
      ->type_name("FILE");
  app.add_option("--input", options.inputs, "A tensor for an input: .npy or ONNX .pb; missing inputs get seeded noise")
      ->type_name("NAME=FILE");
  app.add_option("--dim", options.dims, "Fixes a symbolic dimension")->type_name("NAME=N");
  app.add_option("--output", options.output, "Writes each output as DIR/NAME.npy")->type_name("DIR");
  app.add_option("--test-data", options.test_data, "Compares with DIR/test_data_set_*/output_*.pb (or .npy)")
      ->type_name("DIR");
  app.add_option("--repeat", options.repeat, "Runs N times and reports the median time")->capture_default_str();
  app.add_option("--rtol", options.tolerance.relative, "Relative tolerance of comparisons")->capture_default_str();
  app.add_option("--atol", options.tolerance.absolute, "Absolute tolerance of comparisons")->capture_default_str();
  app.add_option("--scale-tolerance", options.tolerance.scale,
                 "Tolerance as a share of the largest expected magnitude, in place of --rtol and --atol");
  app.add_flag("--no-fuse", options.no_fuse, "One kernel per operation; gives the same bits");
  app.add_flag("--json", options.json, "Machine-readable result on standard output");
  app.add_option("--onnx-suite", options.suite.folder, "Runs every folder below DIR with model.onnx and test_data_set_*")
      ->type_name("DIR");
  app.add_option("--filter", options.suite.filter, "Suite: only cases whose name matches")->type_name("GLOB");
  app.add_option("--jobs", options.suite.jobs, "Suite: cases at once")->capture_default_str();
  app.add_option("--case-seconds", options.suite.seconds_per_case, "Suite: time limit of a case")->capture_default_str();
}

Result<std::pair<std::string, std::string>> split_pair(const std::string& text, const std::string& option) {
  size_t at = text.find('=');
  if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
    return invalid_argument(option + " " + text + ": expected NAME=VALUE");
  }
  return std::pair{text.substr(0, at), text.substr(at + 1)};
}

Result<ModelOptions> model_options(const RunOptions& options) {
  ModelOptions model;
  model.fuse = !options.no_fuse;
  for (const std::string& dim : options.dims) {
    HAL_TRY_ASSIGN(auto pair, split_pair(dim, "--dim"));
    int64_t value = 0;
    const char* end = pair.second.data() + pair.second.size();
    auto [rest, error] = std::from_chars(pair.second.data(), end, value);
    if (error != std::errc() || rest != end || value < 0) {
      return invalid_argument("--dim " + dim + ": expected a whole number that is not negative");
    }
    model.dims[pair.first] = value;
  }
  return model;
}

}  // namespace hal::tools
