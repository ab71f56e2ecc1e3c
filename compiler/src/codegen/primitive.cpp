// SPDX-License-Identifier: Apache-2.0
//
// The elementwise primitives as LLVM instructions, with the meaning of primitives.hpp: no fast-math, no undefined case.
#include <llvm/IR/Intrinsics.h>

#include "emitter.hpp"

namespace hal::compiler::codegen {

namespace {
llvm::Type* shaped(llvm::Type* scalar, llvm::Type* like) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(like);
  return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
}
}  // namespace

Value* Emitter::multiply_add(Value* x, Value* y, Value* z) {
  if (x->getType()->isFPOrFPVectorTy() && isa_.fma)
    return ir_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
  if (x->getType()->isFPOrFPVectorTy()) return ir_.CreateFAdd(ir_.CreateFMul(x, y), z);
  return ir_.CreateAdd(ir_.CreateMul(x, y), z);
}

// Round to nearest even into the upper half of the word; NaN keeps its quiet bit.
Value* Emitter::bf16_round(Value* x) {
  llvm::Type* type = shaped(ir_.getInt32Ty(), x->getType());
  Value* bits = ir_.CreateBitCast(x, type);
  Value* odd = ir_.CreateAnd(ir_.CreateLShr(bits, 16), 1);
  Value* rounded = ir_.CreateAdd(bits, ir_.CreateAdd(odd, llvm::ConstantInt::get(type, 0x7FFF)));
  Value* is_nan = ir_.CreateFCmpUNO(x, x);
  Value* kept = ir_.CreateSelect(is_nan, ir_.CreateOr(bits, llvm::ConstantInt::get(type, 0x400000)), rounded);
  return ir_.CreateBitCast(ir_.CreateAnd(kept, llvm::ConstantInt::get(type, 0xFFFF0000u)), x->getType());
}

Value* Emitter::round_to(DType dtype, Value* value) {
  if (dtype == DType::kBF16) return bf16_round(value);
  if (dtype == DType::kF16) return from_memory(dtype, to_memory(dtype, value));
  return value;
}

Value* Emitter::unary(Prim prim, DType dtype, Value* x) {
  llvm::Type* type = x->getType();
  auto call = [&](llvm::Intrinsic::ID id) { return ir_.CreateUnaryIntrinsic(id, x); };
  if (prim == Prim::kNot) return ir_.CreateNot(x);
  if (prim == Prim::kIsNan) return ir_.CreateFCmpUNO(x, x);
  if (!is_float(dtype)) {
    Value* zero = llvm::Constant::getNullValue(type);
    switch (prim) {
      case Prim::kNeg:
        return ir_.CreateNeg(x);
      case Prim::kAbs:
        return is_signed(dtype) ? ir_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, ir_.getFalse()) : x;
      case Prim::kSign: {
        Value* above = ir_.CreateZExt(is_signed(dtype) ? ir_.CreateICmpSGT(x, zero) : ir_.CreateICmpNE(x, zero), type);
        return is_signed(dtype) ? ir_.CreateOr(above, ir_.CreateSExt(ir_.CreateICmpSLT(x, zero), type)) : above;
      }
      default:
        fail(std::string(info(prim).text) + " of " + name(dtype));
        return x;
    }
  }
  switch (prim) {
    case Prim::kNeg:
      return ir_.CreateFNeg(x);
    case Prim::kAbs:
      return call(llvm::Intrinsic::fabs);
    case Prim::kIsInf:
      return ir_.CreateFCmpOEQ(call(llvm::Intrinsic::fabs), llvm::ConstantFP::getInfinity(type));
    case Prim::kSign: {
      Value* one = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::ConstantFP::get(type, 1.0), x);
      Value* special = ir_.CreateFCmpUEQ(x, llvm::Constant::getNullValue(type));  // zero or NaN: itself
      return ir_.CreateSelect(special, x, one);
    }
    case Prim::kFloor:
      return call(llvm::Intrinsic::floor);
    case Prim::kCeil:
      return call(llvm::Intrinsic::ceil);
    case Prim::kTrunc:
      return call(llvm::Intrinsic::trunc);
    case Prim::kRoundEven:
      return call(llvm::Intrinsic::roundeven);
    case Prim::kSqrt:
      return round_to(dtype, call(llvm::Intrinsic::sqrt));
    default:
      return round_to(dtype, emit_math(*this, prim, x));
  }
}

