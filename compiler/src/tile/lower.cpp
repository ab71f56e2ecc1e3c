// SPDX-License-Identifier: Apache-2.0
//
// portable -> tile. Each value has a pointwise definition: the scalar that stands at an index. Movement primitives
// change the index; elementwise ones apply to scalars; reductions, and values that several kernels need, become
// buffers.
#include <algorithm>
#include <cstring>

#include "epilogue.hpp"
#include "expr.hpp"
#include "materialise.hpp"

namespace hal::compiler::tile {
namespace {

using Index = std::vector<Sym>;

std::string symbol_name(const std::string& label) {
  std::string out;
  for (char c : label) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out.substr(0, 60);
}

// A tensor whose elements all have the same bits, as a literal.
std::optional<uint64_t> splat_bits(const Tensor& tensor) {
  size_t width = static_cast<size_t>(info(tensor.dtype).bits) / 8;
  if (width == 0 || tensor.size() == 0) return std::nullopt;
  const std::byte* bytes = tensor.storage->data();
  for (uint64_t i = 1; i < tensor.size(); ++i) {
    if (std::memcmp(bytes, bytes + i * width, width) != 0) return std::nullopt;
  }
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, width);
  return bits;
}

class Lowering {
 public:
  Lowering(const Module& module, const LowerOptions& options)
      : module_(module), function_(module.function), materialised_(choose_materialised(module, options.fuse)) {
    program_.name = function_.name;
    program_.symbols = module.symbols;
    program_.ranges = module.ranges;
    program_.constants = module.constants;
    definition_.resize(function_.values.size(), nullptr);
    buffer_of_.resize(function_.values.size());
    for (const Op& op : function_.ops) definition_[op.result] = &op;
  }

  Result<Program> run() {
    for (uint32_t i = 0; i < function_.parameter_count; ++i) {
      buffer_of_[i] = add_buffer(function_.values[i].name, BufferKind::kInput, i, function_.values[i].type);
    }
    place_outputs();
    for (const Op& op : function_.ops) {
      if (!materialised_[op.result] || op.prim == Prim::kConstant) continue;
      HAL_TRY(lower_value(op));
    }
    copy_outputs();
    return std::move(program_);
  }

 private:
  uint32_t add_buffer(std::string name, BufferKind kind, uint32_t index, TensorType type) {
    program_.buffers.push_back({std::move(name), kind, index, std::move(type)});
    return static_cast<uint32_t>(program_.buffers.size() - 1);
  }

  // A materialised value that is a result is written to the output at once; a value that is a result twice, or that is
  // a parameter or constant, is copied at the end.
  void place_outputs() {
    for (uint32_t i = 0; i < function_.results.size(); ++i) {
      ValueId value = function_.results[i];
      uint32_t buffer = add_buffer(function_.result_names[i], BufferKind::kOutput, i, function_.values[value].type);
      bool computed = definition_[value] != nullptr && definition_[value]->prim != Prim::kConstant;
      if (computed && !buffer_of_[value]) {
        buffer_of_[value] = buffer;
      } else {
        copies_.push_back({value, buffer});
      }
    }
  }

  void copy_outputs() {
    for (auto [value, buffer] : copies_) {
      Block block = new_block("copy", function_.values[value].type.shape);
      block.body = at(value, indices_of(block));
      block.target = buffer;
      block.target_indices = indices_of(block);
      add_kernel("copy", {std::move(block)});
    }
  }

  uint32_t buffer_for(ValueId value) {
    if (!buffer_of_[value]) {
      buffer_of_[value] =
          add_buffer("t" + std::to_string(value), BufferKind::kTemporary, 0, function_.values[value].type);
    }
    return *buffer_of_[value];
  }

  // A block with one parallel axis for each extent; axes get a number that no other block has.
  Block new_block(const std::string& name, const Shape& shape) {
    Block block;
    block.name = name;
    for (const Sym& extent : shape) block.axes.push_back(new_axis('i', AxisKind::kParallel, extent));
    return block;
  }

  Axis new_axis(char letter, AxisKind kind, const Sym& extent) {
    Axis axis{letter + std::to_string(axis_count_++), kind, extent};
    program_.ranges.set_index(axis.name, extent);
    return axis;
  }

  static Index indices_of(const Block& block) {
    Index out;
    for (const Axis& axis : block.axes) {
      if (axis.kind == AxisKind::kParallel) out.push_back(axis.extent.is_constant(1) ? Sym(0) : Sym::symbol(axis.name));
    }
    return out;
  }

