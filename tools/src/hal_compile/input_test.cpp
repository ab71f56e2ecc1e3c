// SPDX-License-Identifier: Apache-2.0
#include "hal_compile/input.hpp"

#include <gtest/gtest.h>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/tensor_io.hpp"

namespace hal::tools {
namespace {

using compiler::DType;
using compiler::Tensor;

std::string write(const std::string& name, const std::string& text) {
  std::string path = testing::TempDir() + name;
  EXPECT_TRUE(compiler::write_bytes(path, text));
  return path;
}

CompileRequest operator_request(const std::string& body) {
  CompileRequest request;
  request.input =
      write("triple.op",
            "op Triple(x: T[..S]) -> y: T[..S]\n  where T in floats\n  attr by: float = 3\n{\n  " + body + "\n}\n");
  request.shapes = {"x=f32[N]"};
  return request;
}

TEST(Input, AnOperatorFileIsLoadedAtRunTime) {
  CompileRequest request = operator_request("y = x * by");
  request.attributes = {"by=4"};
  auto module = module_of(request, {});
  ASSERT_TRUE(module) << module.error().message;
  auto out = interpret(*module, {Tensor::of<float>(DType::kF32, {2}, {1, -2})});
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ((*out)[0].data<float>()[1], -8);
}

TEST(Input, MistakesNameTheirPlace) {
  CompileRequest request = operator_request("y = x * bye");
  auto module = module_of(request, {});
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("triple.op:5:"), std::string::npos) << module.error().message;

  request = operator_request("y = x * by");
  request.attributes = {"bi=4"};
  module = module_of(request, {});
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("\"by\""), std::string::npos) << module.error().message;

  request = operator_request("y = x * by");
  request.shapes = {"z=f32[3]"};
  module = module_of(request, {});
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("it has x"), std::string::npos) << module.error().message;

  request.input = "model.txt";
  EXPECT_EQ(module_of(request, {}).error().code, HAL_STATUS_INVALID_ARGUMENT);
  request.input = "/nonexistent.op";
  EXPECT_EQ(module_of(request, {}).error().code, HAL_STATUS_NOT_FOUND);
}

TEST(Input, FoldersOfOperatorsAreAdded) {
  CompileRequest request = operator_request("y = x");
  request.operators = {request.input};
  auto library = library_of(request);
  ASSERT_TRUE(library) << library.error().message;
  EXPECT_NE(library->find("mortise.triple"), nullptr);
  request.operators = {"/nonexistent-folder"};
  EXPECT_FALSE(library_of(request));
}

}  // namespace
}  // namespace hal::tools
