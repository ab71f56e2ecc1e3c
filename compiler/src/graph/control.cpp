// SPDX-License-Identifier: Apache-2.0
#include "graph/control.hpp"

#include <algorithm>

#include "lang/known.hpp"

namespace hal::compiler::graph {
namespace {

constexpr int64_t kMaxRounds = 10'000;  // each is lowered: more is no program

using Values = std::vector<ValueId>;

class Control {
 public:
  Control(const Node& node, const std::vector<std::optional<ValueId>>& inputs, Builder& builder, const RunBody& run)
      : node_(node), inputs_(inputs), builder_(builder), run_(run) {}

  Result<Values> branch() {
    HAL_TRY_ASSIGN(int64_t condition, known(0, "the condition"));
    HAL_TRY_ASSIGN(const Graph* body, body_of(condition != 0 ? "then_branch" : "else_branch"));
    return run_(*body, {});
  }

  Result<Values> loop() {
    HAL_TRY_ASSIGN(const Graph* body, body_of("body"));
    int64_t rounds = kMaxRounds + 1, go_on = 1;
    if (given(0)) {
      HAL_TRY_ASSIGN(rounds, known(0, "the trip count"));
    }
    if (given(1)) {
      HAL_TRY_ASSIGN(go_on, known(1, "the condition"));
    }
    HAL_TRY_ASSIGN(Values carried, required(2, inputs_.size()));
    std::vector<Values> scanned;
    ValueId condition = boolean(true);
    for (int64_t i = 0; i < rounds && go_on != 0; ++i) {
      if (i == kMaxRounds) return unsupported("a loop of more than " + std::to_string(kMaxRounds) + " rounds");
      Values arguments = {integer(i), condition};
      arguments.insert(arguments.end(), carried.begin(), carried.end());
      HAL_TRY_ASSIGN(Values results, run_(*body, arguments));
      if (results.size() < carried.size() + 1) return data_corrupt("the body has too few outputs");
      condition = results[0];
      HAL_TRY_ASSIGN(go_on, known(condition));
      std::copy_n(results.begin() + 1, carried.size(), carried.begin());
      collect(results, carried.size() + 1, scanned);
    }
    if (scanned.empty() && node_.outputs.size() > carried.size()) {
      return unsupported("a loop without rounds has no scan outputs whose shape is known");
    }
    for (const Values& rows : scanned) {
      HAL_TRY_ASSIGN(ValueId whole, stack(rows, 0));
      carried.push_back(whole);
    }
    return carried;
  }

  Result<Values> scan() {
    HAL_TRY_ASSIGN(const Graph* body, body_of("body"));
    size_t count = static_cast<size_t>(number("num_scan_inputs", 0));
    if (count == 0 || count > inputs_.size()) return data_corrupt("num_scan_inputs does not fit its inputs");
    if (node_.version >= 9) {
      HAL_TRY_ASSIGN(Values all, required(0, inputs_.size()));
      return scan_once(*body, all, count);
    }
    if (given(0)) return unsupported("Scan-8 with sequence lengths");
    HAL_TRY_ASSIGN(Values all, required(1, inputs_.size()));
    HAL_TRY_ASSIGN(int64_t batches, extent(all.front(), 0));
    std::vector<Values> columns;
    for (int64_t b = 0; b < batches; ++b) {
      Values one;
      for (ValueId value : all) {
        HAL_TRY_ASSIGN(ValueId row, take(value, 0, b));
        one.push_back(row);
      }
      HAL_TRY_ASSIGN(Values results, scan_once(*body, one, count));
      collect(results, 0, columns);
    }
    Values out;
    for (const Values& rows : columns) {
      HAL_TRY_ASSIGN(ValueId whole, stack(rows, 0));
      out.push_back(whole);
    }
    return out;
  }

 private:
  bool given(size_t i) const { return i < inputs_.size() && inputs_[i].has_value(); }

  Result<const Graph*> body_of(const std::string& name) const {
    auto found = node_.bodies.find(name);
    if (found == node_.bodies.end()) return data_corrupt("the subgraph " + name + " is missing");
    return found->second.get();
  }

  Result<int64_t> known(ValueId value) {
    auto contents = lang::known_contents(builder_, value);
    auto number = contents && contents->size() == 1 ? contents->front().constant() : std::nullopt;
    if (!number) return lang::not_known(builder_, value);
    return *number;
  }
  Result<int64_t> known(size_t i, const char* what) {
    if (!given(i)) return data_corrupt(std::string(what) + " is missing");
    return known(*inputs_[i]);
  }

  Result<Values> required(size_t from, size_t to) const {
    Values out;
    for (size_t i = from; i < to; ++i) {
      if (!inputs_[i]) return data_corrupt("input " + std::to_string(i) + " is missing");
      out.push_back(*inputs_[i]);
    }
    return out;
  }

  int64_t number(const std::string& name, int64_t fallback) const {
    auto found = node_.attributes.find(name);
    const auto* value = found == node_.attributes.end() ? nullptr : std::get_if<int64_t>(&found->second);
    return value ? *value : fallback;
  }
  int64_t element(const std::string& name, size_t i) const {
    auto found = node_.attributes.find(name);
    const auto* list = found == node_.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
    return list && i < list->size() ? (*list)[i] : 0;
  }

