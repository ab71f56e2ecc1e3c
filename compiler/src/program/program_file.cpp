// SPDX-License-Identifier: Apache-2.0
//
// .halp files. Bytes are not trusted: the FlatBuffers verifier first, then every number and expression is checked, so
// that a program that loads is one that a session can run.
#include <algorithm>

#include <zlib.h>
#include "hal/compiler/program.hpp"

#include "program_generated.h"

namespace hal::compiler {
namespace {

constexpr uint32_t kVersion = 1;

const uint8_t* checksum_field(const file::Program& program) {
  return reinterpret_cast<const flatbuffers::Table*>(&program)->GetAddressOf(file::Program::VT_CRC32);
}

// CRC-32 of the whole file with the field itself zero. Code is trusted as a library is; what this finds is damage.
uint32_t checksum(const uint8_t* bytes, size_t size, const file::Program& program) {
  const uint8_t* field = checksum_field(program);
  size_t before = static_cast<size_t>(field - bytes);
  const uint8_t zeros[sizeof(uint32_t)] = {};
  uLong crc = crc32_z(0, bytes, before);
  crc = crc32_z(crc, zeros, sizeof(zeros));
  return static_cast<uint32_t>(crc32_z(crc, field + sizeof(uint32_t), size - before - sizeof(uint32_t)));
}

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;
using Strings = Offset<Vector<Offset<String>>>;

// ---- writing ----

Strings texts(FlatBufferBuilder& fbb, const std::vector<Sym>& syms) {
  std::vector<std::string> out;
  for (const Sym& sym : syms) out.push_back(sym.text());
  return fbb.CreateVectorOfStrings(out);
}

Offset<file::TensorType> write(FlatBufferBuilder& fbb, const TensorType& type) {
  auto shape = texts(fbb, type.shape);
  return file::CreateTensorType(fbb, static_cast<uint32_t>(type.dtype), shape);
}

Offset<Vector<Offset<file::NamedTensor>>> write(FlatBufferBuilder& fbb, const std::vector<ProgramTensor>& tensors) {
  std::vector<Offset<file::NamedTensor>> out;
  for (const ProgramTensor& tensor : tensors) {
    auto name = fbb.CreateString(tensor.name);
    out.push_back(file::CreateNamedTensor(fbb, name, write(fbb, tensor.type)));
  }
  return fbb.CreateVector(out);
}

Offset<file::Constant> write(FlatBufferBuilder& fbb, const Tensor& tensor) {
  fbb.ForceVectorAlignment(tensor.bytes(), 1, 64);
  auto bytes = fbb.CreateVector(reinterpret_cast<const uint8_t*>(tensor.storage->data()), tensor.bytes());
  auto shape = fbb.CreateVector(tensor.shape);
  return file::CreateConstant(fbb, static_cast<uint32_t>(tensor.dtype), shape, bytes);
}

Offset<file::Step> write(FlatBufferBuilder& fbb, const Step& step) {
  auto label = fbb.CreateString(step.label);
  auto count = texts(fbb, {step.workgroup_count.begin(), step.workgroup_count.end()});
  auto constants = texts(fbb, step.constants);
  auto bindings = fbb.CreateVector(step.bindings);
  return file::CreateStep(fbb, label, step.entry, count, constants, bindings, step.written_bindings);
}

Offset<Vector<Offset<file::Range>>> write_ranges(FlatBufferBuilder& fbb, const CompiledProgram& program) {
  std::vector<Offset<file::Range>> out;
  for (const std::string& symbol : program.symbols) {
    const SymRange* range = program.ranges.find(symbol);
    if (range == nullptr) continue;
    auto name = fbb.CreateString(symbol);
    auto lo = fbb.CreateString(range->lo ? range->lo->text() : "");
    auto hi = fbb.CreateString(range->hi ? range->hi->text() : "");
    out.push_back(file::CreateRange(fbb, name, lo, hi));
  }
  return fbb.CreateVector(out);
}

// ---- reading ----

class Reader {
 public:
  Reader(const file::Program& program, const std::string& file_name) : in_(program), file_(file_name) {}

