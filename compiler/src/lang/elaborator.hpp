// SPDX-License-Identifier: Apache-2.0
//
// Runs an operator's text: compile-time values are computed, tensor expressions are written into the builder as
// primitives. Signatures are bound and checked here too (bind.cpp). Not here: syntax, names (parser, check).
#ifndef HAL_COMPILER_LANG_ELABORATOR_HPP_
#define HAL_COMPILER_LANG_ELABORATOR_HPP_

#include "lang/ast.hpp"
#include "lang/builtins.hpp"

namespace hal::compiler::lang {

using Names = std::map<std::string, Datum>;

// The names of one running operator or function.
struct Scope {
  const Source* source;
  Names names;
  std::optional<Datum> returned;
  bool located = false;  // an error on its way out already names its line
};

class Elaborator {
 public:
  Elaborator(Builder& builder, const OperatorLibrary& library) : tensors_(builder), library_(library) {}

  // Operands by port (a list for a variadic one, None for an omitted one; numbers and lists become tensors).
  Result<std::vector<TensorView>> run(const OperatorDefinition& definition, std::vector<Datum> operands,
                                      const Names& attributes);
  // Binds types, dims and attributes only.
  Result<Scope> bind(const OperatorDefinition& definition, std::vector<Datum>& operands, const Names& attributes);
  Result<Datum> evaluate(const Expr& expr, Scope& scope);
  Tensors& tensors() { return tensors_; }

 private:
  Result<void> run_block(const Block& block, Scope& scope);
  Result<void> run_statement(const Statement& statement, Scope& scope);
  Result<void> assign(const Statement& statement, Scope& scope, const Datum& value);
  Result<void> run_for(const Statement& statement, Scope& scope);

  Result<Datum> compute(const Expr& expr, Scope& scope);
  Result<Datum> comprehension(const Expr& expr, Scope& scope);
  Result<Datum> binary(const Expr& expr, Scope& scope);
  Result<Datum> index(const Expr& expr, Scope& scope);
  Result<Datum> slice(const Expr& expr, Scope& scope);
  Result<Datum> name(const Expr& expr, Scope& scope);
  Result<Datum> call(const Expr& expr, Scope& scope);
  Result<Datum> call_builtin(const Builtin& builtin, const Expr& expr, Scope& scope);
  Result<Datum> call_function(const Function& function, const Expr& expr, Scope& scope);
  Result<Datum> call_operator(const OperatorDefinition& definition, const Expr& expr, Scope& scope);
  Result<void> call_require(const Expr& expr, Scope& scope);

  Result<void> bind_ports(const OperatorDefinition& definition, std::vector<Datum>& operands, Scope& scope);
  Result<void> bind_port(const OperatorDefinition& definition, const Port& port, Datum& operand, Scope& scope);
  Result<void> bind_tensor(const OperatorDefinition& definition, const Port& port, const TensorView& tensor,
                           Scope& scope);
  Result<void> bind_dtype(const OperatorDefinition& definition, const Port& port, DType dtype, Scope& scope);
  Result<void> bind_shape(const Port& port, const Shape& shape, Scope& scope, bool result);
  Result<void> bind_dim(const DimPattern& dim, const Datum& extent, Scope& scope, bool result);
  Result<TensorView> tensor_of(const OperatorDefinition& definition, const Port& port, const Datum& datum,
                               Scope& scope);
  Result<void> bind_attributes(const OperatorDefinition& definition, const Names& attributes, Scope& scope);
  Result<Datum> check_attribute(const AttributeDecl& decl, const Datum& value);
  Result<std::vector<TensorView>> results(const OperatorDefinition& definition, Scope& scope);

  Error locate(Scope& scope, Position at, Error error) const;
  Result<void> spend(size_t steps);

  Tensors tensors_;
  const OperatorLibrary& library_;
  int depth_ = 0;
  size_t steps_ = 0;
};

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_ELABORATOR_HPP_
