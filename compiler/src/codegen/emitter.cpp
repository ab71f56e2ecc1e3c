// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <llvm/IR/Intrinsics.h>

#include "hal/formats/elf_cpu.h"
#include "tile/expr.hpp"

namespace hal::compiler::codegen {

using tile::Expr;
using tile::ExprKind;
using tile::ExprPtr;

Emitter::Emitter(llvm::Module& module, const Isa& isa, const tile::Program& program, SymRanges& ranges,
                 const std::string& name)
    : module_(module), context_(module.getContext()), isa_(isa), program_(program), ranges_(ranges), ir_(context_) {
  auto* type = llvm::FunctionType::get(ir_.getInt32Ty(), {ir_.getPtrTy()}, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module_);
  function_->addFnAttr("prefer-vector-width", std::to_string(isa_.vector_bytes * 8));
  function_->addFnAttr("min-legal-vector-width", std::to_string(isa_.vector_bytes * 8));
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  entry_ = llvm::BasicBlock::Create(context_, "entry", function_);
  auto* body = llvm::BasicBlock::Create(context_, "body", function_);
  ir_.SetInsertPoint(body);
}

void Emitter::finish() {
  ir_.CreateRet(ir_.getInt32(0));
  llvm::IRBuilder<> entry(entry_);
  entry.CreateBr(entry_->getNextNode());
}

// ---- values that come with the call ----

namespace {

constexpr size_t kMaxBindings = 64;

Value* call_field(llvm::IRBuilder<>& entry, llvm::Function* function, llvm::Type* type, size_t offset) {
  Value* at = entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), function->getArg(0), offset);
  return entry.CreateLoad(type, at);
}
}  // namespace

Value* Emitter::host(const Sym& sym) {
  if (auto value = sym.constant()) return i64(*value);
  for (size_t i = 0; i < constants_.size(); ++i) {
    if (constants_[i] == sym) return constant_values_[i];
  }
  llvm::IRBuilder<> entry(entry_);
  Value* base = call_field(entry, function_, entry.getPtrTy(), offsetof(hal_elf_cpu_call_t, constants));
  Value* at = entry.CreateConstInBoundsGEP1_64(entry.getInt64Ty(), base, constants_.size());
  constants_.push_back(sym);
  constant_values_.push_back(entry.CreateLoad(entry.getInt64Ty(), at));
  return constant_values_.back();
}

Value* Emitter::workgroup(unsigned dimension) {
  llvm::IRBuilder<> entry(entry_);
  Value* id =
      call_field(entry, function_, entry.getInt32Ty(), offsetof(hal_elf_cpu_call_t, workgroup_id) + 4 * dimension);
  return entry.CreateZExt(id, entry.getInt64Ty());
}

Value* Emitter::local_memory() {
  llvm::IRBuilder<> entry(entry_);
  return call_field(entry, function_, entry.getPtrTy(), offsetof(hal_elf_cpu_call_t, local_memory));
}

Value* Emitter::address(uint32_t buffer, DType dtype, Value* offset, bool written) {
  size_t binding = 0;
  while (binding < bindings_.size() && bindings_[binding] != buffer) ++binding;
  if (binding == bindings_.size()) {
    llvm::IRBuilder<> entry(entry_);
    Value* table = call_field(entry, function_, entry.getPtrTy(), offsetof(hal_elf_cpu_call_t, bindings));
    Value* at = entry.CreateConstInBoundsGEP1_64(entry.getPtrTy(), table, binding);
    bindings_.push_back(buffer);
    binding_values_.push_back(entry.CreateLoad(entry.getPtrTy(), at));
  }
  if (binding < kMaxBindings) {
    if (written) written_ |= uint64_t{1} << binding;
  } else {
    fail("a kernel has at most " + std::to_string(kMaxBindings) +
         " bindings, the number that every device has; this one reads and writes more buffers. Split its operation");
  }
  return ir_.CreateGEP(memory_type(dtype), binding_values_[binding], offset);
}

Value* Emitter::stack(llvm::Type* type, const char* name) {
  llvm::IRBuilder<> entry(entry_, entry_->begin());
  return entry.CreateAlloca(type, nullptr, name);
}

// ---- index arithmetic ----

