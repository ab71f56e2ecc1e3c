// SPDX-License-Identifier: Apache-2.0
//
// Signatures: operands and attributes are checked against their declarations and bound to names; so are the results.
#include <algorithm>

#include "lang/elaborator.hpp"

namespace hal::compiler::lang {
namespace {

Error in_operand(const Port& port, Error error) { return {error.code, port.name + ": " + error.message}; }

std::string set_text(const std::vector<DType>& dtypes) {
  std::string out;
  for (DType dtype : dtypes) out += (out.empty() ? "{" : ", ") + std::string(name(dtype));
  return out + "}";
}

// What a number becomes when nothing tells its dtype.
DType natural_dtype(const Datum& datum) {
  const List* list = datum.as_list();
  if (list) return list->empty() ? DType::kI64 : natural_dtype(list->front());
  return datum.as_float() ? DType::kF32 : DType::kI64;
}

}  // namespace

Result<TensorView> Elaborator::tensor_of(const OperatorDefinition& definition, const Port& port, const Datum& datum,
                                         Scope& scope) {
  if (const TensorView* tensor = datum.as_tensor()) return *tensor;
  DType dtype = dtype_from(port.dtype).value_or(natural_dtype(datum));
  auto bound = scope.names.find(port.dtype);
  if (definition.type_variable(port.dtype) && bound != scope.names.end()) dtype = *bound->second.as_dtype();
  if (const List* list = datum.as_list()) return tensors_.vector(*list, dtype);
  return tensors_.number(datum, dtype);
}

Result<void> Elaborator::bind_dtype(const OperatorDefinition& definition, const Port& port, DType dtype, Scope& scope) {
  const TypeVariable* variable = definition.type_variable(port.dtype);
  auto bound = scope.names.find(port.dtype);
  DType expected = DType::kNone;
  if (bound != scope.names.end() && bound->second.as_dtype()) expected = *bound->second.as_dtype();
  if (auto literal = dtype_from(port.dtype); !variable && literal) expected = *literal;
  if (expected == DType::kNone) {
    if (!variable) return {};  // the dtype attribute is not given: nothing is promised
    const auto& allowed = variable->dtypes;
    if (std::find(allowed.begin(), allowed.end(), dtype) == allowed.end()) {
      return invalid_argument(std::string("dtype ") + lang::text(Datum(dtype)) + " is not one of " + set_text(allowed));
    }
    scope.names[port.dtype] = dtype;
    return {};
  }
  if (expected == dtype) return {};
  std::string why = variable ? " as " + port.dtype + " of an operand before it" : "";
  return invalid_argument("expected dtype " + lang::text(Datum(expected)) + why + ", not " + lang::text(Datum(dtype)));
}

// A name that has no value yet is bound; all else must be equal.
Result<void> Elaborator::bind_dim(const DimPattern& dim, const Datum& extent, Scope& scope, bool result) {
  bool is_name = dim.value->kind == ExprKind::kName;
  if (is_name && dim.value->text == "_") return {};
  if (is_name && !result && scope.names.count(dim.value->text) == 0) {
    scope.names[dim.value->text] = extent;
    return {};
  }
  HAL_TRY_ASSIGN(Datum expected, evaluate(*dim.value, scope));
  HAL_TRY_ASSIGN(Datum same, apply_binary(tensors_, "==", extent, expected));
  if (*same.as_bool()) return {};
  std::string what = is_name ? dim.value->text + " = " : "";
  return invalid_argument("expected extent " + what + lang::text(expected) + ", not " + lang::text(extent));
}

Result<void> Elaborator::bind_shape(const Port& port, const Shape& shape, Scope& scope, bool result) {
  const auto& dims = port.shape.dims;
  if (port.shape.any) return {};
  auto list = std::find_if(dims.begin(), dims.end(), [](const DimPattern& dim) { return dim.list; });
  size_t fixed = dims.size() - (list == dims.end() ? 0 : 1);
  if (shape.size() < fixed || (list == dims.end() && shape.size() != fixed)) {
    return invalid_argument("expected rank " + std::to_string(fixed) + (list == dims.end() ? "" : " or more") +
                            ", not shape " + text(shape));
  }
  size_t at = 0;
  for (const DimPattern& dim : dims) {
    size_t count = dim.list ? shape.size() - fixed : 1;
    Datum extent = shape.empty() ? Datum() : Datum(shape[std::min(at, shape.size() - 1)]);
    if (dim.list)
      extent =
          Datum::of(Shape(shape.begin() + static_cast<int64_t>(at), shape.begin() + static_cast<int64_t>(at + count)));
    auto bound = bind_dim(dim, extent, scope, result);
    if (!bound) {
      Error error = std::move(bound).error();
      return Error{error.code, "shape " + text(shape) + ": " + error.message};
    }
    at += count;
  }
  return {};
}

Result<void> Elaborator::bind_tensor(const OperatorDefinition& definition, const Port& port, const TensorView& tensor,
                                     Scope& scope) {
  auto done = bind_dtype(definition, port, tensors_.dtype(tensor), scope);
  if (done) done = bind_shape(port, tensors_.shape(tensor), scope, false);
  if (!done) return in_operand(port, std::move(done).error());
  return {};
}

Result<void> Elaborator::bind_port(const OperatorDefinition& definition, const Port& port, Datum& operand,
                                   Scope& scope) {
  if (operand.is_none()) {
    if (!port.optional && !port.variadic) return invalid_argument("operand " + port.name + " is missing");
    if (port.variadic) operand = List();
  } else if (port.variadic) {
    List items = operand.as_list() ? *operand.as_list() : List{operand};
    for (Datum& item : items) {
      HAL_TRY_ASSIGN(TensorView tensor, tensor_of(definition, port, item, scope));
      HAL_TRY(bind_tensor(definition, port, tensor, scope));
      item = tensor;
    }
    operand = std::move(items);
  } else {
    HAL_TRY_ASSIGN(TensorView tensor, tensor_of(definition, port, operand, scope));
    HAL_TRY(bind_tensor(definition, port, tensor, scope));
    operand = tensor;
  }
  scope.names[port.name] = operand;
  return {};
}

Result<void> Elaborator::bind_ports(const OperatorDefinition& definition, std::vector<Datum>& operands, Scope& scope) {
  if (operands.size() > definition.ports.size()) {
    return invalid_argument("expected at most " + std::to_string(definition.ports.size()) + " operands, not " +
                            std::to_string(operands.size()));
  }
  operands.resize(definition.ports.size());
  // Tensors first: numbers take the dtypes that they bind.
  for (bool numbers : {false, true}) {
    for (size_t i = 0; i < operands.size(); ++i) {
      bool is_number =
          operands[i].as_int() || operands[i].as_float() || (operands[i].as_list() && !definition.ports[i].variadic);
      if (is_number != numbers) continue;
      auto bound = bind_port(definition, definition.ports[i], operands[i], scope);
      if (!bound) return locate(scope, definition.ports[i].at, std::move(bound).error());
    }
  }
  return {};
}

Result<Datum> Elaborator::check_attribute(const AttributeDecl& decl, const Datum& value) {
  std::string what = "attribute " + decl.name;
  if (value.is_none() && decl.optional) return value;
  switch (decl.type) {
    case AttributeType::kInt: {
      HAL_TRY(to_sym(value, what));
      return value;
    }
    case AttributeType::kInts: {
      HAL_TRY_ASSIGN(Shape items, to_shape(value, what));
      return Datum::of(items);
    }
    case AttributeType::kFloat: {
      HAL_TRY_ASSIGN(double number, to_float(value, what));
      return Datum(number);
    }
    case AttributeType::kBool: {
      if (const Sym* number = value.as_int(); number && number->constant()) return Datum(*number->constant() != 0);
      HAL_TRY(to_bool(value, what));
      return value;
    }
    case AttributeType::kString: {
      HAL_TRY_ASSIGN(std::string word, to_string(value, what));
      const auto& choices = decl.choices;
      if (choices.empty() || std::find(choices.begin(), choices.end(), word) != choices.end()) return value;
      std::string known;
      for (const std::string& choice : choices) known += (known.empty() ? "\"" : ", \"") + choice + "\"";
      return invalid_argument(what + " must be one of " + known + ", not \"" + word + "\"" + suggestion(word, choices));
    }
    case AttributeType::kDType: {
      HAL_TRY(to_dtype(value, what));
      return value;
    }
    case AttributeType::kTensor:
      if (!value.as_tensor()) return invalid_argument(what + " must be a tensor, not " + kind(value));
      return value;
    case AttributeType::kFloats:
    case AttributeType::kStrings:
      break;
  }
  const List* list = value.as_list();
  if (!list) return invalid_argument(what + " must be a list, not " + kind(value));
  List out;
  for (const Datum& item : *list) {
    bool floats = decl.type == AttributeType::kFloats;
    if (floats) {
      HAL_TRY_ASSIGN(double number, to_float(item, "an element of " + what));
      out.push_back(number);
    } else {
      HAL_TRY(to_string(item, "an element of " + what));
      out.push_back(item);
    }
  }
  return Datum(std::move(out));
}

Result<void> Elaborator::bind_attributes(const OperatorDefinition& definition, const Names& attributes, Scope& scope) {
  std::vector<std::string> known;
  for (const AttributeDecl& decl : definition.attribute_decls) known.push_back(decl.name);
  for (const auto& [name, value] : attributes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return locate(scope, definition.at,
                  invalid_argument("there is no attribute \"" + name + "\"" + suggestion(name, known)));
  }
  for (const AttributeDecl& decl : definition.attribute_decls) {
    Datum value;
    auto given = attributes.find(decl.name);
    if (given != attributes.end()) {
      value = given->second;
    } else if (decl.fallback) {
      HAL_TRY_ASSIGN(value, evaluate(*decl.fallback, scope));
    } else if (!decl.optional) {
      return locate(scope, decl.at, invalid_argument("attribute " + decl.name + " is missing and has no default"));
    }
    auto checked = check_attribute(decl, value);
    if (!checked) return locate(scope, decl.at, std::move(checked).error());
    scope.names[decl.name] = std::move(checked).value();
  }
  return {};
}

Result<Scope> Elaborator::bind(const OperatorDefinition& definition, std::vector<Datum>& operands,
                               const Names& attributes) {
  Scope scope{definition.source.get(), {}, std::nullopt, false};
  HAL_TRY(bind_ports(definition, operands, scope));
  HAL_TRY(bind_attributes(definition, attributes, scope));
  return scope;
}

Result<std::vector<TensorView>> Elaborator::results(const OperatorDefinition& definition, Scope& scope) {
  std::vector<TensorView> out;
  for (const Port& port : definition.results) {
    Datum value = scope.names[port.name];
    if (port.optional && value.is_none()) continue;
    List items = port.variadic && value.as_list() ? *value.as_list() : List{value};
    for (const Datum& item : items) {
      const TensorView* tensor = item.as_tensor();
      if (!tensor)
        return locate(scope, port.at, invalid_argument("result " + port.name + " must be a tensor, not " + kind(item)));
      auto fits = bind_dtype(definition, port, tensors_.dtype(*tensor), scope);
      if (fits) fits = bind_shape(port, tensors_.shape(*tensor), scope, true);
      if (!fits) return locate(scope, port.at, in_operand(port, std::move(fits).error()));
      out.push_back(*tensor);
    }
  }
  return out;
}

Result<std::vector<TensorView>> Elaborator::run(const OperatorDefinition& definition, std::vector<Datum> operands,
                                                const Names& attributes) {
  HAL_TRY_ASSIGN(Scope scope, bind(definition, operands, attributes));
  HAL_TRY(run_block(definition.body, scope));
  return results(definition, scope);
}

}  // namespace hal::compiler::lang
