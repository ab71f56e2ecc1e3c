// SPDX-License-Identifier: Apache-2.0
#include "test_data.hpp"

#include <algorithm>
#include <filesystem>

#include "hal/compiler/tensor_io.hpp"

namespace hal::tools {

namespace fs = std::filesystem;
using compiler::Tensor;

namespace {

// input_0, input_1, ... as .pb or .npy, until one is missing.
Result<std::vector<Tensor>> read_numbered(const std::string& folder, const std::string& stem) {
  std::vector<Tensor> tensors;
  for (size_t i = 0;; ++i) {
    fs::path base = fs::path(folder) / (stem + "_" + std::to_string(i));
    fs::path path = base.string() + ".pb";
    if (!fs::exists(path)) path = base.string() + ".npy";
    if (!fs::exists(path)) return tensors;
    HAL_TRY_ASSIGN(Tensor tensor, compiler::read_tensor(path));
    tensors.push_back(std::move(tensor));
  }
}

long number_of(const std::string& folder) {
  size_t at = folder.find_last_of('_');
  return at == std::string::npos ? 0 : std::strtol(folder.c_str() + at + 1, nullptr, 10);
}

// NumPy has no bf16, so test data holds its bits as u16.
void retype(const std::vector<compiler::ProgramTensor>& ports, std::vector<Tensor>& tensors) {
  for (size_t i = 0; i < tensors.size() && i < ports.size(); ++i) {
    bool bits = ports[i].type.dtype == compiler::DType::kBF16 && tensors[i].dtype == compiler::DType::kU16;
    if (bits) tensors[i].dtype = compiler::DType::kBF16;
  }
}

}  // namespace

Result<std::vector<std::string>> data_set_folders(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> folders;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with("test_data_set_")) {
      folders.push_back(entry.path());
    }
  }
  if (error) return not_found(folder + ": " + error.message());
  std::sort(folders.begin(), folders.end(), [](const std::string& a, const std::string& b) {
    return number_of(a) != number_of(b) ? number_of(a) < number_of(b) : a < b;
  });
  bool holds_tensors = fs::exists(fs::path(folder) / "output_0.pb") || fs::exists(fs::path(folder) / "output_0.npy");
  if (folders.empty() && holds_tensors) folders.push_back(folder);
  if (folders.empty()) {
    return not_found(folder + ": expected folders test_data_set_* or files input_0.pb, output_0.pb (or .npy)");
  }
  return folders;
}

Result<DataSet> read_data_set(const std::string& folder) {
  DataSet set;
  set.folder = folder;
  HAL_TRY_ASSIGN(set.inputs, read_numbered(folder, "input"));
  HAL_TRY_ASSIGN(set.outputs, read_numbered(folder, "output"));
  if (set.outputs.empty()) return not_found(folder + ": no output_0.pb or output_0.npy to compare with");
  return set;
}

DataSetResult check_data_set(Model& model, const std::string& folder, const Tolerance& tolerance) {
  DataSetResult result;
  result.folder = folder;
  auto failed = [&](const Error& error) {
    result.reason = error.message;
    result.status = error.code;
    return result;
  };
  auto set = read_data_set(folder);
  if (!set) return failed(set.error());
  auto session = model.session(set->inputs);
  if (!session) return failed(session.error());
  retype((*session)->program().inputs, set->inputs);
  retype((*session)->program().outputs, set->outputs);
  auto outputs = run_session(**session, set->inputs);
  if (!outputs) return failed(outputs.error());
  result.milliseconds = static_cast<double>((*session)->last_device_time()) * 1e-6;
  if (outputs->size() < set->outputs.size()) {
    result.reason = "the model has " + std::to_string(outputs->size()) + " outputs, the data set " +
                    std::to_string(set->outputs.size());
    return result;
  }
  for (size_t i = 0; i < set->outputs.size(); ++i) {
    Comparison comparison = compare(set->outputs[i], (*outputs)[i], tolerance);
    result.largest_difference = std::max(result.largest_difference, comparison.largest_difference);
    result.largest_expected = std::max(result.largest_expected, comparison.largest_expected);
    if (!comparison.equal && result.reason.empty()) {
      result.reason = "output " + (*session)->program().outputs[i].name + ": " + comparison.first_mismatch;
    }
  }
  result.passed = result.reason.empty();
  return result;
}

}  // namespace hal::tools
