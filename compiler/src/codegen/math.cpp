// SPDX-License-Identifier: Apache-2.0
//
// Transcendental functions from additions, multiplications and bit operations, the same code for a scalar and a vector,
// so that a result does not depend on where in a tensor it stands. f32 is computed in double and rounded once (under
// one ulp), but for exp, which is native (2 ulp). f64: about 2 ulp; pow and sin, cos of large arguments as stated
// there.
#include <llvm/IR/Intrinsics.h>

#include <cmath>
#include <numbers>

#include "emitter.hpp"

namespace hal::compiler::codegen {
namespace {

class Math {
 public:
  explicit Math(Emitter& emitter, llvm::Type* type) : e_(emitter), ir_(emitter.ir()), type_(type) {
    bool single = type->getScalarType()->isFloatTy();
    bits_ = shaped(single ? static_cast<llvm::Type*>(ir_.getInt32Ty()) : ir_.getInt64Ty());
  }

  llvm::Type* shaped(llvm::Type* scalar) const {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type_);
    return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
  }
  Value* c(double value) { return llvm::ConstantFP::get(type_, value); }
  Value* n(int64_t value) { return llvm::ConstantInt::get(bits_, static_cast<uint64_t>(value), true); }
  Value* add(Value* a, Value* b) { return ir_.CreateFAdd(a, b); }
  Value* sub(Value* a, Value* b) { return ir_.CreateFSub(a, b); }
  Value* mul(Value* a, Value* b) { return ir_.CreateFMul(a, b); }
  Value* div(Value* a, Value* b) { return ir_.CreateFDiv(a, b); }
  Value* mad(Value* a, Value* b, Value* d) { return e_.multiply_add(a, b, d); }
  Value* pick(Value* condition, Value* a, Value* b) { return ir_.CreateSelect(condition, a, b); }
  Value* abs(Value* x) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); }
  Value* whole(Value* x) { return ir_.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, x); }
  Value* sign_of(Value* magnitude, Value* x) {
    return ir_.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, magnitude, x);
  }
  Value* to_bits(Value* x) { return ir_.CreateBitCast(x, bits_); }
  Value* to_float(Value* x) { return ir_.CreateBitCast(x, type_); }
  Value* infinity() { return llvm::ConstantFP::getInfinity(type_); }
  Value* nan() { return llvm::ConstantFP::getNaN(type_); }

  // sum of coefficients[i] * x^i, by Horner's rule.
  Value* polynomial(Value* x, const std::vector<double>& coefficients) {
    Value* sum = c(coefficients.back());
    for (size_t i = coefficients.size() - 1; i-- > 0;) sum = mad(sum, x, c(coefficients[i]));
    return sum;
  }

  // value * 2^k for integers k held in a float; two steps, so that subnormal results are rounded once.
  Value* scale(Value* value, Value* k) {
    bool single = type_->getScalarType()->isFloatTy();
    int mantissa = single ? 23 : 52, bias = single ? 127 : 1023;
    Value* whole_k = ir_.CreateFPToSI(k, bits_);
    Value* half = ir_.CreateAShr(whole_k, n(1));
    Value* rest = ir_.CreateSub(whole_k, half);
    auto power = [&](Value* exponent) {
      return to_float(ir_.CreateShl(ir_.CreateAdd(exponent, n(bias)), n(mantissa)));
    };
    return mul(mul(value, power(half)), power(rest));
  }

  // e^x: x = k ln2 + r, |r| <= ln2/2; Taylor series of e^r (Cody and Waite 1980 for the reduction).
  Value* exp(Value* x) {
    bool single = type_->getScalarType()->isFloatTy();
    double high_limit = single ? 89.0 : 710.0, low_limit = single ? -104.5 : -746.0;
    // ln2 in two parts, the first with few enough bits that k times it is exact.
    double ln2_high = single ? 0.693359375 : 0x1.62e42fefa38p-1;
    double ln2_low = single ? -2.12194440054690583e-4 : 0x1.ef35793c7673p-45;
    Value* clamped = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, c(high_limit));
    clamped = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, clamped, c(low_limit));
    Value* is_nan = ir_.CreateFCmpUNO(x, x);
    clamped = pick(is_nan, c(0), clamped);
    Value* k = whole(mul(clamped, c(std::numbers::log2e)));
    Value* r = mad(k, c(-ln2_high), clamped);
    r = mad(k, c(-ln2_low), r);
    std::vector<double> taylor;
    double factorial = 1;
    for (int i = 0; i <= (single ? 7 : 13); ++i) {
      if (i > 0) factorial *= i;
      taylor.push_back(1 / factorial);
    }
    return pick(is_nan, x, scale(polynomial(r, taylor), k));
  }

  // log x: x = m * 2^k with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m-1)/(m+1), |s| < 0.1716.
  Value* log(Value* x) {
    Value* tiny = ir_.CreateFCmpOLT(x, c(0x1p-1022));
    Value* scaled = pick(tiny, mul(x, c(0x1p54)), x);
    Value* bits = to_bits(scaled);
    Value* offset = ir_.CreateSub(bits, n(0x3fe6a09e667f3bcd));  // sqrt(1/2)
    Value* k = ir_.CreateAShr(offset, n(52));
    Value* m = to_float(ir_.CreateSub(bits, ir_.CreateShl(k, n(52))));
    Value* exponent = ir_.CreateSIToFP(k, type_);
    exponent = sub(exponent, pick(tiny, c(54), c(0)));
    Value* s = div(sub(m, c(1)), add(m, c(1)));
    Value* t = mul(s, s);
    std::vector<double> series;
    for (int i = 0; i < 11; ++i) series.push_back(2.0 / (2 * i + 3));
    // 2s + s*t*P(t) = (m-1) - s*((m-1) - t*P(t)), which loses nothing near 1.
    Value* f = sub(m, c(1));
    Value* tail = mul(t, polynomial(t, series));
    Value* log_m = sub(f, mul(s, sub(f, tail)));
    Value* result = mad(exponent, c(0x1.62e42fefa38p-1), add(log_m, mul(exponent, c(0x1.ef35793c7673p-45))));
    Value* zero = ir_.CreateFCmpOEQ(x, c(0));
    Value* valid = ir_.CreateFCmpOGT(x, c(0));
    result = pick(valid, result, pick(zero, c(-HUGE_VAL), nan()));
    return pick(ir_.CreateFCmpOEQ(x, infinity()), infinity(), result);
  }

  // Near 0 the Taylor series without its first term; elsewhere exp(x) - 1.
  Value* expm1(Value* x) {
    std::vector<double> taylor;
    double factorial = 1;
    for (int i = 2; i <= 16; ++i) {
      factorial *= i;
      taylor.push_back(1 / factorial);
    }
    Value* series = mad(mul(x, x), polynomial(x, taylor), x);
    Value* far = sub(exp(x), c(1));
    return pick(ir_.CreateFCmpOLT(abs(x), c(0.4)), series, far);
  }

  // log(u) with u = 1 + x rounded, corrected by what the rounding lost (Kahan).
  Value* log1p(Value* x) {
    Value* u = add(c(1), x);
    Value* lost = sub(x, sub(u, c(1)));
    Value* correct = add(log(u), div(lost, u));
    Value* special = ir_.CreateOr(ir_.CreateFCmpOEQ(u, infinity()), ir_.CreateFCmpULE(u, c(0)));
    Value* value = pick(special, log(u), correct);
    return pick(ir_.CreateFCmpOEQ(x, c(0)), x, value);
  }

  // tanh |x| = q / (q + 2) with q = expm1(2|x|).
  Value* tanh(Value* x) {
    Value* magnitude = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, abs(x), c(22));
    Value* q = expm1(add(magnitude, magnitude));
    return sign_of(div(q, add(q, c(2))), x);
  }

  // erf x = 2/sqrt(pi) e^(-x^2) sum 2^n x^(2n+1) / (1*3*...*(2n+1)) (Abramowitz and Stegun 7.1.6): every term is
  // positive.
  Value* erf(Value* x, bool single) {
    double limit = single ? 4.0 : 6.0;
    Value* magnitude = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, abs(x), c(limit));
    Value* t = mul(magnitude, magnitude);
    std::vector<double> series;
    double coefficient = 1;
    for (int i = 0; i < (single ? 60 : 124); ++i) {
      series.push_back(coefficient);
      coefficient *= 2.0 / (2 * i + 3);
    }
    Value* sum = mul(polynomial(t, series), mul(magnitude, c(2 / std::sqrt(std::numbers::pi))));
    Value* value = mul(exp(ir_.CreateFNeg(t)), sum);
    value = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, value, c(1));
    return sign_of(value, x);
  }

  // atan: arguments over 1 by pi/2 - atan(1/x), over tan(pi/8) by pi/4 + atan((x-1)/(x+1)); then the Taylor series.
  Value* atan(Value* x) {
    Value* magnitude = abs(x);
    Value* large = ir_.CreateFCmpOGT(magnitude, c(1));
    Value* a = pick(large, div(c(1), magnitude), magnitude);
    Value* middle = ir_.CreateFCmpOGT(a, c(0.41421356237309503));
    Value* r = pick(middle, div(sub(a, c(1)), add(a, c(1))), a);
    Value* t = mul(r, r);
    std::vector<double> series;
    for (int i = 1; i <= 22; ++i) series.push_back((i % 2 == 1 ? -1.0 : 1.0) / (2 * i + 1));
    Value* value = mad(mul(r, t), polynomial(t, series), r);
    value = pick(middle, add(c(std::numbers::pi / 4), value), value);
    value = pick(large, sub(c(std::numbers::pi / 2), value), value);
    return sign_of(value, x);
  }

  // sin and cos: x = k*pi/2 + r with pi/2 in three parts of 33 bits (Cody and Waite), then Taylor series on |r| <=
  // pi/4. Good to double for |x| < 2^30; beyond that the reduction loses bits, which the tests state.
  Value* sine(Value* x, int quarter) {
    Value* k = whole(mul(x, c(2 / std::numbers::pi)));
    Value* r = mad(k, c(-0x1.921fb544p+0), x);
    r = mad(k, c(-0x1.0b4611a6p-34), r);
    r = mad(k, c(-0x1.3198a2e037073p-69), r);
    Value* quadrant =
        ir_.CreateAdd(ir_.CreateFPToSI(pick(ir_.CreateFCmpOLT(abs(k), c(0x1p62)), k, c(0)), bits_), n(quarter));
    Value* t = mul(r, r);
    std::vector<double> sine_series, cosine_series;
    double factorial = 1;
    for (int i = 0; i < 9; ++i) {
      double sign = i % 2 == 0 ? 1 : -1;
      cosine_series.push_back(sign / factorial);
      factorial *= 2 * i + 1;
      sine_series.push_back(sign / factorial);
      factorial *= 2 * i + 2;
    }
    Value* s = mul(r, polynomial(t, sine_series));
    Value* co = polynomial(t, cosine_series);
    Value* odd = ir_.CreateICmpNE(ir_.CreateAnd(quadrant, n(1)), n(0));
    Value* negative = ir_.CreateICmpNE(ir_.CreateAnd(quadrant, n(2)), n(0));
    Value* value = pick(odd, co, s);
    value = pick(negative, ir_.CreateFNeg(value), value);
    if (quarter == 0) value = pick(ir_.CreateFCmpOEQ(x, c(0)), x, value);
    return pick(ir_.CreateFCmpOLT(abs(x), infinity()), value, nan());
  }

  // x^y = 2^(y log2 |x|), with the special cases of IEEE 754-2019, 9.2.1. f32 through double: about 1 ulp. f64:
  // relative error about |y log x| ulp.
  Value* pow(Value* x, Value* y) {
    Value* magnitude = abs(x);
    Value* value = exp(mul(y, log(magnitude)));
    Value* y_whole = ir_.CreateFCmpOEQ(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, y), y);
    Value* half = mul(y, c(0.5));
    Value* y_odd =
        ir_.CreateAnd(y_whole, ir_.CreateFCmpONE(ir_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, half), half));
    Value* negative = ir_.CreateFCmpOLT(sign_of(c(1), x), c(0));
    Value* zero = ir_.CreateFCmpOEQ(x, c(0));
    Value* infinite = ir_.CreateFCmpOEQ(magnitude, infinity());
    Value* y_negative = ir_.CreateFCmpOLT(y, c(0));
    value = pick(
        ir_.CreateAnd(negative, ir_.CreateAnd(ir_.CreateNot(y_whole), ir_.CreateNot(ir_.CreateOr(zero, infinite)))),
        nan(), value);
    value = pick(zero, pick(y_negative, infinity(), c(0)), value);
    value = pick(infinite, pick(y_negative, c(0), infinity()), value);
    value = pick(ir_.CreateAnd(negative, y_odd), ir_.CreateFNeg(value), value);
    Value* y_infinite = ir_.CreateFCmpOEQ(abs(y), infinity());
    Value* grows = ir_.CreateXor(ir_.CreateFCmpOLT(magnitude, c(1)), ir_.CreateNot(y_negative));
    value = pick(y_infinite, pick(grows, infinity(), c(0)), value);
    value = pick(ir_.CreateAnd(y_infinite, ir_.CreateFCmpOEQ(magnitude, c(1))), c(1), value);
    value = pick(ir_.CreateOr(ir_.CreateFCmpUNO(x, x), ir_.CreateFCmpUNO(y, y)), nan(), value);
    value = pick(ir_.CreateFCmpOEQ(x, c(1)), c(1), value);
    return pick(ir_.CreateFCmpOEQ(y, c(0)), c(1), value);
  }

  Value* atan2(Value* y, Value* x) {
    Value* both_infinite = ir_.CreateAnd(ir_.CreateFCmpOEQ(abs(x), infinity()), ir_.CreateFCmpOEQ(abs(y), infinity()));
    Value* ratio = pick(both_infinite, c(1), div(abs(y), abs(x)));
    ratio = pick(ir_.CreateFCmpOEQ(y, c(0)), c(0), ratio);  // 0/0
    Value* angle = atan(ratio);
    Value* left = ir_.CreateFCmpOLT(sign_of(c(1), x), c(0));
    angle = pick(left, sub(c(std::numbers::pi), angle), angle);
    angle = sign_of(angle, y);
    return pick(ir_.CreateOr(ir_.CreateFCmpUNO(x, x), ir_.CreateFCmpUNO(y, y)), nan(), angle);
  }

  Value* apply(Prim prim, Value* x, bool single) {
    switch (prim) {
      case Prim::kExp:
        return exp(x);
      case Prim::kLog:
        return log(x);
      case Prim::kSin:
        return sine(x, 0);
      case Prim::kCos:
        return sine(x, 1);
      case Prim::kTanh:
        return tanh(x);
      case Prim::kErf:
        return erf(x, single);
      case Prim::kLog1p:
        return log1p(x);
      case Prim::kExpm1:
        return expm1(x);
      case Prim::kAtan:
        return atan(x);
      default:
        e_.fail(std::string(info(prim).text) + " has no expansion");
        return x;
    }
  }

 private:
  Emitter& e_;
  llvm::IRBuilder<>& ir_;
  llvm::Type* type_;
  llvm::Type* bits_;
};

