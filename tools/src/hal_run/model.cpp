// SPDX-License-Identifier: Apache-2.0
#include "model.hpp"

#include <cstdlib>
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

// The first `count` along an axis.
compiler::Tensor cut(const compiler::Tensor& from, size_t axis, int64_t count) {
  std::vector<int64_t> shape = from.shape;
  if (axis >= shape.size() || count < 0 || count >= shape[axis] || info(from.dtype).bits % 8 != 0) return from;
  uint64_t inner = static_cast<uint64_t>(info(from.dtype).bits) / 8, outer = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : static_cast<uint64_t>(shape[i]);
  uint64_t stride = inner * static_cast<uint64_t>(shape[axis]);
  shape[axis] = count;
  auto out = compiler::Tensor::make(from.dtype, shape);
  uint64_t kept = inner * static_cast<uint64_t>(count);
  for (uint64_t i = 0; i < outer; ++i) std::copy_n(from.data<char>() + i * stride, kept, out.data<char>() + i * kept);
  return out;
}

bool equal(const compiler::Tensor& a, const compiler::Tensor& b) {
  return a.dtype == b.dtype && a.shape == b.shape && *a.storage == *b.storage;
}

}  // namespace

Result<std::vector<compiler::Tensor>> run_session(runtime::Session& session,
                                                  const std::vector<compiler::Tensor>& inputs) {
  HAL_TRY_ASSIGN(auto outputs, session.run(inputs));
  const auto& ports = session.program().outputs;
  for (size_t i = outputs.size(); i-- > 0;) {
    size_t mark = ports[i].name.rfind('#');
    if (mark == std::string::npos) continue;
    for (size_t j = 0; j < i; ++j) {
      if (ports[j].name != ports[i].name.substr(0, mark)) continue;
      size_t axis = std::strtoul(ports[i].name.c_str() + mark + 1, nullptr, 10);
      outputs[j] = cut(outputs[j], axis, *outputs[i].data<int64_t>());
    }
  }
  return outputs;
}

bool Model::fits(const Specialised& known, const GivenInput& given) const {
  for (const auto& [name, value] : known.values) {
    auto tensor = given(name, value.index);
    if (!tensor || !equal(*tensor, value.tensor)) return false;
  }
  return true;
}

Result<compiler::CompiledProgram> Model::compile(const GivenInput& given, std::map<std::string, Value>& values) const {
  std::string extension = std::filesystem::path(path_).extension();
  if (extension == ".halp") {
    HAL_TRY_ASSIGN(auto bytes, read_file(path_));
    return compiler::load_program(bytes.data(), bytes.size(), path_);
  }
  if (extension != ".onnx") return invalid_argument(path_ + ": expected a .onnx or .halp file");
  compiler::ImportOptions import;
  import.dims = options_.dims;
  import.value_of = [&](const std::string& name, size_t index) { auto tensor = given(name, index);
  if (tensor) values[name] = {index, *tensor};
  return tensor;
};
HAL_TRY_ASSIGN(auto module, compiler::import_onnx_file(path_, compiler::OperatorLibrary::builtin(), import));
compiler::CompileOptions compile;
compile.fuse = options_.fuse;
HAL_TRY_ASSIGN(compile.target, runtime::target_of(device_));
return compiler::compile(module, compile);
}  // namespace hal::tools

Result<runtime::Session*> Model::session(const GivenInput& given) {
  for (Specialised& known : sessions_) {
    if (fits(known, given)) return &known.session;
  }
  std::map<std::string, Value> values;
  HAL_TRY_ASSIGN(auto program, compile(given, values));
  HAL_TRY_ASSIGN(auto session, runtime::Session::create(device_, std::move(program)));
  sessions_.push_back({std::move(values), std::move(session)});
  return &sessions_.back().session;
}

Result<runtime::Session*> Model::session(const std::vector<compiler::Tensor>& inputs) {
  return session([&](const std::string&, size_t index) {
    return index < inputs.size() ? std::optional(inputs[index]) : std::nullopt;
  });
}

}  // namespace hal::tools