  Result<CompiledProgram> read() {
    if (in_.version() != kVersion) {
      return Error{HAL_STATUS_INCOMPATIBLE, file_ + ": version " + std::to_string(in_.version()) +
                                                "; this release reads " + std::to_string(kVersion)};
    }
    out_.name = text(in_.name());
    out_.format = text(in_.format());
    out_.target = text(in_.target());
    if (in_.executable() != nullptr) {
      auto* bytes = reinterpret_cast<const std::byte*>(in_.executable()->data());
      out_.executable.assign(bytes, bytes + in_.executable()->size());
    }
    if (in_.symbols() != nullptr) {
      for (const String* symbol : *in_.symbols()) out_.symbols.push_back(symbol->str());
    }
    HAL_TRY(ranges());
    HAL_TRY(tensors("inputs", in_.inputs(), &out_.inputs));
    HAL_TRY(tensors("outputs", in_.outputs(), &out_.outputs));
    HAL_TRY(constants());
    HAL_TRY(buffers());
    HAL_TRY(steps());
    return std::move(out_);
  }

 private:
  static std::string text(const String* string) { return string == nullptr ? "" : string->str(); }
  Error fail(const std::string& field, const std::string& what) const {
    return data_corrupt(file_ + ": " + field + ": " + what);
  }

  Result<Sym> sym(const std::string& field, const std::string& text) const {
    auto parsed = Sym::parse(text);
    if (!parsed) return fail(field, parsed.error().message);
    for (const std::string& symbol : parsed->symbols()) {
      bool known = std::find(out_.symbols.begin(), out_.symbols.end(), symbol) != out_.symbols.end();
      if (!known) return fail(field, "unknown symbol " + symbol);
    }
    return std::move(*parsed);
  }

  Result<std::vector<Sym>> syms(const std::string& field, const Vector<Offset<String>>* strings) const {
    std::vector<Sym> out;
    for (size_t i = 0; strings != nullptr && i < strings->size(); ++i) {
      HAL_TRY_ASSIGN(Sym value, sym(field, strings->Get(static_cast<flatbuffers::uoffset_t>(i))->str()));
      out.push_back(std::move(value));
    }
    return out;
  }

  Result<void> ranges() {
    for (size_t i = 0; in_.ranges() != nullptr && i < in_.ranges()->size(); ++i) {
      const file::Range* range = in_.ranges()->Get(static_cast<flatbuffers::uoffset_t>(i));
      SymRange out;
      if (!text(range->lo()).empty()) {
        HAL_TRY_ASSIGN(out.lo, sym("ranges", text(range->lo())));
      }
      if (!text(range->hi()).empty()) {
        HAL_TRY_ASSIGN(out.hi, sym("ranges", text(range->hi())));
      }
      out_.ranges.set(text(range->symbol()), out);
    }
    HAL_TRY_ASSIGN(auto assumptions, syms("assumptions", in_.assumptions()));
    for (const Sym& zero : assumptions) out_.ranges.assume_equal(zero, Sym(0));
    return {};
  }

  Result<TensorType> type(const std::string& field, const file::TensorType* in) const {
    if (in == nullptr) return fail(field, "no type");
    TensorType out{static_cast<DType>(in->dtype()), {}};
    if (info(out.dtype).bits == 0) return fail(field, "unknown dtype " + std::to_string(in->dtype()));
    HAL_TRY_ASSIGN(out.shape, syms(field, in->shape()));
    return out;
  }

  Result<void> tensors(const std::string& field, const Vector<Offset<file::NamedTensor>>* in,
                       std::vector<ProgramTensor>* out) {
    for (size_t i = 0; in != nullptr && i < in->size(); ++i) {
      const file::NamedTensor* tensor = in->Get(static_cast<flatbuffers::uoffset_t>(i));
      HAL_TRY_ASSIGN(TensorType read, type(field, tensor->type()));
      out->push_back({text(tensor->name()), std::move(read)});
    }
    return {};
  }

