// SPDX-License-Identifier: Apache-2.0
//
// Largest first, each at the lowest offset that is free for its whole life (first fit by decreasing size).
#include "hal/compiler/memory_plan.hpp"

#include <algorithm>

namespace hal::compiler {
namespace {

constexpr uint64_t kAlignment = 64;

struct Life {
  size_t buffer;
  size_t first, last;  // steps
  uint64_t bytes;
  uint64_t offset = 0;
};

Result<uint64_t> size_of(const TensorType& type, const std::map<std::string, int64_t>& binding) {
  uint64_t count = 1;
  for (const Sym& extent : type.shape) {
    HAL_TRY_ASSIGN(int64_t value, extent.evaluate(binding));
    if (value < 0) return invalid_argument("the extent " + extent.text() + " becomes " + std::to_string(value));
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(value), &count) || count > kMaxArenaBytes) {
      return Error{HAL_STATUS_OUT_OF_MEMORY, "a temporary " + text(type) + " is too large"};
    }
  }
  return (bytes_of(type.dtype, count) + kAlignment - 1) / kAlignment * kAlignment;
}

Result<std::vector<Life>> lives_of(const CompiledProgram& program, const std::map<std::string, int64_t>& binding) {
  std::vector<Life> lives;
  std::map<size_t, size_t> index;
  for (size_t s = 0; s < program.steps.size(); ++s) {
    for (uint32_t buffer : program.steps[s].bindings) {
      if (program.buffers[buffer].kind != tile::BufferKind::kTemporary) continue;
      auto [found, fresh] = index.emplace(buffer, lives.size());
      if (fresh) {
        HAL_TRY_ASSIGN(uint64_t bytes, size_of(program.buffers[buffer].type, binding));
        lives.push_back({buffer, s, s, bytes});
      }
      lives[found->second].last = s;
    }
  }
  return lives;
}

bool meet(const Life& a, const Life& b) { return a.first <= b.last && b.first <= a.last; }

// The lowest offset at which `life` meets none of those already placed.
uint64_t lowest_free(const Life& life, const std::vector<const Life*>& placed) {
  std::vector<const Life*> rivals;
  for (const Life* other : placed) {
    if (meet(life, *other)) rivals.push_back(other);
  }
  std::sort(rivals.begin(), rivals.end(), [](const Life* a, const Life* b) { return a->offset < b->offset; });
  uint64_t at = 0;
  for (const Life* rival : rivals) {
    if (at + life.bytes <= rival->offset) break;
    at = std::max(at, rival->offset + rival->bytes);
  }
  return at;
}

}  // namespace

Result<MemoryPlan> plan_memory(const CompiledProgram& program, const std::map<std::string, int64_t>& binding) {
  MemoryPlan plan;
  plan.offsets.resize(program.buffers.size(), 0);
  HAL_TRY_ASSIGN(std::vector<Life> lives, lives_of(program, binding));
  std::vector<uint64_t> live(program.steps.size(), 0);
  for (const Life& life : lives) {
    for (size_t s = life.first; s <= life.last; ++s) live[s] += life.bytes;
  }
  if (!live.empty()) plan.largest_live_bytes = *std::max_element(live.begin(), live.end());
  std::vector<Life*> order;
  for (Life& life : lives) order.push_back(&life);
  std::stable_sort(order.begin(), order.end(), [](const Life* a, const Life* b) { return a->bytes > b->bytes; });
  std::vector<const Life*> placed;
  for (Life* life : order) {
    life->offset = lowest_free(*life, placed);
    placed.push_back(life);
    plan.offsets[life->buffer] = life->offset;
    plan.arena_bytes = std::max(plan.arena_bytes, life->offset + life->bytes);
  }
  if (plan.arena_bytes > kMaxArenaBytes)
    return Error{HAL_STATUS_OUT_OF_MEMORY, "the temporaries need " + std::to_string(plan.arena_bytes) + " bytes"};
  return plan;
}

}  // namespace hal::compiler
