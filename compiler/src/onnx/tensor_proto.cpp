// SPDX-License-Identifier: Apache-2.0
#include "onnx/tensor_proto.hpp"

#include <cstring>
#include <limits>

#include "hal/compiler/tensor_io.hpp"
#include "onnx/wire.hpp"
#include "tensor_io/extents.hpp"

namespace hal::compiler {
namespace {

struct Row {
  int32_t onnx;
  DType dtype;
};
constexpr Row kRows[] = {
    {1, DType::kF32},     {2, DType::kU8},          {3, DType::kI8},      {4, DType::kU16},         {5, DType::kI16},
    {6, DType::kI32},     {7, DType::kI64},         {9, DType::kBOOL},    {10, DType::kF16},        {11, DType::kF64},
    {12, DType::kU32},    {13, DType::kU64},        {14, DType::kC64},    {15, DType::kC128},       {16, DType::kBF16},
    {17, DType::kF8E4M3}, {18, DType::kF8E4M3FNUZ}, {19, DType::kF8E5M2}, {20, DType::kF8E5M2FNUZ}, {21, DType::kU4},
    {22, DType::kI4},     {23, DType::kF4E2M1},     {24, DType::kF8E8M0}, {25, DType::kU2},         {26, DType::kI2},
};

Error wrong_size(const char* field, DType dtype, const std::vector<int64_t>& shape, uint64_t expected, uint64_t got) {
  return data_corrupt(std::string(name(dtype)) + text(shape) + " takes " + std::to_string(expected) + " " + field +
                      "; the file has " + std::to_string(got));
}

// Each element of the field becomes one stored element (of `To`), by truncation of its bits.
template <typename To, typename Field>
Result<void> copy(const Field& field, const char* field_name, uint64_t count, Tensor& out) {
  if (static_cast<uint64_t>(field.size()) != count) {
    return wrong_size(field_name, out.dtype, out.shape, count, static_cast<uint64_t>(field.size()));
  }
  for (int i = 0; i < field.size(); ++i) out.data<To>()[i] = static_cast<To>(field.Get(i));
  return {};
}

Result<void> copy_int32(const proto::TensorProto& from, Tensor& out) {
  int bits = info(out.dtype).bits;
  const auto& field = from.int32_data();
  const char* text = "elements of int32_data";
  if (bits < 8) return copy<uint8_t>(field, "bytes in int32_data", out.bytes(), out);
  if (out.dtype == DType::kBOOL) {
    HAL_TRY(copy<uint8_t>(field, text, out.size(), out));
    for (int i = 0; i < field.size(); ++i) out.data<uint8_t>()[i] = field.Get(i) != 0;
    return {};
  }
  if (bits == 8) return copy<uint8_t>(field, text, out.size(), out);
  if (bits == 16) return copy<uint16_t>(field, text, out.size(), out);
  return copy<uint32_t>(field, text, out.size(), out);
}

Result<void> copy_typed(const proto::TensorProto& from, Tensor& out) {
  switch (out.dtype) {
    case DType::kF32:
      return copy<float>(from.float_data(), "elements of float_data", out.size(), out);
    case DType::kC64:
      return copy<float>(from.float_data(), "elements of float_data", 2 * out.size(), out);
    case DType::kF64:
      return copy<double>(from.double_data(), "elements of double_data", out.size(), out);
    case DType::kC128:
      return copy<double>(from.double_data(), "elements of double_data", 2 * out.size(), out);
    case DType::kI64:
      return copy<int64_t>(from.int64_data(), "elements of int64_data", out.size(), out);
    case DType::kU64:
      return copy<uint64_t>(from.uint64_data(), "elements of uint64_data", out.size(), out);
    case DType::kU32:
      return copy<uint32_t>(from.uint64_data(), "elements of uint64_data", out.size(), out);
    default:
      return copy_int32(from, out);
  }
}

// How many elements the file holds at most, so that a damaged shape allocates nothing.
bool is_plausible(const proto::TensorProto& tensor, uint64_t bytes) {
  uint64_t stored =
      8 * (static_cast<uint64_t>(tensor.float_data_size()) + static_cast<uint64_t>(tensor.int32_data_size()) +
           static_cast<uint64_t>(tensor.int64_data_size()) + static_cast<uint64_t>(tensor.double_data_size()) +
           static_cast<uint64_t>(tensor.uint64_data_size()));
  return bytes <= stored;
}

}  // namespace

Result<DType> dtype_of_onnx(int32_t data_type) {
  for (const Row& row : kRows) {
    if (row.onnx == data_type) return row.dtype;
  }
  if (data_type == 8) return unsupported("strings are not supported; expected numbers or booleans");
  return data_corrupt("element type " + std::to_string(data_type) + " is unknown; expected 1 (float) to 26 (int2)");
}

int32_t onnx_dtype(DType dtype) {
  for (const Row& row : kRows) {
    if (row.dtype == dtype) return row.onnx;
  }
  return 0;
}

Result<Tensor> tensor_of(const proto::TensorProto& tensor, const ReadExternal& read_external) {
  HAL_TRY_ASSIGN(DType dtype, dtype_of_onnx(tensor.data_type()));
  if (tensor.has_segment()) return unsupported("segmented tensors are not supported; expected the whole tensor");
  std::vector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  std::string why;
  auto bytes = checked_bytes(dtype, shape, &why);
  if (!bytes) return data_corrupt(why);
  std::string external;
  bool is_raw = tensor.has_raw_data();
  if (tensor.data_location() == 1) {
    HAL_TRY_ASSIGN(external, read_external(tensor, *bytes));
    is_raw = true;
  }
  const std::string& raw = tensor.data_location() == 1 ? external : tensor.raw_data();
  if (is_raw && raw.size() != *bytes) return wrong_size("bytes of raw_data", dtype, shape, *bytes, raw.size());
  if (!is_raw && !is_plausible(tensor, *bytes)) return wrong_size("bytes", dtype, shape, *bytes, 0);
  Tensor out = Tensor::make(dtype, std::move(shape));
  if (!is_raw) {
    HAL_TRY(copy_typed(tensor, out));
  } else if (*bytes != 0) {
    std::memcpy(out.storage->data(), raw.data(), raw.size());
  }
  return out;
}

proto::TensorProto proto_of(const Tensor& tensor, const std::string& name) {
  proto::TensorProto out;
  for (int64_t extent : tensor.shape) out.add_dims(extent);
  out.set_data_type(onnx_dtype(tensor.dtype));
  out.set_name(name);
  out.set_raw_data(tensor.data<char>(), tensor.bytes());
  return out;
}

Result<Tensor> parse_tensor_proto(std::string_view bytes, const std::string& file_name) {
  proto::TensorProto tensor;
  if (!parse_wire(bytes, tensor)) {
    return data_corrupt(file_name + ": not an ONNX tensor (TensorProto), or cut off");
  }
  auto result = tensor_of(tensor, external_reader(""));
  if (!result) return Error{result.error().code, file_name + ": " + result.error().message};
  return result;
}

Result<std::string> tensor_proto_bytes(const Tensor& tensor, const std::string& name) {
  if (onnx_dtype(tensor.dtype) == 0) {
    return unsupported(std::string("ONNX has no dtype ") + compiler::name(tensor.dtype));
  }
  if (tensor.bytes() > kMaxWireBytes / 2)
    return unsupported("a .pb file holds at most 1 GiB; write a .npy file instead");
  return proto_of(tensor, name).SerializeAsString();
}

}  // namespace hal::compiler
