// SPDX-License-Identifier: Apache-2.0
//
// Test data beside a model, in the layout of ONNX's backend tests: test_data_set_N/input_I.pb and output_I.pb (.npy
// too).
#ifndef TOOLS_HAL_RUN_TEST_DATA_HPP_
#define TOOLS_HAL_RUN_TEST_DATA_HPP_

#include <string>
#include <vector>

#include "compare.hpp"
#include "model.hpp"

namespace hal::tools {

struct DataSet {
  std::string folder;
  std::vector<compiler::Tensor> inputs, outputs;
};

// The folders test_data_set_* of `folder` by number, or `folder` itself if it holds the tensors. NOT_FOUND if none.
Result<std::vector<std::string>> data_set_folders(const std::string& folder);
Result<DataSet> read_data_set(const std::string& folder);

struct DataSetResult {
  std::string folder;
  bool passed = false;
  std::string reason;             // empty when passed
  double largest_difference = 0;  // over all outputs
  double largest_expected = 0;
  hal_status_code_t status = HAL_STATUS_OK;  // why it did not run, if it did not
  double milliseconds = 0;                   // on the device
};

DataSetResult check_data_set(Model& model, const std::string& folder, const Tolerance& tolerance);

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_TEST_DATA_HPP_
