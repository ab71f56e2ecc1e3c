// SPDX-License-Identifier: Apache-2.0
//
// Programs that code generation must not see, each made from a right one by one change.
#include <gtest/gtest.h>

#include "expr.hpp"

namespace hal::compiler::tile {
namespace {

Sym s(const char* text) { return *Sym::parse(text); }

// y[i0] = x[i0] over N elements; and, summed over r1, z[i0] = w[i0, r1].
Program copy() {
  Program p;
  p.name = "p";
  p.symbols = {"N"};
  p.buffers = {{"x", BufferKind::kInput, 0, {DType::kF32, {s("N")}}},
               {"y", BufferKind::kOutput, 0, {DType::kF32, {s("N")}}},
               {"w", BufferKind::kInput, 1, {DType::kF32, {s("N"), 4}}}};
  Block block{"copy",   {{"i0", AxisKind::kParallel, s("N")}}, {}, load(0, DType::kF32, {s("i0")}), nullptr, 1,
              {s("i0")}};
  p.ranges.set_index("i0", s("N"));
  p.ranges.set_index("r1", 4);
  p.kernels = {{"copy_0", {block}}};
  return p;
}

Program sum() {
  Program p = copy();
  Block& block = p.kernels[0].blocks[0];
  block.axes.push_back({"r1", AxisKind::kReduce, 4});
  block.reduction = Reduction{ReduceKind::kAdd, DType::kF32, Order::kAny, false, false};
  block.body = load(2, DType::kF32, {s("i0"), s("r1")});
  return p;
}

void expect_refused(const Program& program, const std::string& why) {
  auto result = verify(program);
  ASSERT_FALSE(result) << "expected to be refused: " << why;
  EXPECT_NE(result.error().message.find(why), std::string::npos) << result.error().message;
}

TEST(Verify, AcceptsTheRightOnes) {
  EXPECT_TRUE(verify(copy()));
  EXPECT_TRUE(verify(sum()));
}

TEST(Verify, RefusesLoadsThatLeaveTheirBuffer) {
  for (const char* index : {"i0 + N", "i0 + 1", "i0 - 1", "0 - i0", "2*i0", "N", "floordiv(i0, 2) + N - 1"}) {
    Program p = copy();
    p.kernels[0].blocks[0].body = load(0, DType::kF32, {s(index)});
    expect_refused(p, "a load of x is out of bounds");
  }
}

TEST(Verify, AGuardAroundALoadCounts) {
  Program p = copy();
  ExprPtr zero = literal(DType::kF32, 0);
  p.kernels[0].blocks[0].body = guard({s("i0 - 2")}, load(0, DType::kF32, {s("i0 - 2")}), zero);
  EXPECT_TRUE(verify(p));
  p.kernels[0].blocks[0].body = guard({s("i0 - 1")}, load(0, DType::kF32, {s("i0 - 2")}), zero);
  expect_refused(p, "a load of x is out of bounds");
  p.kernels[0].blocks[0].body = guard({s("i0 - 2")}, zero, load(0, DType::kF32, {s("i0 - 2")}));
  expect_refused(p, "a load of x is out of bounds");
}

TEST(Verify, RefusesStoresThatLeaveTheirBuffer) {
  for (const char* index : {"i0 + N", "i0 + 1", "i0 - 1", "2*i0"}) {
    Program p = copy();
    p.kernels[0].blocks[0].target_indices = {s(index)};
    expect_refused(p, "a store to y is out of bounds");
  }
}

TEST(Verify, RefusesTwoPointsThatStoreToOneElement) {
  for (const char* index : {"0", "floordiv(i0, 2)", "max(i0 - 1, 0)", "min(i0, N - 2)"}) {
    Program p = copy();
    p.ranges.set("N", {Sym(2), std::nullopt});
    p.kernels[0].blocks[0].target_indices = {s(index)};
    expect_refused(p, "two points store to one element of y");
  }
}

TEST(Verify, AcceptsAStoreThatOnlyLooksUnusual) {
  Program p = copy();
  p.kernels[0].blocks[0].target_indices = {s("N - 1 - i0")};
  EXPECT_TRUE(verify(p));
}

TEST(Verify, RefusesUnknownSymbols) {
  Program p = copy();
  p.kernels[0].blocks[0].target_indices = {s("q")};
  expect_refused(p, "unknown symbol q");
  p = copy();
  p.kernels[0].blocks[0].body = load(0, DType::kF32, {s("q")});
  expect_refused(p, "unknown symbol q");
  p = sum();
  p.kernels[0].blocks[0].target_indices = {s("i0 + r1 - r1 + 0*r1 + r1")};
  expect_refused(p, "unknown symbol r1");
  p = sum();
  p.kernels[0].blocks[0].epilogue = load(2, DType::kF32, {s("i0"), s("r1")});
  expect_refused(p, "unknown symbol r1");
}

TEST(Verify, RefusesStoresToInputs) {
  Program p = copy();
  p.kernels[0].blocks[0].target = 0;
  expect_refused(p, "stores to x, which is only read");
}

TEST(Verify, RefusesWhatIsReadBeforeItIsWritten) {
  Program p = copy();
  p.buffers.push_back({"t", BufferKind::kTemporary, 0, {DType::kF32, {s("N")}}});
  p.kernels[0].blocks[0].body = load(3, DType::kF32, {s("i0")});
  expect_refused(p, "reads t before it is written");
}

TEST(Verify, RefusesWrongTypes) {
  Program p = copy();
  p.kernels[0].blocks[0].body = load(0, DType::kF64, {s("i0")});
  expect_refused(p, "a load of x has another dtype");
  p = copy();
  p.kernels[0].blocks[0].body = literal(DType::kF64, 0);
  expect_refused(p, "stores f64");
  p = copy();
  p.kernels[0].blocks[0].body = nullptr;
  expect_refused(p, "without a body");
  p = sum();
  p.kernels[0].blocks[0].reduction->accumulator = DType::kF64;
  expect_refused(p, "stores f64");
}

}  // namespace
}  // namespace hal::compiler::tile
