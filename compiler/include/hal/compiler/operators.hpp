// SPDX-License-Identifier: Apache-2.0
//
// The operator library: definitions read from .op text, and their instantiation into portable primitives. Language:
// docs/operator-language.md.
#ifndef HAL_COMPILER_OPERATORS_HPP_
#define HAL_COMPILER_OPERATORS_HPP_

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {

// An attribute as an importer or a user gives it.
using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                                    std::vector<std::string>, Tensor, DType>;
using AttributeMap = std::map<std::string, AttributeValue>;

struct OperatorDefinition;  // the parsed text; see compiler/src/lang
namespace lang {
struct Function;  // a function that operator texts share
}

// "onnx", "Softmax", 13: from this version of the foreign operator on, the definition applies.
struct OperatorAlias {
  std::string domain;
  std::string name;
  int64_t since_version = 1;
};

struct OperatorParameter {
  std::string name;
  bool optional = false;
  bool variadic = false;
};

struct OperatorAttribute {
  std::string name;
  std::string type;  // "int", "ints", "float", "string", "bool", "dtype", "tensor", ...
  bool required = false;
};

// How far a device's result may be from the interpreter's high-precision result (the operator's numerics line).
enum class ToleranceClass {
  kExact,   // the same bits
  kUlp,     // `bound` units in the last place
  kLinear,  // sums of products: exact on integer-valued inputs, else `bound` products were summed
};
struct OperatorTolerance {
  ToleranceClass kind = ToleranceClass::kExact;
  double bound = 0;
};

// One case from an operator's sample section, expanded: input types with static shapes, and attributes.
struct OperatorSample {
  std::string name;                                 // stable: "f32.axis_last.odd_130"
  std::vector<std::optional<Tensor>> fixed_inputs;  // a value where the sample prescribes it (shapes, indices)
  std::vector<TensorType> inputs;                   // DType::kNone: an omitted optional input
  std::vector<std::string> distributions;           // how to fill each: "normal", "uniform(0, 1)", "integers(-4, 4)"
  AttributeMap attributes;
};

class OperatorLibrary {
 public:
  // Every operator that was built in.
  static const OperatorLibrary& builtin();
  static Result<OperatorLibrary> parse(const std::vector<std::pair<std::string, std::string>>& files);  // (name, text)

  // Adds the operators of one more text. Errors: each one with file:line:column, caret and suggestion, joined by
  // newlines.
  Result<void> add(const std::string& file_name, const std::string& text);

  std::vector<std::string> names() const;  // "mortise.softmax", sorted
  const OperatorDefinition* find(const std::string& name) const;
  // The definition for a foreign operator at a version; NULL if there is none.
  const OperatorDefinition* find_alias(const std::string& domain, const std::string& name, int64_t version) const;
  // A function that the texts share, by name; NULL if there is none.
  const lang::Function* find_function(const std::string& name) const;
  std::vector<std::string> function_names() const;

 private:
  Result<void> add_all(const std::vector<std::pair<std::string, std::string>>& files);

  std::map<std::string, std::shared_ptr<const OperatorDefinition>> definitions_;
  std::map<std::string, std::shared_ptr<const lang::Function>> functions_;
};

const std::string& name(const OperatorDefinition& definition);
const std::vector<OperatorParameter>& parameters(const OperatorDefinition& definition);
const std::vector<std::string>& result_names(const OperatorDefinition& definition);
const std::vector<OperatorAttribute>& attributes(const OperatorDefinition& definition);
const std::vector<OperatorAlias>& aliases(const OperatorDefinition& definition);
std::string documentation(const OperatorDefinition& definition);
// Errors: a sample section that cannot be expanded.
Result<std::vector<OperatorSample>> samples(const OperatorDefinition& definition, const OperatorLibrary& library);
// The tolerance for one case. Errors: the inputs or attributes do not fit the operator.
Result<OperatorTolerance> tolerance(const OperatorDefinition& definition, const std::vector<TensorType>& inputs,
                                    const AttributeMap& attributes, const OperatorLibrary& library);

// Writes the operator's body into `builder`. `operands` has one entry per parameter (variadic ones flattened at the
// end); nothing for an omitted optional. Errors name the operator, the operand types and the line of its text that
// refused.
Result<std::vector<ValueId>> instantiate(const OperatorDefinition& definition, Builder& builder,
                                         const std::vector<std::optional<ValueId>>& operands,
                                         const AttributeMap& attributes, const OperatorLibrary& library);

}  // namespace hal::compiler

#endif  // HAL_COMPILER_OPERATORS_HPP_
