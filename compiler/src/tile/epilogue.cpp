// SPDX-License-Identifier: Apache-2.0
#include "epilogue.hpp"

#include <algorithm>

#include "expr.hpp"
#include "materialise.hpp"

namespace hal::compiler::tile {
namespace {

constexpr size_t kMaxNodes = 256;  // of an epilogue: a longer chain is a kernel of its own

// Where each temporary is read: the kernels, and the loads.
struct Readers {
  std::vector<size_t> kernels;
};

std::vector<Readers> find_readers(const Program& program) {
  std::vector<Readers> readers(program.buffers.size());
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    for (const Block& block : program.kernels[k].blocks) {
      auto note = [&](const Expr& expr) {
        if (expr.kind != ExprKind::kLoad) return;
        auto& kernels = readers[expr.buffer].kernels;
        if (kernels.empty() || kernels.back() != k) kernels.push_back(k);
      };
      visit(block.body, note);
      visit(block.epilogue, note);
    }
  }
  return readers;
}

// The one index at which `block` loads `buffer`; nothing if it loads it at several.
std::optional<std::vector<Sym>> only_index(const Block& block, uint32_t buffer) {
  std::optional<std::vector<Sym>> index;
  bool same = true;
  visit(block.body, [&](const Expr& expr) {
    if (expr.kind != ExprKind::kLoad || expr.buffer != buffer) return;
    same = same && expr.data_indices.empty() && (!index || *index == expr.indices);
    index = expr.indices;
  });
  return same ? index : std::nullopt;
}

// The load must not stand inside a guard: it would be evaluated where the guard says it must not.
bool loads_inside_guard(const Block& block, uint32_t buffer) {
  bool inside = false;
  visit(block.body, [&](const Expr& guard) {
    if (guard.kind != ExprKind::kGuard) return;
    for (const ExprPtr& operand : guard.operands) {
      visit(operand,
            [&](const Expr& expr) { inside = inside || (expr.kind == ExprKind::kLoad && expr.buffer == buffer); });
    }
  });
  return inside;
}

// The reader's axes as expressions over the producer's, such that each of the reader's points reads the producer's own
// point; verified by substitution. `read` is the reader's index of the temporary.
std::optional<std::map<std::string, Sym>> match_axes(const Program& program, const Block& producer, const Block& reader,
                                                     const std::vector<Sym>& read) {
  std::map<std::string, Sym> match;
  const Shape& shape = program.buffers[producer.target].type.shape;
  Sym points = 1;
  for (const Axis& axis : reader.axes) {
    points *= axis.extent;
    if (axis.extent.is_constant(1)) {
      match[axis.name] = 0;
      continue;
    }
    Sym value = 0, stride = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      if (!read[d].depends_on(axis.name)) continue;
      value += producer.target_indices[d] * stride;
      stride *= shape[d];
    }
    if (program.ranges.simplify(stride - axis.extent) != Sym(0)) return std::nullopt;
    match[axis.name] = value;
  }
  if (program.ranges.simplify(points - product(shape)) != Sym(0)) return std::nullopt;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (program.ranges.simplify(read[d].substitute(match) - producer.target_indices[d]) != Sym(0)) return std::nullopt;
  }
  return match;
}

// Whether the producer with this epilogue is still a small kernel.
bool is_small(const Block& producer, const ExprPtr& epilogue) {
  size_t nodes = 0;
  std::set<uint32_t> buffers;
  auto count = [&](const Expr& expr) {
    ++nodes;
    if (expr.kind == ExprKind::kLoad) buffers.insert(expr.buffer);
  };
  visit(epilogue, count);
  bool fits = nodes <= kMaxNodes;
  visit(producer.body, count);
  return fits && buffers.size() <= kMaxLoads;
}

bool has_arg_reduction(const Block& block) { return block.reduction && block.reduction->arg; }

// Moves the reader's expression into the producer; true if it could.
bool fuse(Program* program, Block* producer, const Block& reader) {
  uint32_t buffer = producer->target;
  auto read = only_index(reader, buffer);
  if (!read || loads_inside_guard(reader, buffer)) return false;
  auto match = match_axes(*program, *producer, reader, *read);
  if (!match) return false;
  const SymRanges& ranges = program->ranges;
  DType dtype = program->buffers[buffer].type.dtype;
  ExprPtr before = producer->epilogue != nullptr ? producer->epilogue : accumulator(dtype);
  ExprPtr moved = rewrite(substitute(reader.body, *match, ranges), [&](const Expr& expr) -> ExprPtr {
    return expr.kind == ExprKind::kLoad && expr.buffer == buffer ? before : nullptr;
  });
  if (!is_small(*producer, moved)) return false;
  producer->epilogue = moved;
  producer->target = reader.target;
  producer->target_indices.clear();
  for (const Sym& index : reader.target_indices)
    producer->target_indices.push_back(ranges.simplify(index.substitute(*match)));
  return true;
}

}  // namespace

void fuse_epilogues(Program* program) {
  auto& kernels = program->kernels;
  std::vector<Readers> readers = find_readers(*program);
  std::vector<bool> gone(kernels.size(), false);
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (gone[k] || kernels[k].blocks.size() != 1 || !kernels[k].blocks[0].reduction ||
        has_arg_reduction(kernels[k].blocks[0]))
      continue;
    Block merged = kernels[k].blocks[0];
    const Buffer& buffer = program->buffers[merged.target];
    if (buffer.kind != BufferKind::kTemporary || readers[merged.target].kernels.size() != 1) continue;
    size_t r = readers[merged.target].kernels[0];
    if (kernels[r].blocks.size() != 1 || kernels[r].blocks[0].reduction) continue;
    if (!fuse(program, &merged, kernels[r].blocks[0])) continue;
    // The merged kernel runs where the reader stood: what the epilogue reads is ready there.
    gone[k] = true;
    kernels[r].blocks = {std::move(merged)};
    kernels[r].name = kernels[k].name + "_" + std::to_string(r);
  }
  std::vector<Kernel> kept;
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (!gone[k]) kept.push_back(std::move(kernels[k]));
  }
  kernels = std::move(kept);
}

}  // namespace hal::compiler::tile
