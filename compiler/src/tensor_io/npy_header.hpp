// SPDX-License-Identifier: Apache-2.0
//
// The header of a .npy file: a Python dictionary literal with exactly three keys (numpy.lib.format).
#ifndef HAL_COMPILER_TENSOR_IO_NPY_HEADER_HPP_
#define HAL_COMPILER_TENSOR_IO_NPY_HEADER_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "hal/compiler/dtype.hpp"
#include "hal/cxx/result.hpp"

namespace hal::compiler {

struct NpyHeader {
  DType dtype = DType::kNone;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// "<f4" -> f32; errors name what is supported. And back; "" for a dtype that NumPy lacks.
Result<DType> dtype_of_descr(const std::string& descr);
std::string descr_of(DType dtype);

// `literal` is the dictionary's text.
Result<NpyHeader> parse_npy_header(std::string_view literal);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_TENSOR_IO_NPY_HEADER_HPP_