  void add_kernel(const std::string& label, std::vector<Block> blocks) {
    Kernel kernel{symbol_name(label) + "_" + std::to_string(program_.kernels.size()), std::move(blocks)};
    program_.kernels.push_back(std::move(kernel));
  }

  Result<void> lower_value(const Op& op) {
    memo_.clear();
    const TensorType& type = function_.values[op.result].type;
    std::string label = op.label.empty() ? info(op.prim).text : op.label;
    if (op.prim == Prim::kConcat) return lower_concat(op, label);
    Block block = new_block(info(op.prim).text, type.shape);
    block.target = buffer_for(op.result);
    block.target_indices = indices_of(block);
    switch (op.prim) {
      case Prim::kReduce:
      case Prim::kArgReduce:
        reduce_body(op, &block);
        break;
      case Prim::kScan:
        scan_body(op, &block);
        break;
      case Prim::kContract:
        contract_body(op, &block);
        break;
      case Prim::kScatter:
        scatter_body(op, &block);
        break;
      default:
        block.body = define(op, block.target_indices);
    }
    add_kernel(label, {std::move(block)});
    return {};
  }

  // One block for each operand, which writes its part of the target.
  Result<void> lower_concat(const Op& op, const std::string& label) {
    size_t axis = size_t(op.attributes.axes[0]);
    Sym base = 0;
    std::vector<Block> blocks;
    for (ValueId operand : op.operands) {
      memo_.clear();
      const Shape& shape = function_.values[operand].type.shape;
      Block block = new_block("concat", shape);
      block.body = at(operand, indices_of(block));
      block.target = buffer_for(op.result);
      block.target_indices = indices_of(block);
      block.target_indices[axis] += base;
      base += shape[axis];
      blocks.push_back(std::move(block));
    }
    for (Block& block : blocks) add_kernel(label, {std::move(block)});
    return {};
  }

  void reduce_body(const Op& op, Block* block) {
    const Shape& shape = function_.values[op.operands[0]].type.shape;
    Index index(shape.size());
    size_t next = 0;
    for (size_t a = 0; a < shape.size(); ++a) {
      if (std::binary_search(op.attributes.axes.begin(), op.attributes.axes.end(), int64_t(a))) {
        block->axes.push_back(new_axis('r', AxisKind::kReduce, shape[a]));
        index[a] = Sym::symbol(block->axes.back().name);
      } else {
        index[a] = block->target_indices[next++];
      }
    }
    DType dtype = function_.values[op.result].type.dtype;
    DType accumulator = op.attributes.accumulator == DType::kNone ? dtype : op.attributes.accumulator;
    block->reduction = Reduction{op.attributes.reduce, accumulator, op.attributes.order, false, false};
    block->body = at(op.operands[0], index);
    if (op.prim == Prim::kArgReduce) {
      block->reduction->arg = true;
      block->reduction->accumulator = block->body->dtype;
    } else {
      block->body = converted(block->body, accumulator);
      block->epilogue = rounded(accumulator, dtype);
    }
  }

  static ExprPtr converted(ExprPtr expr, DType dtype) {
    return expr->dtype == dtype ? expr : primitive(Prim::kCast, dtype, {expr});
  }

  // The result of a reduction that is carried in another dtype; null where there is nothing to do.
  static ExprPtr rounded(DType carried, DType dtype) {
    if (carried == dtype) return nullptr;
    Attributes wrap;
    wrap.cast = CastMode::kWrap;
    return primitive(Prim::kCast, dtype, {accumulator(carried)}, wrap);
  }

  // Element i combines elements 0..i: quadratic, for short axes.
  void scan_body(const Op& op, Block* block) {
    size_t axis = size_t(op.attributes.axes[0]);
    const TensorType& type = function_.values[op.operands[0]].type;
    block->axes.push_back(new_axis('r', AxisKind::kReduce, type.shape[axis]));
    Index index = block->target_indices;
    Sym here = index[axis];
    index[axis] = Sym::symbol(block->axes.back().name);
    uint64_t zero = 0, one = one_bits(type.dtype);
    block->reduction = Reduction{op.attributes.reduce, type.dtype, Order::kSequential, false, false};
    ExprPtr identity = literal(type.dtype, op.attributes.reduce == ReduceKind::kMul ? one : zero);
    // Where repeating an element changes nothing, beyond `here` the element at `here` repeats: no identity is needed.
    if (op.attributes.reduce != ReduceKind::kAdd && op.attributes.reduce != ReduceKind::kMul) {
      identity = at(op.operands[0], block->target_indices);
    }
    block->body = guard({here - index[axis]}, at(op.operands[0], index), identity);
  }

