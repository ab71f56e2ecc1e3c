// SPDX-License-Identifier: Apache-2.0
//
// A model file, compiled for a device and ready to run. Where shapes depend on the values of inputs, it is compiled
// once for each set of such values.
#ifndef TOOLS_HAL_RUN_MODEL_HPP_
#define TOOLS_HAL_RUN_MODEL_HPP_

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "hal/runtime/session.hpp"

namespace hal::tools {

struct ModelOptions {
  std::map<std::string, int64_t> dims;  // symbolic dimensions that are fixed
  bool fuse = true;
};

// The tensor for an input: its name, its place among the inputs.
using GivenInput = std::function<std::optional<compiler::Tensor>(const std::string& input, size_t index)>;

// Runs, and cuts outputs whose extents depend on data ("y#1" is the extent of axis 1 of y) to what they hold.
Result<std::vector<compiler::Tensor>> run_session(runtime::Session& session,
                                                  const std::vector<compiler::Tensor>& inputs);

class Model {
 public:
  // FILE.onnx (compiled when a session is asked for) or FILE.halp (compiled before). `device` is borrowed.
  Model(std::string path, hal_device_t* device, ModelOptions options)
      : path_(std::move(path)), device_(device), options_(std::move(options)) {}

  // The session for these inputs; the same one for the same values where values matter. Valid as long as the model.
  Result<runtime::Session*> session(const GivenInput& given);
  Result<runtime::Session*> session(const std::vector<compiler::Tensor>& inputs);

 private:
  struct Value {
    size_t index;
    compiler::Tensor tensor;
  };
  struct Specialised {
    std::map<std::string, Value> values;  // that it was compiled for
    runtime::Session session;
  };
  bool fits(const Specialised& known, const GivenInput& given) const;
  Result<compiler::CompiledProgram> compile(const GivenInput& given, std::map<std::string, Value>& values) const;

  std::string path_;
  hal_device_t* device_;
  ModelOptions options_;
  std::list<Specialised> sessions_;
};

}  // namespace hal::tools

#endif  // TOOLS_HAL_RUN_MODEL_HPP_