llvm::Type* doubled(Emitter& emitter, llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  llvm::Type* scalar = emitter.ir().getDoubleTy();
  return vector == nullptr ? scalar : llvm::FixedVectorType::get(scalar, vector->getNumElements());
}

bool is_single(Value* x) { return x->getType()->getScalarType()->isFloatTy(); }

}  // namespace

Value* emit_math(Emitter& emitter, Prim prim, Value* x) {
  if (prim == Prim::kExp || !is_single(x)) return Math(emitter, x->getType()).apply(prim, x, is_single(x));
  llvm::Type* wide = doubled(emitter, x->getType());
  Value* value = Math(emitter, wide).apply(prim, emitter.ir().CreateFPExt(x, wide), true);
  return emitter.ir().CreateFPTrunc(value, x->getType());
}

Value* emit_pow(Emitter& emitter, Value* x, Value* y) {
  if (!is_single(x)) return Math(emitter, x->getType()).pow(x, y);
  llvm::Type* wide = doubled(emitter, x->getType());
  auto& ir = emitter.ir();
  return ir.CreateFPTrunc(Math(emitter, wide).pow(ir.CreateFPExt(x, wide), ir.CreateFPExt(y, wide)), x->getType());
}

Value* emit_atan2(Emitter& emitter, Value* y, Value* x) {
  if (!is_single(x)) return Math(emitter, x->getType()).atan2(y, x);
  llvm::Type* wide = doubled(emitter, x->getType());
  auto& ir = emitter.ir();
  return ir.CreateFPTrunc(Math(emitter, wide).atan2(ir.CreateFPExt(y, wide), ir.CreateFPExt(x, wide)), x->getType());
}

}  // namespace hal::compiler::codegen