  static uint64_t one_bits(DType dtype) {
    switch (dtype) {
      case DType::kF32:
        return 0x3F800000u;
      case DType::kF64:
        return 0x3FF0000000000000u;
      case DType::kF16:
        return 0x3C00u;
      case DType::kBF16:
        return 0x3F80u;
      default:
        return 1;
    }
  }

  // Step 0 takes the operand's element; each further step takes update r - 1 if its index is this one. In order, so
  // that of duplicates the last one stays: right, and as slow as elements times updates.
  void scatter_body(const Op& op, Block* block) {
    size_t axis = size_t(op.attributes.axes[0]);
    DType dtype = function_.values[op.result].type.dtype;
    const Sym& count = function_.values[op.operands[1]].type.shape[0];
    block->axes.push_back(new_axis('r', AxisKind::kReduce, count + 1));
    Sym step = Sym::symbol(block->axes.back().name);
    block->reduction = Reduction{ReduceKind::kNone, dtype, Order::kSequential, false, false};
    ExprPtr which = at(op.operands[1], {step - 1});
    which = converted(which, DType::kI64);
    Index from = block->target_indices;
    from[axis] = step - 1;
    ExprPtr update = at(op.operands[2], from);
    static constexpr Prim kCombine[] = {Prim::kAdd, Prim::kAdd, Prim::kMul, Prim::kMin,
                                        Prim::kMax, Prim::kAnd, Prim::kOr};
    if (op.attributes.reduce != ReduceKind::kNone) {
      update = primitive(kCombine[static_cast<size_t>(op.attributes.reduce)], dtype, {accumulator(dtype), update});
    }
    ExprPtr here =
        primitive(Prim::kCompare, DType::kBOOL, {which, index_value(block->target_indices[axis], DType::kI64)});
    ExprPtr taken = primitive(Prim::kSelect, dtype, {here, update, accumulator(dtype)});
    block->body = guard({-step}, at(op.operands[0], block->target_indices), taken);
  }

  void contract_body(const Op& op, Block* block) {
    const auto& labels = op.attributes.labels;
    std::map<int, Sym> at_label;
    for (size_t i = 0; i < labels[2].size(); ++i) at_label[labels[2][i]] = block->target_indices[i];
    Index index[2];
    for (size_t operand = 0; operand < 2; ++operand) {
      const Shape& shape = function_.values[op.operands[operand]].type.shape;
      for (size_t a = 0; a < shape.size(); ++a) {
        int label = labels[operand][a];
        if (at_label.count(label) == 0) {
          block->axes.push_back(new_axis('r', AxisKind::kReduce, shape[a]));
          at_label[label] = shape[a].is_constant(1) ? Sym(0) : Sym::symbol(block->axes.back().name);
        }
        index[operand].push_back(at_label[label]);
      }
    }
    DType result = function_.values[op.result].type.dtype;
    DType accumulator = op.attributes.accumulator == DType::kNone ? result : op.attributes.accumulator;
    block->reduction = Reduction{ReduceKind::kAdd, accumulator, op.attributes.order, true, false};
    ExprPtr a = converted(at(op.operands[0], index[0]), accumulator);
    ExprPtr b = converted(at(op.operands[1], index[1]), accumulator);
    block->body = primitive(Prim::kMul, accumulator, {a, b});
    block->epilogue = rounded(accumulator, result);
  }

  // The scalar of `value` at `index`.
  ExprPtr at(ValueId value, const Index& index) {
    auto key = std::make_pair(value, index);
    auto found = memo_.find(key);
    if (found != memo_.end()) return found->second;
    ExprPtr expr = compute(value, index);
    memo_.emplace(std::move(key), expr);
    return expr;
  }

  ExprPtr compute(ValueId value, const Index& index) {
    const Op* op = definition_[value];
    DType dtype = function_.values[value].type.dtype;
    if (op != nullptr && op->prim == Prim::kConstant) return constant(*op, index);
    if (op == nullptr || materialised_[value]) return load(buffer_for(value), dtype, index);
    return define(*op, index);
  }

  ExprPtr constant(const Op& op, const Index& index) {
    const Tensor& tensor = module_.constants[op.attributes.constant];
    if (auto bits = splat_bits(tensor)) return literal(tensor.dtype, *bits);
    if (!buffer_of_[op.result]) {
      buffer_of_[op.result] = add_buffer("c" + std::to_string(op.attributes.constant), BufferKind::kConstant,
                                         op.attributes.constant, function_.values[op.result].type);
    }
    return load(*buffer_of_[op.result], tensor.dtype, index);
  }

  Sym simplify(const Sym& sym) const { return program_.ranges.simplify(sym); }

