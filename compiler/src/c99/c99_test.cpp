// SPDX-License-Identifier: Apache-2.0
//
// C files compiled by each C compiler at hand and run, against the interpreter: gcc, clang, 32-bit x86, and a
// big-endian machine under qemu where the cross compiler is installed (scripts/nightly.sh installs it).
#include "hal/compiler/c99.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

#include "hal/compiler/interpreter.hpp"

namespace hal::compiler {
namespace {

struct Toolchain {
  const char* name;
  const char* compile;  // before the file names
  const char* run;      // before the program
  bool big_endian;
};

// -Wno-unused: what a program does not need is not an error of its own.
constexpr const char* kFlags = " -std=c99 -O1 -pedantic -Wall -Werror ";
constexpr Toolchain kToolchains[] = {
    {"gcc", "gcc", "", false},
    {"clang", "clang", "", false},
    {"m32", "gcc -m32 -msse2 -mfpmath=sse", "", false},
    {"ppc64", "powerpc64-linux-gnu-gcc -static -ffp-contract=off", "qemu-ppc64", true},
};

class C99 : public testing::TestWithParam<Toolchain> {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("mortise-c99-" + std::to_string(getpid()) + "-" + GetParam().name);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "hello.c") << "#include <stdint.h>\n#include <math.h>\nint main(void) { return 0; }\n";
    if (!shell(std::string(GetParam().compile) + " hello.c -o hello -lm 2>hello.txt") ||
        !shell(std::string(GetParam().run) + " ./hello")) {
      if (std::string_view(GetParam().name) == "gcc") FAIL() << "no gcc that works";
      GTEST_SKIP() << "no toolchain " << GetParam().name;
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool shell(const std::string& command) const {
    return std::system(("cd '" + folder_.string() + "' && " + command).c_str()) == 0;
  }

  static void swap(DType dtype, std::vector<std::byte>* bytes) {
    size_t width = bytes_of(dtype, 1);
    for (size_t i = 0; i + width <= bytes->size(); i += width)
      std::reverse(bytes->begin() + i, bytes->begin() + i + width);
  }

  // The results of the C program made of `module`; throws with the C compiler's words.
  std::vector<Tensor> run(const Module& module, const std::vector<Tensor>& inputs, const std::vector<int64_t>& symbols,
                          std::vector<Tensor> outputs) {
    auto program = tile::lower(module);
    if (!program) throw std::runtime_error(program.error().message);
    auto source = to_c99(*program, "net");
    if (!source) throw std::runtime_error(source.error().message);
    std::ofstream(folder_ / "net.c") << *source;
    std::ofstream main_file(folder_ / "main.c");
    main_file
        << "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\nint64_t net_arena_bytes(const int64_t*);\n"
           "int net_run(const void* const*, void* const*, void*, const int64_t*);\nint main(void) {\n"
           "  static const int64_t symbols[] = {";
    for (int64_t symbol : symbols) main_file << symbol << ", ";
    main_file << "0};\n  const void* in[99];\n  void* out[99];\n  size_t n = 0;\n  int code;\n"
                 "  FILE* file = fopen(\"in.bin\", \"rb\");\n";
    std::ofstream data(folder_ / "in.bin", std::ios::binary);
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::vector<std::byte> bytes = *inputs[i].storage;
      if (GetParam().big_endian) swap(inputs[i].dtype, &bytes);
      data.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      main_file << "  { void* p = malloc(" << bytes.size() + 1 << "); n += fread(p, 1, " << bytes.size()
                << ", file); in[" << i << "] = p; }\n";
    }
    data.close();
    for (size_t i = 0; i < outputs.size(); ++i)
      main_file << "  out[" << i << "] = calloc(1, " << outputs[i].bytes() + 1 << ");\n";
    main_file << "  code = net_run(in, out, malloc((size_t)net_arena_bytes(symbols) + 1), symbols);\n"
                 "  file = fopen(\"out.bin\", \"wb\");\n";
    for (size_t i = 0; i < outputs.size(); ++i)
      main_file << "  n += fwrite(out[" << i << "], 1, " << outputs[i].bytes() << ", file);\n";
    main_file << "  fclose(file);\n  return code == 0 ? 0 : 1;\n}\n";
    main_file.close();
    if (!shell(std::string(GetParam().compile) + kFlags + "net.c -c -o net.o 2>errors.txt && " + GetParam().compile +
               " main.c net.o -o net -lm 2>>errors.txt")) {
      std::ifstream errors(folder_ / "errors.txt");
      throw std::runtime_error(std::string(std::istreambuf_iterator<char>(errors), {}) + *source);
    }
    if (!shell(std::string(GetParam().run) + " ./net")) throw std::runtime_error("the program failed");
    std::ifstream result(folder_ / "out.bin", std::ios::binary);
    for (Tensor& output : outputs) {
      std::vector<std::byte> bytes(output.bytes());
      result.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
      if (GetParam().big_endian) swap(output.dtype, &bytes);
      *output.storage = bytes;
    }
    return outputs;
  }