  Result<void> constants() {
    for (size_t i = 0; in_.constants() != nullptr && i < in_.constants()->size(); ++i) {
      const file::Constant* in = in_.constants()->Get(static_cast<flatbuffers::uoffset_t>(i));
      std::string field = "constant " + std::to_string(i);
      Tensor tensor;
      tensor.dtype = static_cast<DType>(in->dtype());
      if (info(tensor.dtype).bits == 0) return fail(field, "unknown dtype " + std::to_string(in->dtype()));
      uint64_t count = 1;
      for (size_t d = 0; in->shape() != nullptr && d < in->shape()->size(); ++d) {
        int64_t extent = in->shape()->Get(static_cast<flatbuffers::uoffset_t>(d));
        bool overflows = extent < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count) ||
                         count > (uint64_t{1} << 56);
        if (overflows) return fail(field, "extent " + std::to_string(extent) + " cannot be");
        tensor.shape.push_back(extent);
      }
      uint64_t have = in->bytes() == nullptr ? 0 : in->bytes()->size();
      if (have != bytes_of(tensor.dtype, count)) {
        return fail(
            field, "expected " + std::to_string(bytes_of(tensor.dtype, count)) + " bytes, got " + std::to_string(have));
      }
      tensor.storage = std::make_shared<std::vector<std::byte>>(have);
      if (have > 0) std::copy_n(reinterpret_cast<const std::byte*>(in->bytes()->data()), have, tensor.storage->data());
      out_.constants.push_back(std::move(tensor));
    }
    return {};
  }

  Result<void> buffers() {
    for (size_t i = 0; in_.buffers() != nullptr && i < in_.buffers()->size(); ++i) {
      const file::Buffer* in = in_.buffers()->Get(static_cast<flatbuffers::uoffset_t>(i));
      std::string field = "buffer " + std::to_string(i);
      if (in->kind() > static_cast<uint8_t>(tile::BufferKind::kPrepared))
        return fail(field, "unknown kind " + std::to_string(in->kind()));
      auto kind = static_cast<tile::BufferKind>(in->kind());
      size_t limit = kind == tile::BufferKind::kInput      ? out_.inputs.size()
                     : kind == tile::BufferKind::kOutput   ? out_.outputs.size()
                     : kind == tile::BufferKind::kConstant ? out_.constants.size()
                                                           : 1;
      if (in->index() >= limit)
        return fail(field, "index " + std::to_string(in->index()) + " of " + std::to_string(limit));
      HAL_TRY_ASSIGN(TensorType read, type(field, in->type()));
      HAL_TRY(agrees(field, kind, in->index(), read));
      bool fixed =
          std::all_of(read.shape.begin(), read.shape.end(), [](const Sym& e) { return e.constant().has_value(); });
      if (kind == tile::BufferKind::kPrepared && !fixed)
        return fail(field,
                    "is made when the program is loaded, but its extents are not known then: " + compiler::text(read));
      out_.buffers.push_back({kind, in->index(), std::move(read)});
    }
    return {};
  }

  // A buffer that stands for an input, an output or a constant has that one's type: a session sizes memory by it.
  Result<void> agrees(const std::string& field, tile::BufferKind kind, uint32_t index, const TensorType& read) const {
    TensorType want = read;
    if (kind == tile::BufferKind::kInput) want = out_.inputs[index].type;
    if (kind == tile::BufferKind::kOutput) want = out_.outputs[index].type;
    if (kind == tile::BufferKind::kConstant) {
      const Tensor& constant = out_.constants[index];
      want = {constant.dtype, Shape(constant.shape.begin(), constant.shape.end())};
    }
    if (!(want == read)) return fail(field, "expected " + compiler::text(want) + ", got " + compiler::text(read));
    return {};
  }

  Result<void> steps() {
    for (size_t i = 0; in_.steps() != nullptr && i < in_.steps()->size(); ++i) {
      const file::Step* in = in_.steps()->Get(static_cast<flatbuffers::uoffset_t>(i));
      std::string field = "step " + std::to_string(i);
      Step step;
      step.label = text(in->label());
      step.entry = in->entry();
      step.written_bindings = in->written_bindings();
      HAL_TRY_ASSIGN(auto count, syms(field, in->workgroup_count()));
      if (count.size() != 3) return fail(field, "expected three grid extents, got " + std::to_string(count.size()));
      std::copy(count.begin(), count.end(), step.workgroup_count.begin());
      HAL_TRY_ASSIGN(step.constants, syms(field, in->constants()));
      for (size_t b = 0; in->bindings() != nullptr && b < in->bindings()->size(); ++b) {
        uint32_t buffer = in->bindings()->Get(static_cast<flatbuffers::uoffset_t>(b));
        if (buffer >= out_.buffers.size())
          return fail(field, "binds buffer " + std::to_string(buffer) + " of " + std::to_string(out_.buffers.size()));
        step.bindings.push_back(buffer);
      }
      HAL_TRY(depends_on_constants(field, step));
      out_.steps.push_back(std::move(step));
    }
    if (!out_.steps.empty() && out_.executable.empty()) return fail("executable", "there are steps but no code");
    return {};
  }

