// SPDX-License-Identifier: Apache-2.0
#include "hal/compiler/c99.hpp"

#include <cstring>

#include "hal/compiler/memory_plan.hpp"
#include "nest_printer.hpp"
#include "types.hpp"

namespace hal::compiler {

using tile::BufferKind;

namespace c99 {
namespace {

bool is_known(const Shape& shape) { return product(shape).constant().has_value(); }

class ProgramPrinter {
 public:
  ProgramPrinter(const tile::Program& program, std::string prefix)
      : program_(program), ranges_(program.ranges), prefix_(std::move(prefix)) {
    for (size_t i = 0; i < program.symbols.size(); ++i) symbols_[program.symbols[i]] = "s" + std::to_string(i);
  }

  Result<std::string> print() {
    HAL_TRY(check_types());
    for (const tile::Kernel& kernel : program_.kernels) {
      for (const tile::Block& block : kernel.blocks) add_kernel(kernel.name, block);
    }
    std::string constants = print_constants();
    HAL_TRY_ASSIGN(std::string run, print_run());
    return head() + helpers_.text() + constants + kernels_ + run;
  }

 private:
  Result<void> check_types() const {
    uint64_t bytes = 0;
    for (const Tensor& constant : program_.constants) bytes += constant.bytes();
    if (bytes > kMaxC99ConstantBytes) {
      return unsupported("C source with " + std::to_string(bytes) + " bytes of constants; at most " +
                         std::to_string(kMaxC99ConstantBytes));
    }
    for (const tile::Buffer& buffer : program_.buffers) {
      if (!has_type(buffer.type.dtype))
        return unsupported("buffer " + buffer.name + " of " + name(buffer.type.dtype) + ": C99 has no such type");
    }
    return {};
  }

  std::string sym(const Sym& value) { return NestPrinter::print(value, symbols_, &helpers_); }

  void add_kernel(const std::string& name, const tile::Block& block) {
    codegen::Nest nest = codegen::make_nest(program_, block, &ranges_);
    NestPrinter printer(nest, symbols_, &helpers_);
    std::string body = printer.print();
    std::string function = "k" + std::to_string(calls_.size()), parameters, arguments;
    auto parameter = [&](const std::string& type, const std::string& name) {
      parameters += (parameters.empty() ? "" : ", ") + type + name;
      arguments += (arguments.empty() ? "" : ", ") + name;
    };
    for (uint32_t b : printer.buffers()) {
      std::string constant = b == block.target ? "" : "const ";
      parameter(constant + memory_type(program_.buffers[b].type.dtype) + "* ", "b" + std::to_string(b));
    }
    for (const auto& [symbol, c_name] : symbols_) parameter("int64_t ", c_name);
    for (const auto& [symbol, c_name] : symbols_) body = "  (void)" + c_name + ";\n" + body;
    kernels_ += "/* " + name + " */\nstatic void " + function + "(" + parameters + ") {\n" + body + "}\n\n";
    calls_.push_back("  " + function + "(" + arguments + ");\n");
    steps_.push_back({});
    steps_.back().bindings.assign(printer.buffers().begin(), printer.buffers().end());
    used_.insert(printer.buffers().begin(), printer.buffers().end());
  }

  std::string head() const {
    std::string text =
        "/* Made by Mortise from \"" + safe(program_.name) +
        "\". C99; link with -lm. Compile so that a * b + c is not fused\n" +
        " * (gcc and clang: -std=c99 or -ffp-contract=off), with IEEE arithmetic (no -ffast-math; on 32-bit x86\n" +
        " * -msse2 -mfpmath=sse).\n *\n";
    auto tensors = [&](BufferKind kind, const char* array) {
      for (const tile::Buffer& buffer : program_.buffers) {
        if (buffer.kind == kind)
          text += " *   " + std::string(array) + "[" + std::to_string(buffer.index) + "]: " + safe(buffer.name) + ": " +
                  safe(compiler::text(buffer.type)) + "\n";
      }
    };
    tensors(BufferKind::kInput, "inputs");
    tensors(BufferKind::kOutput, "outputs");
    for (const auto& [symbol, c_name] : symbols_)
      text += " *   symbols[" + c_name.substr(1) + "]: " + safe(symbol) + "\n";
    text += " *\n * Tensors are dense and row-major; f16 and bf16 are their bits. `arena` is scratch memory of " +
            prefix_ + "_arena_bytes(symbols) bytes,\n * aligned to 8. " + prefix_ +
            "_run returns 0, or -1 when the symbols are outside what this program was made for. */\n" +
            "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n";
    return text;
  }

  // Nothing that ends a comment or a line.
  static std::string safe(std::string text) {
    for (char& c : text) {
      if (c == '*' || c == '/' || static_cast<unsigned char>(c) < 32 || c == '\\' || c == '"' || c == '?')
        c = c == '*' ? 'x' : '_';
    }
    return text;
  }

  std::string print_constants() const {
    std::string text;
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const tile::Buffer& buffer = program_.buffers[b];
      if (buffer.kind != BufferKind::kConstant) continue;
      const Tensor& tensor = program_.constants[buffer.index];
      text += "static const " + memory_type(tensor.dtype) + " b" + std::to_string(b) + "[" +
              std::to_string(std::max<uint64_t>(tensor.size(), 1)) + "] = {";
      DType shown = is_half(tensor.dtype) ? DType::kU16 : tensor.dtype;
      size_t width = bytes_of(tensor.dtype, 1);
      for (uint64_t i = 0; i < tensor.size(); ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, tensor.storage->data() + i * width, width);
        text += (i % 8 == 0 ? "\n  " : " ") + literal(shown, bits) + ",";
      }
      text += tensor.size() == 0 ? "0};\n\n" : "\n};\n\n";
    }
    return text;
  }

