// SPDX-License-Identifier: Apache-2.0
//
// One model on given inputs: outputs to files, and the time.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "hal/compiler/tensor_io.hpp"
#include "run.hpp"

namespace hal::tools {

using compiler::DType;
using compiler::Tensor;

namespace {

std::string type_text(const Tensor& tensor) {
  std::string out = std::string(compiler::name(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i) out += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  return out + "]";
}

// Noise for an input that was not given: f32 or f64, the same every run. Free dimensions become 1.
Result<Tensor> noise(const compiler::ProgramTensor& input) {
  std::vector<int64_t> shape;
  for (const compiler::Sym& extent : input.type.shape) shape.push_back(extent.constant().value_or(1));
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Tensor tensor = Tensor::make(input.type.dtype, shape);
  if (input.type.dtype == DType::kF32) {
    std::generate_n(tensor.data<float>(), tensor.size(), [&] { return static_cast<float>(normal(random)); });
  } else if (input.type.dtype == DType::kF64) {
    std::generate_n(tensor.data<double>(), tensor.size(), [&] { return normal(random); });
  } else {
    return invalid_argument("input " + input.name + " (" + text(input.type) + ") needs --input " + input.name +
                            "=FILE");
  }
  return tensor;
}

Result<std::map<std::string, Tensor>> read_inputs(const RunOptions& options) {
  std::map<std::string, Tensor> tensors;
  for (const std::string& item : options.inputs) {
    HAL_TRY_ASSIGN(auto pair, split_pair(item, "--input"));
    HAL_TRY_ASSIGN(Tensor tensor, compiler::read_tensor(pair.second));
    tensors.emplace(pair.first, std::move(tensor));
  }
  return tensors;
}

Result<std::vector<Tensor>> gather_inputs(const runtime::Session& session, std::map<std::string, Tensor> given) {
  std::vector<Tensor> inputs;
  std::string known;
  for (const auto& input : session.program().inputs) {
    known += " " + input.name;
    auto found = given.find(input.name);
    auto tensor = found == given.end() ? noise(input) : Result<Tensor>(found->second);
    if (!tensor) return std::move(tensor).error();
    inputs.push_back(std::move(*tensor));
    if (found != given.end()) given.erase(found);
  }
  if (!given.empty()) {
    return invalid_argument("--input " + given.begin()->first + ": the model's inputs are" + known);
  }
  return inputs;
}

std::string file_name(std::string name) {
  for (char& c : name) {
    if (c == '/' || c == '\0') c = '_';
  }
  return name;
}

}  // namespace

Result<int> run_model(Model& model, const RunOptions& options) {
  HAL_TRY_ASSIGN(auto given, read_inputs(options));
  HAL_TRY_ASSIGN(runtime::Session * compiled, model.session([&](const std::string& name, size_t) {
    auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
  }));
  runtime::Session& session = *compiled;
  HAL_TRY_ASSIGN(auto inputs, gather_inputs(session, given));
  std::vector<uint64_t> times;
  std::vector<Tensor> outputs;
  for (unsigned i = 0; i < std::max(1u, options.repeat); ++i) {
    HAL_TRY_ASSIGN(outputs, run_session(session, inputs));
    times.push_back(session.last_device_time());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<ptrdiff_t>(times.size() / 2), times.end());
  double median = static_cast<double>(times[times.size() / 2]) * 1e-6;

  nlohmann::ordered_json json = {{"schema_version", 1},      {"model", options.model},
                                 {"device", options.device}, {"runs", times.size()},
                                 {"median_ms", median},      {"outputs", nlohmann::json::array()}};
  if (!options.output.empty()) std::filesystem::create_directories(options.output);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = session.program().outputs[i].name;
    std::string path;
    if (!options.output.empty()) {
      path = (std::filesystem::path(options.output) / (file_name(name) + ".npy")).string();
      HAL_TRY(compiler::write_npy(path, outputs[i]));
    }
    json["outputs"].push_back({{"name", name}, {"type", type_text(outputs[i])}, {"file", path}});
    if (!options.json) {
      std::printf("%s: %s%s%s\n", name.c_str(), type_text(outputs[i]).c_str(), path.empty() ? "" : " -> ",
                  path.c_str());
    }
  }
  if (options.json) {
    std::printf("%s\n", json.dump(2).c_str());
  } else {
    std::printf("%zu runs, median %.3f ms\n", times.size(), median);
  }
  return 0;
}

}  // namespace hal::tools
