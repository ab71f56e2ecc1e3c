// SPDX-License-Identifier: Apache-2.0
//
// What the interpreter computes with: dense arrays in a carrier type that holds every value of the dtype exactly, and
// the rounding from a carrier to a dtype. Packed and 8-bit float types are converted at the edges only.
#ifndef COMPILER_INTERP_ARRAY_HPP_
#define COMPILER_INTERP_ARRAY_HPP_

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "hal/compiler/interpreter.hpp"

namespace hal::compiler::interp {

using Extents = std::vector<int64_t>;

// float carries f16, bf16, f32; double f64; long double every float in high precision; int64_t signed and bool.
using Carrier = std::variant<std::vector<float>, std::vector<double>, std::vector<long double>, std::vector<int64_t>,
                             std::vector<uint64_t>>;

struct Array {
  DType dtype = DType::kNone;
  Extents shape;
  Carrier data;
};

inline int64_t count(const Extents& shape) {
  int64_t n = 1;
  for (int64_t extent : shape) n *= extent;
  return n;
}

inline Extents strides_of(const Extents& shape) {
  Extents strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

// An array of `n` zeros in the carrier of the dtype.
Carrier make_carrier(DType dtype, Precision precision, int64_t n);

Result<Array> from_tensor(const Tensor& tensor, Precision precision);
Tensor to_tensor(const Array& array);

// A value as the dtype would hold it: floats to nearest even, integers wrapped. In high precision floats stay.
float round_to(DType dtype, float value);
inline double round_to(DType, double value) { return value; }
inline long double round_to(DType, long double value) { return value; }
int64_t round_to(DType dtype, int64_t value);
uint64_t round_to(DType dtype, uint64_t value);

// Any real to the bits of a float format, rounding once to nearest even; and back.
uint32_t encode_float(DType dtype, long double value);
long double decode_float(DType dtype, uint32_t bits);

Result<Array> elementwise(const Op& op, const std::vector<const Array*>& x, const TensorType& type,
                          Precision precision);
Result<Array> move(const Op& op, const std::vector<const Array*>& x, const Extents& shape,
                   const std::map<std::string, int64_t>& binding);
Result<Array> reduce(const Op& op, const std::vector<const Array*>& x, const Extents& shape, DType dtype,
                     Precision precision);

}  // namespace hal::compiler::interp

#endif  // COMPILER_INTERP_ARRAY_HPP_
