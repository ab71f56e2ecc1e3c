// SPDX-License-Identifier: Apache-2.0
#include "transform.hpp"

#include "hal/compiler/interpreter.hpp"

namespace hal::compiler::random {
namespace {

// Copies values of one program into another, whose parameters come first.
class Copier {
 public:
  explicit Copier(RandomProgram* out) : out_(*out) {}

  ValueId add_value(const RandomProgram& from, ValueId id) {
    out_.module.function.values.push_back(from.module.function.values[id]);
    out_.tolerance.push_back(from.tolerance[id]);
    return static_cast<ValueId>(out_.module.function.values.size() - 1);
  }

  void add_parameter(const RandomProgram& from, ValueId id, Tensor value, std::map<ValueId, ValueId>* map) {
    (*map)[id] = add_value(from, id);
    out_.module.function.values.back().name = "x" + std::to_string(out_.inputs.size());
    ++out_.module.function.parameter_count;
    out_.inputs.push_back(std::move(value));
  }

  void add_op(const RandomProgram& from, const Op& op, std::map<ValueId, ValueId>* map) {
    Op copy = op;
    for (ValueId& operand : copy.operands) operand = map->at(operand);
    copy.result = (*map)[op.result] = add_value(from, op.result);
    if (op.prim == Prim::kConstant) {
      copy.attributes.constant = static_cast<uint32_t>(out_.module.constants.size());
      out_.module.constants.push_back(from.module.constants[op.attributes.constant]);
    }
    out_.module.function.ops.push_back(std::move(copy));
  }

  void add_result(ValueId id) {
    Function& function = out_.module.function;
    function.result_names.push_back("y" + std::to_string(function.results.size()));
    function.results.push_back(id);
  }

  void add_symbols(const Module& from) {
    for (const std::string& symbol : from.symbols) {
      out_.module.symbols.push_back(symbol);
      if (const SymRange* range = from.ranges.find(symbol)) out_.module.ranges.set(symbol, *range);
    }
    for (const Sym& zero : from.ranges.assumptions()) out_.module.ranges.assume_equal(zero, Sym(0));
  }

 private:
  RandomProgram& out_;
};

// The program with only these results, and with these values as parameters; ops that nobody needs are gone.
std::optional<RandomProgram> restrict_to(const RandomProgram& program, const std::vector<ValueId>& results,
                                         const std::map<ValueId, Tensor>& given) {
  const Function& function = program.module.function;
  std::vector<bool> needed(function.values.size(), false);
  for (ValueId result : results) needed[result] = true;
  for (size_t i = function.ops.size(); i-- > 0;) {
    const Op& op = function.ops[i];
    if (!needed[op.result] || given.count(op.result) != 0) continue;
    for (ValueId operand : op.operands) needed[operand] = true;
  }
  RandomProgram out;
  out.seed = program.seed;
  out.module.function.name = function.name;
  Copier copier(&out);
  std::map<ValueId, ValueId> map;
  for (ValueId id = 0; id < function.values.size(); ++id) {
    auto found = given.find(id);
    // A parameter may be what gives a symbol its value, so that each stays that has one.
    bool binds = id < function.parameter_count && !function.values[id].type.shape.empty();
    if (id < function.parameter_count && (needed[id] || binds))
      copier.add_parameter(program, id, program.inputs[id], &map);
    if (id >= function.parameter_count && needed[id] && found != given.end())
      copier.add_parameter(program, id, found->second, &map);
  }
  for (const Op& op : function.ops) {
    if (needed[op.result] && map.count(op.result) == 0) copier.add_op(program, op, &map);
  }
  for (ValueId result : results) copier.add_result(map.at(result));
  copier.add_symbols(program.module);
  if (!verify(out.module)) return std::nullopt;
  return out;
}

// The program whose parameters are few: those that no op reads and no symbol needs are left out.
std::optional<RandomProgram> without_parameter(const RandomProgram& program, ValueId drop) {
  RandomProgram out;
  out.seed = program.seed;
  out.module.function.name = program.module.function.name;
  Copier copier(&out);
  std::map<ValueId, ValueId> map;
  for (ValueId id = 0; id < program.module.function.parameter_count; ++id) {
    if (id != drop) copier.add_parameter(program, id, program.inputs[id], &map);
  }
  for (const Op& op : program.module.function.ops) {
    for (ValueId operand : op.operands) {
      if (operand == drop) return std::nullopt;
    }
    copier.add_op(program, op, &map);
  }
  for (ValueId result : program.module.function.results) {
    if (result == drop) return std::nullopt;
    copier.add_result(map.at(result));
  }
  for (const Value& value : out.module.function.values) {
    for (const Sym& extent : value.type.shape) {
      for (const std::string& symbol : extent.symbols()) {
        auto& symbols = out.module.symbols;
        if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) symbols.push_back(symbol);
      }
    }
  }
  if (!verify(out.module) || !bind_symbols(out.module, out.inputs)) return std::nullopt;
  return out;
}

}  // namespace

RandomProgram merge(const std::vector<RandomProgram>& programs) {
  RandomProgram out;
  out.module.function.name = "many";
  Copier copier(&out);
  std::vector<std::map<ValueId, ValueId>> maps(programs.size());
  for (size_t p = 0; p < programs.size(); ++p) {
    for (ValueId id = 0; id < programs[p].module.function.parameter_count; ++id)
      copier.add_parameter(programs[p], id, programs[p].inputs[id], &maps[p]);
  }
  for (size_t p = 0; p < programs.size(); ++p) {
    const Function& function = programs[p].module.function;
    for (const Op& op : function.ops) copier.add_op(programs[p], op, &maps[p]);
    for (ValueId result : function.results) copier.add_result(maps[p].at(result));
    copier.add_symbols(programs[p].module);
  }
  return out;
}

RandomProgram minimise(const RandomProgram& program, const std::function<bool(const RandomProgram&)>& fails) {
  RandomProgram best = program;
  auto accept = [&](const std::optional<RandomProgram>& smaller) {
    bool better = smaller && fails(*smaller);
    if (better) best = *smaller;
    return better;
  };
  // The first op whose own result is wrong.
  for (const Op& op : program.module.function.ops) {
    if (accept(restrict_to(program, {op.result}, {}))) break;
  }
  // Each value in turn is taken as given.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = best.module.function.ops.size(); i-- > 0 && !changed;) {
      ValueId id = best.module.function.ops[i].result;
      const std::vector<ValueId> results = best.module.function.results;
      if (id == results[0] || best.module.function.ops[i].prim == Prim::kConstant) continue;
      auto probe = restrict_to(best, {id}, {});
      auto value = probe ? interpret(probe->module, probe->inputs) : Result<std::vector<Tensor>>(internal_error(""));
      if (value) changed = accept(restrict_to(best, results, {{id, (*value)[0]}}));
    }
    for (ValueId id = best.module.function.parameter_count; id-- > 0 && !changed;)
      changed = accept(without_parameter(best, id));
  }
  return best;
}

}  // namespace hal::compiler::random
