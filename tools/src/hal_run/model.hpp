// SPDX-License-Identifier: Apache-2.0
//
// A model file, compiled for a device and ready to run.
#ifndef TOOLS_HAL_RUN_MODEL_HPP_
#define TOOLS_HAL_RUN_MODEL_HPP_

#include <map>
#include <string>

#include "hal/runtime/session.hpp"

namespace hal::tools {

struct ModelOptions {
  std::map<std::string, int64_t> dims;  // symbolic dimensions that are fixed
  bool fuse = true;
};

// Reads FILE.onnx (compiled now) or FILE.halp (compiled before) and loads it.
Result<runtime::Session> load_model(const std::string& path, hal_device_t* device, const ModelOptions& options);

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_MODEL_HPP_
