// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "hal/compiler/onnx.hpp"
#include "hal/compiler/operators.hpp"

namespace hal::tools {
namespace {

Result<std::vector<std::byte>> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found(path + ": cannot be opened");
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(begin, begin + bytes.size());
}

Result<compiler::CompiledProgram> program_of(const std::string& path, hal_device_t* device,
                                             const ModelOptions& options) {
  std::string extension = std::filesystem::path(path).extension();
  if (extension == ".halp") {
    HAL_TRY_ASSIGN(auto bytes, read_file(path));
    return compiler::load_program(bytes.data(), bytes.size(), path);
  }
  if (extension != ".onnx") return invalid_argument(path + ": expected a .onnx or .halp file");
  compiler::ImportOptions import;
  import.dims = options.dims;
  HAL_TRY_ASSIGN(auto module, compiler::import_onnx_file(path, compiler::OperatorLibrary::builtin(), import));
  compiler::CompileOptions compile;
  compile.fuse = options.fuse;
  HAL_TRY_ASSIGN(compile.target, runtime::target_of(device));
  return compiler::compile(module, compile);
}

}  // namespace

Result<runtime::Session> load_model(const std::string& path, hal_device_t* device, const ModelOptions& options) {
  HAL_TRY_ASSIGN(auto program, program_of(path, device, options));
  return runtime::Session::create(device, std::move(program));
}

}  // namespace hal::tools
