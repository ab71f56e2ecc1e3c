// SPDX-License-Identifier: Apache-2.0
#include "hal/runtime/session.hpp"

#include <chrono>
#include <cstring>
#include <map>

#include "device_memory.hpp"
#include "hal/compiler/memory_plan.hpp"

namespace hal::runtime {

using compiler::CompiledProgram;
using compiler::ProgramBuffer;
using compiler::Tensor;
using compiler::tile::BufferKind;
using Binding = std::map<std::string, int64_t>;

namespace {

constexpr size_t kMaxPlans = 16;  // sets of extents whose plans are kept

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

Error misfit(const compiler::ProgramTensor& want, const Tensor& got) {
  return invalid_argument("input " + want.name + ": expected " + text(want.type) + ", got " +
                          std::string(name(got.dtype)) + shape_text(got.shape));
}

// An extent with one symbol (N, 32*H) binds it; the rest must agree with what the binding says.
Result<Binding> bind(const CompiledProgram& program, const std::vector<Tensor>& inputs) {
  if (inputs.size() != program.inputs.size()) {
    return invalid_argument("expected " + std::to_string(program.inputs.size()) + " inputs, got " +
                            std::to_string(inputs.size()));
  }
  Binding binding;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& want = program.inputs[i];
    if (inputs[i].dtype != want.type.dtype || inputs[i].shape.size() != want.type.shape.size()) {
      return misfit(want, inputs[i]);
    }
    for (size_t axis = 0; axis < want.type.shape.size(); ++axis) {
      if (auto found = compiler::solve(want.type.shape[axis], inputs[i].shape[axis])) binding.insert(std::move(*found));
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t axis = 0; axis < inputs[i].shape.size(); ++axis) {
      HAL_TRY_ASSIGN(int64_t extent, program.inputs[i].type.shape[axis].evaluate(binding));
      if (extent != inputs[i].shape[axis]) return misfit(program.inputs[i], inputs[i]);
    }
  }
  HAL_TRY(program.ranges.check_assumptions(binding));
  for (const auto& [symbol, value] : binding) {
    const compiler::SymRange* range = program.ranges.find(symbol);
    if (range == nullptr) continue;
    int64_t low = range->lo ? range->lo->constant().value_or(0) : 0;
    int64_t high = range->hi ? range->hi->constant().value_or(compiler::kMaxExtent) : compiler::kMaxExtent;
    if (value < low || value > high) {
      return invalid_argument("dimension " + symbol + " is " + std::to_string(value) + "; this program takes " +
                              std::to_string(low) + " to " + std::to_string(high));
    }
  }
  return binding;
}

Result<std::vector<int64_t>> extents(const compiler::TensorType& type, const Binding& binding) {
  std::vector<int64_t> out;
  for (const compiler::Sym& extent : type.shape) {
    HAL_TRY_ASSIGN(int64_t value, extent.evaluate(binding));
    if (value < 0) return invalid_argument("the extent " + extent.text() + " becomes " + std::to_string(value));
    out.push_back(value);
  }
  return out;
}

Result<uint64_t> bytes_of_type(const compiler::TensorType& type, const Binding& binding) {
  HAL_TRY_ASSIGN(auto shape, extents(type, binding));
  uint64_t count = 1;
  for (int64_t extent : shape) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count) || count > (uint64_t{1} << 56)) {
      return invalid_argument("a tensor " + text(type) + " is too large: " + shape_text(shape));
    }
  }
  return compiler::bytes_of(type.dtype, count);
}

// Everything that depends on the extents: made once for each set of them.
struct Plan {
  std::vector<std::vector<int64_t>> output_shapes;
  Buffer arena;
  std::vector<Buffer> own;                      // inputs and outputs
  std::vector<hal_buffer_range_t> ranges;       // of each program buffer
  std::vector<std::vector<int64_t>> constants;  // of each step
  std::vector<std::vector<hal_buffer_range_t>> bindings;
  std::vector<hal_work_dispatch_t> dispatches;
  std::vector<const hal_work_t*> work;
};

}  // namespace

struct Session::State {
  CompiledProgram program;
  DeviceMemory memory;
  Executable executable;
  std::vector<Buffer> constants;
  std::vector<Buffer> prepared;  // of each program buffer of that kind; else null
  std::map<Binding, std::unique_ptr<Plan>> plans;
  uint64_t last_device_time = 0;

