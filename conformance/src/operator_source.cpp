// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/operator_source.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "hal/conformance/rig.hpp"

namespace hal::conformance {
namespace {

uint32_t bits_of(hal_dtype_t dtype) {
  switch (dtype) {
#define HAL_CONFORMANCE_BITS_(code, NAME, text, kind, bits, exponent, mantissa) \
  case HAL_DTYPE_##NAME:                                                        \
    return bits;
    HAL_DTYPE_TABLE(HAL_CONFORMANCE_BITS_)
#undef HAL_CONFORMANCE_BITS_
    default:
      return 0;
  }
}

// Sums of 512 products of such integers are below 2^11 (f16) or 2^8 (bf16: single bits), 2^24 and 2^53: exact.
int32_t exact_limit(hal_dtype_t dtype) { return dtype == HAL_DTYPE_F16 ? 2 : dtype == HAL_DTYPE_BF16 ? 1 : 16; }

double special_of(hal_dtype_t dtype, Random& random) {
  const FloatFormat format = float_format(dtype).value();
  const double least = ulp_at(format, 0.0);
  const double specials[] = {0.0,      -0.0,      1.0,   -1.0,   NAN,
                             INFINITY, -INFINITY, least, -least, least * std::ldexp(1.0, format.mantissa_bits)};
  const uint32_t pick = random.below(16);
  return pick < std::size(specials) ? specials[pick] : random.unit() * 8.0 - 4.0;
}

double float_of(const InputSpec& spec, Random& random) {
  switch (spec.fill) {
    case Fill::kIntegerExact:
      return random.between(-exact_limit(spec.tensor.dtype), exact_limit(spec.tensor.dtype));
    case Fill::kSpecial:
      return special_of(spec.tensor.dtype, random);
    default:
      return spec.low + random.unit() * (spec.high - spec.low);
  }
}

// Integers between low and high, little-endian; a boolean is 0 or 1.
std::vector<std::byte> integers_of(const InputSpec& spec, uint64_t count, Random& random) {
  const size_t size = std::max<size_t>(1, bits_of(spec.tensor.dtype) / 8);
  std::vector<std::byte> bytes(count * size);
  const auto low = static_cast<int32_t>(spec.tensor.dtype == HAL_DTYPE_BOOL ? 0 : std::ceil(spec.low));
  const auto high = static_cast<int32_t>(spec.tensor.dtype == HAL_DTYPE_BOOL ? 1 : std::floor(spec.high));
  for (uint64_t i = 0; i < count; i++) {
    const int64_t value = random.between(low, high);
    std::memcpy(&bytes[i * size], &value, std::min(size, sizeof value));
  }
  return bytes;
}

std::vector<Tensor> make_inputs(const OperatorCase& item, const CaseContext& context, uint32_t round) {
  std::vector<Tensor> inputs;
  for (uint32_t i = 0; i < item.inputs.size(); i++)
    inputs.push_back(make_input(item.inputs[i], context.random(round * 1000 + i)));
  return inputs;
}

uint64_t hash(const std::vector<Tensor>& tensors) {
  uint64_t result = 0;
  for (const Tensor& tensor : tensors) result = result * 31 + fingerprint(tensor.bytes);
  return result;
}

template <typename T>
T must(Result<T> result, const std::string& what) {
  if (!result) throw CaseFailure(what + ": " + result.error().message, std::nullopt, result.error().code);
  return std::move(result).value();
}

void reject_degenerate(const OperatorCase& item, const ExpectedTensor& expected) {
  const bool is_float = float_format(expected.spec.dtype).has_value();
  const std::vector<std::byte> bytes = is_float ? encode_floats(expected.spec.dtype, expected.values) : expected.bytes;
  const uint64_t count = element_count(expected.spec);
  if (item.may_be_uniform || count < 8) return;
  const double share = share_of_commonest(bytes, bytes.size() / count);
  expect(share <= 0.5, "a bad case: " + std::to_string(static_cast<int>(share * 100)) +
                           " % of the expected output is one value, so zeros might pass");
}

void check_output(const OperatorCase& item, const ToleranceTable& table, const Tensor& got,
                  const ExpectedTensor& expected, const std::string& what) {
  if (!float_format(expected.spec.dtype)) return expect_bytes(got.bytes, expected.bytes, what);
  Tolerance tolerance;
  if (item.ulp_bound > 0) {
    tolerance.ulp = tolerance.rms_ulp = item.ulp_bound;
  } else {
    tolerance = must(table.find(item.tolerance_class, expected.spec.dtype, item.terms), what);
  }
  tolerance.nan = item.nan;
  const Comparison comparison = compare_floats(expected.spec.dtype, decode_floats(expected.spec.dtype, got.bytes),
                                               expected.values, expected.magnitudes, tolerance);
  if (!comparison.holds) throw CaseFailure(what + ": " + comparison.why, comparison.first);
}

void run_round(const OperatorCaseSource& source, const ToleranceTable& table, const OperatorCase& item,
               const CaseContext& context, PreparedOperator& prepared, uint32_t round) {
  const std::vector<Tensor> inputs = make_inputs(item, context, round);
  const uint64_t before = hash(inputs);
  const auto expected = must(source.expected(item, inputs), "the oracle");
  std::vector<Tensor> outputs;
  for (const ExpectedTensor& output : expected) {
    reject_degenerate(item, output);
    outputs.push_back({output.spec, std::vector<std::byte>(byte_count(output.spec), kPoison)});
  }
  const auto ran = prepared.run(inputs, outputs);
  if (!ran) throw CaseFailure("running the operator: " + ran.error().message, std::nullopt, ran.error().code);
  expect(hash(inputs) == before, "the operator changed its inputs");
  expect_equal(outputs.size(), expected.size(), "the number of outputs");
  for (size_t i = 0; i < outputs.size(); i++) {
    check_output(item, table, outputs[i], expected[i],
                 "output " + std::to_string(i) + ", run " + std::to_string(round + 1));
  }
}

}  // namespace

uint64_t element_count(const TensorSpec& spec) {
  uint64_t count = 1;
  for (const uint64_t extent : spec.shape) count *= extent;
  return count;
}

uint64_t byte_count(const TensorSpec& spec) { return (element_count(spec) * bits_of(spec.dtype) + 7) / 8; }

Tensor make_input(const InputSpec& spec, Random random) {
  const uint64_t count = element_count(spec.tensor);
  if (!float_format(spec.tensor.dtype)) return {spec.tensor, integers_of(spec, count, random)};
  std::vector<double> values(count);
  for (double& value : values) value = float_of(spec, random);
  return {spec.tensor, encode_floats(spec.tensor.dtype, values)};
}

std::vector<Case> operator_cases(std::shared_ptr<const OperatorCaseSource> source, const ToleranceTable& table) {
  std::vector<Case> cases;
  for (const OperatorCase& item : source->cases()) {
    Case made;
    made.name = item.name;
    made.level = Level::kOperators;
    made.clause = item.operator_name;
    made.tags = item.tags;
    made.cost_seconds = item.cost_seconds;
    made.needs = HAL_FEATURE_EXECUTABLES;
    made.deadline_seconds = 60.0;
    made.body = [source, table, item](CaseContext& context) {
      const auto prepared = must(source->prepare(context, item), "preparing the operator");
      for (uint32_t round = 0; round < 2; round++) run_round(*source, table, item, context, *prepared, round);
    };
    cases.push_back(std::move(made));
  }
  return cases;
}

}  // namespace hal::conformance
