// SPDX-License-Identifier: Apache-2.0
//
// CompiledProgram: what a runtime needs to run a compiled module on a device, and nothing about how it was made: one
// executable, a list of dispatches whose grids, constants and buffer sizes are expressions over the symbols, and the
// constants. save() and load() give a file (FlatBuffers, program.fbs), verified before use.
#ifndef HAL_COMPILER_PROGRAM_HPP_
#define HAL_COMPILER_PROGRAM_HPP_

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "hal/compiler/portable.hpp"
#include "hal/compiler/tile.hpp"

namespace hal::compiler {

struct ProgramTensor {  // an input or an output
  std::string name;
  TensorType type;
};

struct ProgramBuffer {
  tile::BufferKind kind;
  uint32_t index = 0;  // input, constant or output number
  TensorType type;
};

struct Step {
  std::string label;
  uint32_t entry = 0;  // of the executable
  std::array<Sym, 3> workgroup_count;
  std::vector<Sym> constants;       // passed as i64, in this order
  std::vector<uint32_t> bindings;   // buffers, whole
  uint64_t written_bindings = 0;    // bit i: bindings[i] is written
};

struct CompiledProgram {
  std::string name;
  std::string format;  // "elf-x86-64/1"
  std::string target;  // features that the code needs
  std::vector<std::byte> executable;
  std::vector<std::string> symbols;
  SymRanges ranges;
  std::vector<ProgramTensor> inputs, outputs;
  std::vector<ProgramBuffer> buffers;
  std::vector<Tensor> constants;
  std::vector<Step> steps;
};

// Whether a step makes prepared buffers: it depends on constants alone and is run once, when the program is loaded, in
// order with its like. The other steps are run each time.
bool prepares(const CompiledProgram& program, const Step& step);

std::vector<std::byte> save(const CompiledProgram& program);
Result<CompiledProgram> load_program(const std::byte* data, size_t size, const std::string& file_name);

// What code generation needs to know of a chip.
struct Target {
  std::string format = "elf-x86-64/1";
  std::string features;     // "x86-64+avx2+fma"; from the device's capabilities, perhaps restricted
  uint32_t core_count = 1;
  uint64_t l1_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 16 << 20;
  uint64_t local_memory_bytes = 1 << 20;  // that one workgroup may have
};

struct CompileOptions {
  Target target;
  bool fuse = true;
  // Called with the printed IR after each pass: "portable", "tile", "schedule", "llvm", "assembly".
  std::function<void(const std::string& pass, const std::string& text)> print_after;
};

// tile -> machine code, linked: fills format, target, executable and, for each kernel of the program in order, one or more
// steps (codegen may split a kernel, for example to pack an operand, and may add temporary buffers).
Result<CompiledProgram> generate(const tile::Program& program, const CompileOptions& options);

// portable -> compiled: verify, lower, generate.
Result<CompiledProgram> compile(const Module& module, const CompileOptions& options);

// The features of the CPU that this process runs on, in the syntax of Target::features.
std::string host_features();

}  // namespace hal::compiler

#endif  // HAL_COMPILER_PROGRAM_HPP_
