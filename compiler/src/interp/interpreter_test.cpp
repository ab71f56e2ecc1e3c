// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/interpreter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "array.hpp"

namespace hal::compiler {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

template <typename T>
Tensor vec(DType dtype, std::vector<T> values) {
  return Tensor::of<T>(dtype, {static_cast<int64_t>(values.size())}, values);
}

// One primitive on given operands.
std::vector<Tensor> run_one(Prim prim, const std::vector<Tensor>& x, Attributes attributes = {},
                            Precision precision = Precision::kExact) {
  Builder b("one");
  std::vector<ValueId> operands;
  for (size_t i = 0; i < x.size(); ++i) {
    operands.push_back(b.parameter("x" + std::to_string(i), {x[i].dtype, Shape(x[i].shape.begin(), x[i].shape.end())}));
  }
  auto value = b.op(prim, operands, attributes);
  EXPECT_TRUE(value) << value.error().message;
  auto module = b.finish({*value}, {"y"});
  auto result = interpret(*module, x, {.precision = precision});
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

template <typename T>
std::vector<T> values(const Tensor& tensor) {
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.size());
}

// Bits, so that NaN, -0 and +0 are told apart; every NaN counts as one.
std::vector<uint32_t> bits(const std::vector<float>& floats) {
  std::vector<uint32_t> out;
  for (float f : floats) {
    uint32_t word;
    std::memcpy(&word, &f, 4);
    out.push_back(std::isnan(f) ? 0x7FC00000u : word);
  }
  return out;
}

struct FloatCase {
  Prim prim;
  std::vector<float> x, y, want;
};

TEST(Interpreter, FloatSpecialValues) {
  const FloatCase cases[] = {
      {Prim::kMin, {0.f, -0.f, kNan, 1, -kInf}, {-0.f, 0.f, 1, kNan, kInf}, {-0.f, -0.f, kNan, kNan, -kInf}},
      {Prim::kMax, {0.f, -0.f, kNan, 1, -kInf}, {-0.f, 0.f, 1, kNan, kInf}, {0.f, 0.f, kNan, kNan, kInf}},
      {Prim::kDiv, {1, -1, 0, 5}, {0.f, 0.f, 0.f, -0.f}, {kInf, -kInf, kNan, -kInf}},
      {Prim::kRem, {5, -5, 5, kInf, 3}, {3, 3, -3, 2, kInf}, {2, -2, 2, kNan, 3}},
      {Prim::kRem, {5.5f, 1}, {0.f, kNan}, {kNan, kNan}},
      {Prim::kPow, {kNan, 1, 0, -8, 2}, {0, kNan, -1, 1.f / 3, 10}, {1, 1, kInf, kNan, 1024}},
      {Prim::kSign, {-2, -0.f, 0, kNan, kInf}, {}, {-1, -0.f, 0, kNan, 1}},
      {Prim::kRoundEven, {0.5f, 1.5f, 2.5f, -0.5f, -1.5f}, {}, {0, 2, 2, -0.f, -2}},
      {Prim::kSqrt, {-0.f, -1, kInf, 2}, {}, {-0.f, kNan, kInf, 1.41421354f}},
      {Prim::kLog, {0, -1, 1, kInf}, {}, {-kInf, kNan, 0, kInf}},
      {Prim::kExp, {-kInf, 0, 89, kNan, -104}, {}, {0, 1, kInf, kNan, 0}},
      {Prim::kTanh, {-0.f, kInf, 20}, {}, {-0.f, 1, 1}},
      {Prim::kNeg, {0.f, -1, kInf}, {}, {-0.f, 1, -kInf}},
  };
  for (const FloatCase& c : cases) {
    std::vector<Tensor> operands = {vec(DType::kF32, c.x)};
    if (!c.y.empty()) operands.push_back(vec(DType::kF32, c.y));
    EXPECT_EQ(bits(values<float>(run_one(c.prim, operands)[0])), bits(c.want)) << info(c.prim).text;
  }
}

TEST(Interpreter, IntegerDivisionOfAllSigns) {
  auto x = vec<int32_t>(DType::kI32, {7, -7, 7, -7, 5, INT32_MIN});
  auto y = vec<int32_t>(DType::kI32, {2, 2, -2, -2, 0, -1});
  EXPECT_EQ(values<int32_t>(run_one(Prim::kDiv, {x, y})[0]), (std::vector<int32_t>{3, -3, -3, 3, 0, INT32_MIN}));
  EXPECT_EQ(values<int32_t>(run_one(Prim::kRem, {x, y})[0]), (std::vector<int32_t>{1, -1, 1, -1, 5, 0}));
}

TEST(Interpreter, IntegersWrapAndShiftsSaturate) {
  auto x = vec<int8_t>(DType::kI8, {127, -128, -1, 64});
  auto y = vec<int8_t>(DType::kI8, {1, 1, 9, -1});
  EXPECT_EQ(values<int8_t>(run_one(Prim::kAdd, {x, y})[0]), (std::vector<int8_t>{-128, -127, 8, 63}));
  EXPECT_EQ(values<int8_t>(run_one(Prim::kShl, {x, y})[0]), (std::vector<int8_t>{-2, 0, 0, 0}));
  EXPECT_EQ(values<int8_t>(run_one(Prim::kShr, {x, y})[0]), (std::vector<int8_t>{63, -64, -1, 0}));
  EXPECT_EQ(values<int8_t>(run_one(Prim::kAbs, {x})[0]), (std::vector<int8_t>{127, -128, 1, 64}));
}

TEST(Interpreter, CastsSaturateTruncateAndWrap) {
  Attributes to;
  to.dtype = DType::kI32;
  auto x = vec<float>(DType::kF32, {kNan, kInf, -kInf, 2147483648.f, -1.9f, 1.9f});
  EXPECT_EQ(values<int32_t>(run_one(Prim::kCast, {x}, to)[0]),
            (std::vector<int32_t>{0, INT32_MAX, INT32_MIN, INT32_MAX, -1, 1}));
  to.dtype = DType::kU8;
  EXPECT_EQ(values<uint8_t>(run_one(Prim::kCast, {vec<float>(DType::kF32, {-1.f, 255.9f, 256.f})}, to)[0]),
            (std::vector<uint8_t>{0, 255, 255}));
  auto wide = vec<int64_t>(DType::kI64, {-1, 256, 300});
  EXPECT_EQ(values<uint8_t>(run_one(Prim::kCast, {wide}, to)[0]), (std::vector<uint8_t>{0, 255, 255}));
  to.cast = CastMode::kWrap;
  EXPECT_EQ(values<uint8_t>(run_one(Prim::kCast, {wide}, to)[0]), (std::vector<uint8_t>{255, 0, 44}));
  to.dtype = DType::kBOOL;
  EXPECT_EQ(values<uint8_t>(run_one(Prim::kCast, {vec<float>(DType::kF32, {0.f, -0.f, kNan, 0.5f})}, to)[0]),
            (std::vector<uint8_t>{0, 0, 1, 1}));
}

TEST(Interpreter, ReductionsOfNothingGiveTheIdentity) {
  auto empty = Tensor::make(DType::kF32, {2, 0});
  const std::pair<ReduceKind, float> kinds[] = {
      {ReduceKind::kAdd, 0.f}, {ReduceKind::kMul, 1.f}, {ReduceKind::kMin, kInf}, {ReduceKind::kMax, -kInf}};
  for (auto [kind, identity] : kinds) {
    Attributes a;
    a.axes = {1};
    a.reduce = kind;
    EXPECT_EQ(values<float>(run_one(Prim::kReduce, {empty}, a)[0]), (std::vector<float>{identity, identity}));
  }
}

TEST(Interpreter, ArgReduceTakesTheFirstOfEqualsAndNan) {
  Attributes a;
  a.axes = {0};
  a.reduce = ReduceKind::kMax;
  EXPECT_EQ(values<int64_t>(run_one(Prim::kArgReduce, {vec<float>(DType::kF32, {1, 3, 3, 2})}, a)[0])[0], 1);
  EXPECT_EQ(values<int64_t>(run_one(Prim::kArgReduce, {vec<float>(DType::kF32, {1, kNan, 3, kNan})}, a)[0])[0], 1);
}

TEST(Interpreter, MovementPrimitives) {
  auto x = Tensor::of<float>(DType::kF32, {2, 3}, {0, 1, 2, 3, 4, 5});
  Attributes transpose;
  transpose.axes = {1, 0};
  EXPECT_EQ(values<float>(run_one(Prim::kTranspose, {x}, transpose)[0]), (std::vector<float>{0, 3, 1, 4, 2, 5}));
  Attributes slice;
  slice.low = {1, 2}, slice.size = {2, 2}, slice.step = {-1, -2};
  EXPECT_EQ(values<float>(run_one(Prim::kSlice, {x}, slice)[0]), (std::vector<float>{5, 3, 2, 0}));
  Attributes pad;
  pad.low = {0, 1}, pad.high = {0, -1}, pad.interior = {0, 1};
  auto value = Tensor::of<float>(DType::kF32, {}, {9});
  EXPECT_EQ(values<float>(run_one(Prim::kPad, {x, value}, pad)[0]), (std::vector<float>{9, 0, 9, 1, 9, 9, 3, 9, 4, 9}));
  Attributes window;
  window.axes = {1}, window.size = {2}, window.step = {1}, window.dilation = {1};
  EXPECT_EQ(values<float>(run_one(Prim::kWindow, {x}, window)[0]), (std::vector<float>{0, 1, 1, 2, 3, 4, 4, 5}));
  Attributes broadcast;
  broadcast.shape = {2, 2, 3}, broadcast.axes = {0, 2};
  EXPECT_EQ(values<float>(run_one(Prim::kBroadcast, {x}, broadcast)[0]),
            (std::vector<float>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  Attributes gather;
  gather.axes = {1};
  EXPECT_EQ(values<float>(run_one(Prim::kGather, {x, vec<int64_t>(DType::kI64, {2, 99, -1})}, gather)[0]),
            (std::vector<float>{2, 2, 0, 5, 5, 3}));
  Attributes concat;
  concat.axes = {1};
  EXPECT_EQ(values<float>(run_one(Prim::kConcat, {x, x}, concat)[0]),
            (std::vector<float>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
}

TEST(Interpreter, ContractIsMatMulWithBatch) {
  auto a = Tensor::of<float>(DType::kF32, {2, 1, 2}, {1, 2, 3, 4});
  auto b = Tensor::of<float>(DType::kF32, {2, 2, 1}, {5, 6, 7, 8});
  Attributes attributes;
  attributes.labels = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}};
  EXPECT_EQ(values<float>(run_one(Prim::kContract, {a, b}, attributes)[0]), (std::vector<float>{17, 53}));
}

TEST(Interpreter, ScatterCombinesInOrderAndSkipsOutside) {
  Attributes a;
  a.axes = {0};
  a.reduce = ReduceKind::kAdd;
  auto x = vec<float>(DType::kF32, {0, 0, 0});
  auto index = vec<int64_t>(DType::kI64, {1, 1, 7, -1});
  auto updates = vec<float>(DType::kF32, {1, 2, 4, 8});
  EXPECT_EQ(values<float>(run_one(Prim::kScatter, {x, index, updates}, a)[0]), (std::vector<float>{0, 3, 0}));
}

TEST(Interpreter, ScatterCombinesAsReductionsDo) {
  Attributes a;
  a.axes = {0};
  auto index = vec<int64_t>(DType::kI64, {0, 1});
  auto scattered = [&](ReduceKind kind, const Tensor& x, const Tensor& updates) {
    a.reduce = kind;
    return run_one(Prim::kScatter, {x, index, updates}, a)[0];
  };
  auto least = values<float>(
      scattered(ReduceKind::kMin, vec<float>(DType::kF32, {0.f, -0.f}), vec<float>(DType::kF32, {-0.f, 0.f})));
  EXPECT_TRUE(std::signbit(least[0]) && std::signbit(least[1]));
  Tensor x = Tensor::of<uint8_t>(DType::kBOOL, {2}, {1, 0}), y = Tensor::of<uint8_t>(DType::kBOOL, {2}, {0, 1});
  EXPECT_EQ(values<uint8_t>(scattered(ReduceKind::kAnd, x, y)), (std::vector<uint8_t>{0, 0}));
  EXPECT_EQ(values<uint8_t>(scattered(ReduceKind::kOr, x, y)), (std::vector<uint8_t>{1, 1}));
  EXPECT_EQ(values<int64_t>(scattered(ReduceKind::kAdd, vec<int64_t>(DType::kI64, {INT64_MAX, 1}),
                                      vec<int64_t>(DType::kI64, {1, 1}))),
            (std::vector<int64_t>{INT64_MIN, 2}));
}

TEST(Interpreter, HalfFormatsRoundTripAndRoundToEven) {
  for (DType dtype :
       {DType::kF16, DType::kBF16, DType::kF8E4M3, DType::kF8E5M2, DType::kF8E4M3FNUZ, DType::kF8E5M2FNUZ}) {
    for (uint32_t code = 0; code < (1u << info(dtype).bits); ++code) {
      long double value = interp::decode_float(dtype, code);
      if (std::isnan(value)) continue;
      ASSERT_EQ(interp::encode_float(dtype, value), code) << name(dtype) << " " << code;
    }
  }
  EXPECT_EQ(interp::encode_float(DType::kF16, 65519.0L), 0x7BFFu);
  EXPECT_EQ(interp::encode_float(DType::kF16, 65520.0L), 0x7C00u);
  EXPECT_EQ(interp::encode_float(DType::kBF16, 1.00390625L), 0x3F80u);  // a tie, to even
  EXPECT_EQ(interp::encode_float(DType::kBF16, 1.01171875L), 0x3F82u);  // a tie, to even
  EXPECT_EQ(interp::encode_float(DType::kF8E4M3, 448.0L), 0x7Eu);
  EXPECT_EQ(interp::encode_float(DType::kF8E4M3, 1e9L), 0x7Fu);
}

TEST(Interpreter, InputsThatDoNotFitAreNamed) {
  Builder b("f");
  ValueId x = b.parameter("image", {DType::kF32, {Sym::symbol("N"), Sym::symbol("N")}});
  auto module = b.finish({x}, {"y"});
  auto wrong = interpret(*module, {Tensor::make(DType::kF32, {2, 3})});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "input image: expected f32[N, N], got f32[2, 3]");
  EXPECT_FALSE(interpret(*module, {}));
  EXPECT_FALSE(interpret(*module, {Tensor::make(DType::kF64, {2, 2})}));
}

}  // namespace
}  // namespace hal::compiler