Value* Emitter::floor_divide(Value* a, Value* b, bool nonnegative) {
  if (nonnegative) return ir_.CreateUDiv(a, b);
  Value* quotient = ir_.CreateSDiv(a, b);
  Value* remainder = ir_.CreateSub(a, ir_.CreateMul(quotient, b));
  Value* below = ir_.CreateICmpSLT(remainder, llvm::ConstantInt::get(a->getType(), 0));  // divisors are positive
  return ir_.CreateAdd(quotient, ir_.CreateSExt(below, a->getType()));
}

Value* Emitter::scalar(const Sym& sym, const Point& point) {
  Sym free = 0;
  Value* sum = nullptr;
  for (const SymTerm& term : sym.terms()) {
    Sym coefficient = term.coefficient;
    Value* value = nullptr;
    for (const SymAtomPtr& atom : term.atoms) {
      Value* factor = nullptr;
      auto bound = [&](const Sym& s) {
        for (const std::string& name : s.symbols()) {
          if (point.axes.count(name) != 0 || point.data.count(name) != 0) return true;
        }
        return false;
      };
      if (atom->kind == SymKind::kSymbol) {
        auto axis = point.axes.find(atom->name);
        auto data = point.data.find(atom->name);
        if (axis != point.axes.end())
          factor = axis->second;
        else if (data != point.data.end())
          factor = data->second.value;
        else
          coefficient *= Sym::symbol(atom->name);
      } else if (bound(atom->a) || bound(atom->b)) {
        Value* a = scalar(atom->a, point);
        Value* b = scalar(atom->b, point);
        if (atom->kind == SymKind::kFloorDiv)
          factor = floor_divide(a, b, ranges_.nonnegative(atom->a));
        else
          factor = ir_.CreateBinaryIntrinsic(
              atom->kind == SymKind::kMin ? llvm::Intrinsic::smin : llvm::Intrinsic::smax, a, b);
      } else {
        coefficient *= atom->kind == SymKind::kFloorDiv ? floordiv(atom->a, atom->b)
                       : atom->kind == SymKind::kMin    ? compiler::min(atom->a, atom->b)
                                                        : compiler::max(atom->a, atom->b);
      }
      if (factor != nullptr) value = value == nullptr ? factor : ir_.CreateMul(value, factor);
    }
    if (value == nullptr) {
      free += coefficient;
      continue;
    }
    if (!coefficient.is_constant(1)) value = ir_.CreateMul(value, host(coefficient));
    sum = sum == nullptr ? value : ir_.CreateAdd(sum, value);
  }
  if (sum == nullptr) return host(free);
  return free == Sym(0) ? sum : ir_.CreateAdd(sum, host(free));
}

Value* Emitter::vector_sym(const Sym& sym, Point& point) {
  llvm::Type* type = vector_of(ir_.getInt64Ty());
  auto splat = [&](Value* value) { return ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), value); };
  auto varies = [&](const Sym& s) {
    if (!point.vector_axis.empty() && s.depends_on(point.vector_axis)) return true;
    for (const auto& [name, lanes] : point.data) {
      if (!lanes.uniform && s.depends_on(name)) return true;
    }
    return false;
  };
  if (!varies(sym)) return splat(scalar(sym, point));
  Value* sum = llvm::Constant::getNullValue(type);
  for (const SymTerm& term : sym.terms()) {
    Value* value = splat(i64(term.coefficient));
    for (const SymAtomPtr& atom : term.atoms) {
      Value* factor;
      if (atom->kind == SymKind::kSymbol && atom->name == point.vector_axis) {
        std::vector<llvm::Constant*> steps;
        for (int l = 0; l < lanes_; ++l) steps.push_back(ir_.getInt64(static_cast<uint64_t>(l)));
        factor = ir_.CreateAdd(splat(point.axes.at(atom->name)), llvm::ConstantVector::get(steps));
      } else if (atom->kind == SymKind::kSymbol) {
        auto data = point.data.find(atom->name);
        factor = data != point.data.end() && !data->second.uniform ? data->second.value
                                                                   : splat(scalar(Sym::symbol(atom->name), point));
      } else {
        Value* a = vector_sym(atom->a, point);
        Value* b = vector_sym(atom->b, point);
        if (atom->kind == SymKind::kFloorDiv)
          factor = floor_divide(a, b, ranges_.nonnegative(atom->a));
        else
          factor = ir_.CreateBinaryIntrinsic(
              atom->kind == SymKind::kMin ? llvm::Intrinsic::smin : llvm::Intrinsic::smax, a, b);
      }
      value = ir_.CreateMul(value, factor);
    }
    sum = ir_.CreateAdd(sum, value);
  }
  return sum;
}