  State(CompiledProgram p, DeviceMemory m) : program(std::move(p)), memory(std::move(m)) {}

  Result<void> upload_constants();
  Result<void> prepare();
  Result<Plan*> plan(const Binding& binding);
  Result<void> place_buffers(const Binding& binding, Plan* plan);
  Result<void> plan_steps(const Binding& binding, bool once, Plan* plan);
};

Result<void> Session::State::upload_constants() {
  for (const Tensor& constant : program.constants) {
    HAL_TRY_ASSIGN(Buffer buffer, memory.allocate(constant.bytes(), "constant"));
    HAL_TRY(memory.upload(buffer.get(), 0, constant.storage->data(), constant.bytes()));
    constants.push_back(std::move(buffer));
  }
  return {};
}

// Runs the steps that depend on constants alone, and lets go of the constants that no other step reads.
Result<void> Session::State::prepare() {
  Plan plan;
  prepared.resize(program.buffers.size());
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    hal_buffer_range_t range = {nullptr, 0, 0, 0, 0};
    const ProgramBuffer& buffer = program.buffers[i];
    if (buffer.kind == BufferKind::kPrepared) {
      HAL_TRY_ASSIGN(range.length, bytes_of_type(buffer.type, {}));
      HAL_TRY_ASSIGN(prepared[i], memory.allocate(range.length, "prepared"));
      range.buffer = prepared[i].get();
    } else if (buffer.kind == BufferKind::kConstant) {
      range.buffer = constants[buffer.index].get();
      range.length = program.constants[buffer.index].bytes();
    }
    plan.ranges.push_back(range);
  }
  HAL_TRY(plan_steps({}, true, &plan));
  if (plan.work.empty()) return {};
  HAL_TRY(memory.run(plan.work, program.name.c_str()));
  std::vector<bool> needed(constants.size(), false);
  for (const compiler::Step& step : program.steps) {
    if (prepares(program, step)) continue;
    for (uint32_t b : step.bindings) {
      if (program.buffers[b].kind == BufferKind::kConstant) needed[program.buffers[b].index] = true;
    }
  }
  for (size_t i = 0; i < constants.size(); ++i) {
    if (!needed[i]) constants[i].reset();
  }
  return {};
}

Result<void> Session::State::place_buffers(const Binding& binding, Plan* plan) {
  HAL_TRY_ASSIGN(auto memory_plan, compiler::plan_memory(program, binding));
  HAL_TRY_ASSIGN(plan->arena, memory.allocate(memory_plan.arena_bytes, "arena"));
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const ProgramBuffer& buffer = program.buffers[i];
    HAL_TRY_ASSIGN(uint64_t size, bytes_of_type(buffer.type, binding));
    hal_buffer_range_t range = {nullptr, 0, size, 0, 0};
    if (buffer.kind == BufferKind::kTemporary) {
      range.buffer = plan->arena.get();
      range.offset = memory_plan.offsets[i];
    } else if (buffer.kind == BufferKind::kConstant) {
      range.buffer = constants[buffer.index].get();
    } else if (buffer.kind == BufferKind::kPrepared) {
      range.buffer = prepared[i].get();
    } else {
      HAL_TRY_ASSIGN(Buffer own, memory.allocate(size, buffer.kind == BufferKind::kInput ? "input" : "output"));
      range.buffer = own.get();
      plan->own.push_back(std::move(own));
    }
    plan->ranges.push_back(range);
  }
  return {};
}

