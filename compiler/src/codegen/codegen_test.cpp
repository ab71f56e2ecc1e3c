// SPDX-License-Identifier: Apache-2.0
//
// Compiled code against the interpreter: on the machine's own features and on every lower set that it can run.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "codegen/isa.hpp"
#include "run_for_test.hpp"

namespace hal::compiler {
namespace {

Sym sym(const char* text) { return *Sym::parse(text); }

// The feature sets that this machine can execute, widest last.
std::vector<std::string> runnable_targets() {
  std::vector<std::string> targets = {"x86-64+sse4.1"};
  std::string host = host_features();
  if (host.find("+avx2") != std::string::npos && host.find("+fma") != std::string::npos)
    targets.push_back("x86-64+avx2+fma+f16c");
  if (host.find("+avx512vl") != std::string::npos) targets.push_back("x86-64+avx512f+avx512bw+avx512dq+avx512vl");
  return targets;
}

Tensor noise(DType dtype, std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 random(seed);
  Tensor tensor = Tensor::make(dtype, std::move(shape));
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> small(-9, 9);
  for (uint64_t i = 0; i < tensor.size(); ++i) {
    if (dtype == DType::kF32) tensor.data<float>()[i] = normal(random);
    if (dtype == DType::kF64) tensor.data<double>()[i] = normal(random);
    if (dtype == DType::kI32) tensor.data<int32_t>()[i] = small(random);
    if (dtype == DType::kI64) tensor.data<int64_t>()[i] = small(random);
    if (dtype == DType::kI8) tensor.data<int8_t>()[i] = static_cast<int8_t>(small(random));
    if (dtype == DType::kBOOL) tensor.data<uint8_t>()[i] = small(random) > 0;
  }
  return tensor;
}

// How far two results may be apart: 0 means the same bits (any NaN for NaN).
void expect_close(const Tensor& want, const Tensor& got, double tolerance, const std::string& what) {
  ASSERT_EQ(want.dtype, got.dtype) << what;
  ASSERT_EQ(want.shape, got.shape) << what;
  if (!is_float(want.dtype)) {
    ASSERT_EQ(*want.storage, *got.storage) << what;
    return;
  }
  for (uint64_t i = 0; i < want.size(); ++i) {
    double w = want.dtype == DType::kF32 ? want.data<float>()[i] : want.data<double>()[i];
    double g = want.dtype == DType::kF32 ? got.data<float>()[i] : got.data<double>()[i];
    if (std::isnan(w) && std::isnan(g)) continue;
    if (w == g && std::signbit(w) == std::signbit(g)) continue;
    ASSERT_LE(std::fabs(w - g), tolerance * std::max(1.0, std::fabs(w)))
        << what << ", element " << i << ": expected " << w << ", got " << g;
  }
}

// Compiles for each runnable target, fused and not, with buffers that end and begin at forbidden pages.
void check(const Module& module, const std::vector<Tensor>& inputs, double tolerance, const std::string& what) {
  auto want = interpret(module, inputs);
  ASSERT_TRUE(want) << what << ": " << want.error().message;
  for (const std::string& features : runnable_targets()) {
    for (bool fuse : {true, false}) {
      CompileOptions options;
      options.target.features = features;
      options.fuse = fuse;
      auto program = compile(module, options);
      ASSERT_TRUE(program) << what << ": " << program.error().message;
      for (bool at_end : {true, false}) {
        auto got = run_for_test(*program, inputs, at_end);
        ASSERT_TRUE(got) << what << ": " << got.error().message;
        for (size_t i = 0; i < want->size(); ++i) {
          expect_close((*want)[i], (*got)[i], tolerance, what + " on " + features + (fuse ? " fused" : " unfused"));
        }
      }
    }
  }
}

Attributes axes(std::vector<int64_t> values) {
  Attributes a;
  a.axes = std::move(values);
  return a;
}

Attributes to(DType dtype) {
  Attributes a;
  a.dtype = dtype;
  return a;
}

TEST(Codegen, ElementwiseOverTailsKeepsTheBits) {
  Builder b("chain");
  ValueId x = b.parameter("x", {DType::kF32, {sym("N")}});
  ValueId y = b.parameter("y", {DType::kF32, {sym("N")}});
  ValueId s = *b.op(Prim::kAdd, {x, y});
  ValueId m = *b.op(Prim::kMul, {s, x});
  ValueId d = *b.op(Prim::kDiv, {m, *b.op(Prim::kMax, {y, x})});
  ValueId r = *b.op(Prim::kSqrt, {*b.op(Prim::kAbs, {d})});
  auto module = b.finish({r, m}, {"r", "m"});
  for (int64_t n : {0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 64, 130}) {
    check(*module, {noise(DType::kF32, {n}, 1), noise(DType::kF32, {n}, 2)}, 0, "n=" + std::to_string(n));
  }
}

TEST(Codegen, SpecialValuesOfEveryFloatPrimitive) {
  const float inf = HUGE_VALF, nan = std::nanf("");
  std::vector<float> grid = {0.f,    -0.f,    1,     -1,     0.5f, -0.5f, 1.5f,   2.5f, inf,  -inf,  nan,
                             1e-40f, -1e-40f, 3e38f, -3e38f, 7,    -3,    1e-20f, 100,  -100, 88.5f, -90};
  std::vector<float> xs, ys;
  for (float x : grid) {
    for (float y : grid) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
  int64_t n = static_cast<int64_t>(xs.size());
  std::vector<Tensor> inputs = {Tensor::of<float>(DType::kF32, {n}, xs), Tensor::of<float>(DType::kF32, {n}, ys)};
  for (Prim prim : {Prim::kNeg, Prim::kAbs, Prim::kSign, Prim::kFloor, Prim::kCeil, Prim::kTrunc, Prim::kRoundEven,
                    Prim::kSqrt, Prim::kIsNan, Prim::kIsInf, Prim::kExp, Prim::kLog, Prim::kTanh, Prim::kErf,
                    Prim::kLog1p, Prim::kExpm1, Prim::kAtan}) {
    Builder b("u");
    ValueId x = b.parameter("x", {DType::kF32, {n}});
    auto module = b.finish({*b.op(prim, {x})}, {"r"});
    check(*module, {inputs[0]},
          info(prim).cls == PrimClass::kUnary && prim >= Prim::kExp && prim <= Prim::kAtan ? 4e-7 : 0, info(prim).text);
  }
  for (Prim prim :
       {Prim::kAdd, Prim::kSub, Prim::kMul, Prim::kDiv, Prim::kMin, Prim::kMax, Prim::kRem, Prim::kPow, Prim::kAtan2}) {
    Builder b("b");
    ValueId x = b.parameter("x", {DType::kF32, {n}}), y = b.parameter("y", {DType::kF32, {n}});
    auto module = b.finish({*b.op(prim, {x, y})}, {"r"});
    check(*module, inputs, prim == Prim::kPow || prim == Prim::kAtan2 ? 4e-7 : 0, info(prim).text);
  }
}

TEST(Codegen, TranscendentalAccuracy) {
  std::vector<float> xs;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> wide(-80, 80), narrow(-2, 2);
  for (int i = 0; i < 4000; ++i) xs.push_back(i % 2 ? wide(random) : narrow(random));
  int64_t n = static_cast<int64_t>(xs.size());
  for (Prim prim : {Prim::kExp, Prim::kLog, Prim::kSin, Prim::kCos, Prim::kTanh, Prim::kErf, Prim::kLog1p, Prim::kExpm1,
                    Prim::kAtan}) {
    for (DType dtype : {DType::kF32, DType::kF64}) {
      Builder b("u");
      ValueId x = b.parameter("x", {dtype, {n}});
      auto module = b.finish({*b.op(prim, {x})}, {"r"});
      Tensor input = dtype == DType::kF32 ? Tensor::of<float>(dtype, {n}, xs)
                                          : Tensor::of<double>(dtype, {n}, std::vector<double>(xs.begin(), xs.end()));
      check(*module, {input}, dtype == DType::kF32 ? 2.5e-7 : 2e-14, std::string(info(prim).text) + " " + name(dtype));
    }
  }
}

TEST(Codegen, IntegersAndBool) {
  for (DType dtype : {DType::kI8, DType::kI32, DType::kI64}) {
    for (Prim prim : {Prim::kAdd, Prim::kSub, Prim::kMul, Prim::kDiv, Prim::kRem, Prim::kMin, Prim::kMax, Prim::kAnd,
                      Prim::kOr, Prim::kXor, Prim::kShl, Prim::kShr}) {
      Builder b("i");
      ValueId x = b.parameter("x", {dtype, {37}}), y = b.parameter("y", {dtype, {37}});
      auto module = b.finish({*b.op(prim, {x, y})}, {"r"});
      check(*module, {noise(dtype, {37}, 1), noise(dtype, {37}, 2)}, 0,
            std::string(info(prim).text) + " " + name(dtype));
    }
  }
}

TEST(Codegen, CastsBetweenAllNumberTypes) {
  for (DType from : {DType::kBOOL, DType::kI8, DType::kI32, DType::kI64, DType::kF32, DType::kF64}) {
    for (DType target :
         {DType::kBOOL, DType::kI8, DType::kU8, DType::kI32, DType::kU32, DType::kI64, DType::kF32, DType::kF64}) {
      Builder b("c");
      ValueId x = b.parameter("x", {from, {41}});
      auto module = b.finish({*b.op(Prim::kCast, {x}, to(target))}, {"r"});
      check(*module, {noise(from, {41}, 5)}, 0, std::string(name(from)) + " to " + name(target));
    }
  }
}

TEST(Codegen, MovementComposesIntoIndices) {
  Builder b("move");
  ValueId x = b.parameter("x", {DType::kF32, {sym("N"), 6, 5}});
  Attributes perm = axes({2, 0, 1});
  ValueId t = *b.op(Prim::kTranspose, {x}, perm);  // 5, N, 6
  Attributes shape;
  shape.shape = {5, sym("N"), 2, 3};
  ValueId r = *b.op(Prim::kReshape, {t}, shape);
  Attributes slice;
  slice.low = {4, 0, 0, 2}, slice.size = {3, sym("N"), 2, 2}, slice.step = {-2, 1, 1, -1};
  ValueId s = *b.op(Prim::kSlice, {r}, slice);
  ValueId zero = b.constant(Tensor::of<float>(DType::kF32, {}, {7.f}));
  Attributes pad;
  pad.low = {1, 0, -1, 0}, pad.high = {0, 2, 1, 0}, pad.interior = {0, 0, 0, 2};
  ValueId p = *b.op(Prim::kPad, {s, zero}, pad);
  ValueId c = *b.op(Prim::kConcat, {p, p}, axes({3}));
  auto module = b.finish({c}, {"c"});
  ASSERT_TRUE(module) << module.error().message;
  for (int64_t n : {1, 3, 17}) check(*module, {noise(DType::kF32, {n, 6, 5}, 3)}, 0, "n=" + std::to_string(n));
}

TEST(Codegen, ReductionsAlongAndAcross) {
  for (std::vector<int64_t> which : {std::vector<int64_t>{2}, {0}, {1}, {0, 2}, {0, 1, 2}}) {
    for (ReduceKind kind : {ReduceKind::kAdd, ReduceKind::kMax, ReduceKind::kMin, ReduceKind::kMul}) {
      Builder b("reduce");
      ValueId x = b.parameter("x", {DType::kF32, {sym("A"), 5, sym("B")}});
      Attributes a = axes(which);
      a.reduce = kind;
      auto module = b.finish({*b.op(Prim::kReduce, {x}, a)}, {"r"});
      for (int64_t n : {0, 1, 16, 67, 200})
        check(*module, {noise(DType::kF32, {3, 5, n}, 3)}, 1e-5, "reduce n=" + std::to_string(n));
    }
    Builder b("arg");
    ValueId x = b.parameter("x", {DType::kF32, {4, 5, 33}});
    Attributes a = axes({which[0]});
    a.reduce = ReduceKind::kMax;
    auto module = b.finish({*b.op(Prim::kArgReduce, {x}, a)}, {"r"});
    check(*module, {noise(DType::kF32, {4, 5, 33}, 9)}, 0, "arg_reduce");
  }
}

// y = relu(x * w + bias): product, epilogue with a broadcast operand.
Module matmul(Sym m, Sym n, Sym k, bool transposed, DType dtype) {
  Builder b("matmul");
  ValueId x = b.parameter("x", {dtype, {m, k}});
  ValueId w = b.parameter("w", {dtype, transposed ? Shape{n, k} : Shape{k, n}});
  ValueId bias = b.parameter("bias", {dtype, {n}});
  Attributes labels;
  labels.labels = {{0, 2}, transposed ? std::vector<int>{1, 2} : std::vector<int>{2, 1}, {0, 1}};
  ValueId p = *b.op(Prim::kContract, {x, w}, labels);
  Attributes wide = axes({1});
  wide.shape = {m, n};
  ValueId s = *b.op(Prim::kAdd, {p, *b.op(Prim::kBroadcast, {bias}, wide)});
  ValueId zero =
      b.constant(dtype == DType::kF32 ? Tensor::of<float>(dtype, {}, {0.f}) : Tensor::of<double>(dtype, {}, {0.0}));
  Attributes all;
  all.shape = {m, n};
  ValueId z = *b.op(Prim::kBroadcast, {zero}, all);
  return *b.finish({*b.op(Prim::kMax, {s, z})}, {"y"});
}

TEST(Codegen, MatMulOverTailsAndDynamicExtents) {
  for (bool transposed : {false, true}) {
    Module module = matmul(sym("M"), sym("N"), sym("K"), transposed, DType::kF32);
    for (auto [m, n, k] : {std::tuple{1, 1, 1},
                           {5, 7, 3},
                           {6, 64, 256},
                           {7, 65, 257},
                           {130, 130, 130},
                           {13, 300, 600},
                           {4, 9, 0},
                           {0, 5, 5}}) {
      check(module,
            {noise(DType::kF32, {m, k}, 1),
             noise(DType::kF32, transposed ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n}, 2),
             noise(DType::kF32, {n}, 3)},
            1e-4, "matmul " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
    }
  }
  check(matmul(33, 40, 50, false, DType::kF64),
        {noise(DType::kF64, {33, 50}, 1), noise(DType::kF64, {50, 40}, 2), noise(DType::kF64, {40}, 3)}, 1e-12, "f64");
}

// Several blocks along m, n and k, batches, each operand transposed or not, from a parameter or a constant: the packing
// of one workgroup for itself, of a kernel apart, and once when the program is loaded.
TEST(Codegen, MatMulOfManyBlocksPacksEachOperandOnce) {
  const int64_t m = 210, n = 540, k = 40, wide_k = 420;
  for (int variant = 0; variant < 8; ++variant) {
    bool a_transposed = (variant & 1) != 0, b_transposed = (variant & 2) != 0, constant = (variant & 4) != 0;
    int64_t depth = variant == 4 ? wide_k : k, rows = variant == 4 ? 20 : m;
    DType dtype = variant == 5 ? DType::kF64 : DType::kF32;
    std::vector<int64_t> a_shape = {2, rows, depth}, b_shape = {depth, n};
    if (a_transposed) std::swap(a_shape[1], a_shape[2]);
    if (b_transposed) std::swap(b_shape[0], b_shape[1]);
    Tensor b_value = noise(dtype, b_shape, 5);
    Builder b("blocks");
    ValueId x = b.parameter("x", {dtype, Shape(a_shape.begin(), a_shape.end())});
    ValueId w = constant ? b.constant(b_value) : b.parameter("w", {dtype, Shape(b_shape.begin(), b_shape.end())});
    Attributes labels;
    labels.labels = {{3, 0, 2}, {2, 1}, {3, 0, 1}};
    if (a_transposed) std::swap(labels.labels[0][1], labels.labels[0][2]);
    if (b_transposed) std::swap(labels.labels[1][0], labels.labels[1][1]);
    Module module = *b.finish({*b.op(Prim::kContract, {x, w}, labels)}, {"y"});
    std::vector<Tensor> inputs = {noise(dtype, a_shape, 4)};
    if (!constant) inputs.push_back(b_value);
    check(module, inputs, dtype == DType::kF64 ? 1e-12 : 1e-4, "variant " + std::to_string(variant));
    CompileOptions options;
    options.target.features = runnable_targets().back();
    auto program = *compile(module, options);
    auto prepared = std::count_if(program.buffers.begin(), program.buffers.end(), [](const ProgramBuffer& buffer) {
      return buffer.kind == tile::BufferKind::kPrepared;
    });
    EXPECT_EQ(prepared, constant ? 1 : 0) << variant;
  }
}

// The tiles of the product, the last step.
int64_t tiles(int64_t m, int64_t n, int64_t k, uint32_t cores) {
  Builder b("tiles");
  ValueId x = b.parameter("x", {DType::kF32, {m, k}}), w = b.parameter("w", {DType::kF32, {k, n}});
  Attributes labels;
  labels.labels = {{0, 2}, {2, 1}, {0, 1}};
  CompileOptions options;
  options.target.features = runnable_targets().back();
  options.target.core_count = cores;
  auto program = *compile(*b.finish({*b.op(Prim::kContract, {x, w}, labels)}, {"y"}), options);
  int64_t count = 1;
  for (const Sym& extent : program.steps.back().workgroup_count) count *= *extent.constant();
  return count;
}

TEST(Codegen, FewTilesAreSharedEvenlyByTheCores) {
  for (uint32_t cores : {2u, 3u, 4u}) {
    EXPECT_EQ(tiles(512, 49, 4608, cores) % cores, 0) << cores;
    EXPECT_EQ(tiles(64, 3136, 576, cores) % cores, 0) << cores;
    EXPECT_EQ(tiles(128, 784, 1152, cores) % cores, 0) << cores;
  }
  EXPECT_EQ(tiles(16, 32, 16, 4), 1) << "too little to share";
}

Tensor signs(std::vector<int64_t> shape) {
  Tensor tensor = noise(DType::kI32, shape, static_cast<uint32_t>(shape.back()));
  Tensor out = Tensor::make(DType::kF32, std::move(shape));
  for (uint64_t i = 0; i < out.size(); ++i) out.data<float>()[i] = static_cast<float>(tensor.data<int32_t>()[i] % 2);
  return out;
}

// Products of different blocks share their micro-kernels. With -1, 0 and 1 all sums are exact.
TEST(Codegen, ProductsOfOneModuleDoNotDisturbEachOther) {
  Builder b("chain");
  Attributes labels;
  labels.labels = {{0, 2}, {2, 1}, {0, 1}};
  ValueId x = b.parameter("x", {DType::kF32, {28, 40}});
  std::vector<ValueId> results;
  std::vector<std::string> names;
  for (int64_t n : {30, 100, 65, 400}) {
    int64_t depth = *b.type(x).shape[1].constant();
    x = *b.op(Prim::kContract, {x, b.constant(signs({depth, n}))}, labels);
    results.push_back(x);
    names.push_back("y" + std::to_string(n));
  }
  check(*b.finish(results, names), {signs({28, 40})}, 0, "chain");
}

Module conv(int64_t group, int64_t stride, int64_t dilation, int64_t pad_low, int64_t pad_high, int64_t channels,
            int64_t filters) {
  Builder b("conv");
  ValueId x = b.parameter("x", {DType::kF32, {sym("N"), channels, sym("H"), sym("W")}});
  b.ranges().set("H", {Sym(8), std::nullopt});
  b.ranges().set("W", {Sym(8), std::nullopt});
  ValueId w = b.parameter("w", {DType::kF32, {filters, channels / group, 3, 3}});
  ValueId zero = b.constant(Tensor::of<float>(DType::kF32, {}, {0.f}));
  Attributes pad;
  pad.low = {0, 0, pad_low, pad_low}, pad.high = {0, 0, pad_high, pad_high}, pad.interior = {0, 0, 0, 0};
  ValueId p = *b.op(Prim::kPad, {x, zero}, pad);
  Attributes window = axes({2, 3});
  window.size = {3, 3}, window.step = {stride, stride}, window.dilation = {dilation, dilation};
  ValueId win = *b.op(Prim::kWindow, {p}, window);
  if (group == 1) {
    Attributes labels;
    labels.labels = {{0, 2, 3, 4, 5, 6}, {1, 2, 5, 6}, {0, 1, 3, 4}};
    return *b.finish({*b.op(Prim::kContract, {win, w}, labels)}, {"y"});
  }
  const Shape& s = b.type(win).shape;
  Attributes split;
  split.shape = {s[0], group, channels / group, s[2], s[3], 3, 3};
  ValueId xg = *b.op(Prim::kReshape, {win}, split);
  Attributes split_w;
  split_w.shape = {group, filters / group, channels / group, 3, 3};
  ValueId wg = *b.op(Prim::kReshape, {w}, split_w);
  Attributes labels;
  labels.labels = {{0, 1, 2, 3, 4, 5, 6}, {1, 7, 2, 5, 6}, {0, 1, 7, 3, 4}};
  ValueId y = *b.op(Prim::kContract, {xg, wg}, labels);
  Attributes join;
  join.shape = {s[0], filters, s[2], s[3]};
  return *b.finish({*b.op(Prim::kReshape, {y}, join)}, {"y"});
}

TEST(Codegen, ConvolutionIsAProductThatPacksWindows) {
  for (auto [group, stride, dilation, low, high, channels, filters] :
       {std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>{1, 1, 1, 1, 1, 5, 13},
        {1, 2, 1, 1, 0, 8, 70},
        {1, 1, 2, 2, 2, 3, 6},
        {4, 1, 1, 1, 1, 8, 20},
        {8, 1, 1, 1, 1, 8, 8},
        {8, 2, 1, 0, 1, 8, 8}}) {
    Module module = conv(group, stride, dilation, low, high, channels, filters);
    for (auto [h, w] : {std::pair<int64_t, int64_t>{8, 9}, {17, 33}, {12, 70}}) {
      check(module,
            {noise(DType::kF32, {2, channels, h, w}, 1), noise(DType::kF32, {filters, channels / group, 3, 3}, 2)},
            1e-5,
            "conv group " + std::to_string(group) + " stride " + std::to_string(stride) + " " + std::to_string(h) +
                "x" + std::to_string(w));
    }
  }
}

TEST(Codegen, GatherClampsAndSoftmaxAgrees) {
  Builder b("gather");
  ValueId x = b.parameter("x", {DType::kF32, {7, sym("N")}});
  ValueId i = b.parameter("i", {DType::kI64, {5}});
  auto module = b.finish({*b.op(Prim::kGather, {x, i}, axes({0}))}, {"y"});
  check(*module, {noise(DType::kF32, {7, 19}, 1), Tensor::of<int64_t>(DType::kI64, {5}, {0, 6, 99, -4, 3})}, 0,
        "gather");

  Builder s("softmax");
  ValueId v = s.parameter("x", {DType::kF32, {sym("B"), sym("N")}});
  Attributes max = axes({1}), sum = axes({1}), wide = axes({0});
  max.reduce = ReduceKind::kMax, sum.reduce = ReduceKind::kAdd;
  wide.shape = {sym("B"), sym("N")};
  ValueId m = *s.op(Prim::kBroadcast, {*s.op(Prim::kReduce, {v}, max)}, wide);
  ValueId e = *s.op(Prim::kExp, {*s.op(Prim::kSub, {v, m})});
  ValueId total = *s.op(Prim::kBroadcast, {*s.op(Prim::kReduce, {e}, sum)}, wide);
  auto softmax = s.finish({*s.op(Prim::kDiv, {e, total})}, {"y"});
  for (int64_t n : {1, 15, 130}) check(*softmax, {noise(DType::kF32, {4, n}, 8)}, 1e-6, "softmax " + std::to_string(n));
}

TEST(Codegen, ScansOfEveryKind) {
  for (ReduceKind kind :
       {ReduceKind::kAdd, ReduceKind::kMul, ReduceKind::kMin, ReduceKind::kMax, ReduceKind::kAnd, ReduceKind::kOr}) {
    DType dtype = kind == ReduceKind::kAnd || kind == ReduceKind::kOr ? DType::kBOOL : DType::kI32;
    Builder b("scan");
    ValueId x = b.parameter("x", {dtype, {3, 9}});
    Attributes a = axes({1});
    a.reduce = kind;
    auto module = b.finish({*b.op(Prim::kScan, {x}, a)}, {"y"});
    ASSERT_TRUE(module) << module.error().message;
    check(*module, {noise(dtype, {3, 9}, 4)}, 0, "scan " + std::to_string(static_cast<int>(kind)));
  }
}

TEST(Codegen, UnknownTargetsAreNamed) {
  EXPECT_FALSE(codegen::parse_isa("riscv64"));
  EXPECT_FALSE(codegen::parse_isa("x86-64")) << "no rounding instructions";
  EXPECT_EQ(codegen::parse_isa("x86-64+sse4.1+unheardof")->text(), "x86-64+sse4.1");
  EXPECT_EQ(codegen::parse_isa("x86-64+sse4.1+avx512f")->vector_bytes, 16) << "half of AVX-512 is none";
}

}  // namespace
}  // namespace hal::compiler
