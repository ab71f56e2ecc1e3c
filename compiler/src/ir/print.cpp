// SPDX-License-Identifier: Apache-2.0
//
// The portable layer as text, driven by the table of primitives.
#include <cstdio>

#include "hal/compiler/portable.hpp"

namespace hal::compiler {
namespace {

template <typename T>
std::string list(const std::vector<T>& values) {
  std::string out = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i) out += ", ";
    if constexpr (std::is_same_v<T, Sym>)
      out += values[i].text();
    else
      out += std::to_string(values[i]);
  }
  return out + "]";
}

const char* text_of(Predicate predicate) {
  static constexpr const char* kNames[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  return kNames[static_cast<int>(predicate)];
}
const char* text_of(ReduceKind kind) {
  static constexpr const char* kNames[] = {"none", "add", "mul", "min", "max", "and", "or"};
  return kNames[static_cast<int>(kind)];
}
const char* text_of(Order order) {
  static constexpr const char* kNames[] = {"any", "tree", "sequential"};
  return kNames[static_cast<int>(order)];
}

std::string attributes_text(const Op& op) {
  const Attributes& a = op.attributes;
  const uint32_t has = info(op.prim).attributes;
  std::string out;
  auto add = [&](uint32_t bit, const char* key, const std::string& value) {
    if (has & bit) out += std::string(" ") + key + "=" + value;
  };
  add(kAxes, "axes", list(a.axes));
  add(kShape, "shape", list(a.shape));
  add(kLow, "low", list(a.low));
  add(kHigh, "high", list(a.high));
  add(kStep, "step", list(a.step));
  add(kSize, "size", list(a.size));
  add(kDilation, "dilation", list(a.dilation));
  add(kInterior, "interior", list(a.interior));
  add(kSyms, "values", list(a.syms));
  add(kDType, "dtype", name(a.dtype));
  add(kPredicate, "predicate", text_of(a.predicate));
  add(kReduceKind, "kind", text_of(a.reduce));
  add(kCastMode, "mode", a.cast == CastMode::kWrap ? "wrap" : "saturate");
  add(kAccumulator, "acc", name(a.accumulator));
  add(kOrder, "order", text_of(a.order));
  add(kConstantIndex, "constant", std::to_string(a.constant));
  if (has & kLabels) {
    out += " labels=";
    for (size_t i = 0; i < a.labels.size(); ++i) out += (i == 0 ? "" : i == 2 ? "->" : ",") + list(a.labels[i]);
  }
  return out;
}

std::string bytes_text(const Tensor& tensor) {
  std::string out;
  char hex[4];
  for (std::byte byte : *tensor.storage) {
    std::snprintf(hex, sizeof(hex), "%02x", static_cast<unsigned>(byte));
    out += hex;
  }
  return out;
}

}  // namespace

std::string print(const Module& module) {
  const Function& function = module.function;
  std::string out;
  for (size_t i = 0; i < module.constants.size(); ++i) {
    const Tensor& tensor = module.constants[i];
    TensorType type{tensor.dtype, Shape(tensor.shape.begin(), tensor.shape.end())};
    out += "constant " + std::to_string(i) + ": " + text(type) + " = ";
    out += tensor.bytes() <= 64 ? "0x" + bytes_text(tensor) : std::to_string(tensor.bytes()) + " bytes";
    out += "\n";
  }
  out += "func @" + function.name + "(";
  for (uint32_t i = 0; i < function.parameter_count; ++i) {
    out += (i ? ", %" : "%") + std::to_string(i) + " " + function.values[i].name + ": " + text(function.values[i].type);
  }
  out += ") {\n";
  for (const Op& op : function.ops) {
    out += "  %" + std::to_string(op.result) + " = " + info(op.prim).text;
    for (size_t i = 0; i < op.operands.size(); ++i) out += (i ? ", %" : " %") + std::to_string(op.operands[i]);
    out += attributes_text(op) + " : " + text(function.values[op.result].type);
    if (!op.label.empty()) out += "  // " + op.label;
    out += "\n";
  }
  out += "  return";
  for (size_t i = 0; i < function.results.size(); ++i) {
    out += (i ? ", %" : " %") + std::to_string(function.results[i]) + " " + function.result_names[i];
  }
  return out + "\n}\n";
}

}  // namespace hal::compiler
