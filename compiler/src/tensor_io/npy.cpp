// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files: magic, version, length of the header, header, elements.
#include <cstring>

#include "hal/compiler/tensor_io.hpp"
#include "tensor_io/extents.hpp"
#include "tensor_io/npy_header.hpp"

namespace hal::compiler {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 1 << 20;

struct Parts {
  std::string_view header, elements;
};

Result<Parts> split(std::string_view bytes) {
  if (bytes.size() < 8 || bytes.substr(0, kMagic.size()) != kMagic) {
    return data_corrupt("not a .npy file: expected it to begin with \\x93NUMPY");
  }
  int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    return unsupported("format version " + std::to_string(version) + "; expected 1, 2 or 3");
  }
  size_t length_bytes = version == 1 ? 2 : 4, length = 0, start = 8 + length_bytes;
  if (bytes.size() < start) return data_corrupt("ends within its header");
  for (size_t i = 0; i < length_bytes; ++i) length |= size_t{static_cast<unsigned char>(bytes[8 + i])} << (8 * i);
  if (length > kMaxHeader)
    return data_corrupt("header of " + std::to_string(length) + " bytes; expected at most 1 MiB");
  if (bytes.size() - start < length) return data_corrupt("ends within its header");
  return Parts{bytes.substr(start, length), bytes.substr(start + length)};
}

// The first axis runs fastest in `from`, the last one in the result.
void from_fortran(const char* from, Tensor& to) {
  size_t width = bytes_of(to.dtype, 1), rank = to.shape.size();
  std::vector<uint64_t> stride(rank, 1);
  for (size_t axis = 1; axis < rank; ++axis)
    stride[axis] = stride[axis - 1] * static_cast<uint64_t>(to.shape[axis - 1]);
  std::vector<int64_t> index(rank, 0);
  char* out = to.data<char>();
  for (uint64_t i = 0, offset = 0, count = to.size(); i < count; ++i, out += width) {
    std::memcpy(out, from + offset * width, width);
    for (size_t axis = rank; axis-- > 0;) {
      offset += stride[axis];
      if (++index[axis] < to.shape[axis]) break;
      offset -= stride[axis] * static_cast<uint64_t>(to.shape[axis]);
      index[axis] = 0;
    }
  }
}

Result<Tensor> parse(std::string_view bytes) {
  HAL_TRY_ASSIGN(Parts parts, split(bytes));
  HAL_TRY_ASSIGN(NpyHeader header, parse_npy_header(parts.header));
  std::string why;
  auto expected = checked_bytes(header.dtype, header.shape, &why);
  if (!expected) return data_corrupt(why);
  if (parts.elements.size() != *expected) {
    return data_corrupt(std::string(name(header.dtype)) + text(header.shape) + " takes " + std::to_string(*expected) +
                        " bytes; the file has " + std::to_string(parts.elements.size()));
  }
  Tensor tensor = Tensor::make(header.dtype, std::move(header.shape));
  if (header.fortran_order && tensor.shape.size() > 1) {
    from_fortran(parts.elements.data(), tensor);
  } else if (*expected != 0) {
    std::memcpy(tensor.storage->data(), parts.elements.data(), *expected);
  }
  return tensor;
}

}  // namespace

Result<Tensor> parse_npy(std::string_view bytes, const std::string& file_name) {
  auto tensor = parse(bytes);
  if (!tensor) return Error{tensor.error().code, file_name + ": " + tensor.error().message};
  return tensor;
}

Result<std::string> npy_bytes(const Tensor& tensor) {
  std::string descr = descr_of(tensor.dtype);
  if (descr.empty()) {
    return unsupported(std::string("NumPy has no dtype ") + name(tensor.dtype) + "; write a .pb file instead");
  }
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape) header += std::to_string(extent) + ",";
  header += "), }";
  header.append(64 - (10 + header.size() + 1) % 64, ' ');  // the elements start at a multiple of 64
  header += '\n';
  std::string out(kMagic);
  out += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  out += header;
  out.append(tensor.data<char>(), tensor.bytes());
  return out;
}

}  // namespace hal::compiler
