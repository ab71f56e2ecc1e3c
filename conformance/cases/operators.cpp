// SPDX-License-Identifier: Apache-2.0
//
// The operator level: every sample of every operator's text, compiled for the device and compared with the interpreter.
// An operator that is added as text has its cases here at once.
#include "operators.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "hal/compiler/interpreter.hpp"
#include "hal/compiler/program.hpp"
#include "hal/conformance/operator_source.hpp"
#include "hal/runtime/session.hpp"

namespace hal::conformance {
namespace {

using compiler::AttributeMap;
using compiler::DType;
using compiler::OperatorDefinition;
using compiler::OperatorLibrary;
using compiler::OperatorSample;

constexpr double kExactTerms = 512;  // sums of so many products of the suite's small integers are exact in f32

struct Entry {
  const OperatorDefinition* definition;
  OperatorSample sample;
  bool exact = false;    // the same bits are asked for
  bool cancels = false;  // an element is a sum of terms that may cancel
};

// The sample's operator as a module: inputs that the sample prescribes are constants, the others parameters.
Result<compiler::Module> module_of(const Entry& entry, const OperatorLibrary& library) {
  compiler::Builder builder(compiler::name(*entry.definition));
  std::vector<std::optional<compiler::ValueId>> operands;
  const auto& fixed = entry.sample.fixed_inputs;
  auto is_fixed = [&](size_t i) { return i < fixed.size() && fixed[i]; };
  for (size_t i = 0; i < entry.sample.inputs.size(); ++i) {
    operands.push_back(std::nullopt);
    if (is_fixed(i) || entry.sample.inputs[i].dtype == DType::kNone) continue;
    operands.back() = builder.parameter("x" + std::to_string(i), entry.sample.inputs[i]);
  }
  for (size_t i = 0; i < operands.size(); ++i) {  // after the parameters: the builder wants them so
    if (is_fixed(i)) operands[i] = builder.constant(*fixed[i]);
  }
  HAL_TRY_ASSIGN(auto results,
                 compiler::instantiate(*entry.definition, builder, operands, entry.sample.attributes, library));
  std::vector<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) names.push_back("y" + std::to_string(i));
  return builder.finish(std::move(results), std::move(names));
}

// Reductions, and interpolation between gathered neighbours.
bool combines_elements(const compiler::Module& module) {
  return std::any_of(module.function.ops.begin(), module.function.ops.end(), [](const compiler::Op& op) {
    auto cls = compiler::info(op.prim).cls;
    return cls == compiler::PrimClass::kReduce || cls == compiler::PrimClass::kIndexed;
  });
}

// Operations that round once for each element: each adds at most half a unit in the last place of the largest term.
double roundings(const compiler::Module& module) {
  auto rounds = [&](const compiler::Op& op) {
    return compiler::is_elementwise(op.prim) && compiler::is_float(module.function.values[op.result].type.dtype);
  };
  return static_cast<double>(std::count_if(module.function.ops.begin(), module.function.ops.end(), rounds));
}

// A float that becomes an integer on the way (a coordinate, an index): one rounding more or less there picks another
// element, so that the oracle has to round as the device must.
bool truncates(const compiler::Module& module) {
  return std::any_of(module.function.ops.begin(), module.function.ops.end(), [&](const compiler::Op& op) {
    const auto& values = module.function.values;
    return op.prim == compiler::Prim::kCast && compiler::is_float(values[op.operands[0]].type.dtype) &&
           compiler::is_integer(values[op.result].type.dtype);
  });
}

// Only sums and products, so that small integers give an exact result in any order.
bool adds_and_multiplies(const compiler::Module& module) {
  using compiler::Prim;
  return std::all_of(module.function.ops.begin(), module.function.ops.end(), [](const compiler::Op& op) {
    bool arithmetic = op.prim == Prim::kAdd || op.prim == Prim::kSub || op.prim == Prim::kMul ||
                      op.prim == Prim::kNeg || op.prim == Prim::kMax || op.prim == Prim::kMin;
    bool sum = op.prim == Prim::kContract || ((op.prim == Prim::kReduce || op.prim == Prim::kScan) &&
                                              op.attributes.reduce == compiler::ReduceKind::kAdd);
    auto cls = compiler::info(op.prim).cls;
    return arithmetic || sum || cls == compiler::PrimClass::kMovement || cls == compiler::PrimClass::kIndexed ||
           cls == compiler::PrimClass::kSource;
  });
}

// Words of a case's name: [a-z0-9_.].
std::string plain(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '_';
  }
  return text;
}

