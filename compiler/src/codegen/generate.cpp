// SPDX-License-Identifier: Apache-2.0
//
// tile -> machine code: one function a block, one module a program.
#include "gemm.hpp"
#include "hal/formats/elf_cpu.h"
#include "object.hpp"
#include "program/prepare.hpp"

namespace hal::compiler {

using codegen::Emitted;
using codegen::Emitter;
using codegen::Entry;
using codegen::Isa;
using codegen::Nest;

namespace {

class Generation {
 public:
  Generation(const tile::Program& program, const CompileOptions& options, Isa isa)
      : program_(program),
        options_(options),
        isa_(std::move(isa)),
        ranges_(program.ranges),
        module_("mortise", context_) {}

  Result<CompiledProgram> run() {
    CompiledProgram out;
    out.name = program_.name;
    out.format = HAL_ELF_CPU_FORMAT_X86_64;
    out.target = isa_.text();
    out.symbols = program_.symbols;
    out.ranges = program_.ranges;
    out.constants = program_.constants;
    for (const tile::Buffer& buffer : program_.buffers) {
      out.buffers.push_back({buffer.kind, buffer.index, buffer.type});
      auto* list = buffer.kind == tile::BufferKind::kInput    ? &out.inputs
                   : buffer.kind == tile::BufferKind::kOutput ? &out.outputs
                                                              : nullptr;
      if (list == nullptr) continue;
      if (list->size() <= buffer.index) list->resize(buffer.index + 1);
      (*list)[buffer.index] = {buffer.name, buffer.type};
    }
    for (const tile::Kernel& kernel : program_.kernels) {
      for (size_t b = 0; b < kernel.blocks.size(); ++b) {
        std::string name = kernel.name + (b == 0 ? "" : "_" + std::to_string(b));
        HAL_TRY(generate_block(name, kernel.blocks[b], &out));
      }
    }
    prepare_constants(&out);
    if (options_.print_after) options_.print_after("schedule", schedule_);
    if (entries_.empty()) return out;
    codegen::add_entry_table(module_, entries_, out.target);
    HAL_TRY_ASSIGN(out.executable, codegen::make_shared_object(module_, isa_, options_.print_after));
    return out;
  }

 private:
  Result<void> generate_block(const std::string& name, const tile::Block& block, CompiledProgram* out) {
    Nest nest = codegen::make_nest(program_, block, &ranges_);
    auto plan = codegen::plan_gemm(nest, isa_, options_.target, [&](uint32_t buffer) {
      return out->buffers[buffer].kind == tile::BufferKind::kConstant;
    });
    if (!plan) return add_step(name, out, [&](Emitter& emitter) { return codegen::emit_loops(emitter, nest); });
    for (codegen::GemmOperand* operand : {&plan->a, &plan->b}) {
      if (!operand->apart) continue;
      operand->buffer = static_cast<uint32_t>(out->buffers.size());
      out->buffers.push_back({tile::BufferKind::kTemporary, 0, plan->packed_type(*operand)});
      HAL_TRY(add_step(name + (operand == &plan->a ? "_pack_first" : "_pack_second"), out,
                       [&](Emitter& emitter) { return codegen::emit_packing(emitter, *plan, *operand); }));
    }
    return add_step(name, out, [&](Emitter& emitter) { return codegen::emit_gemm(emitter, nest, *plan); });
  }

  Result<void> add_step(const std::string& name, CompiledProgram* out, const std::function<Emitted(Emitter&)>& emit) {
    Emitter emitter(module_, isa_, program_, ranges_, name);
    Emitted emitted = emit(emitter);
    emitter.finish();
    if (auto result = emitter.error(); !result) {
      Error error = result.error();
      error.message = name + ": " + error.message;
      return error;
    }
    Step step;
    step.label = name;
    step.entry = static_cast<uint32_t>(entries_.size());
    step.workgroup_count = emitted.workgroup_count;
    step.constants = emitter.constants();
    step.bindings = emitter.bindings();
    step.written_bindings = emitter.written();
    schedule_ += "schedule " + name + " \"" + isa_.text() + "\":\n" + emitted.schedule;
    entries_.push_back({emitter.function(), static_cast<uint32_t>(step.bindings.size()),
                        static_cast<uint32_t>(step.constants.size() * sizeof(int64_t)), emitted.local_memory_bytes,
                        step.written_bindings});
    out->steps.push_back(std::move(step));
    return {};
  }

  const tile::Program& program_;
  const CompileOptions& options_;
  Isa isa_;
  SymRanges ranges_;
  llvm::LLVMContext context_;
  llvm::Module module_;
  std::vector<Entry> entries_;
  std::string schedule_;
};

}  // namespace

Result<CompiledProgram> generate(const tile::Program& program, const CompileOptions& options) {
  if (options.target.format != HAL_ELF_CPU_FORMAT_X86_64) {
    return unsupported("code generation for format '" + options.target.format +
                       "'; there is: " + HAL_ELF_CPU_FORMAT_X86_64);
  }
  HAL_TRY_ASSIGN(Isa isa, codegen::parse_isa(options.target.features));
  return Generation(program, options, std::move(isa)).run();
}

}  // namespace hal::compiler
