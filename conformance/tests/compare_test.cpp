// SPDX-License-Identifier: Apache-2.0
//
// The comparison and the tolerance table: every row admits a result just inside and refuses one just outside; a NaN, an
// infinity or a zero hides nothing; and the operator machinery catches the cheats that others let through.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "hal/conformance/operator_source.hpp"

namespace hal::conformance {
namespace {

constexpr hal_dtype_t kFloats[] = {HAL_DTYPE_F16, HAL_DTYPE_BF16, HAL_DTYPE_F32, HAL_DTYPE_F64};

double round_to(hal_dtype_t dtype, double value) {
  return decode_floats(dtype, encode_floats(dtype, std::vector<double>{value}))[0];
}

bool holds(hal_dtype_t dtype, std::vector<double> got, std::vector<double> expected, Tolerance tolerance) {
  return compare_floats(dtype, got, expected, {}, tolerance).holds;
}

TEST(Floats, EveryHalfSurvives) {
  for (const hal_dtype_t dtype : {HAL_DTYPE_F16, HAL_DTYPE_BF16}) {
    for (uint32_t i = 0; i < 65536; i++) {
      std::vector<std::byte> bytes = {static_cast<std::byte>(i), static_cast<std::byte>(i >> 8)};
      const double value = decode_floats(dtype, bytes)[0];
      if (std::isnan(value)) continue;
      ASSERT_EQ(encode_floats(dtype, std::vector<double>{value}), bytes) << i;
    }
  }
}

TEST(Floats, RoundAsTheHardwareDoes) {
  Random random(1, 0);
  for (int i = 0; i < 100000; i++) {
    const double value = std::ldexp(random.unit() - 0.5, random.between(-160, 140));
    EXPECT_EQ(round_to(HAL_DTYPE_F32, value), static_cast<double>(static_cast<float>(value))) << value;
  }
  EXPECT_EQ(round_to(HAL_DTYPE_F16, 65519.9), 65504.0);
  EXPECT_TRUE(std::isinf(round_to(HAL_DTYPE_F16, 65520.0)));
  EXPECT_EQ(round_to(HAL_DTYPE_BF16, 1.00390625), 1.0) << "a tie goes to even";
}

TEST(Floats, Ulp) {
  const FloatFormat f32 = *float_format(HAL_DTYPE_F32);
  EXPECT_EQ(ulp_at(f32, 1.0), std::ldexp(1.0, -23));
  EXPECT_EQ(ulp_at(f32, 0.0), std::ldexp(1.0, -149));
  EXPECT_EQ(ulp_at(f32, -1024.5), std::ldexp(1.0, -13));
  EXPECT_FALSE(float_format(HAL_DTYPE_I32).has_value());
}

TEST(Table, EveryRowAdmitsJustInsideAndRefusesJustOutside) {
  const auto table = ToleranceTable::standard();
  ASSERT_TRUE(table.has_value()) << table.error().message;
  ASSERT_GE(table->rows().size(), 32u);
  for (const ToleranceRow& row : table->rows()) {
    for (const uint64_t terms : {1u, 130u, 4096u}) {
      const Tolerance tolerance = *table->find(row.operator_class, row.dtype, terms);
      const double unit = ulp_at(*float_format(row.dtype), 1.5);
      // So many that one element at its limit does not move the aggregate over its own.
      std::vector<double> expected(20000, 1.5), got = expected;
      // The oracle of f64 is a double itself: its distances are whole ULP.
      const bool is_whole = row.dtype == HAL_DTYPE_F64;
      got[137] = 1.5 + (is_whole ? std::floor(tolerance.ulp) : tolerance.ulp * 0.999) * unit;
      EXPECT_TRUE(holds(row.dtype, got, expected, tolerance))
          << row.operator_class << " " << row.dtype_text << " " << terms;
      got[137] = 1.5 + (is_whole ? std::floor(tolerance.ulp) + 1.0 : tolerance.ulp * 1.001 + 1e-3) * unit;
      const Comparison outside = compare_floats(row.dtype, got, expected, {}, tolerance);
      EXPECT_FALSE(outside.holds) << row.operator_class << " " << row.dtype_text << " " << terms;
      ASSERT_TRUE(outside.first.has_value());
      EXPECT_EQ(outside.first->index, 137u);
      const double all = is_whole ? std::floor(tolerance.rms_ulp) + 1.0 : tolerance.rms_ulp * 1.01;
      for (double& value : got) value = 1.5 + all * unit;
      if (all != 0.0 && all <= tolerance.ulp) {
        EXPECT_FALSE(holds(row.dtype, got, expected, tolerance))
            << "aggregate of " << row.operator_class << " " << row.dtype_text;
      }
      for (double& value : got)
        value = 1.5 + (is_whole ? std::floor(tolerance.rms_ulp) : tolerance.rms_ulp * 0.99) * unit;
      if (tolerance.rms_ulp <= tolerance.ulp) {
        EXPECT_TRUE(holds(row.dtype, got, expected, tolerance)) << row.operator_class << " " << row.dtype_text;
      }
    }
  }
}

TEST(Table, RefusesBadRows) {
  const std::string row =
      R"({"class":"a","dtype":"f32","ulp":1,"ulp_per_term":0,"rms":1,"rms_per_root_term":0,"derivation":"a derivation of some length"})";
  EXPECT_TRUE(ToleranceTable::parse("{\"rows\":[" + row + "]}").has_value());
  EXPECT_FALSE(ToleranceTable::parse("{\"rows\":[" + row + "," + row + "]}").has_value()) << "twice";
  for (const auto& [from, to] : {std::pair("f32", "i32"), std::pair("\"ulp\":1", "\"ulp\":-1"),
                                 std::pair("a derivation of some length", ""), std::pair("\"rms\":1,", "")}) {
    std::string bad = row;
    bad.replace(bad.find(from), std::strlen(from), to);
    EXPECT_FALSE(ToleranceTable::parse("{\"rows\":[" + bad + "]}").has_value()) << bad;
  }
  EXPECT_FALSE(ToleranceTable::parse("nonsense").has_value());
  EXPECT_FALSE(ToleranceTable::standard()->find("no such class", HAL_DTYPE_F32, 1).has_value());
}

// An infinity or a NaN that is right hides no other element, whatever the tolerance.
TEST(Compare, SpecialValuesHideNothing) {
  Tolerance wide;
  wide.ulp = wide.rms_ulp = 100.0;
  for (const hal_dtype_t dtype : kFloats) {
    EXPECT_TRUE(holds(dtype, {INFINITY, NAN, 1.0}, {INFINITY, NAN, 1.0}, wide));
    EXPECT_FALSE(holds(dtype, {INFINITY, NAN, 9.0}, {INFINITY, NAN, 1.0}, wide));
    EXPECT_FALSE(holds(dtype, {NAN}, {1.0}, wide)) << "NaN is no wildcard";
    EXPECT_FALSE(holds(dtype, {1.0}, {NAN}, wide));
    EXPECT_FALSE(holds(dtype, {-INFINITY}, {INFINITY}, wide));
    EXPECT_FALSE(holds(dtype, {INFINITY}, {1.0}, wide));
    EXPECT_FALSE(holds(dtype, {0.0, 0.0}, {0.0}, wide)) << "another length";
  }
}

TEST(Compare, Policies) {
  Tolerance tolerance;
  EXPECT_TRUE(holds(HAL_DTYPE_F32, {-0.0}, {0.0}, tolerance));
  tolerance.sign_of_zero = true;
  EXPECT_FALSE(holds(HAL_DTYPE_F32, {-0.0}, {0.0}, tolerance));
  tolerance = {};
  EXPECT_FALSE(holds(HAL_DTYPE_F32, {0.0}, {1e-40}, tolerance));
  tolerance.flushes = true;
  EXPECT_TRUE(holds(HAL_DTYPE_F32, {0.0}, {1e-40}, tolerance));
  EXPECT_FALSE(holds(HAL_DTYPE_F32, {0.0}, {1e-30}, tolerance)) << "that is no subnormal";
  tolerance = {};
  tolerance.nan = NanPolicy::kAnything;
  EXPECT_TRUE(holds(HAL_DTYPE_F32, {5.0}, {NAN}, tolerance));
  EXPECT_FALSE(holds(HAL_DTYPE_F32, {NAN}, {5.0}, tolerance));
}

TEST(Compare, CancellationIsMeasuredByWhatCancelled) {
  Tolerance tolerance;
  tolerance.ulp = tolerance.rms_ulp = 2.0;
  const std::vector<double> expected = {1e-7}, got = {1.6e-7}, magnitudes = {1.0};
  EXPECT_FALSE(compare_floats(HAL_DTYPE_F32, got, expected, {}, tolerance).holds);
  EXPECT_TRUE(compare_floats(HAL_DTYPE_F32, got, expected, magnitudes, tolerance).holds);
}

// ---- the operator machinery, with a device that computes out = 2 * in, in ways that are wrong ----

enum class Way { kRight, kNull, kZero, kCopyInput, kNan, kStale, kOffByTwoUlp, kChangesInput, kOneElement };

struct Doubler : PreparedOperator {
  explicit Doubler(Way how) : way(how) {}
  Result<void> run(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) override {
    auto values = decode_floats(HAL_DTYPE_F32, inputs[0].bytes);
    for (double& value : values) value *= 2.0;
    if (way == Way::kCopyInput) values = decode_floats(HAL_DTYPE_F32, inputs[0].bytes);
    if (way == Way::kZero) values.assign(values.size(), 0.0);
    if (way == Way::kNan) values.assign(values.size(), NAN);
    if (way == Way::kOffByTwoUlp) values[100] += 2 * ulp_at(*float_format(HAL_DTYPE_F32), values[100]);
    if (way == Way::kOneElement) values.back() = -values.back();
    if (way == Way::kStale && !first.empty()) values = first;
    if (first.empty()) first = values;
    if (way == Way::kChangesInput) const_cast<Tensor&>(inputs[0]).bytes[0] ^= std::byte{1};
    if (way != Way::kNull) outputs[0].bytes = encode_floats(HAL_DTYPE_F32, values);
    return {};
  }
  Way way;
  std::vector<double> first;
};

struct DoublerSource : OperatorCaseSource {
  DoublerSource(Way how, double low, double high) : way(how) {
    item.name = "operators.double.f32.odd_130";
    item.operator_name = "test.double@1";
    item.inputs = {{{HAL_DTYPE_F32, {130}}, Fill::kUniform, low, high}};
    item.tolerance_class = "arithmetic";
  }
  std::vector<OperatorCase> cases() const override { return {item}; }
  Result<std::vector<ExpectedTensor>> expected(const OperatorCase&, const std::vector<Tensor>& inputs) const override {
    ExpectedTensor expected{inputs[0].spec, decode_floats(HAL_DTYPE_F32, inputs[0].bytes), {}, {}};
    for (double& value : expected.values) value *= 2.0;
    return std::vector<ExpectedTensor>{expected};
  }
  Result<std::unique_ptr<PreparedOperator>> prepare(CaseContext&, const OperatorCase&) const override {
    return std::unique_ptr<PreparedOperator>(std::make_unique<Doubler>(way));
  }
  OperatorCase item;
  Way way;
};

bool passes(Way way, double low = -1.0, double high = 1.0) {
  const auto cases = operator_cases(std::make_shared<DoublerSource>(way, low, high), *ToleranceTable::standard());
  Registry registry;
  EXPECT_TRUE(registry.add(cases).has_value());
  const Target target;
  const Snapshot snapshot;
  CaseContext context(target, snapshot, 11);
  try {
    cases[0].body(context);
    return true;
  } catch (const CaseFailure&) {
    return false;
  }
}

TEST(Operators, WrongDevicesFailAndTheRightOnePasses) {
  EXPECT_TRUE(passes(Way::kRight));
  for (const Way way : {Way::kNull, Way::kZero, Way::kCopyInput, Way::kNan, Way::kStale, Way::kOffByTwoUlp,
                        Way::kChangesInput, Way::kOneElement}) {
    EXPECT_FALSE(passes(way)) << static_cast<int>(way);
  }
}

TEST(Operators, ACaseWhoseOutputIsOneValueIsRejected) { EXPECT_FALSE(passes(Way::kRight, 0.5, 0.5)); }

TEST(Operators, IntegerExactSumsAreExact) {
  for (const hal_dtype_t dtype : kFloats) {
    const uint64_t terms = dtype == HAL_DTYPE_BF16 ? 256 : 512;
    InputSpec spec{{dtype, {terms}}, Fill::kIntegerExact, 0, 0};
    const auto a = decode_floats(dtype, make_input(spec, Random(1, 1)).bytes),
               b = decode_floats(dtype, make_input(spec, Random(1, 2)).bytes);
    double sum = 0.0, largest = 0.0;
    for (size_t i = 0; i < terms; i++) {
      sum += a[i] * b[i];
      largest = std::max(largest, std::fabs(sum));
    }
    EXPECT_EQ(round_to(dtype, largest), largest);
    EXPECT_NE(sum, 0.0);
  }
}

}  // namespace
}  // namespace hal::conformance
