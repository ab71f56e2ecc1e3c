// SPDX-License-Identifier: Apache-2.0
//
// Tensor: dense, row-major values in host memory. What constants, inputs, results and the interpreter hold.
#ifndef HAL_COMPILER_TENSOR_HPP_
#define HAL_COMPILER_TENSOR_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hal/compiler/dtype.hpp"

namespace hal::compiler {

struct Tensor {
  DType dtype = DType::kNone;
  std::vector<int64_t> shape;                        // extents; empty: a scalar
  std::shared_ptr<std::vector<std::byte>> storage;   // shared between copies; treat as read-only unless just made

  // New storage, zeroed. The caller has checked that the extents are >= 0 and that the product is reasonable.
  static Tensor make(DType dtype, std::vector<int64_t> shape) {
    Tensor tensor{dtype, std::move(shape), nullptr};
    tensor.storage = std::make_shared<std::vector<std::byte>>(bytes_of(dtype, tensor.size()));
    return tensor;
  }

  template <typename T>
  static Tensor of(DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
    Tensor tensor = make(dtype, std::move(shape));
    std::copy(values.begin(), values.end(), tensor.data<T>());
    return tensor;
  }

  uint64_t size() const {
    uint64_t count = 1;
    for (int64_t extent : shape) count *= static_cast<uint64_t>(extent);
    return count;
  }
  uint64_t bytes() const { return storage ? storage->size() : 0; }

  template <typename T>
  T* data() { return reinterpret_cast<T*>(storage->data()); }
  template <typename T>
  const T* data() const { return reinterpret_cast<const T*>(storage->data()); }
};

}  // namespace hal::compiler

#endif  // HAL_COMPILER_TENSOR_HPP_