  void check(const Module& module, const std::vector<Tensor>& inputs, const std::vector<int64_t>& symbols,
             double tolerance, const std::string& what) {
    auto want = interpret(module, inputs);
    ASSERT_TRUE(want) << what << ": " << want.error().message;
    std::vector<Tensor> space;
    for (const Tensor& tensor : *want) space.push_back(Tensor::make(tensor.dtype, tensor.shape));
    std::vector<Tensor> got = run(module, inputs, symbols, space);
    for (size_t o = 0; o < got.size(); ++o) {
      ASSERT_EQ(got[o].bytes(), (*want)[o].bytes()) << what;
      for (uint64_t i = 0; i < got[o].size(); ++i) {
        double w = value((*want)[o], i), g = value(got[o], i);
        if (std::isnan(w) && std::isnan(g)) continue;
        if (w == g && std::signbit(w) == std::signbit(g)) continue;
        ASSERT_LE(std::fabs(w - g), tolerance * std::max(1.0, std::fabs(w)))
            << what << " output " << o << " element " << i << ": expected " << w << ", got " << g;
      }
    }
  }

  static double half(DType dtype, uint16_t bits) {
    int mantissa = info(dtype).mantissa_bits, exponent = (bits & 0x7FFF) >> mantissa,
        top = (1 << info(dtype).exponent_bits) - 1;
    double fraction = bits & ((1 << mantissa) - 1), sign = bits >> 15 ? -1 : 1;
    if (exponent == top) return fraction != 0 ? NAN : sign * HUGE_VAL;
    return sign * std::ldexp(fraction + (exponent ? 1 << mantissa : 0), std::max(exponent, 1) - top / 2 - mantissa);
  }

  static double value(const Tensor& t, uint64_t i) {
    switch (t.dtype) {
      case DType::kF32:
        return static_cast<double>(t.data<float>()[i]);
      case DType::kF64:
        return t.data<double>()[i];
      case DType::kI64:
        return static_cast<double>(t.data<int64_t>()[i]);
      case DType::kU64:
        return static_cast<double>(t.data<uint64_t>()[i]);
      case DType::kI32:
        return t.data<int32_t>()[i];
      case DType::kU32:
        return t.data<uint32_t>()[i];
      case DType::kI16:
        return t.data<int16_t>()[i];
      case DType::kF16:
      case DType::kBF16:
        return half(t.dtype, t.data<uint16_t>()[i]);
      case DType::kU16:
        return t.data<uint16_t>()[i];
      case DType::kI8:
        return t.data<int8_t>()[i];
      default:
        return t.data<uint8_t>()[i];
    }
  }