  ExprPtr define(const Op& op, const Index& index) {
    const TensorType& type = function_.values[op.result].type;
    if (is_elementwise(op.prim)) {
      std::vector<ExprPtr> operands;
      for (ValueId operand : op.operands) operands.push_back(at(operand, index));
      return primitive(op.prim, type.dtype, std::move(operands), op.attributes);
    }
    switch (op.prim) {
      case Prim::kIota:
        return integer(index[size_t(op.attributes.axes[0])], type.dtype);
      case Prim::kSyms:
        return pick(op.attributes.syms, index.empty() ? Sym(0) : index[0]);
      case Prim::kReshape:
        return at(op.operands[0], reshaped(op, index));
      case Prim::kTranspose: {
        Index source(index.size());
        for (size_t i = 0; i < index.size(); ++i) source[size_t(op.attributes.axes[i])] = index[i];
        return at(op.operands[0], source);
      }
      case Prim::kBroadcast: {
        Index source;
        const Shape& from = function_.values[op.operands[0]].type.shape;
        for (size_t i = 0; i < from.size(); ++i) {
          source.push_back(from[i].is_constant(1) ? Sym(0) : index[size_t(op.attributes.axes[i])]);
        }
        return at(op.operands[0], source);
      }
      case Prim::kSlice: {
        Index source;
        for (size_t i = 0; i < index.size(); ++i)
          source.push_back(op.attributes.low[i] + index[i] * op.attributes.step[i]);
        return at(op.operands[0], source);
      }
      case Prim::kWindow:
        return at(op.operands[0], windowed(op, index));
      case Prim::kPad:
        return padded(op, index);
      case Prim::kConcat:
        return concatenated(op, index);
      case Prim::kGather:
        return gathered(op, index);
      default:
        return load(buffer_for(op.result), type.dtype, index);  // a reduction: always a buffer
    }
  }

  ExprPtr integer(const Sym& value, DType dtype) {
    if (is_integer(dtype)) return index_value(value, dtype);
    Attributes cast;
    return primitive(Prim::kCast, dtype, {index_value(value, DType::kI64)}, cast);
  }

  ExprPtr pick(const std::vector<Sym>& values, const Sym& index) {
    if (values.empty()) return index_value(0, DType::kI64);  // never evaluated: there is no element
    if (auto which = index.constant()) return index_value(values[size_t(*which)], DType::kI64);
    ExprPtr out = index_value(values.back(), DType::kI64);
    for (size_t i = values.size() - 1; i-- > 0;) {  // index <= i ? values[i] : ...
      out = guard({Sym(int64_t(i)) - index}, index_value(values[i], DType::kI64), out);
    }
    return out;
  }

  // Row-major index of the operand. Axes are matched in groups with equal products, so that only what really merges or
  // splits is divided.
  Index reshaped(const Op& op, const Index& index) {
    const Shape& to = op.attributes.shape;
    const Shape& from = function_.values[op.operands[0]].type.shape;
    Index out(from.size(), Sym(0));
    size_t i = 0, j = 0;
    while (i < to.size() || j < from.size()) {
      size_t i0 = i, j0 = j;
      Sym a = 1, b = 1;
      if (i < to.size()) a = to[i++];
      if (j < from.size()) b = from[j++];
      while (!program_.ranges.equal(a, b) && (i < to.size() || j < from.size())) {
        bool grow_to = j >= from.size() || (i < to.size() && program_.ranges.less_equal(a, b));
        if (grow_to)
          a *= to[i++];
        else
          b *= from[j++];
      }
      while (i < to.size() && to[i].is_constant(1)) ++i;
      while (j < from.size() && from[j].is_constant(1)) ++j;
      split_group(op, index, i0, i, j0, j, &out);
    }
    return out;
  }

  void split_group(const Op& op, const Index& index, size_t i0, size_t i1, size_t j0, size_t j1, Index* out) {
    const Shape& to = op.attributes.shape;
    const Shape& from = function_.values[op.operands[0]].type.shape;
    Sym linear = 0;
    for (size_t i = i0; i < i1; ++i) linear = linear * to[i] + index[i];
    linear = simplify(linear);
    for (size_t j = j1; j-- > j0;) {
      if (from[j].is_constant(1)) continue;
      bool last = std::all_of(from.begin() + ptrdiff_t(j0), from.begin() + ptrdiff_t(j),
                              [](const Sym& e) { return e.is_constant(1); });
      (*out)[j] = last ? linear : simplify(mod(linear, from[j]));
      linear = simplify(floordiv(linear, from[j]));
    }
  }

