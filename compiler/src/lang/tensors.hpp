// SPDX-License-Identifier: Apache-2.0
//
// Writes primitives for the tensor sublanguage: implicit broadcasting becomes explicit here, reduced axes stay as axes
// of extent 1, and literals take the dtype of what they meet. Not here: names, syntax (elaborator).
#ifndef HAL_COMPILER_LANG_TENSORS_HPP_
#define HAL_COMPILER_LANG_TENSORS_HPP_

#include "lang/value.hpp"

namespace hal::compiler::lang {

class Tensors {
 public:
  explicit Tensors(Builder& builder) : builder_(builder) {}

  Builder& builder() { return builder_; }
  TensorView view(ValueId id) const;
  DType dtype(const TensorView& tensor) const { return builder_.type(tensor.id).dtype; }
  Shape shape(const TensorView& tensor) const;

  // The tensor with all its axes stored.
  Result<ValueId> store(const TensorView& tensor);

  // Operands are broadcast to each other by NumPy's rule.
  Result<TensorView> elementwise(Prim prim, const std::vector<TensorView>& operands, Attributes attributes = {});
  // To exactly this shape.
  Result<TensorView> broadcast(const TensorView& tensor, const Shape& shape);
  Result<TensorView> reshape(const TensorView& tensor, const Shape& shape);
  // The reduced axes stay, with extent 1. `axes` counts from the end when negative.
  Result<TensorView> reduce(ReduceKind kind, const TensorView& tensor, const std::vector<int64_t>& axes);
  Result<TensorView> arg_reduce(ReduceKind kind, const TensorView& tensor, int64_t axis);
  Result<TensorView> squeeze(const TensorView& tensor, const std::vector<int64_t>& axes);
  Result<TensorView> unsqueeze(const TensorView& tensor, const std::vector<int64_t>& axes);
  // Any other primitive.
  Result<TensorView> op(Prim prim, const std::vector<TensorView>& operands, Attributes attributes);

  TensorView constant(Tensor tensor) { return view(builder_.constant(std::move(tensor))); }
  // A number as a scalar of `dtype`.
  Result<TensorView> number(const Datum& datum, DType dtype);
  // A list of numbers as a vector of `dtype`.
  Result<TensorView> vector(const List& list, DType dtype);
  Result<TensorView> cast(const TensorView& tensor, DType dtype, CastMode mode);

  // The extent that both have, or that one is stretched to.
  Result<Sym> join(const Sym& a, const Sym& b);
  Result<Shape> join(const Shape& a, const Shape& b);

 private:
  Result<TensorView> squeeze_assumed(const TensorView& tensor, const std::vector<int64_t>& axes,
                                     const std::vector<int64_t>& normal);

  Builder& builder_;
};

// Axes from 0, sorted, without repetition. Errors: out of range, given twice.
Result<std::vector<int64_t>> normal_axes(std::vector<int64_t> axes, int64_t rank);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_TENSORS_HPP_
