// SPDX-License-Identifier: Apache-2.0
//
// How shapes are values: the elements of a small integer tensor, as expressions, through one primitive.
#ifndef COMPILER_IR_CONTENTS_HPP_
#define COMPILER_IR_CONTENTS_HPP_

#include <optional>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {

// The contents of a constant, if it is a small integer, bool or whole-numbered float tensor.
std::optional<Contents> contents_of(const Tensor& tensor);

// One operand as the propagation sees it: type, and contents if they are known.
struct KnownOperand {
  const TensorType* type;
  const Contents* contents;
};

// The result's contents, or nothing where they cannot be known. `result` is the inferred type.
std::optional<Contents> propagate(Prim prim, const std::vector<KnownOperand>& operands, const Attributes& attributes,
                                  const TensorType& result, const SymRanges& ranges);

}  // namespace hal::compiler

#endif  // COMPILER_IR_CONTENTS_HPP_