// "uniform(0, 1)" gives its two numbers; "normal" none.
std::optional<std::pair<double, double>> bounds_of(const std::string& distribution) {
  double low = 0, high = 0;
  size_t open = distribution.find('(');
  if (open == std::string::npos) return std::nullopt;
  if (std::sscanf(distribution.c_str() + open, "(%lf , %lf)", &low, &high) != 2) return std::nullopt;
  return std::pair{low, high};
}

InputSpec input_of(const compiler::TensorType& type, const std::string& distribution, bool integers) {
  InputSpec spec;
  spec.tensor.dtype = static_cast<hal_dtype_t>(type.dtype);
  for (const compiler::Sym& extent : type.shape)
    spec.tensor.shape.push_back(static_cast<uint64_t>(extent.constant().value_or(0)));
  spec.low = compiler::is_float(type.dtype) ? -2 : -8;
  spec.high = -spec.low;
  if (auto bounds = bounds_of(distribution)) std::tie(spec.low, spec.high) = *bounds;
  if (distribution.rfind("special", 0) == 0) spec.fill = Fill::kSpecial;
  if (integers && compiler::is_float(type.dtype)) spec.fill = Fill::kIntegerExact;
  return spec;
}

compiler::Tensor to_compiler(const Tensor& tensor) {
  compiler::Tensor out;
  out.dtype = static_cast<DType>(tensor.spec.dtype);
  out.shape.assign(tensor.spec.shape.begin(), tensor.spec.shape.end());
  out.storage = std::make_shared<std::vector<std::byte>>(tensor.bytes);
  return out;
}

std::vector<compiler::Tensor> to_compiler(const std::vector<Tensor>& tensors) {
  std::vector<compiler::Tensor> out;
  for (const Tensor& tensor : tensors) out.push_back(to_compiler(tensor));
  return out;
}

class CompiledOperator : public PreparedOperator {
 public:
  explicit CompiledOperator(runtime::Session session) : session_(std::move(session)) {}

  Result<void> run(const std::vector<Tensor>& inputs, std::vector<Tensor>& outputs) override {
    std::vector<compiler::Tensor> poisoned = to_compiler(outputs);
    HAL_TRY_ASSIGN(auto results, session_.run(to_compiler(inputs), poisoned));
    for (size_t i = 0; i < outputs.size() && i < results.size(); ++i) {
      outputs[i].spec.shape.assign(results[i].shape.begin(), results[i].shape.end());
      outputs[i].bytes = *results[i].storage;
    }
    outputs.resize(results.size());
    return {};
  }

 private:
  runtime::Session session_;
};

class LibrarySource : public OperatorCaseSource {
 public:
  explicit LibrarySource(OperatorLibrary library) : library_(std::move(library)) {}