Result<void> Session::State::plan_steps(const Binding& binding, bool once, Plan* plan) {
  size_t count = program.steps.size();
  plan->constants.resize(count);
  plan->bindings.resize(count);
  plan->dispatches.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const compiler::Step& step = program.steps[i];
    if (prepares(program, step) != once) continue;
    for (const compiler::Sym& constant : step.constants) {
      HAL_TRY_ASSIGN(int64_t value, constant.evaluate(binding));
      plan->constants[i].push_back(value);
    }
    for (uint32_t buffer : step.bindings) plan->bindings[i].push_back(plan->ranges[buffer]);
    hal_work_dispatch_t dispatch = HAL_WORK_DISPATCH_INIT;
    dispatch.header.label = {step.label.data(), step.label.size()};
    dispatch.executable = executable.get();
    dispatch.entry = step.entry;
    for (int axis = 0; axis < 3; ++axis) {
      HAL_TRY_ASSIGN(int64_t groups, step.workgroup_count[static_cast<size_t>(axis)].evaluate(binding));
      if (groups < 0 || groups > UINT32_MAX) {
        return invalid_argument("step " + step.label + ": a grid of " + std::to_string(groups) + " workgroups");
      }
      dispatch.workgroup_count[axis] = static_cast<uint32_t>(groups);
    }
    dispatch.constants = plan->constants[i].data();
    dispatch.constant_bytes = static_cast<uint32_t>(plan->constants[i].size() * sizeof(int64_t));
    dispatch.bindings = plan->bindings[i].data();
    dispatch.binding_count = static_cast<uint32_t>(plan->bindings[i].size());
    plan->dispatches[i] = dispatch;
    plan->work.push_back(&plan->dispatches[i].header);
  }
  return {};
}

Result<Plan*> Session::State::plan(const Binding& binding) {
  auto found = plans.find(binding);
  if (found != plans.end()) return found->second.get();
  auto made = std::make_unique<Plan>();
  for (const auto& output : program.outputs) {
    HAL_TRY_ASSIGN(auto shape, extents(output.type, binding));
    made->output_shapes.push_back(std::move(shape));
  }
  HAL_TRY(place_buffers(binding, made.get()));
  HAL_TRY(plan_steps(binding, false, made.get()));
  if (plans.size() >= kMaxPlans) plans.erase(plans.begin());
  return plans.emplace(binding, std::move(made)).first->second.get();
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const CompiledProgram& Session::program() const { return state_->program; }
uint64_t Session::last_device_time() const { return state_->last_device_time; }

Result<Session> Session::create(hal_device_t* device, CompiledProgram program) {
  HAL_TRY_ASSIGN(DeviceMemory memory, DeviceMemory::create(device));
  auto state = std::make_unique<State>(std::move(program), std::move(memory));
  const CompiledProgram& p = state->program;
  hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  desc.format = {p.format.data(), p.format.size()};
  desc.target = {p.target.data(), p.target.size()};
  desc.bytes = {p.executable.data(), p.executable.size()};
  desc.label = {p.name.data(), p.name.size()};
  if (!p.executable.empty()) {  // a program that only renames its inputs has none
    hal_executable_t* executable = nullptr;
    HAL_TRY(take_status(hal_executable_load(device, &desc, &executable)));
    state->executable.reset(executable);
  }
  HAL_TRY(state->upload_constants());
  HAL_TRY(state->prepare());
  return Session(std::move(state));
}

Result<std::vector<Tensor>> Session::run(const std::vector<Tensor>& inputs, const std::vector<Tensor>& poison) {
  const CompiledProgram& program = state_->program;
  HAL_TRY_ASSIGN(Binding binding, bind(program, inputs));
  HAL_TRY_ASSIGN(Plan * plan, state_->plan(binding));
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const ProgramBuffer& buffer = program.buffers[i];
    const Tensor* content = buffer.kind == BufferKind::kInput ? &inputs[buffer.index] : nullptr;
    if (buffer.kind == BufferKind::kOutput && buffer.index < poison.size()) content = &poison[buffer.index];
    if (content == nullptr) continue;
    uint64_t bytes = std::min(content->bytes(), plan->ranges[i].length);
    HAL_TRY(state_->memory.upload(plan->ranges[i].buffer, 0, content->storage->data(), bytes));
  }
  auto begin = std::chrono::steady_clock::now();
  HAL_TRY(state_->memory.run(plan->work, program.name.c_str()));
  auto end = std::chrono::steady_clock::now();
  state_->last_device_time =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());

  std::vector<Tensor> outputs;
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    outputs.push_back(Tensor::make(program.outputs[i].type.dtype, plan->output_shapes[i]));
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    if (program.buffers[i].kind != BufferKind::kOutput) continue;
    Tensor& output = outputs[program.buffers[i].index];
    HAL_TRY(state_->memory.download(plan->ranges[i].buffer, 0, output.storage->data(), output.bytes()));
  }
  return outputs;
}

}  // namespace hal::runtime
