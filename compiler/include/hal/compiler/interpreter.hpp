// SPDX-License-Identifier: Apache-2.0
//
// The interpreter: the portable layer's meaning in plain code. It is the oracle of tests and of conformance, and shares no
// code with the code generators.
#ifndef HAL_COMPILER_INTERPRETER_HPP_
#define HAL_COMPILER_INTERPRETER_HPP_

#include "hal/compiler/portable.hpp"

namespace hal::compiler {

enum class Precision {
  kExact,  // each primitive rounds to its dtype, as a device must
  kHigh,   // floats are carried in long double; the results are rounded once at the end
};

struct InterpretOptions {
  Precision precision = Precision::kExact;
  uint64_t max_bytes = uint64_t{8} << 30;  // of one value; more is an error, not an allocation
};

// Runs the module on inputs in parameter order; symbols are bound from the inputs' extents. Errors: an input whose dtype
// or shape does not fit (named, with both), an extent that is negative, a value over max_bytes.
Result<std::vector<Tensor>> interpret(const Module& module, const std::vector<Tensor>& inputs,
                                      const InterpretOptions& options = {});

// Binds the symbols of `types` from the extents of `inputs`, with the same errors.
Result<std::map<std::string, int64_t>> bind_symbols(const Module& module, const std::vector<Tensor>& inputs);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_INTERPRETER_HPP_