  std::filesystem::path folder_;
};

// Values at the ends, around zero and in between, for any dtype, in an order that pairs each with others.
Tensor awkward(DType dtype, int64_t count, uint32_t seed) {
  static const double kValues[] = {0.0,          -0.0,          1,    -1,     0.5,      -2.5,      3.5, 1e-40, -6e-8,
                                   65504,        65520,         1e30, -1e300, HUGE_VAL, -HUGE_VAL, NAN, 127.5, -128,
                                   2147483647.0, -2147483648.0, 7,    3};
  std::mt19937 random(seed);
  Tensor tensor = Tensor::make(dtype, {count});
  for (int64_t i = 0; i < count; ++i) {
    double value = kValues[random() % std::size(kValues)];
    uint64_t bits = random() % 3 == 0 ? 0 : random() % 2 ? ~uint64_t{0} : uint64_t{random()} << 32 | random();
    if (dtype == DType::kF32)
      tensor.data<float>()[i] = static_cast<float>(value);
    else if (dtype == DType::kF64)
      tensor.data<double>()[i] = value;
    else if (dtype == DType::kBOOL)
      tensor.data<uint8_t>()[i] = bits & 1;
    else if (dtype == DType::kF16 ||
             dtype == DType::kBF16)  // finite, or infinity: what bits a NaN has is not specified
      tensor.data<uint16_t>()[i] = static_cast<uint16_t>(random() % 4           ? random() & 0xBFFF
                                                         : dtype == DType::kF16 ? 0x7C00
                                                                                : 0x7F80);
    else
      std::memcpy(tensor.storage->data() + size_t(i) * bytes_of(dtype, 1), &bits, bytes_of(dtype, 1));
  }
  return tensor;
}

constexpr DType kFloats[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16};
constexpr DType kIntegers[] = {DType::kI8, DType::kI16, DType::kI32, DType::kI64,
                               DType::kU8, DType::kU16, DType::kU32, DType::kU64};

// All primitives of one kind that the builder takes for a dtype, as the results of one program.
TEST_P(C99, ElementwisePrimitivesHaveTheirMeaning) {
  std::vector<DType> dtypes(std::begin(kFloats), std::end(kFloats));
  dtypes.insert(dtypes.end(), std::begin(kIntegers), std::end(kIntegers));
  dtypes.push_back(DType::kBOOL);
  for (DType dtype : dtypes) {
    Builder b("all");
    ValueId x = b.parameter("x", {dtype, {97}}), y = b.parameter("y", {dtype, {97}}),
            c = b.parameter("c", {DType::kBOOL, {97}});
    std::vector<ValueId> results;
    std::vector<std::string> names;
    auto add = [&](const std::string& name, Result<ValueId> value) {
      if (!value) return;
      results.push_back(*value);
      names.push_back(name);
    };
    constexpr Prim kRoundedByLibm[] = {Prim::kExp,   Prim::kLog,   Prim::kSin,  Prim::kCos, Prim::kTanh, Prim::kErf,
                                       Prim::kLog1p, Prim::kExpm1, Prim::kAtan, Prim::kPow, Prim::kAtan2};
#define HAL_ROW(id, Name, text, cls, operands, attributes, meaning)                                                 \
  if ((attributes) == kNoAttribute && is_elementwise(Prim::k##Name) &&                                              \
      std::find(std::begin(kRoundedByLibm), std::end(kRoundedByLibm), Prim::k##Name) == std::end(kRoundedByLibm)) { \
    if (Prim::k##Name == Prim::kSelect)                                                                             \
      add(text, b.op(Prim::kSelect, {c, x, y}));                                                                    \
    else if (operands == 1)                                                                                         \
      add(text, b.op(Prim::k##Name, {x}));                                                                          \
    else if (operands == 2)                                                                                         \
      add(text, b.op(Prim::k##Name, {x, y}));                                                                       \
    else                                                                                                            \
      add(text, b.op(Prim::k##Name, {x, y, x}));                                                                    \
  }
    HAL_PRIMITIVE_TABLE(HAL_ROW)
#undef HAL_ROW
    for (auto predicate :
         {Predicate::kEq, Predicate::kNe, Predicate::kLt, Predicate::kLe, Predicate::kGt, Predicate::kGe}) {
      Attributes a;
      a.predicate = predicate;
      add("cmp" + std::to_string(static_cast<int>(predicate)), b.op(Prim::kCompare, {x, y}, a));
    }
    for (DType to : dtypes) {
      for (CastMode mode : {CastMode::kSaturate, CastMode::kWrap}) {
        Attributes a;
        a.dtype = to;
        a.cast = mode;
        add(std::string("cast_") + name(to), b.op(Prim::kCast, {x}, a));
      }
      Attributes a;
      a.dtype = to;
      add(std::string("bits_") + name(to), b.op(Prim::kBitcast, {x}, a));
    }
    ASSERT_GT(results.size(), 10u) << name(dtype);
    check(*b.finish(results, names), {awkward(dtype, 97, 1), awkward(dtype, 97, 2), awkward(DType::kBOOL, 97, 3)}, {},
          0, name(dtype));
  }
}

TEST_P(C99, TranscendentalFunctionsAreThoseOfTheInterpreter) {
  for (DType dtype : {DType::kF32, DType::kF64}) {
    Builder b("libm");
    ValueId x = b.parameter("x", {dtype, {64}}), y = b.parameter("y", {dtype, {64}});
    std::vector<ValueId> results;
    std::vector<std::string> names;
    for (Prim prim : {Prim::kExp, Prim::kLog, Prim::kSin, Prim::kCos, Prim::kTanh, Prim::kErf, Prim::kLog1p,
                      Prim::kExpm1, Prim::kAtan}) {
      results.push_back(*b.op(prim, {x}));
      names.push_back(info(prim).text);
    }
    for (Prim prim : {Prim::kPow, Prim::kAtan2}) {
      results.push_back(*b.op(prim, {x, y}));
      names.push_back(info(prim).text);
    }
    Tensor values[2] = {awkward(dtype, 64, 5), awkward(dtype, 64, 6)};
    check(*b.finish(results, names), {values[0], values[1]}, {}, dtype == DType::kF32 ? 1e-6 : 1e-14, name(dtype));
  }
}

TEST_P(C99, SymbolicShapesReductionsAndGathers) {
  Builder b("shapes");
  Sym n = Sym::symbol("N");
  b.ranges().set("N", {Sym(1), Sym(40)});
  ValueId x = b.parameter("x", {DType::kF32, {n, 6}}), i = b.parameter("i", {DType::kI64, {4}});
  Attributes rows, labels, window, order;
  rows.axes = {1}, rows.reduce = ReduceKind::kMax;
  labels.labels = {{0, 2}, {1, 2}, {0, 1}};
  window.axes = {1}, window.size = {3}, window.step = {2}, window.dilation = {1};
  Attributes turn;
  turn.axes = {1, 0};
  ValueId product = *b.op(Prim::kContract, {x, x}, labels);
  Attributes take;
  take.axes = {0};
  Attributes scan;
  scan.axes = {1}, scan.reduce = ReduceKind::kAdd;
  ValueId sum = *b.op(Prim::kContract, {*b.op(Prim::kTranspose, {product}, turn), product}, labels);
  std::vector<ValueId> results = {
      *b.op(Prim::kAbs, {sum}),          *b.op(Prim::kReduce, {product}, rows),    *b.op(Prim::kGather, {x, i}, take),
      *b.op(Prim::kWindow, {x}, window), *b.op(Prim::kTranspose, {product}, turn), *b.op(Prim::kScan, {x}, scan),
      *b.op(Prim::kArgReduce, {x}, rows)};
  Module module = *b.finish(results, {"abs", "max", "rows", "windows", "turned", "sums", "where"});
  for (int64_t extent : {1, 7, 40}) {
    Tensor values = Tensor::make(DType::kF32, {extent, 6});
    for (uint64_t e = 0; e < values.size(); ++e)
      values.data<float>()[e] = static_cast<float>(static_cast<int>(e * 7 % 19) - 9);
    check(module, {values, Tensor::of<int64_t>(DType::kI64, {4}, {0, -3, 99, 2})}, {extent}, 0,
          "N=" + std::to_string(extent));
  }
}

TEST_P(C99, ExtentsOutsideTheRangeAreRefused) {
  Builder b("range");
  b.ranges().set("N", {Sym(2), Sym(4)});
  ValueId x = b.parameter("x", {DType::kF32, {Sym::symbol("N")}});
  Module module = *b.finish({*b.op(Prim::kAdd, {x, x})}, {"y"});
  EXPECT_NO_THROW(run(module, {Tensor::make(DType::kF32, {4})}, {4}, {Tensor::make(DType::kF32, {4})}));
  EXPECT_THROW(run(module, {Tensor::make(DType::kF32, {5})}, {5}, {Tensor::make(DType::kF32, {5})}),
               std::runtime_error);
}

TEST_P(C99, WhatCHasNoTypeForIsAnError) {
  Builder b("packed");
  ValueId x = b.parameter("x", {DType::kI4, {8}});
  Module module = *b.finish({x}, {"y"});
  auto source = to_c99(*tile::lower(module), "net");
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("buffer x of i4"), std::string::npos) << source.error().message;
}

INSTANTIATE_TEST_SUITE_P(Toolchains, C99, testing::ValuesIn(kToolchains),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace hal::compiler
