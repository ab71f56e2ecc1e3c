// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/sym.hpp"

#include <gtest/gtest.h>

#include <random>

namespace hal::compiler {
namespace {

Sym N() { return Sym::symbol("N"); }
Sym W() { return Sym::symbol("W"); }
Sym I() { return Sym::symbol("i"); }
Sym J() { return Sym::symbol("j"); }

TEST(Sym, EqualSumsHaveOneForm) {
  EXPECT_EQ((N() + 1) * (N() - 1), N() * N() - 1);
  EXPECT_EQ(N() + W(), W() + N());
  EXPECT_EQ(N() - N(), Sym(0));
  EXPECT_EQ((Sym(2) * N() + 3).text(), "2*N + 3");
}

TEST(Sym, DivisionLetsMultiplesOut) {
  EXPECT_EQ(floordiv(N() * W() + I(), W()), N() + floordiv(I(), W()));
  EXPECT_EQ(floordiv(Sym(8) * N() + 3, 4), Sym(2) * N() + floordiv(Sym(3), 4));
  EXPECT_EQ(W() * floordiv(I(), W()) + mod(I(), W()), I());
  EXPECT_EQ(floordiv(Sym(-7), 2), Sym(-4));
  EXPECT_EQ(ceildiv(Sym(7), 2), Sym(4));
}

TEST(Sym, SimplifyUsesRanges) {
  SymRanges ranges;
  ranges.set("W", {Sym(1), std::nullopt});
  ranges.set_index("j", W());
  Sym flat = I() * W() + J();
  EXPECT_EQ(ranges.simplify(floordiv(flat, W())), I());
  EXPECT_EQ(ranges.simplify(mod(flat, W())), J());
  EXPECT_EQ(ranges.simplify(min(J(), W())), J());
  EXPECT_FALSE(ranges.less(I(), W()));
}

TEST(Sym, CoefficientIsExactOrAbsent) {
  EXPECT_EQ(*(I() * W() + J()).coefficient_of("i"), W());
  EXPECT_EQ(*(J() + 1).coefficient_of("i"), Sym(0));
  EXPECT_FALSE((I() * I()).coefficient_of("i"));
  EXPECT_FALSE(floordiv(I(), 3).coefficient_of("i"));
}

TEST(Sym, TextReadsBack) {
  for (const Sym& sym : {N() * 4 - floordiv(I() + 3, W()) * 2, min(N(), W()) + max(N(), Sym(3)), Sym(0), -N()}) {
    auto read = Sym::parse(sym.text());
    ASSERT_TRUE(read) << sym.text();
    EXPECT_EQ(*read, sym);
  }
  for (const char* bad : {"", "1 +", "foo(1, 2)", "floordiv(1)", "(1", "1 2", "@"})
    EXPECT_FALSE(Sym::parse(bad)) << bad;
}

TEST(Sym, ArithmeticSaturates) {
  Sym big = int64_t{1} << 62;
  EXPECT_EQ(*(big * big).constant(), INT64_MAX);
  EXPECT_EQ(*(big * -big).constant(), INT64_MIN + 1);
}

TEST(Sym, EvaluateNamesWhatIsMissing) {
  EXPECT_EQ(*(floordiv(N(), 3) + 1).evaluate({{"N", 10}}), 4);
  auto missing = N().evaluate({});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("N"), std::string::npos);
  EXPECT_FALSE(floordiv(N(), W()).evaluate({{"N", 1}, {"W", 0}}));
}

TEST(Sym, AssumptionsAreCheckedWhenSymbolsGetValues) {
  SymRanges ranges;
  Sym a = floordiv(N() - 1, 16) + 1, b = Sym(2) * floordiv(N() - 1, 32) + 2;
  EXPECT_FALSE(ranges.equal(a, b));
  EXPECT_TRUE(ranges.may_equal(a, b));
  EXPECT_FALSE(ranges.may_equal(N(), N() + 1));
  ranges.assume_equal(a, b);
  EXPECT_TRUE(ranges.equal(a, b));
  EXPECT_TRUE(ranges.equal(b, a));
  EXPECT_TRUE(ranges.check_assumptions({{"N", 64}}));
  auto broken = ranges.check_assumptions({{"N", 65}});
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("N = 65"), std::string::npos) << broken.error().message;
}

// Every rewrite keeps the value: random expressions, simplified under ranges and evaluated at random points in range.
class RandomSym {
 public:
  explicit RandomSym(uint32_t seed) : random_(seed) {}
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  Sym expression(int depth) {
    static const char* kNames[] = {"N", "W", "i", "j"};
    switch (depth == 0 ? pick(2) : pick(8)) {
      case 0:
        return Sym(pick(9) - 4);
      case 1:
        return Sym::symbol(kNames[pick(4)]);
      case 2:
      case 3:
        return expression(depth - 1) + expression(depth - 1);
      case 4:
        return expression(depth - 1) * expression(depth - 1);
      case 5:
        return floordiv(expression(depth - 1), pick(2) ? Sym::symbol("W") : Sym(1 + pick(5)));
      case 6:
        return mod(expression(depth - 1), pick(2) ? Sym::symbol("W") : Sym(1 + pick(5)));
      default:
        return pick(2) ? min(expression(depth - 1), expression(depth - 1))
                       : max(expression(depth - 1), expression(depth - 1));
    }
  }

 private:
  std::mt19937 random_;
};

TEST(Sym, RandomExpressionsKeepTheirValue) {
  SymRanges ranges;
  ranges.set("N", {Sym(1), std::nullopt});
  ranges.set("W", {Sym(1), std::nullopt});
  ranges.set_index("i", N());
  ranges.set_index("j", W());
  RandomSym random(7);
  for (int round = 0; round < 3000; ++round) {
    Sym sym = random.expression(3);
    Sym simple = ranges.simplify(sym);
    bool proven = ranges.nonnegative(sym);
    for (int point = 0; point < 8; ++point) {
      int64_t n = 1 + random.pick(9), w = 1 + random.pick(9);
      std::map<std::string, int64_t> at = {{"N", n}, {"W", w}, {"i", random.pick(int(n))}, {"j", random.pick(int(w))}};
      int64_t value = *sym.evaluate(at);
      ASSERT_EQ(value, *simple.evaluate(at)) << sym.text() << " became " << simple.text();
      if (proven) {
        ASSERT_GE(value, 0) << sym.text();
      }
    }
  }
}

TEST(Sym, SolvesAnExtentForItsSymbol) {
  auto value = [](const char* extent, int64_t n) { return solve(*Sym::parse(extent), n); };
  EXPECT_EQ(value("N", 7), (std::pair<std::string, int64_t>{"N", 7}));
  EXPECT_EQ(value("32*H + 4", 644), (std::pair<std::string, int64_t>{"H", 20}));
  EXPECT_FALSE(value("32*H", 650));
  EXPECT_FALSE(value("H + W", 7));
  EXPECT_FALSE(value("H*H", 49));
  EXPECT_FALSE(value("7", 7));
  EXPECT_FALSE(value("floordiv(H, 2)", 7));
}

}  // namespace
}  // namespace hal::compiler
