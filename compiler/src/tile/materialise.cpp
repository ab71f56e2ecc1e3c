// SPDX-License-Identifier: Apache-2.0
#include "materialise.hpp"

#include <algorithm>
#include <set>

namespace hal::compiler::tile {
namespace {

constexpr uint32_t kMaxInlined = 48;  // elementwise nodes in one kernel: keeps compile time linear

// A value that one kernel alone evaluates, and each element of it about once, is computed in that kernel.
class Choice {
 public:
  explicit Choice(const Module& module)
      : function_(module.function), flags_(function_.values.size(), false), info_(function_.values.size()) {}

  std::vector<bool> run(bool fuse) {
    for (ValueId result : function_.results) {
      if (result >= function_.parameter_count) flags_[result] = true;
    }
    for (size_t i = function_.ops.size(); i-- > 0;) {
      const Op& op = function_.ops[i];
      decide(op, fuse);
      tell_operands(op);
    }
    return flags_;
  }

 private:
  // What the consumers that were already seen say of a value.
  struct Use {
    std::set<ValueId> roots;  // kernels that would compute it
    bool repeated = false;    // some of them would compute an element many times
    bool as_buffer = false;   // a consumer needs it in memory
    uint32_t work = 0;        // elementwise nodes of the kernel so far
  };

  static bool is_source(Prim prim) { return info(prim).cls == PrimClass::kSource; }
  static bool is_movement(Prim prim) { return info(prim).cls == PrimClass::kMovement || prim == Prim::kGather; }
  static bool always_buffer(Prim prim) { return info(prim).cls == PrimClass::kReduce || prim == Prim::kScatter; }

  void decide(const Op& op, bool fuse) {
    const Use& use = info_[op.result];
    if (op.prim == Prim::kConstant) return;
    if (use.as_buffer || always_buffer(op.prim)) flags_[op.result] = true;
    if (flags_[op.result] || is_source(op.prim)) return;
    if (is_movement(op.prim)) {
      // A concatenation that is read again and again by a contraction is worth its copy: its guards are not free.
      if (op.prim == Prim::kConcat && (use.repeated || !fuse)) flags_[op.result] = true;
      return;
    }
    bool many = use.roots.size() > 1 || use.repeated || use.work > kMaxInlined;
    if (!use.roots.empty() && (many || !fuse)) flags_[op.result] = true;
  }

  void tell_operands(const Op& op) {
    const Use& own = info_[op.result];
    if (!flags_[op.result] && own.roots.empty()) return;  // nobody reads it
    bool root = flags_[op.result];
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Use& use = info_[op.operands[i]];
      if (root) {
        use.roots.insert(op.result);
      } else {
        use.roots.insert(own.roots.begin(), own.roots.end());
      }
      use.repeated = use.repeated || (!root && own.repeated) || repeats(op, i);
      use.work = std::max(use.work, (root ? 0 : own.work) + (is_elementwise(op.prim) ? 1u : 0u));
      if ((op.prim == Prim::kGather || op.prim == Prim::kScatter) && i == 0) use.as_buffer = true;
    }
  }

  // Whether the op reads one element of the operand for several of its own.
  bool repeats(const Op& op, size_t operand) const {
    const TensorType& type = function_.values[op.operands[operand]].type;
    bool scalar =
        std::all_of(type.shape.begin(), type.shape.end(), [](const Sym& extent) { return extent.is_constant(1); });
    switch (op.prim) {
      case Prim::kContract:
      case Prim::kScan:
        return true;
      case Prim::kBroadcast:
        return !scalar && !(type.shape == op.attributes.shape);
      case Prim::kWindow:
        return std::any_of(op.attributes.size.begin(), op.attributes.size.end(),
                           [](const Sym& size) { return !size.is_constant(1); });
      case Prim::kGather:
        return true;
      default:
        return false;
    }
  }

  const Function& function_;
  std::vector<bool> flags_;
  std::vector<Use> info_;
};

}  // namespace

std::vector<bool> choose_materialised(const Module& module, bool fuse) { return Choice(module).run(fuse); }

}  // namespace hal::compiler::tile