  bool is_temporary(size_t b) const {
    return program_.buffers[b].kind == BufferKind::kTemporary && used_.count(static_cast<uint32_t>(b)) != 0;
  }

  // Where each temporary lies: planned when all extents are known, one after the other when they are not.
  Result<std::string> print_arena(std::string* offsets) {
    bool known = true;
    for (size_t b = 0; b < program_.buffers.size(); ++b)
      known = known && (!is_temporary(b) || is_known(program_.buffers[b].type.shape));
    std::string size = "0";
    if (known) {
      CompiledProgram skeleton;
      for (const tile::Buffer& buffer : program_.buffers)
        skeleton.buffers.push_back({buffer.kind, buffer.index, buffer.type});
      skeleton.steps = steps_;
      HAL_TRY_ASSIGN(MemoryPlan plan, plan_memory(skeleton, {}));
      size = integer_literal(static_cast<int64_t>(plan.arena_bytes));
      for (size_t b = 0; b < program_.buffers.size(); ++b)
        *offsets += temporary(b, integer_literal(static_cast<int64_t>(plan.offsets[b])));
      return "  return " + size + ";\n";
    }
    std::string text = "  int64_t end = 0;\n";
    *offsets += "  int64_t end = 0;\n";
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const TensorType& type = program_.buffers[b].type;
      if (!is_temporary(b)) continue;
      std::string bytes = "  end += (" + sym(product(type.shape)) + " * " + std::to_string(bytes_of(type.dtype, 1)) +
                          " + 63) / 64 * 64;\n";
      *offsets += temporary(b, "end") + bytes;
      text += bytes;
    }
    return text + "  return end;\n";
  }

  std::string temporary(size_t b, const std::string& offset) const {
    if (!is_temporary(b)) return "";
    std::string type = memory_type(program_.buffers[b].type.dtype);
    return "  " + type + "* b" + std::to_string(b) + " = (" + type + "*)(void*)((unsigned char*)arena + " + offset +
           ");\n";
  }

  std::string print_symbols(const std::string& wrong) {
    std::string text;
    if (symbols_.empty()) text += "  (void)symbols;\n";
    for (const auto& [symbol, c_name] : symbols_) {
      text += "  const int64_t " + c_name + " = symbols[" + c_name.substr(1) + "];\n";
    }
    for (const auto& [symbol, c_name] : symbols_) text += "  (void)" + c_name + ";\n";
    for (const auto& [symbol, c_name] : symbols_) {
      const SymRange* range = program_.ranges.find(symbol);
      std::string lo = range != nullptr && range->lo ? sym(*range->lo) : "0";
      std::string hi = range != nullptr && range->hi ? sym(*range->hi) : integer_literal(kMaxExtent);
      text += "  if (" + c_name + " < " + lo + " || " + c_name + " > " + hi + ") return " + wrong + ";\n";
    }
    for (const Sym& zero : program_.ranges.assumptions())
      text += "  if (" + sym(zero) + " != 0) return " + wrong + ";\n";
    return text;
  }

  Result<std::string> print_run() {
    std::string offsets, text;
    HAL_TRY_ASSIGN(std::string arena, print_arena(&offsets));
    std::string symbols = print_symbols("-1");
    text += "int64_t " + prefix_ + "_arena_bytes(const int64_t* symbols);\nint64_t " + prefix_ +
            "_arena_bytes(const int64_t* symbols) {\n" + symbols + arena + "}\n\n";
    std::string parameters = "(const void* const* inputs, void* const* outputs, void* arena, const int64_t* symbols)";
    text += "int " + prefix_ + "_run" + parameters + ";\nint " + prefix_ + "_run" + parameters + " {\n" + symbols;
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const tile::Buffer& buffer = program_.buffers[b];
      std::string type = memory_type(buffer.type.dtype), name = " b" + std::to_string(b) + " = ";
      std::string at = "[" + std::to_string(buffer.index) + "];\n";
      if (buffer.kind == BufferKind::kInput)
        text += "  const " + type + "*" + name + "(const " + type + "*)inputs" + at;
      if (buffer.kind == BufferKind::kOutput) text += "  " + type + "*" + name + "(" + type + "*)outputs" + at;
    }
    text += "  (void)inputs;\n  (void)outputs;\n  (void)arena;\n" + offsets;
    for (const std::string& call : calls_) text += call;
    return text + "  return 0;\n}\n";
  }

  const tile::Program& program_;
  SymRanges ranges_;
  std::string prefix_, kernels_;
  std::map<std::string, std::string> symbols_;
  std::vector<std::string> calls_;
  std::vector<Step> steps_;
  std::set<uint32_t> used_;  // buffers; a temporary that fusion left without a use takes no memory
  Helpers helpers_;
};

}  // namespace
}  // namespace c99

Result<std::string> to_c99(const tile::Program& program, const std::string& prefix) {
  return c99::ProgramPrinter(program, prefix).print();
}

std::string c_identifier(const std::string& name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out = "m_" + out;
  return out;
}

}  // namespace hal::compiler
