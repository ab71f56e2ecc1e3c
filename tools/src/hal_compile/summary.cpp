// SPDX-License-Identifier: Apache-2.0
#include "hal_compile/summary.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace hal::tools {
namespace {

using compiler::CompiledProgram;
using compiler::ProgramTensor;

uint64_t constant_bytes(const CompiledProgram& program) {
  uint64_t bytes = 0;
  for (const compiler::Tensor& constant : program.constants) bytes += constant.bytes();
  return bytes;
}

std::string rounded(double value, const char* format) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

nlohmann::json tensors(const std::vector<ProgramTensor>& list) {
  nlohmann::json out = nlohmann::json::array();
  for (const ProgramTensor& tensor : list) {
    nlohmann::json shape = nlohmann::json::array();
    for (const compiler::Sym& extent : tensor.type.shape) {
      auto value = extent.constant();
      shape.push_back(value ? nlohmann::json(*value) : nlohmann::json(extent.text()));
    }
    out.push_back({{"name", tensor.name}, {"dtype", name(tensor.type.dtype)}, {"shape", shape}});
  }
  return out;
}

}  // namespace

std::string text_summary(const CompiledProgram& program, const CompileTimes& times) {
  std::string out = "program   " + program.name + " for " + program.format + " (" + program.target + ")\n";
  for (const ProgramTensor& input : program.inputs) out += "input     " + input.name + ": " + text(input.type) + "\n";
  for (const ProgramTensor& output : program.outputs)
    out += "output    " + output.name + ": " + text(output.type) + "\n";
  out += "kernels   " + std::to_string(program.steps.size()) + ", " +
         rounded(static_cast<double>(program.executable.size()) / 1024, "%.1f KiB of code, ") +
         rounded(static_cast<double>(constant_bytes(program)) / 1048576, "%.2f MiB of constants\n");
  return out + "time      " + rounded(times.import_ms, "%.0f ms reading, ") +
         rounded(times.compile_ms, "%.0f ms compiling\n");
}

std::string json_summary(const CompiledProgram& program, const CompileTimes& times) {
  nlohmann::ordered_json out;
  out["schema_version"] = 1;
  out["program"] = program.name;
  out["format"] = program.format;
  out["target"] = program.target;
  out["symbols"] = program.symbols;
  out["inputs"] = tensors(program.inputs);
  out["outputs"] = tensors(program.outputs);
  out["kernels"] = program.steps.size();
  out["code_bytes"] = program.executable.size();
  out["constant_bytes"] = constant_bytes(program);
  out["import_ms"] = times.import_ms;
  out["compile_ms"] = times.compile_ms;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace hal::tools