  ValueId integer(int64_t value) { return builder_.constant(Tensor::of<int64_t>(DType::kI64, {}, std::vector{value})); }
  ValueId boolean(bool value) {
    return builder_.constant(Tensor::of<uint8_t>(DType::kBOOL, {}, std::vector{static_cast<uint8_t>(value)}));
  }

  static void collect(const Values& results, size_t from, std::vector<Values>& columns) {
    if (columns.size() + from < results.size()) columns.resize(results.size() - from);
    for (size_t i = from; i < results.size(); ++i) columns[i - from].push_back(results[i]);
  }

  Result<int64_t> axis_of(ValueId value, int64_t axis, int64_t more = 0) const {
    auto rank = static_cast<int64_t>(builder_.type(value).shape.size()) + more;
    if (axis < -rank || axis >= rank) return invalid_argument("axis " + std::to_string(axis) + " of a scanned value");
    return axis < 0 ? axis + rank : axis;
  }

  Result<int64_t> extent(ValueId value, int64_t axis) const {
    HAL_TRY_ASSIGN(int64_t at, axis_of(value, axis));
    const Sym& sym = builder_.type(value).shape[static_cast<size_t>(at)];
    auto number = sym.constant();
    if (!number) return unsupported("the number of rounds is " + sym.text() + "; fix this dimension");
    if (*number > kMaxRounds) return unsupported("a scan of more than " + std::to_string(kMaxRounds) + " rounds");
    return *number;
  }

  // Element i along an axis, without the axis.
  Result<ValueId> take(ValueId value, int64_t axis, int64_t i) {
    HAL_TRY_ASSIGN(int64_t at, axis_of(value, axis));
    Attributes cut, shape;
    cut.size = builder_.type(value).shape;
    cut.low.assign(cut.size.size(), Sym(0));
    cut.step.assign(cut.size.size(), Sym(1));
    cut.low[static_cast<size_t>(at)] = i;
    cut.size[static_cast<size_t>(at)] = 1;
    shape.shape = cut.size;
    shape.shape.erase(shape.shape.begin() + at);
    HAL_TRY_ASSIGN(ValueId row, builder_.op(Prim::kSlice, {value}, std::move(cut)));
    return builder_.op(Prim::kReshape, {row}, std::move(shape));
  }

  Result<ValueId> stack(const Values& rows, int64_t axis) {
    Values parts;
    if (rows.empty()) return unsupported("a scan without rounds has no outputs whose shape is known");
    HAL_TRY_ASSIGN(int64_t at, axis_of(rows.front(), axis, 1));
    for (ValueId row : rows) {
      Attributes shape;
      shape.shape = builder_.type(row).shape;
      if (static_cast<int64_t>(shape.shape.size()) < at) return data_corrupt("rows of different ranks");
      shape.shape.insert(shape.shape.begin() + at, Sym(1));
      HAL_TRY_ASSIGN(ValueId part, builder_.op(Prim::kReshape, {row}, std::move(shape)));
      parts.push_back(part);
    }
    if (parts.size() == 1) return parts.front();
    Attributes along;
    along.axes = {at};
    return builder_.op(Prim::kConcat, parts, std::move(along));
  }

  // States, then scan inputs.
  Result<Values> scan_once(const Graph& body, const Values& all, size_t count) {
    if (count > all.size()) return data_corrupt("num_scan_inputs does not fit its inputs");
    Values states(all.begin(), all.end() - static_cast<ptrdiff_t>(count));
    Values inputs(all.end() - static_cast<ptrdiff_t>(count), all.end());
    HAL_TRY_ASSIGN(int64_t rounds, extent(inputs[0], element("scan_input_axes", 0)));
    std::vector<Values> scanned;
    for (int64_t i = 0; i < rounds; ++i) {
      Values arguments = states;
      for (size_t k = 0; k < count; ++k) {
        bool backwards = element("scan_input_directions", k) != 0 || element("directions", k) != 0;
        HAL_TRY_ASSIGN(ValueId row, take(inputs[k], element("scan_input_axes", k), backwards ? rounds - 1 - i : i));
        arguments.push_back(row);
      }
      HAL_TRY_ASSIGN(Values results, run_(body, arguments));
      if (results.size() < states.size()) return data_corrupt("the body has too few outputs");
      std::copy_n(results.begin(), states.size(), states.begin());
      collect(results, states.size(), scanned);
    }
    for (size_t k = 0; k < scanned.size(); ++k) {
      if (element("scan_output_directions", k) != 0) std::reverse(scanned[k].begin(), scanned[k].end());
      HAL_TRY_ASSIGN(ValueId whole, stack(scanned[k], element("scan_output_axes", k)));
      states.push_back(whole);
    }
    return states;
  }

  const Node& node_;
  const std::vector<std::optional<ValueId>>& inputs_;
  Builder& builder_;
  const RunBody& run_;
};

}  // namespace

bool is_control(const Node& node) {
  return node.domain == "onnx" && (node.op == "If" || node.op == "Loop" || node.op == "Scan");
}

Result<std::vector<ValueId>> lower_control(const Node& node, const std::vector<std::optional<ValueId>>& inputs,
                                           Builder& builder, const RunBody& run) {
  Control control(node, inputs, builder, run);
  if (node.op == "If") return control.branch();
  return node.op == "Loop" ? control.loop() : control.scan();
}

}  // namespace hal::compiler::graph
