// SPDX-License-Identifier: Apache-2.0
//
// Expands sample sections: each entry lists choices; the first dtype runs through all combinations, the others through
// the first one, so that every dtype and every choice occurs and the number of cases stays small.
#include <algorithm>

#include "lang/elaborator.hpp"

namespace hal::compiler::lang {
namespace {

constexpr size_t kMaxCases = 256;  // of one section

struct SampleInput {
  TensorType type;
  std::optional<Tensor> fixed;
  std::string distribution;
};

std::string distribution_for(DType dtype, const std::string& written) {
  if (dtype == DType::kBOOL) return "integers(0, 1)";
  if (is_float(dtype) || written.substr(0, 8) == "integers") return written;
  return is_unsigned(dtype) ? "integers(0, 9)" : "integers(-9, 9)";
}

Tensor filled(DType dtype, const List& list, bool scalar) {
  Tensor out =
      Tensor::make(dtype, scalar ? std::vector<int64_t>() : std::vector<int64_t>{static_cast<int64_t>(list.size())});
  size_t bytes = list.empty() ? 0 : out.bytes() / list.size();
  for (size_t i = 0; i < list.size(); ++i) {
    const double* number = list[i].as_float();
    Tensor one = number ? scalar_tensor(dtype, *number)
                        : scalar_tensor(dtype, list[i].as_int() ? list[i].as_int()->constant().value_or(0) : 0);
    std::copy_n(one.storage->data(), bytes, out.storage->data() + i * bytes);
  }
  return out;
}

std::string clean(const std::string& text) {
  std::string out;
  for (char c : text) {
    bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (c == '-')
      out += 'm';
    else if (keep)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out.substr(0, 40);
}

class SampleExpander {
 public:
  SampleExpander(const OperatorDefinition& definition, const OperatorLibrary& library)
      : definition_(definition), builder_("sample"), elaborator_(builder_, library) {}

  Result<std::vector<OperatorSample>> run() {
    for (size_t i = 0; i < definition_.sample_decls.size(); ++i) {
      const SampleDecl& decl = definition_.sample_decls[i];
      std::string name = !decl.name.empty()                    ? decl.name
                         : definition_.sample_decls.size() > 1 ? "s" + std::to_string(i)
                                                               : "";
      HAL_TRY(expand(decl, name));
    }
    return std::move(out_);
  }

 private:
  Result<Datum> value(const Expr& expr) {
    Scope scope{definition_.source.get(), {}, std::nullopt, false};
    return elaborator_.evaluate(expr, scope);
  }

  const SampleEntry* entry(const SampleDecl& decl, const std::string& name) const {
    for (const SampleEntry& entry : decl.entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }

  // The dtypes of the first type variable, or a single "none" if there is no variable.
  Result<std::vector<DType>> dtypes(const SampleDecl& decl) {
    if (definition_.types.empty()) return std::vector<DType>{DType::kNone};
    const TypeVariable& type = definition_.types[0];
    const SampleEntry* given = entry(decl, type.name);
    if (!given) return type.dtypes;
    std::vector<DType> out;
    for (const ExprPtr& choice : given->choices) {
      HAL_TRY_ASSIGN(Datum datum, value(*choice));
      HAL_TRY_ASSIGN(DType dtype, to_dtype(datum, "a sample's " + type.name));
      out.push_back(dtype);
    }
    return out;
  }

  Result<void> expand(const SampleDecl& decl, const std::string& name) {
    HAL_TRY_ASSIGN(std::vector<DType> all, dtypes(decl));
    for (size_t d = 0; d < all.size(); ++d) {
      size_t total = 1;
      for (const SampleEntry& entry : decl.entries) {
        bool first_type = !definition_.types.empty() && entry.name == definition_.types[0].name;
        if (!first_type) total = std::min(kMaxCases, total * entry.choices.size());
      }
      for (size_t index = 0; index < (d == 0 ? total : 1); ++index) HAL_TRY(one(decl, name, all[d], index));
    }
    return {};
  }

  // The index-th combination; the last entry varies fastest.
  Result<void> one(const SampleDecl& decl, const std::string& name, DType dtype, size_t index) {
    std::map<std::string, const Expr*> chosen;
    std::string label;
    for (size_t i = decl.entries.size(); i-- > 0;) {
      const SampleEntry& entry = decl.entries[i];
      if (!definition_.types.empty() && entry.name == definition_.types[0].name) continue;
      size_t choice = index % entry.choices.size();
      index /= entry.choices.size();
      chosen[entry.name] = entry.choices[choice].get();
      if (entry.choices.size() > 1)
        label = "." + entry.name + "_" + choice_name(*entry.choices[choice], choice) + label;
    }
    OperatorSample sample;
    sample.name =
        (dtype == DType::kNone ? "" : std::string(compiler::name(dtype))) + (name.empty() ? "" : "." + name) + label;
    if (sample.name.empty()) sample.name = "case";
    if (sample.name[0] == '.') sample.name.erase(0, 1);
    HAL_TRY(attributes(chosen, sample));
    HAL_TRY(inputs(chosen, dtype, sample));
    unique(sample.name);
    out_.push_back(std::move(sample));
    return {};
  }

  void unique(std::string& name) {
    int count = ++used_[name];
    if (count > 1) name += "_" + std::to_string(count);
  }

  std::string choice_name(const Expr& expr, size_t number) {
    if (expr.kind == ExprKind::kIndex) {
      std::string out;
      for (size_t i = 1; i < expr.args.size(); ++i) out += (i == 1 ? "" : "x") + std::to_string(expr.args[i]->integer);
      return out.empty() ? "scalar" : out;
    }
    if (expr.kind == ExprKind::kList && !expr.args.empty() && expr.args[0]->kind == ExprKind::kIndex)
      return std::to_string(number);
    auto datum = value(expr);
    std::string text = !datum ? "" : datum->as_string() ? clean(*datum->as_string()) : clean(lang::text(*datum));
    return text.empty() ? std::to_string(number) : text;
  }

  Result<void> attributes(const std::map<std::string, const Expr*>& chosen, OperatorSample& sample) {
    for (const AttributeDecl& decl : definition_.attribute_decls) {
      auto given = chosen.find(decl.name);
      if (given == chosen.end()) continue;
      HAL_TRY_ASSIGN(Datum datum, value(*given->second));
      if (datum.is_none()) continue;
      HAL_TRY_ASSIGN(AttributeValue converted, attribute(decl, datum));
      sample.attributes[decl.name] = std::move(converted);
    }
    return {};
  }

  Result<AttributeValue> attribute(const AttributeDecl& decl, const Datum& datum) {
    switch (decl.type) {
      case AttributeType::kBool:
        if (const bool* flag = datum.as_bool()) return AttributeValue(int64_t{*flag ? 1 : 0});
        [[fallthrough]];
      case AttributeType::kInt: {
        HAL_TRY_ASSIGN(int64_t number, to_int(datum, decl.name));
        return AttributeValue(number);
      }
      case AttributeType::kInts: {
        HAL_TRY_ASSIGN(std::vector<int64_t> numbers, to_ints(datum, decl.name));
        return AttributeValue(numbers);
      }
      case AttributeType::kFloat: {
        HAL_TRY_ASSIGN(double number, to_float(datum, decl.name));
        return AttributeValue(number);
      }
      case AttributeType::kDType: {
        HAL_TRY_ASSIGN(DType dtype, to_dtype(datum, decl.name));
        return AttributeValue(dtype);
      }
      case AttributeType::kString: {
        HAL_TRY_ASSIGN(std::string word, to_string(datum, decl.name));
        return AttributeValue(word);
      }
      case AttributeType::kTensor:
        return AttributeValue(fixed(datum, DType::kNone));
      case AttributeType::kFloats:
      case AttributeType::kStrings:
        break;
    }
    const List* list = datum.as_list();
    if (!list) return invalid_argument(decl.name + " must be a list");
    std::vector<double> numbers;
    std::vector<std::string> words;
    for (const Datum& item : *list) {
      if (decl.type == AttributeType::kStrings) {
        HAL_TRY_ASSIGN(std::string word, to_string(item, decl.name));
        words.push_back(std::move(word));
      } else {
        HAL_TRY_ASSIGN(double number, to_float(item, decl.name));
        numbers.push_back(number);
      }
    }
    return decl.type == AttributeType::kStrings ? AttributeValue(words) : AttributeValue(numbers);
  }

  static Tensor fixed(const Datum& datum, DType dtype) {
    const List* list = datum.as_list();
    List items = list ? *list : List{datum};
    bool floats = std::any_of(items.begin(), items.end(), [](const Datum& item) { return item.as_float() != nullptr; });
    if (dtype == DType::kNone) dtype = floats ? DType::kF32 : DType::kI64;
    return filled(dtype, items, list == nullptr);
  }

  DType dtype_of(const Port& port, DType first, const std::map<std::string, const Expr*>& chosen) {
    if (auto literal = dtype_from(port.dtype); literal && !definition_.type_variable(port.dtype)) return *literal;
    if (!definition_.types.empty() && port.dtype == definition_.types[0].name) return first;
    if (auto given = chosen.find(port.dtype); given != chosen.end()) {
      auto datum = value(*given->second);
      if (datum && datum->as_dtype()) return *datum->as_dtype();
    }
    const TypeVariable* type = definition_.type_variable(port.dtype);
    return type ? type->dtypes[0] : DType::kF32;
  }

  Result<SampleInput> input(const Expr& expr, DType dtype) {
    SampleInput out;
    out.type.dtype = dtype;
    if (expr.kind == ExprKind::kIndex) {
      const Expr& head = *expr.args[0];
      std::string arguments;
      for (const ExprPtr& arg : head.args) {
        HAL_TRY_ASSIGN(Datum datum, value(*arg));
        arguments += (arguments.empty() ? "" : ", ") + lang::text(datum);
      }
      out.distribution = distribution_for(dtype, head.text + (arguments.empty() ? "" : "(" + arguments + ")"));
      for (size_t i = 1; i < expr.args.size(); ++i) {
        HAL_TRY_ASSIGN(Datum datum, value(*expr.args[i]));
        HAL_TRY_ASSIGN(int64_t extent, to_int(datum, "an extent of a sample"));
        out.type.shape.push_back(extent);
      }
      return out;
    }
    HAL_TRY_ASSIGN(Datum datum, value(expr));
    if (datum.is_none()) {
      out.type.dtype = DType::kNone;
      return out;
    }
    out.fixed = fixed(datum, dtype);
    out.type.shape.assign(out.fixed->shape.begin(), out.fixed->shape.end());
    return out;
  }

  Result<void> inputs(const std::map<std::string, const Expr*>& chosen, DType first, OperatorSample& sample) {
    for (const Port& port : definition_.ports) {
      auto given = chosen.find(port.name);
      DType dtype = dtype_of(port, first, chosen);
      if (given == chosen.end()) {
        add(SampleInput{}, sample);
      } else if (port.variadic && given->second->kind == ExprKind::kList) {
        for (const ExprPtr& item : given->second->args) {
          HAL_TRY_ASSIGN(SampleInput made, input(*item, dtype));
          add(std::move(made), sample);
        }
      } else {
        HAL_TRY_ASSIGN(SampleInput made, input(*given->second, dtype));
        add(std::move(made), sample);
      }
    }
    while (!sample.inputs.empty() && sample.inputs.back().dtype == DType::kNone) {
      sample.inputs.pop_back();
      sample.fixed_inputs.pop_back();
      sample.distributions.pop_back();
    }
    return {};
  }

  static void add(SampleInput input, OperatorSample& sample) {
    sample.inputs.push_back(std::move(input.type));
    sample.fixed_inputs.push_back(std::move(input.fixed));
    sample.distributions.push_back(std::move(input.distribution));
  }

  const OperatorDefinition& definition_;
  Builder builder_;
  Elaborator elaborator_;
  std::vector<OperatorSample> out_;
  std::map<std::string, int> used_;
};

}  // namespace
}  // namespace hal::compiler::lang

namespace hal::compiler {

Result<std::vector<OperatorSample>> samples(const OperatorDefinition& definition, const OperatorLibrary& library) {
  auto out = lang::SampleExpander(definition, library).run();
  if (out) return out;
  Error error = std::move(out).error();
  return Error{error.code, definition.full_name + ", sample: " + error.message};
}

}  // namespace hal::compiler
