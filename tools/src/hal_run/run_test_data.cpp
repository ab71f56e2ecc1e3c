// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "run.hpp"
#include "test_data.hpp"

namespace hal::tools {

Result<int> run_test_data(Model& model, const RunOptions& options) {
  HAL_TRY_ASSIGN(auto folders, data_set_folders(options.test_data));
  nlohmann::ordered_json json = {{"schema_version", 1}, {"model", options.model}, {"device", options.device}};
  json["data_sets"] = nlohmann::json::array();
  bool all = true;
  for (const std::string& folder : folders) {
    DataSetResult result = check_data_set(model, folder, options.tolerance);
    all = all && result.passed;
    double ratio = result.largest_expected > 0 ? result.largest_difference / result.largest_expected : 0;
    json["data_sets"].push_back({{"folder", folder},
                                 {"passed", result.passed},
                                 {"largest_difference", result.largest_difference},
                                 {"largest_expected", result.largest_expected},
                                 {"reason", result.reason}});
    if (options.json) continue;
    std::printf("%s %s: largest difference %.3g (%.3g of the largest magnitude), %.3f ms%s%s\n",
                result.passed ? "PASS" : "FAIL", folder.c_str(), result.largest_difference, ratio, result.milliseconds,
                result.reason.empty() ? "" : ": ", result.reason.c_str());
  }
  json["passed"] = all;
  if (options.json) std::printf("%s\n", json.dump(2).c_str());
  return all ? 0 : 1;
}

}  // namespace hal::tools
