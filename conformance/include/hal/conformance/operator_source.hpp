// SPDX-License-Identifier: Apache-2.0
//
// Where the cases of the operator level come from: a source lists them, gives the oracle's answer, and runs them on a
// device. What is the same for every operator is here: inputs, hashes, poison, two runs on one set of handles,
// comparison.
#ifndef HAL_CONFORMANCE_OPERATOR_SOURCE_HPP_
#define HAL_CONFORMANCE_OPERATOR_SOURCE_HPP_

#include <map>
#include <memory>

#include "hal/conformance/case.hpp"
#include "hal/conformance/context.hpp"
#include "hal/conformance/tolerance.hpp"

namespace hal::conformance {

struct TensorSpec {
  hal_dtype_t dtype = HAL_DTYPE_NONE;
  std::vector<uint64_t> shape;
};
uint64_t element_count(const TensorSpec& spec);
uint64_t byte_count(const TensorSpec& spec);

struct Tensor {
  TensorSpec spec;
  std::vector<std::byte> bytes;  // row-major, packed
};

// How an input is made.
enum class Fill {
  kIntegerExact,  // small integers, so that sums of products are exact in any order
  kUniform,       // low to high
  kSpecial        // NaN, infinities, zeros of both signs, subnormals, limits, and numbers between
};

struct InputSpec {
  TensorSpec tensor;
  Fill fill = Fill::kUniform;
  double low = -1.0;
  double high = 1.0;
};

// Makes one input; the same numbers on every machine.
Tensor make_input(const InputSpec& spec, Random random);

// One case of one operator.
struct OperatorCase {
  std::string name;           // "operators.softmax.f32.axis_last.odd_130"
  std::string operator_name;  // "mortise.softmax@1"
  std::map<std::string, std::string> attributes;
  std::vector<InputSpec> inputs;
  std::string tolerance_class;  // of tolerances.json
  uint64_t terms = 1;           // accumulation length
  double ulp_bound = 0;         // above 0: declared by the operator's own text, in place of a row of tolerances.json
  NanPolicy nan = NanPolicy::kNan;
  bool may_be_uniform = false;  // over half the output may be one value: argmax of a constant, an empty result
  std::vector<std::string> tags;
  double cost_seconds = 0.05;
};

// The oracle's answer to one output. Floating point is given wider than the dtype; other dtypes are bytes and exact.
struct ExpectedTensor {
  TensorSpec spec;
  std::vector<double> values;      // f16, bf16, f32, f64
  std::vector<double> magnitudes;  // see compare_floats; may be empty
  std::vector<std::byte> bytes;    // other dtypes
};

// An operator that is ready on a device. Runs again and again on the same handles.
class PreparedOperator {
 public:
  virtual ~PreparedOperator() = default;
  // `outputs` have their shapes and are full of poison, which goes to the device before the run.
  virtual Result<void> run(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) = 0;
};

class OperatorCaseSource {
 public:
  virtual ~OperatorCaseSource() = default;
  virtual std::vector<OperatorCase> cases() const = 0;
  virtual Result<std::vector<ExpectedTensor>> expected(const OperatorCase& item,
                                                       const std::vector<Tensor>& inputs) const = 0;
  // UNSUPPORTED: the device does not offer operator and dtypes (HAL-ABI-11).
  virtual Result<std::unique_ptr<PreparedOperator>> prepare(CaseContext& context, const OperatorCase& item) const = 0;
};

// The source's cases for a registry. The source lives as long as they do.
std::vector<Case> operator_cases(std::shared_ptr<const OperatorCaseSource> source, const ToleranceTable& table);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_OPERATOR_SOURCE_HPP_
