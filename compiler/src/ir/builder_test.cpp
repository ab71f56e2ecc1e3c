// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {
namespace {

Sym sym(const char* text) { return *Sym::parse(text); }

TEST(Builder, ShapeArithmeticFolds) {
  // What exporters write for Flatten: Shape -> Cast -> Slice -> Concat with -1 resolved -> Reshape.
  Builder b("flatten");
  ValueId x = b.parameter("x", {DType::kF32, {sym("N"), 200, 1, 1}});
  ValueId shape = b.syms(b.type(x).shape, false);
  Attributes cast;
  cast.dtype = DType::kI32;
  ValueId narrow = *b.op(Prim::kCast, {shape}, cast);
  Attributes first;
  first.low = {0}, first.size = {1}, first.step = {1};
  ValueId n = *b.op(Prim::kSlice, {narrow}, first);
  ValueId rest = b.constant(Tensor::of<int32_t>(DType::kI32, {1}, {200}));
  Attributes axis;
  axis.axes = {0};
  ValueId both = *b.op(Prim::kConcat, {n, rest}, axis);
  ASSERT_NE(b.contents(both), nullptr);
  EXPECT_EQ(*b.contents(both), (Contents{sym("N"), 200}));
  Attributes to;
  to.shape = *b.contents(both);
  auto y = b.op(Prim::kReshape, {x}, to);
  ASSERT_TRUE(y) << y.error().message;
  auto module = b.finish({*y}, {"y"});
  ASSERT_TRUE(module) << module.error().message;
  EXPECT_EQ(module->symbols, std::vector<std::string>{"N"});
}

// What wraps, saturates or is rounded in its dtype is not taken for a known number.
TEST(Builder, KnownNumbersAreThoseThatTheDtypeHolds) {
  Builder b("ends");
  auto known = [&](Prim prim, Tensor x, Tensor y) { return b.contents(*b.op(prim, {b.constant(x), b.constant(y)})); };
  auto i64 = [](int64_t value) { return Tensor::of<int64_t>(DType::kI64, {}, {value}); };
  auto i32 = [](int32_t value) { return Tensor::of<int32_t>(DType::kI32, {}, {value}); };
  EXPECT_EQ(known(Prim::kDiv, i64(INT64_MIN), i64(-1)), nullptr);
  EXPECT_EQ(known(Prim::kRem, i64(INT64_MIN), i64(-1)), nullptr);
  EXPECT_EQ(*known(Prim::kDiv, i64(7), i64(-1)), Contents{-7});
  EXPECT_EQ(known(Prim::kAdd, i64(INT64_MAX), i64(1)), nullptr);
  EXPECT_EQ(known(Prim::kMul, i64(INT64_MAX), i64(2)), nullptr);
  EXPECT_EQ(known(Prim::kAdd, i32(INT32_MAX), i32(1)), nullptr);
  EXPECT_EQ(*known(Prim::kAdd, i32(INT32_MAX - 1), i32(1)), Contents{INT32_MAX});
  Attributes to;
  to.dtype = DType::kF32;
  EXPECT_EQ(b.contents(*b.op(Prim::kCast, {b.constant(i64((1 << 24) + 1))}, to)), nullptr);
  to.dtype = DType::kI32;
  EXPECT_EQ(b.contents(*b.op(Prim::kCast, {b.constant(i64(int64_t{1} << 40))}, to)), nullptr);
}

TEST(Builder, SymbolicWindowAndPad) {
  Builder b("conv");
  ValueId x = b.parameter("x", {DType::kF32, {sym("N"), 3, sym("H"), sym("W")}});
  ValueId zero = b.constant(Tensor::of<float>(DType::kF32, {}, {0.f}));
  Attributes pad;
  pad.low = pad.high = {0, 0, 1, 1};
  pad.interior = {0, 0, 0, 0};
  ValueId padded = *b.op(Prim::kPad, {x, zero}, pad);
  Attributes window;
  window.axes = {2, 3}, window.size = {3, 3}, window.step = {2, 2}, window.dilation = {1, 1};
  ValueId w = *b.op(Prim::kWindow, {padded}, window);
  EXPECT_EQ(text(b.type(w)), "f32[N, 3, floordiv(H - 1, 2) + 1, floordiv(W - 1, 2) + 1, 3, 3]");
}

TEST(Builder, ErrorsNamePrimitiveTypesAndExpectation) {
  Builder b("bad");
  ValueId x = b.parameter("x", {DType::kF32, {2, 3}});
  ValueId y = b.parameter("y", {DType::kI32, {2, 3}});
  b.set_label("Add node_7");
  auto sum = b.op(Prim::kAdd, {x, y});
  ASSERT_FALSE(sum);
  EXPECT_EQ(sum.error().message, "Add node_7: add(f32[2, 3], i32[2, 3]): expected equal dtypes; cast one of them");
  Attributes shape;
  shape.shape = {7};
  EXPECT_FALSE(b.op(Prim::kReshape, {x}, shape));
  EXPECT_FALSE(b.op(Prim::kExp, {y}));
  EXPECT_FALSE(b.op(Prim::kExp, {99}));
}

// Attributes may come from a file: each that makes no sense is refused, whatever it would have led to.
TEST(Builder, AttributesWithoutMeaningAreRefused) {
  Builder b("bad");
  ValueId x = b.parameter("x", {DType::kF32, {4}}), i = b.parameter("i", {DType::kI64, {4}});
  auto refused = [&](Prim prim, std::vector<ValueId> operands, const std::function<void(Attributes&)>& set,
                     const char* says) {
    Attributes a;
    a.axes = {0};
    set(a);
    auto made = b.op(prim, std::move(operands), a);
    ASSERT_FALSE(made) << says;
    EXPECT_NE(made.error().message.find(says), std::string::npos) << made.error().message;
  };
  refused(
      Prim::kIota, {}, [](Attributes& a) { a.shape = {-1}, a.dtype = DType::kI64; }, "extent -1");
  refused(
      Prim::kBroadcast, {x},
      [](Attributes& a) {
        a.shape = {4, -4};
      },
      "extent -4");
  auto slice = [](int64_t low, int64_t size, int64_t step) {
    return [=](Attributes& a) { a.low = {low}, a.size = {size}, a.step = {step}; };
  };
  refused(Prim::kSlice, {x}, slice(0, 3, INT64_MAX / 2), "leaves its bounds");
  refused(Prim::kSlice, {x}, slice(INT64_MAX, 2, INT64_MIN), "leaves its bounds");
  auto window = [](int64_t size) { return [=](Attributes& a) { a.size = {size}, a.step = {1}, a.dilation = {1}; }; };
  refused(Prim::kWindow, {x}, window(-2), "at least 1 element");
  refused(Prim::kWindow, {x}, window(6), "extent -1");
  refused(
      Prim::kReduce, {x}, [](Attributes& a) { a.reduce = ReduceKind::kAdd, a.accumulator = DType::kBOOL; },
      "accumulator");
  refused(
      Prim::kReduce, {x}, [](Attributes& a) { a.reduce = static_cast<ReduceKind>(77); }, "kind of reduction");
  refused(
      Prim::kScatter, {x, i, x}, [](Attributes& a) { a.reduce = ReduceKind::kAnd; }, "does not fit");
  refused(
      Prim::kContract, {x, x},
      [](Attributes& a) {
        a.labels = {{0}, {0}, {}}, a.dtype = DType::kBOOL;
      },
      "bool");
  refused(
      Prim::kCompare, {x, x}, [](Attributes& a) { a.predicate = static_cast<Predicate>(-1); }, "predicate");
  refused(
      Prim::kCast, {x}, [](Attributes& a) { a.dtype = DType::kNone; }, "cast");
}

}  // namespace
}  // namespace hal::compiler
