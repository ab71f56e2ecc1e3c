// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/tensor_io.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace hal::compiler {
namespace {

// A version 1 file with this dictionary and these element bytes.
std::string npy(const std::string& dictionary, const std::string& elements, char version = 1) {
  std::string length = {static_cast<char>(dictionary.size()), static_cast<char>(dictionary.size() >> 8)};
  if (version > 1) length += std::string(2, '\0');
  return std::string("\x93NUMPY") + version + '\0' + length + dictionary + elements;
}

std::string header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::string refusal(const std::string& bytes) {
  auto tensor = parse_npy(bytes, "a.npy");
  EXPECT_FALSE(tensor);
  return tensor ? "" : tensor.error().message;
}

TEST(Npy, EveryDTypeComesBack) {
  for (DType dtype : {DType::kBOOL, DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kU8, DType::kU16,
                      DType::kU32, DType::kU64, DType::kF16, DType::kF32, DType::kF64, DType::kC64, DType::kC128}) {
    for (const std::vector<int64_t>& shape : {std::vector<int64_t>{}, {3}, {2, 0}, {2, 3, 5}}) {
      Tensor tensor = Tensor::make(dtype, shape);
      for (size_t i = 0; i < tensor.bytes(); ++i) (*tensor.storage)[i] = static_cast<std::byte>(i % 2);
      auto bytes = npy_bytes(tensor);
      ASSERT_TRUE(bytes) << bytes.error().message;
      EXPECT_EQ((bytes->size() - tensor.bytes()) % 64, 0u);
      auto again = parse_npy(*bytes, "a.npy");
      ASSERT_TRUE(again) << again.error().message;
      EXPECT_EQ(again->dtype, dtype);
      EXPECT_EQ(again->shape, shape);
      EXPECT_EQ(*again->storage, *tensor.storage);
    }
  }
  EXPECT_FALSE(npy_bytes(Tensor::make(DType::kBF16, {2})));
}

TEST(Npy, FortranOrderIsConverted) {
  auto tensor = parse_npy(npy(header("|u1", "(2, 3)", "True"), {0, 3, 1, 4, 2, 5}), "a.npy");
  ASSERT_TRUE(tensor) << tensor.error().message;
  for (uint8_t i = 0; i < 6; ++i) EXPECT_EQ(tensor->data<uint8_t>()[i], i);
}

TEST(Npy, VersionsTwoAndThree) {
  for (char version : {2, 3}) EXPECT_TRUE(parse_npy(npy(header("<i2", "(1,)"), "ab", version), "a.npy"));
  EXPECT_EQ(refusal(npy(header("<i2", "(1,)"), "ab", 4)), "a.npy: format version 4; expected 1, 2 or 3");
}

TEST(Npy, WhatIsWrongIsSaid) {
  EXPECT_NE(refusal("").find("not a .npy file"), std::string::npos);
  EXPECT_NE(refusal("\x93NUMPY\1").find("not a .npy file"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(2,)"), "1234567")).find("f32[2] takes 8 bytes; the file has 7"),
            std::string::npos);
  EXPECT_NE(refusal(npy(header(">f4", "(2,)"), "12345678")).find("big-endian"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<U4", "(2,)"), "")).find("'<U4' is not supported"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(-2,)"), "")).find("extent -2"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(4294967296,)"), "")).find("less than 2^31"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(2147483647, 2147483647)"), "")).find("2^40 bytes"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(99999999999999999999,)"), "")).find("below 2^63"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(2 3)"), "")).find("expected ','"), std::string::npos);
  EXPECT_NE(refusal(npy("{'descr': '<f4'}", "")).find("expected the keys"), std::string::npos);
  EXPECT_NE(refusal(npy("{'descr': '<f4', 'descr': '<f4'}", "")).find("occurs twice"), std::string::npos);
  EXPECT_NE(refusal(npy(header("<f4", "(2,)") + "x", "")).find("nothing after"), std::string::npos);
}

TEST(Npy, NoPrefixOfAFileIsAccepted) {
  std::string whole = npy(header("<f4", "(2,)"), "12345678");
  for (size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(parse_npy(whole.substr(0, length), "a.npy")) << length;
}

TEST(TensorProto, EveryDTypeComesBack) {
  for (uint32_t code = 1; code <= HAL_DTYPE_COUNT; ++code) {
    auto dtype = static_cast<DType>(code);
    Tensor tensor = Tensor::make(dtype, {3, 5});
    for (size_t i = 0; i < tensor.bytes(); ++i) (*tensor.storage)[i] = static_cast<std::byte>(i % 2);
    auto bytes = tensor_proto_bytes(tensor, "t");
    if (!bytes) {
      EXPECT_NE(bytes.error().message.find("ONNX has no dtype f6"), std::string::npos) << bytes.error().message;
      continue;
    }
    auto again = parse_tensor_proto(*bytes, "t.pb");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->dtype, dtype);
    EXPECT_EQ(*again->storage, *tensor.storage);
  }
}

TEST(TensorFiles, AreChosenByTheirExtension) {
  Tensor tensor = Tensor::of<float>(DType::kF32, {2}, std::vector<float>{1, 2});
  for (const char* file : {"t.npy", "t.pb"}) {
    std::string path = testing::TempDir() + file;
    ASSERT_TRUE(write_tensor(path, tensor));
    auto again = read_tensor(path);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again->storage, *tensor.storage);
  }
  EXPECT_NE(read_tensor("t.txt").error().message.find("ends in .npy or .pb"), std::string::npos);
  EXPECT_EQ(read_tensor("/nonexistent/t.npy").error().code, HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(read_tensor("/nonexistent/t.npy").error().message,
            "/nonexistent/t.npy: cannot be opened: No such file or directory");
  EXPECT_FALSE(write_tensor("/nonexistent/t.npy", tensor));
}

}  // namespace
}  // namespace hal::compiler