  // What a step that is run when the program is loaded may touch.
  Result<void> depends_on_constants(const std::string& field, const Step& step) const {
    if (!prepares(out_, step)) return {};
    for (uint32_t buffer : step.bindings) {
      tile::BufferKind kind = out_.buffers[buffer].kind;
      if (kind != tile::BufferKind::kConstant && kind != tile::BufferKind::kPrepared)
        return fail(field, "prepares a buffer, so it may bind constants and prepared buffers only, but binds buffer " +
                               std::to_string(buffer));
    }
    return {};
  }

  const file::Program& in_;
  const std::string& file_;
  CompiledProgram out_;
};

}  // namespace

std::vector<std::byte> save(const CompiledProgram& program) {
  FlatBufferBuilder fbb;
  fbb.ForceDefaults(true);  // so that the checksum has its place whatever it is
  auto name = fbb.CreateString(program.name);
  auto format = fbb.CreateString(program.format);
  auto target = fbb.CreateString(program.target);
  fbb.ForceVectorAlignment(program.executable.size(), 1, 64);
  auto executable =
      fbb.CreateVector(reinterpret_cast<const uint8_t*>(program.executable.data()), program.executable.size());
  auto symbols = fbb.CreateVectorOfStrings(program.symbols);
  auto ranges = write_ranges(fbb, program);
  auto inputs = write(fbb, program.inputs), outputs = write(fbb, program.outputs);
  std::vector<Offset<file::Buffer>> buffers;
  for (const ProgramBuffer& buffer : program.buffers) {
    buffers.push_back(
        file::CreateBuffer(fbb, static_cast<uint8_t>(buffer.kind), buffer.index, write(fbb, buffer.type)));
  }
  std::vector<Offset<file::Constant>> constants;
  for (const Tensor& constant : program.constants) constants.push_back(write(fbb, constant));
  std::vector<Offset<file::Step>> steps;
  for (const Step& step : program.steps) steps.push_back(write(fbb, step));
  auto root = file::CreateProgram(fbb, kVersion, name, format, target, executable, symbols, ranges, inputs, outputs,
                                  fbb.CreateVector(buffers), fbb.CreateVector(constants), fbb.CreateVector(steps),
                                  texts(fbb, program.ranges.assumptions()), 1);
  fbb.Finish(root, file::ProgramIdentifier());
  file::Program* stored = file::GetMutableProgram(fbb.GetBufferPointer());
  stored->mutate_crc32(checksum(fbb.GetBufferPointer(), fbb.GetSize(), *stored));
  auto* begin = reinterpret_cast<const std::byte*>(fbb.GetBufferPointer());
  return std::vector<std::byte>(begin, begin + fbb.GetSize());
}

Result<CompiledProgram> load_program(const std::byte* data, size_t size, const std::string& file_name) {
  constexpr size_t kLeast = 8, kMost = FLATBUFFERS_MAX_BUFFER_SIZE;
  auto* bytes = reinterpret_cast<const uint8_t*>(data);
  if (size < kLeast || !flatbuffers::BufferHasIdentifier(bytes, file::ProgramIdentifier())) {
    return data_corrupt(file_name + ": not a compiled program: expected the identifier HALP at byte 4");
  }
  flatbuffers::Verifier verifier(bytes, std::min(size, kMost), 64, 10000000);
  if (!file::VerifyProgramBuffer(verifier))
    return data_corrupt(file_name + ": damaged: the FlatBuffers verifier refuses it");
  const file::Program* program = file::GetProgram(bytes);
  bool intact = checksum_field(*program) != nullptr && checksum(bytes, size, *program) == program->crc32();
  if (!intact) return data_corrupt(file_name + ": damaged: its checksum differs; compile the model again");
  return Reader(*program, file_name).read();
}

}  // namespace hal::compiler
