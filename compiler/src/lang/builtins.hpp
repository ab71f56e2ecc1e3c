// SPDX-License-Identifier: Apache-2.0
//
// The functions of the operator language: one table of names, parameters and meanings, from which the checker's arity
// and suggestions and the reference page are made.
#ifndef HAL_COMPILER_LANG_BUILTINS_HPP_
#define HAL_COMPILER_LANG_BUILTINS_HPP_

#include "lang/tensors.hpp"

namespace hal::compiler::lang {

struct Call {
  Tensors& tensors;
  std::vector<Datum> args;      // in the order of the parameters; None where an optional one is missing
  std::vector<Datum> brackets;  // f[brackets](args)

  const Datum& arg(size_t i) const { return args[i]; }
  bool given(size_t i) const { return i < args.size() && !args[i].is_none(); }
  Result<TensorView> tensor(size_t i, const char* what) const;
  // A tensor, or a number as a scalar of `dtype`.
  Result<TensorView> tensor_or_number(size_t i, DType dtype, const char* what) const;
};

struct Builtin {
  const char* name;
  const char* parameters;  // "x axes step?"; "..." at the end: any number more
  bool brackets;           // takes f[axes](...)
  Result<Datum> (*run)(Call&);
  const char* meaning;
};

const Builtin* find_builtin(const std::string& name);
std::vector<std::string> builtin_names();
// The words of Builtin::parameters without their marks.
std::vector<std::string> parameter_names(const Builtin& builtin);
size_t required_parameters(const Builtin& builtin);
bool takes_more(const Builtin& builtin);

// The parts of the table; each is one file.
std::vector<Builtin> value_builtins();
std::vector<Builtin> elementwise_builtins();
std::vector<Builtin> movement_builtins();
std::vector<Builtin> reduction_builtins();

// The operators between values: + - * / // % ** & | ^ << >> == != < <= > >= in; and - ! not.
Result<Datum> apply_binary(Tensors& tensors, const std::string& op, const Datum& a, const Datum& b);
Result<Datum> apply_unary(Tensors& tensors, const std::string& op, const Datum& a);

// "n g c O.. K.., g m c K.. -> n g m O.."
Result<Datum> contract(Tensors& tensors, const std::string& labels, const TensorView& a, const TensorView& b);

}  // namespace hal::compiler::lang

#endif  // HAL_COMPILER_LANG_BUILTINS_HPP_
