// SPDX-License-Identifier: Apache-2.0
#include "bounds.hpp"

#include <set>

#include "expr.hpp"

namespace hal::compiler::tile {
namespace {

constexpr size_t kMaxPoints = 64;

std::optional<int64_t> value_of(const Sym& sym, const Binding& binding) {
  auto value = sym.evaluate(binding);
  return value ? std::optional<int64_t>(*value) : std::nullopt;
}

std::string text(const Binding& binding) {
  std::string out;
  for (const auto& [name, value] : binding) out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return out;
}

bool allowed(const Program& program, const Binding& binding) {
  for (const auto& [symbol, value] : binding) {
    const SymRange* range = program.ranges.find(symbol);
    if (range == nullptr) continue;
    auto lo = range->lo ? value_of(*range->lo, binding) : value, hi = range->hi ? value_of(*range->hi, binding) : value;
    if (!lo || !hi || value < *lo || value > *hi) return false;
  }
  for (const Buffer& buffer : program.buffers) {
    for (const Sym& extent : buffer.type.shape) {
      auto value = value_of(extent, binding);
      if (!value || *value < 0) return false;
    }
  }
  return static_cast<bool>(program.ranges.check_assumptions(binding));
}

bool proven_inside(const Sym& index, const Sym& extent, const SymRanges& ranges) {
  return ranges.nonnegative(index) && ranges.less(index, extent);
}

class Search {
 public:
  Search(const Program& program, const Block& block) : program_(program), block_(block) {
    settled_ = true;
    for (const ExprPtr& root : {block.body, block.epilogue}) {
      tile::visit(root, [&](const Expr& expr) {
        if (expr.kind == ExprKind::kLoad) settled_ = settled_ && proven(expr.buffer, expr.indices);
      });
    }
    target_settled_ = proven(block.target, block.target_indices);
    plain_store_ = stores_plainly();
  }

  bool settled() const { return settled_ && target_settled_ && plain_store_; }

  std::string run(const Binding& symbols) {
    std::vector<Binding> points = corners(symbols);
    std::map<std::vector<int64_t>, std::vector<int64_t>> stored;
    for (const Binding& point : points) {
      check_target(point, &stored);
      if (!settled_) {
        seen_.clear();
        walk(block_.body, point);
        walk(block_.epilogue, point);
      }
      if (!problem_.empty()) return problem_;
    }
    return "";
  }

 private:
  bool proven(uint32_t buffer, const std::vector<Sym>& indices) const {
    const Shape& shape = program_.buffers[buffer].type.shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (!proven_inside(indices[d], shape[d], program_.ranges)) return false;
    }
    return true;
  }

  // Each axis is, plus something without axes, an index of its own: no two points meet.
  bool stores_plainly() const {
    std::set<std::string> left;
    for (const Axis& axis : block_.axes) {
      if (axis.kind == AxisKind::kParallel && !axis.extent.is_constant(1)) left.insert(axis.name);
    }
    for (const Sym& index : block_.target_indices) {
      std::set<std::string> axes;
      for (const std::string& symbol : index.symbols()) {
        if (left.count(symbol) != 0) axes.insert(symbol);
      }
      if (axes.size() == 1 && index.coefficient_of(*axes.begin()) == Sym(1)) left.erase(*axes.begin());
    }
    return left.empty();
  }

  // Points whose axes are at their ends or beside them; nothing where the block does nothing.
  std::vector<Binding> corners(const Binding& symbols) const {
    std::vector<Binding> points = {symbols};
    for (const Axis& axis : block_.axes) {
      auto extent = value_of(axis.extent, symbols);
      if (!extent || *extent <= 0) return {};
      std::vector<Binding> next;
      for (int64_t at : std::set<int64_t>{0, *extent - 1, std::min<int64_t>(1, *extent - 1), *extent / 2}) {
        // Beyond the limit an axis leaves its first value in few points only.
        size_t take =
            next.size() + points.size() <= kMaxPoints ? points.size() : std::max<size_t>(points.size() / 4, 1);
        for (size_t p = 0; p < take; ++p) {
          next.push_back(points[points.size() - 1 - p]);
          next.back()[axis.name] = at;
        }
      }
      points = std::move(next);
    }
    return points;
  }