Emitter::LaneIndex Emitter::lane_index(const Sym& sym, Point& point) {
  bool data = false;
  for (const auto& [name, lanes] : point.data) data = data || (!lanes.uniform && sym.depends_on(name));
  LaneIndex out;
  if (!data) {
    if (point.vector_axis.empty()) {
      out.stride = Sym(0);
    } else if (auto stride = sym.coefficient_of(point.vector_axis)) {
      bool free = true;
      for (const std::string& name : stride->symbols())
        free = free && point.axes.count(name) == 0 && point.data.count(name) == 0;
      if (free) out.stride = *stride;
    }
  }
  if (out.stride)
    out.base = scalar(sym, point);
  else
    out.each = vector_sym(sym, point);
  return out;
}

// ---- control ----

void Emitter::loop(Value* begin, Value* end, int64_t step, const std::function<void(Value*)>& body) {
  auto* from = ir_.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(context_, "loop", function_);
  auto* inside = llvm::BasicBlock::Create(context_, "inside", function_);
  auto* after = llvm::BasicBlock::Create(context_, "after", function_);
  ir_.CreateBr(head);
  ir_.SetInsertPoint(head);
  auto* index = ir_.CreatePHI(ir_.getInt64Ty(), 2);
  index->addIncoming(begin, from);
  ir_.CreateCondBr(ir_.CreateICmpSLT(index, end), inside, after);
  ir_.SetInsertPoint(inside);
  body(index);
  index->addIncoming(ir_.CreateNSWAdd(index, i64(step)), ir_.GetInsertBlock());
  ir_.CreateBr(head);
  ir_.SetInsertPoint(after);
}

void Emitter::branch(Value* condition, const std::function<void()>& then) {
  auto* yes = llvm::BasicBlock::Create(context_, "then", function_);
  auto* after = llvm::BasicBlock::Create(context_, "endif", function_);
  ir_.CreateCondBr(condition, yes, after);
  ir_.SetInsertPoint(yes);
  then();
  ir_.CreateBr(after);
  ir_.SetInsertPoint(after);
}

Value* Emitter::min64(Value* a, Value* b) { return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b); }

Value* Emitter::lane_mask(Value* count) {
  std::vector<llvm::Constant*> steps;
  for (int l = 0; l < lanes_; ++l) steps.push_back(ir_.getInt32(static_cast<uint32_t>(l)));
  Value* small = ir_.CreateTrunc(min64(count, i64(lanes_)), ir_.getInt32Ty());
  return ir_.CreateICmpSLT(llvm::ConstantVector::get(steps),
                           ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), small));
}

// ---- types and memory ----

llvm::Type* Emitter::register_type(DType dtype) {
  if (dtype == DType::kBOOL) return ir_.getInt1Ty();
  if (dtype == DType::kF64) return ir_.getDoubleTy();
  if (dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16) return ir_.getFloatTy();
  if (is_integer(dtype) && info(dtype).bits >= 8) return ir_.getIntNTy(static_cast<unsigned>(info(dtype).bits));
  fail(std::string("code generation for ") + name(dtype) + " is not there yet");
  return ir_.getInt32Ty();
}

llvm::Type* Emitter::memory_type(DType dtype) {
  if (dtype == DType::kBOOL) return ir_.getInt8Ty();
  if (dtype == DType::kF16 || dtype == DType::kBF16) return ir_.getInt16Ty();
  return register_type(dtype);
}

Value* Emitter::widen(const Lanes& lanes, const Point& point) {
  if (!lanes.uniform || point.vector_axis.empty()) return lanes.value;
  return ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), lanes.value);
}

namespace {
// `scalar`, or a vector of it shaped like `like`.
llvm::Type* shaped(llvm::Type* scalar, llvm::Type* like) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
}
}  // namespace