  Result<void> collect(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      const OperatorDefinition* definition = library_.find(name);
      HAL_TRY_ASSIGN(auto samples, compiler::samples(*definition, library_));
      std::set<std::string> seen;
      for (OperatorSample& sample : samples) HAL_TRY(add({definition, std::move(sample)}, seen));
    }
    return {};
  }

  std::vector<OperatorCase> cases() const override { return cases_; }

  Result<std::vector<ExpectedTensor>> expected(const OperatorCase& item,
                                               const std::vector<Tensor>& inputs) const override {
    const Entry& entry = entries_.at(item.name);
    HAL_TRY_ASSIGN(auto module, module_of(entry, library_));
    compiler::InterpretOptions options;
    options.precision = entry.exact || truncates(module) ? compiler::Precision::kExact : compiler::Precision::kHigh;
    HAL_TRY_ASSIGN(auto results, compiler::interpret(module, to_compiler(inputs), options));
    std::vector<ExpectedTensor> out;
    for (const compiler::Tensor& result : results) {
      ExpectedTensor tensor;
      tensor.spec.dtype = static_cast<hal_dtype_t>(result.dtype);
      tensor.spec.shape.assign(result.shape.begin(), result.shape.end());
      if (float_format(tensor.spec.dtype)) {
        tensor.values = decode_floats(tensor.spec.dtype, *result.storage);
        if (entry.cancels) tensor.magnitudes = magnitudes(tensor.values);
      } else {
        tensor.bytes = *result.storage;
      }
      out.push_back(std::move(tensor));
    }
    return out;
  }

  Result<std::unique_ptr<PreparedOperator>> prepare(CaseContext& context, const OperatorCase& item) const override {
    HAL_TRY_ASSIGN(auto module, module_of(entries_.at(item.name), library_));
    compiler::CompileOptions options;
    HAL_TRY_ASSIGN(options.target, runtime::target_of(context.device()));
    HAL_TRY_ASSIGN(auto program, compiler::compile(module, options));
    HAL_TRY_ASSIGN(auto session, runtime::Session::create(context.device(), std::move(program)));
    return std::unique_ptr<PreparedOperator>(std::make_unique<CompiledOperator>(std::move(session)));
  }

 private:
  // Where an element comes from many, what rounding may leave is relative to the terms and not to a small result. The
  // largest element of the output stands for them.
  static std::vector<double> magnitudes(const std::vector<double>& values) {
    double largest = 0;
    for (double value : values) {
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    return std::vector<double>(values.size(), largest);
  }

  Result<void> add(Entry entry, std::set<std::string>& seen) {
    const std::string operator_name = compiler::name(*entry.definition);
    const std::string short_name = operator_name.substr(operator_name.find('.') + 1);
    auto tolerance = compiler::tolerance(*entry.definition, entry.sample.inputs, entry.sample.attributes, library_);
    if (!tolerance) return std::move(tolerance).error();
    HAL_TRY_ASSIGN(auto module, module_of(entry, library_));
    bool integers = tolerance->kind == compiler::ToleranceClass::kLinear && tolerance->bound <= kExactTerms &&
                    adds_and_multiplies(module);
    entry.exact = tolerance->kind == compiler::ToleranceClass::kExact || integers;
    bool linear = tolerance->kind == compiler::ToleranceClass::kLinear;
    entry.cancels = linear || combines_elements(module);

    OperatorCase item;
    item.name = "operators." + plain(short_name) + "." + plain(entry.sample.name);
    item.operator_name = operator_name;
    item.tolerance_class = "exact";
    item.terms = static_cast<uint64_t>(std::max(1.0, tolerance->bound));
    double bound = std::max(1.0, tolerance->bound);
    // A sum of products: as many roundings as terms, and those of the operator's other steps.
    if (!entry.exact) item.ulp_bound = linear ? bound + roundings(module) : bound;
    item.may_be_uniform = true;  // judged by the samples' own test: many operators answer with few values
    for (size_t i = 0; i < entry.sample.inputs.size(); ++i) {
      bool fixed = i < entry.sample.fixed_inputs.size() && entry.sample.fixed_inputs[i];
      if (fixed || entry.sample.inputs[i].dtype == DType::kNone) continue;
      item.inputs.push_back(input_of(entry.sample.inputs[i],
                                     i < entry.sample.distributions.size() ? entry.sample.distributions[i] : "",
                                     integers));
    }
    // Smoke takes one sample for each operator and dtype.
    std::string dtype = entry.sample.name.substr(0, entry.sample.name.find('.'));
    if (!seen.insert(dtype).second) item.tags.push_back("breadth");
    entries_.emplace(item.name, std::move(entry));
    cases_.push_back(std::move(item));
    return {};
  }

  OperatorLibrary library_;
  std::map<std::string, Entry> entries_;
  std::vector<OperatorCase> cases_;
};

}  // namespace

Result<std::vector<Case>> operator_cases_of(OperatorLibrary library, const std::vector<std::string>& names) {
  HAL_TRY_ASSIGN(ToleranceTable table, ToleranceTable::standard());
  auto source = std::make_shared<LibrarySource>(std::move(library));
  HAL_TRY(source->collect(names));
  return operator_cases(source, table);
}

}  // namespace hal::conformance