// x/0 = 0 and MIN/-1 = MIN: the divisor is made harmless before the division.
Value* Emitter::integer_divide(DType dtype, Value* x, Value* y) {
  llvm::Type* type = x->getType();
  Value* zero = llvm::Constant::getNullValue(type);
  Value* one = llvm::ConstantInt::get(type, 1);
  Value* by_zero = ir_.CreateICmpEQ(y, zero);
  if (is_unsigned(dtype)) return ir_.CreateSelect(by_zero, zero, ir_.CreateUDiv(x, ir_.CreateSelect(by_zero, one, y)));
  Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
  Value* overflows =
      ir_.CreateAnd(ir_.CreateICmpEQ(x, least), ir_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type)));
  Value* quotient = ir_.CreateSDiv(x, ir_.CreateSelect(ir_.CreateOr(by_zero, overflows), one, y));
  return ir_.CreateSelect(by_zero, zero, quotient);
}

// fmod of floats, exactly: each step takes off a multiple of |y| such that the difference is exact. In double for f32
// the factor is cut to 28 bits, so that the product is exact; for f64 the fused product needs no cut, and what is left
// of r - q*y, with q the rounded quotient, is a multiple of ulp(q)*ulp(y) below ulp(q)*y: it fits. The largest
// quotients, 2^277 and 2^2098, are gone after 10 and 42 steps.
Value* Emitter::float_remainder(DType dtype, Value* x, Value* y) {
  bool wide = dtype == DType::kF64;
  if (wide && !isa_.fma) fail("rem of f64 needs the feature fma on this target");
  llvm::Type* type = shaped(ir_.getDoubleTy(), x->getType());
  llvm::Type* bits = shaped(ir_.getInt64Ty(), x->getType());
  auto abs = [&](Value* v) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
  Value* zero = llvm::Constant::getNullValue(type);
  Value* dividend = abs(ir_.CreateFPCast(x, type));
  Value* divisor = abs(ir_.CreateFPCast(y, type));
  Value* rest = dividend;
  for (int step = 0; step < (wide ? 42 : 10); ++step) {
    Value* quotient = ir_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, ir_.CreateFDiv(rest, divisor));
    Value* next;
    if (wide) {
      next = multiply_add(ir_.CreateFNeg(quotient), divisor, rest);
    } else {
      Value* cut =
          ir_.CreateAnd(ir_.CreateBitCast(quotient, bits), llvm::ConstantInt::get(bits, ~((uint64_t{1} << 25) - 1)));
      next = ir_.CreateFSub(rest, ir_.CreateFMul(ir_.CreateBitCast(cut, type), divisor));
    }
    // The quotient may have been rounded up to the next integer.
    next = ir_.CreateSelect(ir_.CreateFCmpOLT(next, zero), ir_.CreateFAdd(next, divisor), next);
    rest = ir_.CreateSelect(ir_.CreateFCmpOGE(rest, divisor), next, rest);
  }
  Value* infinity = llvm::ConstantFP::getInfinity(type);
  rest = ir_.CreateSelect(ir_.CreateFCmpOEQ(divisor, infinity), dividend, rest);
  Value* bad = ir_.CreateOr(ir_.CreateFCmpUEQ(divisor, zero), ir_.CreateFCmpUEQ(dividend, infinity));
  Value* result = ir_.CreateFPCast(ir_.CreateSelect(bad, llvm::ConstantFP::getNaN(type), rest), x->getType());
  return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

// NaN if either is, and -0 below +0. LLVM 19 narrows the intrinsics between a widening and a rounding to operations on
// half, which it scalarises where the target has none, and a NaN is lost: f16 takes compares and selects.
Value* Emitter::float_extreme(Prim prim, DType dtype, Value* x, Value* y) {
  bool least = prim == Prim::kMin;
  if (dtype != DType::kF16)
    return ir_.CreateBinaryIntrinsic(least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum, x, y);
  llvm::Type* bits = shaped(ir_.getInt32Ty(), x->getType());
  Value *a = ir_.CreateBitCast(x, bits), *b = ir_.CreateBitCast(y, bits);
  // Equal numbers differ at most in the sign, and then both are zeros.
  Value* same = ir_.CreateBitCast(least ? ir_.CreateOr(a, b) : ir_.CreateAnd(a, b), x->getType());
  Value* chosen = ir_.CreateSelect(least ? ir_.CreateFCmpOLT(x, y) : ir_.CreateFCmpOGT(x, y), x, y);
  chosen = ir_.CreateSelect(ir_.CreateFCmpOEQ(x, y), same, chosen);
  return ir_.CreateSelect(ir_.CreateFCmpUNO(x, y), llvm::ConstantFP::getNaN(x->getType()), chosen);
}