Value* Emitter::from_memory(DType dtype, Value* value) {
  llvm::Type* type = value->getType();
  if (dtype == DType::kBOOL) return ir_.CreateICmpNE(value, llvm::Constant::getNullValue(type));
  if (dtype == DType::kBF16) {
    Value* wide = ir_.CreateZExt(value, shaped(ir_.getInt32Ty(), type));
    return ir_.CreateBitCast(ir_.CreateShl(wide, 16), shaped(ir_.getFloatTy(), type));
  }
  if (dtype == DType::kF16) {
    if (!isa_.f16c) fail("f16 needs the feature f16c on this target");
    return ir_.CreateFPExt(ir_.CreateBitCast(value, shaped(ir_.getHalfTy(), type)), shaped(ir_.getFloatTy(), type));
  }
  return value;
}

Value* Emitter::to_memory(DType dtype, Value* value) {
  llvm::Type* type = value->getType();
  if (dtype == DType::kBOOL) return ir_.CreateZExt(value, shaped(ir_.getInt8Ty(), type));
  if (dtype == DType::kBF16) {  // already rounded: the low half is zero
    Value* bits = ir_.CreateBitCast(value, shaped(ir_.getInt32Ty(), type));
    return ir_.CreateTrunc(ir_.CreateLShr(bits, 16), shaped(ir_.getInt16Ty(), type));
  }
  if (dtype == DType::kF16) {
    if (!isa_.f16c) fail("f16 needs the feature f16c on this target");
    return ir_.CreateBitCast(ir_.CreateFPTrunc(value, shaped(ir_.getHalfTy(), type)), shaped(ir_.getInt16Ty(), type));
  }
  return value;
}

Value* Emitter::masked_load(llvm::Type* type, Value* pointer, Value* mask) {
  llvm::Align align(type->getScalarSizeInBits() / 8);
  if (mask == nullptr) return ir_.CreateAlignedLoad(type, pointer, align);
  return ir_.CreateMaskedLoad(type, pointer, align, mask, llvm::Constant::getNullValue(type));
}

Value* Emitter::gather(llvm::Type* type, Value* pointer, Value* offsets, Value* mask) {
  Value* pointers = ir_.CreateGEP(type->getScalarType(), pointer, offsets);
  if (mask == nullptr) mask = llvm::Constant::getAllOnesValue(vector_of(ir_.getInt1Ty()));
  return ir_.CreateMaskedGather(type, pointers, llvm::Align(type->getScalarSizeInBits() / 8), mask,
                                llvm::Constant::getNullValue(type));
}

Lanes Emitter::load(const Expr& expr, Point& point) {
  for (const tile::DataIndex& data : expr.data_indices) point.data[data.symbol] = evaluate(data.value, point);
  LaneIndex index = lane_index(expr.indices[0], point);
  llvm::Type* scalar_type = memory_type(expr.dtype);
  if (index.stride && (*index.stride == Sym(0))) {
    Value* at = address(expr.buffer, expr.dtype, index.base);
    Value* value = ir_.CreateAlignedLoad(scalar_type, at, llvm::Align(scalar_type->getScalarSizeInBits() / 8));
    return {from_memory(expr.dtype, value), true};
  }
  llvm::Type* type = vector_of(scalar_type);
  Value* value;
  if (index.stride && index.stride->is_constant(1)) {
    value = masked_load(type, address(expr.buffer, expr.dtype, index.base), point.mask);
  } else if (index.stride) {
    Value* offsets;
    auto constant = index.stride->constant();
    if (constant && std::abs(*constant) < (1 << 20)) {
      std::vector<llvm::Constant*> steps;
      for (int l = 0; l < lanes_; ++l) steps.push_back(ir_.getInt32(static_cast<uint32_t>(l * *constant)));
      offsets = llvm::ConstantVector::get(steps);
    } else {
      std::vector<llvm::Constant*> steps;
      for (int l = 0; l < lanes_; ++l) steps.push_back(ir_.getInt64(static_cast<uint64_t>(l)));
      offsets = ir_.CreateMul(llvm::ConstantVector::get(steps),
                              ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), host(*index.stride)));
    }
    value = gather(type, address(expr.buffer, expr.dtype, index.base), offsets, point.mask);
  } else {
    value = gather(type, address(expr.buffer, expr.dtype, i64(0)), index.each, point.mask);
  }
  return {from_memory(expr.dtype, value), false};
}

