// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "expr.hpp"

namespace hal::compiler::tile {
namespace {

std::string list(const std::vector<Sym>& values) {
  std::string out;
  for (size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + values[i].text();
  return out;
}

// Shared nodes are printed once, as "let".
class ExprPrinter {
 public:
  explicit ExprPrinter(const Program& program, std::string* out) : program_(program), out_(out) {}

  std::string print(const ExprPtr& expr) {
    visit(expr, [&](const Expr& node) {
      for (const ExprPtr& operand : node.operands) ++uses_[operand.get()];
    });
    return text(expr);
  }

 private:
  std::string text(const ExprPtr& expr) {
    auto named = names_.find(expr.get());
    if (named != names_.end()) return named->second;
    std::string body = plain(*expr);
    bool small = expr->kind == ExprKind::kLiteral || expr->kind == ExprKind::kAccumulator;
    if (small || uses_[expr.get()] < 2) return body;
    std::string name = "v" + std::to_string(names_.size());
    *out_ += "      let " + name + " = " + body + "\n";
    return names_[expr.get()] = name;
  }

  std::string plain(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral: {
        char hex[32];
        std::snprintf(hex, sizeof(hex), "0x%llx", static_cast<unsigned long long>(expr.bits));
        return std::string(name(expr.dtype)) + ":" + hex;
      }
      case ExprKind::kIndex:
        return std::string(name(expr.dtype)) + "(" + expr.index.text() + ")";
      case ExprKind::kLoad: {
        std::string out = program_.buffers[expr.buffer].name + "[" + list(expr.indices) + "]";
        for (const DataIndex& data : expr.data_indices) out += " with " + data.symbol + " = " + text(data.value);
        return out;
      }
      case ExprKind::kGuard:
        return "guard(" + list(expr.conditions) + " >= 0 ? " + text(expr.operands[0]) + " : " + text(expr.operands[1]) +
               ")";
      case ExprKind::kAccumulator:
        return "acc";
      case ExprKind::kPrimitive:
        break;
    }
    std::string out = info(expr.prim).text;
    if (expr.prim == Prim::kCast || expr.prim == Prim::kBitcast) out += std::string(" ") + name(expr.dtype);
    static constexpr const char* kPredicates[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    if (expr.prim == Prim::kCompare) out += std::string(" ") + kPredicates[static_cast<int>(expr.predicate)];
    out += "(";
    for (size_t i = 0; i < expr.operands.size(); ++i) out += (i ? ", " : "") + text(expr.operands[i]);
    return out + ")";
  }

  const Program& program_;
  std::string* out_;
  std::map<const Expr*, int> uses_;
  std::map<const Expr*, std::string> names_;
};

void print_block(const Program& program, const Block& block, std::string* out) {
  *out += "    block " + block.name + " [";
  for (size_t i = 0; i < block.axes.size(); ++i) {
    const Axis& axis = block.axes[i];
    *out += std::string(i ? ", " : "") + (axis.kind == AxisKind::kParallel ? "par " : "red ") + axis.name + ":" +
            axis.extent.text();
  }
  *out += "]\n";
  std::string body = ExprPrinter(program, out).print(block.body);
  std::string target = program.buffers[block.target].name + "[" + list(block.target_indices) + "]";
  static constexpr const char* kKinds[] = {"none", "add", "mul", "min", "max", "and", "or"};
  if (!block.reduction) {
    *out += "      " + target + " = " + body + "\n";
    return;
  }
  *out += "      acc (" + std::string(block.reduction->arg ? "arg " : "") +
          kKinds[static_cast<int>(block.reduction->kind)] + ")= " + body + "\n";
  std::string result = block.epilogue ? ExprPrinter(program, out).print(block.epilogue) : "acc";
  *out += "      " + target + " = " + result + "\n";
}

}  // namespace

std::string print(const Program& program) {
  static constexpr const char* kKinds[] = {"input", "const", "output", "temp"};
  std::string out = "tile @" + program.name + " {\n";
  for (const Buffer& buffer : program.buffers) {
    out +=
        std::string("  ") + kKinds[static_cast<int>(buffer.kind)] + " " + buffer.name + ": " + text(buffer.type) + "\n";
  }
  for (const Kernel& kernel : program.kernels) {
    out += "  kernel " + kernel.name + " {\n";
    for (const Block& block : kernel.blocks) print_block(program, block, &out);
    out += "  }\n";
  }
  return out + "}\n";
}

}  // namespace hal::compiler::tile
