// SPDX-License-Identifier: Apache-2.0
//
// Session: a compiled program on one device, ready to be run with tensors. It holds the weights once, and for each set of
// extents that it has seen a plan: where temporaries lie, grids and constants. Placement over several devices comes on
// top of this. Not here: compilation, files.
#ifndef HAL_RUNTIME_SESSION_HPP_
#define HAL_RUNTIME_SESSION_HPP_

#include <memory>
#include <string>
#include <vector>

#include "hal/compiler/program.hpp"
#include "hal/compiler/tensor.hpp"
#include "hal/hal.h"

namespace hal::runtime {

// The compiler's description of a device, from its capabilities: first executable format, features, cores, caches.
// Errors: UNSUPPORTED when the device takes no executables.
Result<compiler::Target> target_of(hal_device_t* device);

class Session {
 public:
  // Loads the program and uploads its constants. `device` is borrowed and must outlive the session.
  static Result<Session> create(hal_device_t* device, compiler::CompiledProgram program);

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const compiler::CompiledProgram& program() const;

  // Runs once; inputs and results are in program order. Blocks. One call at a time. Errors: an input whose dtype or shape
  // does not fit (with both), extents outside the declared range, OUT_OF_MEMORY, whatever the device reports.
  // `poison`, if given, holds one tensor for each output: its bytes are in the output's memory when the run starts, so
  // that an element that nothing writes shows.
  Result<std::vector<compiler::Tensor>> run(const std::vector<compiler::Tensor>& inputs,
                                            const std::vector<compiler::Tensor>& poison = {});

  // Nanoseconds from submit to ready in the last run, transfers not counted.
  uint64_t last_device_time() const;

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hal::runtime

#endif  // HAL_RUNTIME_SESSION_HPP_