void Emitter::store(uint32_t buffer, DType dtype, const Sym& offset, const Lanes& value, Point& point) {
  if (point.vector_axis.empty()) {
    Value* at = address(buffer, dtype, scalar(offset, point), true);
    ir_.CreateAlignedStore(to_memory(dtype, value.value), at,
                           llvm::Align(memory_type(dtype)->getScalarSizeInBits() / 8));
    return;
  }
  Value* vector = to_memory(dtype, widen(value, point));
  llvm::Align align(memory_type(dtype)->getScalarSizeInBits() / 8);
  LaneIndex index = lane_index(offset, point);
  Value* all = llvm::Constant::getAllOnesValue(vector_of(ir_.getInt1Ty()));
  if (index.stride && index.stride->is_constant(1)) {
    Value* at = address(buffer, dtype, index.base, true);
    if (point.mask == nullptr)
      ir_.CreateAlignedStore(vector, at, align);
    else
      ir_.CreateMaskedStore(vector, at, align, point.mask);
    return;
  }
  Value* each = index.each != nullptr ? index.each : vector_sym(offset, point);
  Value* pointers = ir_.CreateGEP(memory_type(dtype), address(buffer, dtype, i64(0), true), each);
  ir_.CreateMaskedScatter(vector, pointers, align, point.mask == nullptr ? all : point.mask);
}

// ---- expressions ----

Lanes Emitter::evaluate(const ExprPtr& expr, Point& point) {
  auto found = point.memo.find(expr.get());
  if (found != point.memo.end()) return found->second;
  Lanes lanes = evaluate_new(*expr, point);
  point.memo[expr.get()] = lanes;
  return lanes;
}

Lanes Emitter::evaluate_new(const Expr& expr, Point& point) {
  switch (expr.kind) {
    case ExprKind::kLiteral:
      return {literal(expr.dtype, expr.bits), true};
    case ExprKind::kIndex:
      return index_value(expr, point);
    case ExprKind::kLoad:
      return load(expr, point);
    case ExprKind::kGuard:
      return guard(expr, point);
    case ExprKind::kAccumulator:
      return {point.accumulator, point.vector_axis.empty()};
    case ExprKind::kPrimitive:
      return primitive(expr, point);
  }
  return {};
}

Value* Emitter::literal(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kBOOL:
      return ir_.getInt1(bits != 0);
    case DType::kF64:
      return ir_.CreateBitCast(ir_.getInt64(bits), ir_.getDoubleTy());
    case DType::kF32:
      return ir_.CreateBitCast(ir_.getInt32(static_cast<uint32_t>(bits)), ir_.getFloatTy());
    case DType::kF16:
    case DType::kBF16:
      return from_memory(dtype, ir_.getInt16(static_cast<uint16_t>(bits)));
    default:
      return llvm::ConstantInt::get(register_type(dtype), bits);
  }
}

Lanes Emitter::index_value(const Expr& expr, Point& point) {
  LaneIndex index = lane_index(expr.index, point);
  bool uniform = index.stride && *index.stride == Sym(0);
  Value* value = uniform ? index.base : vector_sym(expr.index, point);
  return {ir_.CreateTrunc(value, shaped(register_type(expr.dtype), value->getType())), uniform};
}

Value* Emitter::condition_mask(const Sym& condition, Point& point) {
  LaneIndex index = lane_index(condition, point);
  auto stride = index.stride ? index.stride->constant() : std::nullopt;
  if (stride && std::abs(*stride) * lanes_ < (1 << 20)) {
    // condition = base + lane * stride >= 0, in 32 bits: the base is cut to where the sign of the sum stays the same.
    Value* low = i64(-(1 << 24));
    Value* high = i64(1 << 24);
    Value* base = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, low, min64(index.base, high));
    std::vector<llvm::Constant*> steps;
    for (int l = 0; l < lanes_; ++l) steps.push_back(ir_.getInt32(static_cast<uint32_t>(l * *stride)));
    Value* sum =
        ir_.CreateAdd(ir_.CreateVectorSplat(static_cast<unsigned>(lanes_), ir_.CreateTrunc(base, ir_.getInt32Ty())),
                      llvm::ConstantVector::get(steps));
    return ir_.CreateICmpSGE(sum, llvm::Constant::getNullValue(sum->getType()));
  }
  Value* each = vector_sym(condition, point);
  return ir_.CreateICmpSGE(each, llvm::Constant::getNullValue(each->getType()));
}

