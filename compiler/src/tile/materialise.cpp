// SPDX-License-Identifier: Apache-2.0
//
// A walk from the results to the parameters. What is not a buffer is computed inside the kernels that read it, and four
// bounds keep every kernel small, so that lowering takes time linear in the module: the length of a chain, the ops of a
// kernel, its bindings, and the places at which one value is read.
#include "materialise.hpp"

#include <algorithm>
#include <set>

namespace hal::compiler::tile {
namespace {

constexpr uint32_t kMaxDepth = 64;       // along a chain, by weight(): bounds recursion and the size of indices
constexpr uint32_t kMaxOps = 256;        // in one kernel
constexpr size_t kMaxPlaces = 4;         // more distinct indices at which a value is read make it a buffer
constexpr uint32_t kReshapeWeight = 12;  // each may double the terms of an index

// A value that one kernel alone evaluates, and each element of it about once, is computed in that kernel.
class Choice {
 public:
  Choice(const Module& module, bool fuse)
      : function_(module.function), fuse_(fuse), flags_(function_.values.size()), uses_(function_.values.size()) {
    binds_.assign(function_.values.size(), true);
    for (const Op& op : function_.ops) binds_[op.result] = op.prim != Prim::kIota && op.prim != Prim::kSyms;
  }

  std::vector<bool> run() {
    for (ValueId result : function_.results) {
      if (result >= function_.parameter_count) flags_[result] = true;
    }
    for (size_t i = function_.ops.size(); i-- > 0;) visit(function_.ops[i]);
    return std::move(flags_);
  }

 private:
  // What the consumers that were already seen say of a value. They are all seen before it is decided.
  struct Use {
    std::set<uint32_t> kernels;  // that would compute it
    std::set<uint64_t> places;   // the distinct indices at which it is read; no more than tell a few from many
    bool repeated = false;       // some kernel would compute an element many times
    bool as_buffer = false;      // a consumer needs it in memory
    uint32_t depth = 0;          // the longest chain to it from a kernel's result
  };

  struct Kernel {
    std::set<ValueId> reads;  // not yet computed inside: each will be a binding, or be replaced by its operands
    uint32_t ops = 0;
  };

  static bool is_movement(Prim prim) { return info(prim).cls == PrimClass::kMovement || prim == Prim::kGather; }
  // Of one operand and without a guard: computing it where it is read makes no expression larger.
  static bool is_view(Prim prim) { return is_movement(prim) && info(prim).operands == 1; }
  static bool always_buffer(Prim prim) { return info(prim).cls == PrimClass::kReduce || prim == Prim::kScatter; }

  void visit(const Op& op) {
    Use& use = uses_[op.result];
    if (use.kernels.empty() && !flags_[op.result]) return;  // nobody reads it
    if (op.prim == Prim::kConstant) return;
    flags_[op.result] = flags_[op.result] || is_buffer(op, use);
    if (flags_[op.result]) {
      begin_kernels(op);
    } else {
      compute_inside(op, use);
    }
  }

  bool is_buffer(const Op& op, const Use& use) const {
    if (use.as_buffer || always_buffer(op.prim)) return true;
    if (info(op.prim).cls == PrimClass::kSource) return false;
    if (use.depth > kMaxDepth) return true;
    for (uint32_t kernel : use.kernels) {
      if (!fits(op, kernels_[kernel])) return true;
    }
    if (is_view(op.prim)) return false;
    if (use.places.size() > kMaxPlaces) return true;
    // A concatenation that is read again and again by a contraction is worth its copy: its guards are not free.
    if (is_movement(op.prim)) return op.prim == Prim::kConcat && (use.repeated || !fuse_);
    return use.kernels.size() > 1 || use.repeated || !fuse_;
  }

  // Whether the kernel can compute the op itself instead of reading its result.
  bool fits(const Op& op, const Kernel& kernel) const {
    size_t more = 0;
    for (ValueId operand : op.operands) more += binds_[operand] && kernel.reads.count(operand) == 0 ? 1 : 0;
    return kernel.reads.size() + more <= kMaxLoads + 1 && kernel.ops < kMaxOps;
  }

  // A kernel that computes the op; for a concatenation one for each operand.
  void begin_kernels(const Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (i == 0 || op.prim == Prim::kConcat) kernels_.emplace_back();
      uint32_t kernel = static_cast<uint32_t>(kernels_.size() - 1);
      Use& use = uses_[op.operands[i]];
      tell(op, i, kernel);
      add_place(&use, mix(kernel, is_elementwise(op.prim) ? 0 : i));
      use.repeated = use.repeated || repeats(op, i);
      use.depth = std::max(use.depth, weight(op));
    }
  }

  void compute_inside(const Op& op, const Use& own) {
    for (uint32_t kernel : own.kernels) {
      kernels_[kernel].reads.erase(op.result);
      ++kernels_[kernel].ops;
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Use& use = uses_[op.operands[i]];
      for (uint32_t kernel : own.kernels) tell(op, i, kernel);
      for (uint64_t place : own.places)
        add_place(&use, is_elementwise(op.prim) ? place : mix(mix(place, op.result), i));
      use.repeated = use.repeated || own.repeated || repeats(op, i);
      use.depth = std::max(use.depth, own.depth + weight(op));
    }
  }

  void tell(const Op& op, size_t operand, uint32_t kernel) {
    ValueId value = op.operands[operand];
    uses_[value].kernels.insert(kernel);
    if (binds_[value]) kernels_[kernel].reads.insert(value);
    if ((op.prim == Prim::kGather || op.prim == Prim::kScatter) && operand == 0) uses_[value].as_buffer = true;
  }

  static void add_place(Use* use, uint64_t place) {
    if (use->places.size() <= kMaxPlaces) use->places.insert(place);
  }

  static uint64_t mix(uint64_t a, uint64_t b) {
    uint64_t x = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
    return x ^ (x >> 29);
  }

  uint32_t weight(const Op& op) const {
    if (op.prim != Prim::kReshape) return 1;
    auto without_ones = [](Shape shape) {
      shape.erase(std::remove(shape.begin(), shape.end(), Sym(1)), shape.end());
      return shape;
    };
    const Shape& from = function_.values[op.operands[0]].type.shape;
    return without_ones(from) == without_ones(op.attributes.shape) ? 1 : kReshapeWeight;
  }

  // Whether the op reads one element of the operand for several of its own.
  bool repeats(const Op& op, size_t operand) const {
    const TensorType& type = function_.values[op.operands[operand]].type;
    bool scalar =
        std::all_of(type.shape.begin(), type.shape.end(), [](const Sym& extent) { return extent.is_constant(1); });
    switch (op.prim) {
      case Prim::kContract:
      case Prim::kScan:
      case Prim::kGather:
        return true;
      case Prim::kScatter:
        return operand != 0;  // every element looks at every update
      case Prim::kBroadcast:
        return !scalar && !(type.shape == op.attributes.shape);
      case Prim::kWindow:
        return std::any_of(op.attributes.size.begin(), op.attributes.size.end(),
                           [](const Sym& size) { return !size.is_constant(1); });
      default:
        return false;
    }
  }

  const Function& function_;
  bool fuse_;
  std::vector<bool> flags_;
  std::vector<bool> binds_;  // reading it may take a binding
  std::vector<Use> uses_;
  std::vector<Kernel> kernels_;
};

}  // namespace

std::vector<bool> choose_materialised(const Module& module, bool fuse) { return Choice(module, fuse).run(); }

}  // namespace hal::compiler::tile