Value* Emitter::binary(Prim prim, DType dtype, Value* x, Value* y) {
  llvm::Type* type = x->getType();
  if (is_float(dtype)) {
    switch (prim) {
      case Prim::kAdd:
        return round_to(dtype, ir_.CreateFAdd(x, y));
      case Prim::kSub:
        return round_to(dtype, ir_.CreateFSub(x, y));
      case Prim::kMul:
        return round_to(dtype, ir_.CreateFMul(x, y));
      case Prim::kDiv:
        return round_to(dtype, ir_.CreateFDiv(x, y));
      case Prim::kMin:
      case Prim::kMax:
        return float_extreme(prim, dtype, x, y);
      case Prim::kRem:
        return round_to(dtype, float_remainder(dtype, x, y));
      case Prim::kPow:
        return round_to(dtype, emit_pow(*this, x, y));
      case Prim::kAtan2:
        return round_to(dtype, emit_atan2(*this, x, y));
      default:
        fail(std::string(info(prim).text) + " of " + name(dtype));
        return x;
    }
  }
  bool is_signed_type = is_signed(dtype);
  switch (prim) {
    case Prim::kAdd:
      return ir_.CreateAdd(x, y);
    case Prim::kSub:
      return ir_.CreateSub(x, y);
    case Prim::kMul:
      return ir_.CreateMul(x, y);
    case Prim::kDiv:
      return integer_divide(dtype, x, y);
    case Prim::kRem:
      return ir_.CreateSub(x, ir_.CreateMul(integer_divide(dtype, x, y), y));
    case Prim::kMin:
      return ir_.CreateBinaryIntrinsic(is_signed_type ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
    case Prim::kMax:
      return ir_.CreateBinaryIntrinsic(is_signed_type ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
    case Prim::kAnd:
      return ir_.CreateAnd(x, y);
    case Prim::kOr:
      return ir_.CreateOr(x, y);
    case Prim::kXor:
      return ir_.CreateXor(x, y);
    case Prim::kShl:
    case Prim::kShr: {
      Value* zero = llvm::Constant::getNullValue(type);
      Value* bits = llvm::ConstantInt::get(type, type->getScalarSizeInBits());
      Value* inside = ir_.CreateICmpULT(y, bits);
      Value* safe = ir_.CreateSelect(inside, y, zero);
      if (prim == Prim::kShl) return ir_.CreateSelect(inside, ir_.CreateShl(x, safe), zero);
      if (!is_signed_type) return ir_.CreateSelect(inside, ir_.CreateLShr(x, safe), zero);
      Value* sign = ir_.CreateAShr(x, llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1));
      return ir_.CreateSelect(inside, ir_.CreateAShr(x, safe), sign);
    }
    default:
      fail(std::string(info(prim).text) + " of " + name(dtype));
      return x;
  }
}

Value* Emitter::compare(Predicate predicate, DType dtype, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  static constexpr P kFloat[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  static constexpr P kSigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P kUnsigned[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  auto which = static_cast<size_t>(predicate);
  if (is_float(dtype)) return ir_.CreateFCmp(kFloat[which], x, y);
  return ir_.CreateICmp(is_signed(dtype) ? kSigned[which] : kUnsigned[which], x, y);
}

Value* Emitter::cast(DType from, DType to, CastMode mode, Value* x) {
  if (from == to) return x;
  llvm::Type* type = shaped(register_type(to), x->getType());
  if (to == DType::kBOOL) {
    Value* zero = llvm::Constant::getNullValue(x->getType());
    return is_float(from) ? ir_.CreateFCmpUNE(x, zero) : ir_.CreateICmpNE(x, zero);
  }
  if (is_float(from) && is_float(to)) {
    // f64 to a 16-bit format would round twice through float: round to odd on the way (Boldo and Melquiond 2008).
    bool narrow = to == DType::kF16 || to == DType::kBF16;
    if (from == DType::kF64 && narrow) {
      Value* single = ir_.CreateFPTrunc(x, type);
      Value* back = ir_.CreateFPExt(single, x->getType());
      llvm::Type* bits = shaped(ir_.getInt32Ty(), type);
      Value* word = ir_.CreateBitCast(single, bits);
      Value* too_big = ir_.CreateFCmpOGT(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, back),
                                         ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x));
      Value* down = ir_.CreateSub(word, ir_.CreateZExt(too_big, bits));
      Value* inexact = ir_.CreateFCmpONE(back, x);
      Value* odd = ir_.CreateSelect(inexact, ir_.CreateOr(down, llvm::ConstantInt::get(bits, 1)), word);
      return round_to(to, ir_.CreateBitCast(odd, type));
    }
    return round_to(to, ir_.CreateFPCast(x, type));
  }
  if (is_float(from)) {
    auto id = is_signed(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return ir_.CreateIntrinsic(id, {type, x->getType()}, {x});
  }
  bool from_signed = is_signed(from);
  if (is_float(to)) {
    bool narrow = to == DType::kF16 || to == DType::kBF16;
    llvm::Type* wide = narrow ? shaped(ir_.getDoubleTy(), x->getType()) : type;
    Value* value = from_signed ? ir_.CreateSIToFP(x, wide) : ir_.CreateUIToFP(x, wide);
    return narrow ? cast(DType::kF64, to, mode, value) : value;
  }
  // Integers, and bool as 0 or 1.
  int source_bits = from == DType::kBOOL ? 1 : info(from).bits, target_bits = info(to).bits;
  if (mode == CastMode::kSaturate && from != DType::kBOOL) {
    unsigned width = static_cast<unsigned>(source_bits);
    auto clamp = [&](llvm::APInt low, llvm::APInt high) {
      auto least = from_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax;
      auto most = from_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin;
      x = ir_.CreateBinaryIntrinsic(least, x, llvm::ConstantInt::get(x->getType(), low));
      x = ir_.CreateBinaryIntrinsic(most, x, llvm::ConstantInt::get(x->getType(), high));
    };
    llvm::APInt source_low = from_signed ? llvm::APInt::getSignedMinValue(width) : llvm::APInt(width, 0);
    llvm::APInt source_high = from_signed ? llvm::APInt::getSignedMaxValue(width) : llvm::APInt::getMaxValue(width);
    int target_magnitude = target_bits - (is_signed(to) ? 1 : 0),
        source_magnitude = source_bits - (from_signed ? 1 : 0);
    llvm::APInt low = source_low, high = source_high;
    if (from_signed && !is_signed(to)) low = llvm::APInt(width, 0);
    if (from_signed && is_signed(to) && target_bits < source_bits)
      low = llvm::APInt::getSignedMinValue(static_cast<unsigned>(target_bits)).sext(width);
    if (target_magnitude < source_magnitude)
      high = llvm::APInt::getLowBitsSet(width, static_cast<unsigned>(target_magnitude));
    if (low != source_low || high != source_high) clamp(low, high);
  }
  return from_signed ? ir_.CreateSExtOrTrunc(x, type) : ir_.CreateZExtOrTrunc(x, type);
}

Value* Emitter::combine(ReduceKind kind, DType dtype, Value* a, Value* b) {
  switch (kind) {
    case ReduceKind::kAdd:
      return binary(Prim::kAdd, dtype, a, b);
    case ReduceKind::kMul:
      return binary(Prim::kMul, dtype, a, b);
    case ReduceKind::kMin:
      return binary(Prim::kMin, dtype, a, b);
    case ReduceKind::kMax:
      return binary(Prim::kMax, dtype, a, b);
    case ReduceKind::kAnd:
      return ir_.CreateAnd(a, b);
    case ReduceKind::kOr:
      return ir_.CreateOr(a, b);
    default:
      return b;
  }
}

Value* Emitter::identity(ReduceKind kind, DType dtype) {
  llvm::Type* type = register_type(dtype);
  bool low = kind == ReduceKind::kMax;
  if (kind == ReduceKind::kMin || kind == ReduceKind::kMax) {
    if (is_float(dtype)) return llvm::ConstantFP::getInfinity(type, low);
    unsigned bits = type->getScalarSizeInBits();
    if (is_signed(dtype))
      return llvm::ConstantInt::get(type,
                                    low ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits));
    return llvm::ConstantInt::get(type, low ? llvm::APInt(bits, 0) : llvm::APInt::getMaxValue(bits));
  }
  bool one = kind == ReduceKind::kMul || kind == ReduceKind::kAnd;
  return is_float(dtype) ? llvm::ConstantFP::get(type, one ? 1.0 : 0.0) : llvm::ConstantInt::get(type, one ? 1 : 0);
}

}  // namespace hal::compiler::codegen
