// SPDX-License-Identifier: Apache-2.0
//
// Tensors in files: NumPy's .npy (format versions 1 to 3) and ONNX's .pb (one serialised TensorProto). Bytes are not
// trusted: whatever a file holds, reading it gives a tensor or an error that names the file and what was expected.
#ifndef HAL_COMPILER_TENSOR_IO_HPP_
#define HAL_COMPILER_TENSOR_IO_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "hal/compiler/tensor.hpp"
#include "hal/cxx/result.hpp"

namespace hal::compiler {

// A whole file. Errors: NOT_FOUND (with the system's reason), DATA_CORRUPT if it is larger than `max_bytes`.
Result<std::string> read_bytes(const std::string& path, uint64_t max_bytes = uint64_t{64} << 30);
// Writes beside the target and renames, so that a reader never sees half a file.
Result<void> write_bytes(const std::string& path, std::string_view bytes);

// By the extension: .npy or .pb. Everything else is an error that names both.
Result<Tensor> read_tensor(const std::string& path);
Result<void> write_tensor(const std::string& path, const Tensor& tensor);

// .npy: bool, signed and unsigned integers, floats and complex numbers of 1 to 16 bytes, little-endian. Fortran order
// is read and converted to row-major. Dtypes that NumPy lacks (bf16, f8, packed types) are an error when written.
Result<Tensor> parse_npy(std::string_view bytes, const std::string& file_name);
Result<std::string> npy_bytes(const Tensor& tensor);
Result<void> write_npy(const std::string& path, const Tensor& tensor);

// .pb: every dtype of ONNX but strings.
Result<Tensor> parse_tensor_proto(std::string_view bytes, const std::string& file_name);
Result<std::string> tensor_proto_bytes(const Tensor& tensor, const std::string& name);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_TENSOR_IO_HPP_
