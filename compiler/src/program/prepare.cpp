// SPDX-License-Identifier: Apache-2.0
#include "prepare.hpp"

#include <algorithm>
#include <set>

namespace hal::compiler {

using tile::BufferKind;

namespace {

bool known(const Sym& value) { return value.constant().has_value(); }

template <typename Values>
bool all_known(const Values& values) {
  return std::all_of(values.begin(), values.end(), known);
}

bool writes(const Step& step, size_t binding) { return binding < 64 && (step.written_bindings >> binding & 1) != 0; }

// A temporary is variable if a step that is run each time writes it.
bool is_constant(const CompiledProgram& program, const Step& step, const std::set<uint32_t>& variable) {
  if (step.bindings.size() > 64 || !all_known(step.constants) || !all_known(step.workgroup_count)) return false;
  for (size_t i = 0; i < step.bindings.size(); ++i) {
    const ProgramBuffer& buffer = program.buffers[step.bindings[i]];
    bool temporary = buffer.kind == BufferKind::kTemporary && variable.count(step.bindings[i]) == 0;
    if (writes(step, i) ? !temporary || !all_known(buffer.type.shape)
                        : !temporary && buffer.kind != BufferKind::kConstant)
      return false;
  }
  return true;
}

}  // namespace

void prepare_constants(CompiledProgram* program) {
  std::set<uint32_t> variable;
  size_t before;
  do {  // until nothing more turns out to be variable
    before = variable.size();
    for (const Step& step : program->steps) {
      if (is_constant(*program, step, variable)) continue;
      for (size_t i = 0; i < step.bindings.size(); ++i) {
        if (writes(step, i) || step.bindings.size() > 64) variable.insert(step.bindings[i]);
      }
    }
  } while (variable.size() != before);
  for (const Step& step : program->steps) {
    for (size_t i = 0; i < step.bindings.size(); ++i) {
      ProgramBuffer& buffer = program->buffers[step.bindings[i]];
      if (writes(step, i) && buffer.kind == BufferKind::kTemporary && variable.count(step.bindings[i]) == 0)
        buffer.kind = BufferKind::kPrepared;
    }
  }
}

bool prepares(const CompiledProgram& program, const Step& step) {
  for (size_t i = 0; i < step.bindings.size(); ++i) {
    if (writes(step, i) && program.buffers[step.bindings[i]].kind == BufferKind::kPrepared) return true;
  }
  return false;
}

}  // namespace hal::compiler
