// SPDX-License-Identifier: Apache-2.0
//
// For tests alone: runs a compiled program in this process, workgroup by workgroup, with every buffer between two pages
// that must not be touched. The real way is a plugin and a session.
#ifndef COMPILER_CODEGEN_RUN_FOR_TEST_HPP_
#define COMPILER_CODEGEN_RUN_FOR_TEST_HPP_

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/program.hpp"
#include "hal/formats/elf_cpu.h"

namespace hal::compiler {

// Memory that ends (or begins) at a page without access.
class GuardedBytes {
 public:
  GuardedBytes(size_t size, bool at_end) : size_(size) {
    const size_t page = 4096;
    pages_ = (size + page - 1) / page * page + 2 * page;
    base_ = static_cast<std::byte*>(mmap(nullptr, pages_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (pages_ > 2 * page) mprotect(base_ + page, pages_ - 2 * page, PROT_READ | PROT_WRITE);
    // At the end, but aligned to 64 bytes where that is possible, is not tight; element alignment is what kernels may
    // ask.
    data_ = at_end ? base_ + pages_ - page - size : base_ + page;
  }
  ~GuardedBytes() { munmap(base_, pages_); }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  size_t size_, pages_;
  std::byte *base_, *data_;
};

inline Result<std::vector<Tensor>> run_for_test(const CompiledProgram& program, const std::vector<Tensor>& inputs,
                                                bool at_end) {
  std::map<std::string, int64_t> binding;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t a = 0; a < inputs[i].shape.size(); ++a) {
      if (auto solved = solve(program.inputs[i].type.shape[a], inputs[i].shape[a])) binding.insert(*solved);
    }
  }
  int file = memfd_create("kernels", 0);
  if (write(file, program.executable.data(), program.executable.size()) < 0) return internal_error("memfd");
  std::string path = "/proc/self/fd/" + std::to_string(file);
  // Closed on every way out: a library that stays open would be found again by its path, which the next one shares.
  std::unique_ptr<void, int (*)(void*)> owner(
      program.executable.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL),
      [](void* handle) { return handle == nullptr ? 0 : dlclose(handle); });
  void* library = owner.get();
  close(file);
  if (library == nullptr && !program.executable.empty()) return internal_error(dlerror());
  auto* table = library == nullptr ? nullptr : static_cast<const hal_elf_cpu_t*>(dlsym(library, HAL_ELF_CPU_SYMBOL));

  std::vector<std::unique_ptr<GuardedBytes>> buffers;
  std::vector<Tensor> outputs(program.outputs.size());
  for (const ProgramBuffer& buffer : program.buffers) {
    std::vector<int64_t> shape;
    for (const Sym& extent : buffer.type.shape) {
      HAL_TRY_ASSIGN(int64_t value, extent.evaluate(binding));
      shape.push_back(value);
    }
    Tensor tensor = Tensor::make(buffer.type.dtype, shape);
    buffers.push_back(std::make_unique<GuardedBytes>(tensor.bytes(), at_end));
    std::memset(buffers.back()->data(), 0xA5, tensor.bytes());  // poison
    const Tensor* source = buffer.kind == tile::BufferKind::kInput      ? &inputs[buffer.index]
                           : buffer.kind == tile::BufferKind::kConstant ? &program.constants[buffer.index]
                                                                        : nullptr;
    if (source != nullptr && source->bytes() > 0)
      std::memcpy(buffers.back()->data(), source->storage->data(), source->bytes());
    if (buffer.kind == tile::BufferKind::kOutput) outputs[buffer.index] = tensor;
  }
  for (const Step& step : program.steps) {
    std::vector<int64_t> constants;
    for (const Sym& constant : step.constants) {
      HAL_TRY_ASSIGN(int64_t value, constant.evaluate(binding));
      constants.push_back(value);
    }
    std::vector<void*> bindings;
    std::vector<uint64_t> sizes;
    for (uint32_t b : step.bindings) {
      bindings.push_back(buffers[b]->data());
      sizes.push_back(buffers[b]->size());
    }
    const hal_elf_cpu_entry_t& entry = table->entries[step.entry];
    std::unique_ptr<std::byte[], decltype(&std::free)> local(
        static_cast<std::byte*>(std::aligned_alloc(64, entry.local_memory_bytes + 64)), &std::free);
    hal_elf_cpu_call_t call = {bindings.data(), sizes.data(), constants.data(), local.get(), {0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < 3; ++axis) {
      HAL_TRY_ASSIGN(int64_t count, step.workgroup_count[static_cast<size_t>(axis)].evaluate(binding));
      call.workgroup_count[axis] = static_cast<uint32_t>(count);
    }
    for (uint32_t z = 0; z < call.workgroup_count[2]; ++z) {
      for (uint32_t y = 0; y < call.workgroup_count[1]; ++y) {
        for (uint32_t x = 0; x < call.workgroup_count[0]; ++x) {
          call.workgroup_id[0] = x, call.workgroup_id[1] = y, call.workgroup_id[2] = z;
          if (int32_t code = entry.function(&call))
            return internal_error(step.label + " returned " + std::to_string(code));
        }
      }
    }
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind != tile::BufferKind::kOutput) continue;
    Tensor& output = outputs[program.buffers[i].index];
    if (output.bytes() > 0) std::memcpy(output.storage->data(), buffers[i]->data(), output.bytes());
  }
  return outputs;
}

}  // namespace hal::compiler

#endif  // COMPILER_CODEGEN_RUN_FOR_TEST_HPP_
