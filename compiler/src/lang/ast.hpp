// SPDX-License-Identifier: Apache-2.0
//
// What the text of operators is parsed into. One expression node serves both sublanguages (compile-time values and
// tensors): which one it is shows only when an operator is instantiated. Grammar: docs/operator-language.md.
#ifndef HAL_COMPILER_LANG_AST_HPP_
#define HAL_COMPILER_LANG_AST_HPP_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "hal/compiler/dtype.hpp"
#include "hal/compiler/operators.hpp"
#include "lang/source.hpp"

namespace hal::compiler::lang {

struct Expr;
using ExprPtr = std::unique_ptr<const Expr>;

enum class ExprKind {
  kInt,            // integer
  kFloat,          // number
  kString,         // text
  kName,           // text
  kList,           // args
  kComprehension,  // args: body, list, [condition]; names
  kUnary,          // text is the operator; args: operand
  kBinary,         // text; args: left, right
  kIf,             // args: condition, then, else
  kIndex,          // args: list, index; in samples: distribution, extents...
  kSlice,          // args: list, low or null, high or null
  kCall,           // text is the function or operator; brackets: f[..](); args; named
};

struct Expr {
  ExprKind kind;
  Position at;
  std::string text;
  int64_t integer = 0;
  double number = 0;
  std::vector<ExprPtr> args, brackets;
  std::vector<std::pair<std::string, ExprPtr>> named;
  std::vector<std::string> names;
};

struct Statement;
using Block = std::vector<Statement>;

enum class StatementKind {
  kAssign,  // names = value; several names take a list apart
  kCall,    // value, for its requirement
  kIf,      // if value { body } else { other }
  kFor,     // for names in value { body }
  kReturn,  // value; in a fn
};

struct Statement {
  StatementKind kind;
  Position at;
  std::vector<std::string> names;
  ExprPtr value;
  Block body, other;
};

// One entry of a shape pattern.
struct DimPattern {
  Position at;
  bool list = false;  // ..S
  ExprPtr value;      // a name, which a parameter binds, or an expression
};

struct ShapePattern {
  bool any = true;  // no [...] was written
  std::vector<DimPattern> dims;
};

// A parameter or a result.
struct Port {
  Position at;
  std::string name;
  bool optional = false, variadic = false;
  std::string dtype;  // a type variable, a dtype or a dtype attribute
  ShapePattern shape;
};

struct TypeVariable {
  Position at;
  std::string name;
  std::vector<DType> dtypes;
};

enum class AttributeType { kInt, kInts, kFloat, kFloats, kString, kStrings, kBool, kDType, kTensor };

struct AttributeDecl {
  Position at;
  std::string name;
  AttributeType type = AttributeType::kInt;
  bool optional = false;             // attr x: int?
  std::vector<std::string> choices;  // of a string
  ExprPtr fallback;
};

struct SampleEntry {
  Position at;
  std::string name;
  std::vector<ExprPtr> choices;
};

struct SampleDecl {
  Position at;
  std::string name;
  std::vector<SampleEntry> entries;
};

// A function of the compile-time language, shared by all operators of a library.
struct Function {
  std::shared_ptr<const Source> source;
  Position at;
  std::string name;
  std::vector<std::string> parameters;
  Block body;
};

}  // namespace hal::compiler::lang

namespace hal::compiler {

struct OperatorDefinition {
  std::shared_ptr<const lang::Source> source;
  lang::Position at;
  std::string local_name;  // as written: "Softmax"
  std::string full_name;   // "mortise.softmax"
  std::string doc;
  std::vector<lang::Port> ports, results;
  std::vector<lang::TypeVariable> types;
  std::vector<lang::AttributeDecl> attribute_decls;
  lang::Block body;
  std::vector<OperatorAlias> alias_list;
  ToleranceClass tolerance_class = ToleranceClass::kExact;
  lang::ExprPtr tolerance;
  std::vector<lang::SampleDecl> sample_decls;
  // Derived when it is added, so that the accessors of operators.hpp hand out references.
  std::vector<OperatorParameter> parameter_list;
  std::vector<OperatorAttribute> attribute_list;
  std::vector<std::string> result_list;

  const lang::TypeVariable* type_variable(const std::string& variable) const {
    for (const lang::TypeVariable& type : types) {
      if (type.name == variable) return &type;
    }
    return nullptr;
  }
};

}  // namespace hal::compiler

#endif  // HAL_COMPILER_LANG_AST_HPP_