  Index windowed(const Op& op, const Index& index) {
    size_t rank = function_.values[op.operands[0]].type.shape.size();
    Index source(index.begin(), index.begin() + ptrdiff_t(rank));
    for (size_t i = 0; i < op.attributes.axes.size(); ++i) {
      Sym& at = source[size_t(op.attributes.axes[i])];
      at = at * op.attributes.step[i] + index[rank + i] * op.attributes.dilation[i];
    }
    return source;
  }

  ExprPtr padded(const Op& op, const Index& index) {
    const Shape& from = function_.values[op.operands[0]].type.shape;
    Index source;
    std::vector<Sym> conditions;
    bool never = false;  // the operand lies nowhere in the result
    auto require = [&](Sym condition) {
      condition = simplify(condition);
      never = never || program_.ranges.less(condition, Sym(0));
      if (!program_.ranges.nonnegative(condition)) conditions.push_back(condition);
    };
    for (size_t a = 0; a < index.size(); ++a) {
      Sym at = simplify(index[a] - op.attributes.low[a]);
      Sym spacing = op.attributes.interior[a] + 1;
      require(at);
      if (!spacing.is_constant(1)) {
        require(-simplify(mod(at, spacing)));
        at = simplify(floordiv(at, spacing));
      }
      require(from[a] - 1 - at);
      source.push_back(at);
    }
    if (never) return at(op.operands[1], {});
    return guard(std::move(conditions), at(op.operands[0], source), at(op.operands[1], {}));
  }

  ExprPtr concatenated(const Op& op, const Index& index) {
    size_t axis = size_t(op.attributes.axes[0]);
    std::vector<Sym> starts;
    Sym base = 0;
    for (ValueId operand : op.operands) {
      starts.push_back(base);
      base += function_.values[operand].type.shape[axis];
    }
    ExprPtr out;
    for (size_t i = op.operands.size(); i-- > 0;) {
      Index source = index;
      source[axis] = simplify(index[axis] - starts[i]);
      ExprPtr part = at(op.operands[i], source);
      // index < start of the next part
      out = out == nullptr ? part : guard({starts[i + 1] - 1 - index[axis]}, part, out);
    }
    return out;
  }

  ExprPtr gathered(const Op& op, const Index& index) {
    size_t axis = size_t(op.attributes.axes[0]);
    const TensorType& data = function_.values[op.operands[0]].type;
    const TensorType& indices = function_.values[op.operands[1]].type;
    size_t count = indices.shape.size();
    Index inner(index.begin() + ptrdiff_t(axis), index.begin() + ptrdiff_t(axis + count));
    ExprPtr which = at(op.operands[1], inner);
    which = converted(which, DType::kI64);
    which = primitive(Prim::kMin, DType::kI64, {which, index_value(data.shape[axis] - 1, DType::kI64)});
    which = primitive(Prim::kMax, DType::kI64, {which, index_value(0, DType::kI64)});
    std::string symbol = "$" + std::to_string(axis_count_++);
    program_.ranges.set_index(symbol, data.shape[axis]);
    Index source(index.begin(), index.begin() + ptrdiff_t(axis));
    source.push_back(Sym::symbol(symbol));
    source.insert(source.end(), index.begin() + ptrdiff_t(axis + count), index.end());
    Expr expr = *at_buffer(op.operands[0], source);
    expr.data_indices.push_back({symbol, which});
    return std::make_shared<const Expr>(std::move(expr));
  }

  // The operand of a gather is a parameter, a constant or a buffer (choose_materialised sees to it).
  ExprPtr at_buffer(ValueId value, const Index& index) {
    const Op* op = definition_[value];
    if (op != nullptr && op->prim == Prim::kConstant && !buffer_of_[value]) {
      buffer_of_[value] = add_buffer("c" + std::to_string(op->attributes.constant), BufferKind::kConstant,
                                     op->attributes.constant, function_.values[value].type);
    }
    return load(buffer_for(value), function_.values[value].type.dtype, index);
  }

  const Module& module_;
  const Function& function_;
  std::vector<bool> materialised_;
  Program program_;
  std::vector<const Op*> definition_;
  std::vector<std::optional<uint32_t>> buffer_of_;
  std::vector<std::pair<ValueId, uint32_t>> copies_;
  std::map<std::pair<ValueId, Index>, ExprPtr> memo_;  // within one block
  uint32_t axis_count_ = 0;
};

}  // namespace

Result<Program> lower(const Module& module, const LowerOptions& options) {
  HAL_TRY_ASSIGN(Program program, Lowering(module, options).run());
  if (options.fuse) fuse_epilogues(&program);
  return program;
}

}  // namespace hal::compiler::tile