// Uniform conditions branch; conditions that differ from lane to lane mask the loads inside, which run only if a lane
// holds.
Lanes Emitter::guard(const Expr& expr, Point& point) {
  Value* uniform = nullptr;
  Value* mask = nullptr;
  for (const Sym& condition : expr.conditions) {
    LaneIndex index = lane_index(condition, point);
    if (index.stride && *index.stride == Sym(0)) {
      Value* holds = ir_.CreateICmpSGE(index.base, i64(0));
      uniform = uniform == nullptr ? holds : ir_.CreateAnd(uniform, holds);
    } else {
      Value* holds = condition_mask(condition, point);
      mask = mask == nullptr ? holds : ir_.CreateAnd(mask, holds);
    }
  }
  Value* inner = point.mask;
  Value* enter = uniform;
  if (mask != nullptr) {
    inner = point.mask == nullptr ? mask : ir_.CreateAnd(point.mask, mask);
    Value* any = ir_.CreateOrReduce(inner);
    enter = enter == nullptr ? any : ir_.CreateAnd(enter, any);
  }
  Lanes outside = evaluate(expr.operands[1], point);
  // The outside value may be a vector, and so must then the inside be.
  auto* from = ir_.GetInsertBlock();
  auto* then = llvm::BasicBlock::Create(context_, "guarded", function_);
  auto* after = llvm::BasicBlock::Create(context_, "unguarded", function_);
  bool vector = mask != nullptr || !outside.uniform || !point.vector_axis.empty();
  Value* otherwise = vector ? widen(outside, point) : outside.value;
  from = ir_.GetInsertBlock();
  ir_.CreateCondBr(enter, then, after);
  ir_.SetInsertPoint(then);
  Point within = point;  // what is computed inside is not there outside
  within.mask = inner;
  Lanes inside = evaluate(expr.operands[0], within);
  Value* value = vector ? widen(inside, point) : inside.value;
  if (mask != nullptr) value = ir_.CreateSelect(mask, value, otherwise);
  auto* done = ir_.GetInsertBlock();
  ir_.CreateBr(after);
  ir_.SetInsertPoint(after);
  auto* phi = ir_.CreatePHI(value->getType(), 2);
  phi->addIncoming(otherwise, from);
  phi->addIncoming(value, done);
  return {phi, !vector || point.vector_axis.empty()};
}

Lanes Emitter::primitive(const Expr& expr, Point& point) {
  std::vector<Lanes> x;
  bool uniform = true;
  for (const ExprPtr& operand : expr.operands) {
    x.push_back(evaluate(operand, point));
    uniform = uniform && x.back().uniform;
  }
  std::vector<Value*> v;
  for (const Lanes& lanes : x) v.push_back(uniform ? lanes.value : widen(lanes, point));
  DType from = expr.operands[0]->dtype;
  Value* out = nullptr;
  switch (expr.prim) {
    case Prim::kCast:
      out = cast(from, expr.dtype, expr.cast, v[0]);
      break;
    case Prim::kBitcast:
      out = from_memory(expr.dtype,
                        ir_.CreateBitCast(to_memory(from, v[0]), shaped(memory_type(expr.dtype), v[0]->getType())));
      break;
    case Prim::kCompare:
      out = compare(expr.predicate, from, v[0], v[1]);
      break;
    case Prim::kSelect:
      out = ir_.CreateSelect(v[0], v[1], v[2]);
      break;
    case Prim::kFma:
      if (!isa_.fma) fail("the primitive fma needs the feature fma on this target");
      out = round_to(expr.dtype, ir_.CreateIntrinsic(llvm::Intrinsic::fma, {v[0]->getType()}, {v[0], v[1], v[2]}));
      break;
    default:
      out = v.size() == 1 ? unary(expr.prim, from, v[0]) : binary(expr.prim, from, v[0], v[1]);
  }
  return {out, uniform};
}

}  // namespace hal::compiler::codegen
