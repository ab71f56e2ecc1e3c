// SPDX-License-Identifier: Apache-2.0
//
// ONNX's own node tests (Debian package libonnx-testdata): each model is imported, run by the interpreter and compared.
// What is not supported must say so properly; the number of those that agree only grows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/onnx.hpp"
#include "hal/compiler/tensor_io.hpp"

namespace hal::compiler {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSuite = "/usr/share/libonnx-testdata/data/node";
constexpr size_t kLeastAgreeing = 866;

std::vector<Tensor> read_numbered(const fs::path& folder, const std::string& stem) {
  std::vector<Tensor> out;
  for (int i = 0;; ++i) {
    fs::path path = folder / (stem + "_" + std::to_string(i) + ".pb");
    auto tensor = fs::exists(path) ? read_tensor(path) : Result<Tensor>(not_found(""));
    if (!tensor) return out;
    out.push_back(std::move(tensor).value());
  }
}

double element(const Tensor& tensor, uint64_t i) {
  switch (tensor.dtype) {
    case DType::kF32:
      return static_cast<double>(tensor.data<float>()[i]);
    case DType::kF64:
      return tensor.data<double>()[i];
    case DType::kI64:
      return static_cast<double>(tensor.data<int64_t>()[i]);
    case DType::kI32:
      return tensor.data<int32_t>()[i];
    default:
      return 0;
  }
}

bool agree(const Tensor& got, const Tensor& want) {
  if (got.dtype != want.dtype || got.shape != want.shape) return false;
  bool wide = want.dtype == DType::kF32 || want.dtype == DType::kF64;
  if (!wide)
    return got.bytes() == want.bytes() && std::equal(got.storage->begin(), got.storage->end(), want.storage->begin());
  for (uint64_t i = 0; i < want.size(); ++i) {
    double a = element(got, i), b = element(want, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!(std::fabs(a - b) <= 1e-7 + 1e-3 * std::fabs(b))) return false;
  }
  return true;
}

std::string shape_text(const Tensor& tensor) {
  TensorType type{tensor.dtype, Shape(tensor.shape.begin(), tensor.shape.end())};
  return text(type);
}

// "" if the model agrees; else why not.
std::string check(const fs::path& folder) {
  fs::path data = folder / "test_data_set_0";
  std::vector<Tensor> inputs = read_numbered(data, "input"), want = read_numbered(data, "output");
  ImportOptions options;
  options.value_of = [&](const std::string&, size_t i) {
    return i < inputs.size() ? std::optional(inputs[i]) : std::nullopt;
  };
  auto module = import_onnx_file(folder / "model.onnx", OperatorLibrary::builtin(), options);
  if (!module) return "import: " + module.error().message;
  auto got = interpret(*module, inputs);
  if (!got) return "run: " + got.error().message;
  if (want.empty()) return "data: its outputs cannot be read";
  for (size_t i = 0; i < want.size(); ++i) {
    if (i >= got->size()) return "values: an output is missing";
    if (!agree((*got)[i], want[i])) {
      return "values: output " + std::to_string(i) + " differs: " + shape_text((*got)[i]) + ", expected " +
             shape_text(want[i]);
    }
  }
  return {};
}

TEST(NodeSuite, ImportsRunsAndAgrees) {
  if (!fs::exists(kSuite)) GTEST_SKIP() << "install libonnx-testdata for ONNX's node tests";
  size_t total = 0, imported = 0, agreeing = 0;
  std::map<std::string, std::string> reasons;
  for (const auto& entry : fs::directory_iterator(kSuite)) {
    if (!fs::exists(entry.path() / "model.onnx")) continue;
    ++total;
    std::string reason = check(entry.path());
    agreeing += reason.empty();
    imported += reason.rfind("import: ", 0) != 0;
    if (!reason.empty()) reasons[entry.path().filename()] = reason;
    EXPECT_LE(std::count(reason.begin(), reason.end(), '\n'), 1) << reason;
  }
  for (const auto& [name, reason] : reasons) std::printf("%s: %s\n", name.c_str(), reason.c_str());
  std::printf("node suite: %zu models, %zu imported, %zu agree\n", total, imported, agreeing);
  EXPECT_GT(total, 0u);
  EXPECT_GE(agreeing, kLeastAgreeing);
}

}  // namespace
}  // namespace hal::compiler
