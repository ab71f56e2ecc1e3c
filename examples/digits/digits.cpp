// SPDX-License-Identifier: Apache-2.0
//
// A trained network reads 360 scans of handwritten digits on any device that the loader finds: import ONNX, compile for
// the device, run, and compare with the labels and with what ONNX Runtime answered. The files are made by train.py.
//
//   digits [--device cpu:0] [FOLDER]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

#include "hal/compiler/onnx.hpp"
#include "hal/compiler/operators.hpp"
#include "hal/compiler/tensor_io.hpp"
#include "hal/loader.h"
#include "hal/runtime/session.hpp"

namespace {

using hal::Result;
using hal::compiler::Tensor;

constexpr double kLeastAccuracy = 0.97;
constexpr double kLargestDifference = 1e-5;

Result<hal::runtime::Session> load(hal_device_t* device, const std::string& folder) {
  HAL_TRY_ASSIGN(auto module, hal::compiler::import_onnx_file(folder + "/digits.onnx",
                                                              hal::compiler::OperatorLibrary::builtin(), {}));
  hal::compiler::CompileOptions options;
  HAL_TRY_ASSIGN(options.target, hal::runtime::target_of(device));
  HAL_TRY_ASSIGN(auto program, hal::compiler::compile(module, options));
  return hal::runtime::Session::create(device, std::move(program));
}

int64_t largest(const float* row, int64_t count) { return std::max_element(row, row + count) - row; }

// Prints the accuracy; true when it is good enough and every answer is ONNX Runtime's.
Result<bool> read_digits(hal_device_t* device, const std::string& folder) {
  HAL_TRY_ASSIGN(auto session, load(device, folder));
  HAL_TRY_ASSIGN(Tensor images, hal::compiler::read_tensor(folder + "/test_images.npy"));
  HAL_TRY_ASSIGN(Tensor labels, hal::compiler::read_tensor(folder + "/test_labels.npy"));
  HAL_TRY_ASSIGN(Tensor expected, hal::compiler::read_tensor(folder + "/expected.npy"));
  HAL_TRY_ASSIGN(auto outputs, session.run({images}));

  int64_t count = labels.shape[0], classes = expected.shape[1], right = 0, same = 0;
  double difference = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float* got = outputs[0].data<float>() + i * classes;
    const float* want = expected.data<float>() + i * classes;
    right += largest(got, classes) == labels.data<int64_t>()[i];
    same += largest(got, classes) == largest(want, classes);
    for (int64_t c = 0; c < classes; ++c) difference = std::max(difference, double{std::fabs(got[c] - want[c])});
  }
  std::printf("%lld of %lld scans right (%.2f %%); same class as ONNX Runtime: %lld; largest difference %.2g; %.2f ms\n",
              static_cast<long long>(right), static_cast<long long>(count),
              100.0 * static_cast<double>(right) / static_cast<double>(count), static_cast<long long>(same), difference,
              static_cast<double>(session.last_device_time()) * 1e-6);
  bool accurate = static_cast<double>(right) >= kLeastAccuracy * static_cast<double>(count);
  return accurate && same == count && difference <= kLargestDifference;
}

Result<bool> run(const std::string& device_name, const std::string& folder) {
  hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
  hal_loader_t* loader = nullptr;
  HAL_TRY(hal::take_status(hal_loader_create(&desc, &loader)));
  hal_device_t* device = nullptr;
  HAL_TRY(hal::take_status(hal_loader_open(loader, {device_name.data(), device_name.size()}, &device)));
  auto good = read_digits(device, folder);
  hal_loader_close(loader, device);
  HAL_TRY(hal::take_status(hal_loader_destroy(loader)));
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  std::string device = "cpu:0", folder = ".";
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--device") == 0 && i + 1 < argc) {
      device = argv[++i];
    } else if (argv[i][0] != '-') {
      folder = argv[i];
    } else {
      std::fprintf(stderr, "usage: digits [--device NAME] [FOLDER]\n");
      return 2;
    }
  }
  auto good = run(device, folder);
  if (!good) {
    std::fprintf(stderr, "digits: %s\n", good.error().message.c_str());
    return 3;
  }
  return *good ? 0 : 1;
}
