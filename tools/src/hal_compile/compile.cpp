// SPDX-License-Identifier: Apache-2.0
#include "hal_compile/compile.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "hal/compiler/c99.hpp"
#include "hal/compiler/tensor_io.hpp"
#include "hal/runtime/session.hpp"
#include "hal_compile/input.hpp"
#include "hal_compile/summary.hpp"
#include "open_device.hpp"

namespace hal::tools {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Result<compiler::Target> target_of(const CompileRequest& request) {
  if (!request.target.empty()) return parse_target(request.target);
  if (request.device.empty()) return parse_target(compiler::Target().format);
  HAL_TRY_ASSIGN(OpenDevice device, OpenDevice::open(request.device, request.plugins));
  return runtime::target_of(device.get());
}

PrintAfter printer(const CompileRequest& request) {
  std::set<std::string> wanted(request.print_after.begin(), request.print_after.end());
  if (wanted.empty()) return {};
  return [wanted](const std::string& pass, const std::string& text) {
    if (wanted.count("all") == 0 && wanted.count(pass) == 0) return;
    std::cout << "// ---- after " << pass << "\n" << text << (text.empty() || text.back() != '\n' ? "\n" : "");
  };
}

// Nothing is compiled further than the last pass that was asked for, if no file and no summary are wanted.
bool ends_before_code(const CompileRequest& request) {
  auto early = [](const std::string& pass) { return pass == "graph"; };
  return request.output.empty() && !request.json && !request.print_after.empty() &&
         std::all_of(request.print_after.begin(), request.print_after.end(), early);
}

Result<void> write(const CompileRequest& request, const compiler::CompiledProgram& program, const Tool& tool) {
  if (request.output.empty()) return {};
  std::vector<std::byte> bytes = compiler::save(program);
  HAL_TRY(compiler::write_bytes(request.output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  tool.note("wrote " + request.output);
  return {};
}

// One C file in place of a compiled program.
Result<void> write_c99(const CompileRequest& request, const compiler::Module& module, const Tool& tool) {
  if (request.output.empty()) return invalid_argument("--target c99 writes a file: expected -o FILE.c");
  if (request.json) return invalid_argument("--target c99 has no summary: leave --json out");
  HAL_TRY(compiler::verify(module));
  HAL_TRY_ASSIGN(compiler::tile::Program program, compiler::tile::lower(module, {!request.no_fuse}));
  std::string prefix = compiler::c_identifier(std::filesystem::path(request.output).stem().string());
  HAL_TRY_ASSIGN(std::string source, compiler::to_c99(program, prefix));
  HAL_TRY(compiler::write_bytes(request.output, source));
  tool.note("wrote " + request.output + ": call " + prefix + "_run; the top of the file says how");
  return {};
}

}  // namespace

Result<void> compile_file(const CompileRequest& request, const Tool& tool) {
  CompileTimes times;
  compiler::CompileOptions options;
  options.fuse = !request.no_fuse;
  options.print_after = printer(request);
  bool to_c = request.target == compiler::kC99Format;
  if (!to_c) {
    HAL_TRY_ASSIGN(options.target, target_of(request));
  }
  tool.note("reading " + request.input);
  auto start = Clock::now();
  HAL_TRY_ASSIGN(compiler::Module module, module_of(request, options.print_after));
  times.import_ms = ms_since(start);
  if (ends_before_code(request)) return {};
  if (to_c) return write_c99(request, module, tool);
  tool.note("compiling " + std::to_string(module.function.ops.size()) + " operations for " + options.target.format);
  start = Clock::now();
  HAL_TRY_ASSIGN(compiler::CompiledProgram program, compiler::compile(module, options));
  times.compile_ms = ms_since(start);
  HAL_TRY(write(request, program, tool));
  if (request.json) std::cout << json_summary(program, times);
  if (!request.json && request.print_after.empty()) std::cout << text_summary(program, times);
  return {};
}

}  // namespace hal::tools