  void check_target(const Binding& point, std::map<std::vector<int64_t>, std::vector<int64_t>>* stored) {
    check_inside("a store to ", block_.target, block_.target_indices, point);
    std::vector<int64_t> where, from;
    for (const Sym& index : block_.target_indices) where.push_back(value_of(index, point).value_or(0));
    for (const Axis& axis : block_.axes) {
      if (axis.kind == AxisKind::kParallel) from.push_back(point.at(axis.name));
    }
    auto [found, fresh] = stored->emplace(where, from);
    if (!fresh && found->second != from && problem_.empty()) {
      problem_ =
          "two points store to one element of " + program_.buffers[block_.target].name + ", one of them " + text(point);
    }
  }

  void check_inside(const char* what, uint32_t buffer, const std::vector<Sym>& indices, const Binding& point) {
    const Shape& shape = program_.buffers[buffer].type.shape;
    for (size_t d = 0; d < shape.size() && problem_.empty(); ++d) {
      auto index = value_of(indices[d], point), extent = value_of(shape[d], point);
      if (index && extent && *index >= 0 && *index < *extent) continue;
      problem_ = what + program_.buffers[buffer].name + " is out of bounds: index " + indices[d].text() +
                 " of dimension " + std::to_string(d) + ", extent " + shape[d].text() + ", where " + text(point);
    }
  }

  // What is evaluated at a point, and nothing else: a guard takes one side.
  void walk(const ExprPtr& expr, const Binding& point) {
    if (expr == nullptr || !problem_.empty() || !seen_.insert(expr.get()).second) return;
    if (expr->kind == ExprKind::kGuard) {
      bool holds = true;
      for (const Sym& condition : expr->conditions) holds = holds && value_of(condition, point).value_or(-1) >= 0;
      return walk(expr->operands[holds ? 0 : 1], point);
    }
    for (const ExprPtr& operand : expr->operands) walk(operand, point);
    for (const DataIndex& data : expr->data_indices) walk(data.value, point);
    if (expr->kind == ExprKind::kLoad) check_load(*expr, point);
  }

  // An index from data is tried at both of its ends.
  void check_load(const Expr& load, const Binding& point) {
    for (bool low : {true, false}) {
      Binding at = point;
      for (const DataIndex& data : load.data_indices) {
        const SymRange* range = program_.ranges.find(data.symbol);
        Sym end = range == nullptr ? Sym(0) : (low ? range->lo : range->hi).value_or(0);
        int64_t value = value_of(end, point).value_or(0);
        if (value < 0) return;  // there is nothing to index
        at[data.symbol] = value;
      }
      check_inside("a load of ", load.buffer, load.indices, at);
      if (load.data_indices.empty()) return;
    }
  }

  const Program& program_;
  const Block& block_;
  bool settled_, target_settled_, plain_store_;
  std::set<const Expr*> seen_;  // at this point
  std::string problem_;
};

}  // namespace

std::vector<Binding> sample_bindings(const Program& program) {
  static constexpr int64_t kSteps[][2] = {{1, 0}, {2, 0}, {3, 1}, {4, 0}, {5, 2}, {8, 0}, {12, 0}, {16, 3}, {60, 0}};
  std::vector<Binding> out;
  for (auto [first, step] : kSteps) {
    Binding binding;
    int64_t value = first;
    for (const std::string& symbol : program.symbols) binding[symbol] = value, value += step;
    if (allowed(program, binding)) out.push_back(std::move(binding));
    if (program.symbols.empty() && !out.empty()) break;
  }
  return out;
}

std::string find_violation(const Program& program, const Block& block, const std::vector<Binding>& bindings) {
  Search search(program, block);
  if (search.settled()) return "";
  for (const Binding& binding : bindings) {
    std::string problem = search.run(binding);
    if (!problem.empty()) return problem;
  }
  return "";
}

}  // namespace hal::compiler::tile
