// SPDX-License-Identifier: Apache-2.0
//
// Compiled matrix products and convolutions against the peak of the machine, measured in the same run by a loop of
// independent fused multiply-adds in registers. One thread. Counters: GFLOP/s, and the share of that peak.
//   compiler_gemm_bench --benchmark_min_time=0.5
#include <benchmark/benchmark.h>
#include <cpuid.h>
#include <immintrin.h>

#include <cstring>
#include <ctime>

#include "codegen/run_for_test.hpp"

namespace hal::compiler {
namespace {

__attribute__((target("avx512f"))) float fma_loop_512(int64_t rounds) {
  __m512 sums[24];
  for (auto& sum : sums) sum = _mm512_set1_ps(1.0f);
  __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 24
    for (auto& sum : sums) sum = _mm512_fmadd_ps(sum, a, b);
  }
  float total = 0;
  for (auto& sum : sums) total += sum[0];
  return total;
}

__attribute__((target("avx2,fma"))) float fma_loop_256(int64_t rounds) {
  __m256 sums[12];
  for (auto& sum : sums) sum = _mm256_set1_ps(1.0f);
  __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
  for (int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) sum = _mm256_fmadd_ps(sum, a, b);
  }
  float total = 0;
  for (auto& sum : sums) total += sum[0];
  return total;
}

bool wide() { return host_features().find("avx512vl") != std::string::npos; }

// Time of this thread, as Google Benchmark's rates are: a busy neighbour takes from both alike.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Best of several short runs, in FLOP/s.
double measure_peak() {
  constexpr int64_t kRounds = 2'000'000;
  double best = 0;
  for (int i = 0; i < 10; ++i) {
    double begin = cpu_seconds();
    benchmark::DoNotOptimize(wide() ? fma_loop_512(kRounds) : fma_loop_256(kRounds));
    double seconds = cpu_seconds() - begin;
    best = std::max(best, static_cast<double>(kRounds) * (wide() ? 24 * 16 : 12 * 8) * 2 / seconds);
  }
  return best;
}

// A compiled program with its buffers, ready to be dispatched again and again.
class Ready {
 public:
  Ready(const Module& module, const std::vector<Tensor>& inputs) {
    CompileOptions options;
    options.target.features = host_features();
    options.target.l1_bytes = 48 << 10, options.target.l2_bytes = 2 << 20;
    program_ = *compile(module, options);
    int file = memfd_create("kernels", 0);
    if (write(file, program_.executable.data(), program_.executable.size()) < 0) std::abort();
    library_ = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(), RTLD_NOW | RTLD_LOCAL);
    close(file);
    table_ = static_cast<const hal_elf_cpu_t*>(dlsym(library_, HAL_ELF_CPU_SYMBOL));
    for (const ProgramBuffer& buffer : program_.buffers) {
      size_t count = static_cast<size_t>(*product(buffer.type.shape).constant());
      buffers_.push_back(static_cast<float*>(std::aligned_alloc(64, (count * 4 + 63) / 64 * 64)));
      std::memset(buffers_.back(), 0, count * 4);
      if (buffer.kind == tile::BufferKind::kInput)
        std::memcpy(buffers_.back(), inputs[buffer.index].storage->data(), count * 4);
      if (buffer.kind == tile::BufferKind::kConstant)
        std::memcpy(buffers_.back(), program_.constants[buffer.index].storage->data(), count * 4);
    }
    run(true);
  }
  ~Ready() {
    for (float* buffer : buffers_) std::free(buffer);
    dlclose(library_);
  }

  // `once`: what a session does when it loads the program; else what it does each time.
  void run(bool once = false) {
    for (const Step& step : program_.steps) {
      if (prepares(program_, step) != once) continue;
      std::vector<int64_t> constants;
      for (const Sym& constant : step.constants) constants.push_back(*constant.evaluate({}));
      std::vector<void*> bindings;
      for (uint32_t b : step.bindings) bindings.push_back(buffers_[b]);
      const hal_elf_cpu_entry_t& entry = table_->entries[step.entry];
      if (local_.size() < entry.local_memory_bytes + 64) local_.resize(entry.local_memory_bytes + 64);
      auto* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(local_.data()) + 63) / 64 * 64);
      hal_elf_cpu_call_t call = {bindings.data(), nullptr, constants.data(), aligned, {0, 0, 0}, {0, 0, 0}};
      for (size_t axis = 0; axis < 3; ++axis)
        call.workgroup_count[axis] = static_cast<uint32_t>(*step.workgroup_count[axis].evaluate({}));
      for (call.workgroup_id[2] = 0; call.workgroup_id[2] < call.workgroup_count[2]; ++call.workgroup_id[2]) {
        for (call.workgroup_id[1] = 0; call.workgroup_id[1] < call.workgroup_count[1]; ++call.workgroup_id[1]) {
          for (call.workgroup_id[0] = 0; call.workgroup_id[0] < call.workgroup_count[0]; ++call.workgroup_id[0])
            entry.function(&call);
        }
      }
    }
  }

 private:
  CompiledProgram program_;
  void* library_ = nullptr;
  const hal_elf_cpu_t* table_ = nullptr;
  std::vector<float*> buffers_;
  std::vector<char> local_;
};

Tensor values(std::vector<int64_t> shape) {
  Tensor tensor = Tensor::make(DType::kF32, std::move(shape));
  for (uint64_t i = 0; i < tensor.size(); ++i) tensor.data<float>()[i] = static_cast<float>(i % 17) / 16 - 0.5f;
  return tensor;
}

void report(benchmark::State& state, double operations) {
  static const double peak = measure_peak();
  double rate = operations * static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(rate * 1e-9, benchmark::Counter::kIsRate);
  state.counters["of_peak"] = benchmark::Counter(rate / peak, benchmark::Counter::kIsRate);
  state.counters["peak_GFLOP/s"] = peak * 1e-9;
}

void matmul(benchmark::State& state) {
  int64_t n = state.range(0);
  Builder b("matmul");
  ValueId x = b.parameter("x", {DType::kF32, {n, n}}), w = b.parameter("w", {DType::kF32, {n, n}});
  Attributes labels;
  labels.labels = {{0, 2}, {2, 1}, {0, 1}};
  Module module = *b.finish({*b.op(Prim::kContract, {x, w}, labels)}, {"y"});
  Ready ready(module, {values({n, n}), values({n, n})});
  for (auto _ : state) ready.run();
  report(state, 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n));
}
BENCHMARK(matmul)->Arg(128)->Arg(256)->Arg(512)->Arg(1024)->Arg(2048)->Unit(benchmark::kMillisecond);

// ResNet-50's 3x3 convolutions with constant weights: channels in and out, and the size of the image.
void convolution(benchmark::State& state) {
  int64_t channels = state.range(0), size = state.range(1);
  Builder b("conv");
  ValueId x = b.parameter("x", {DType::kF32, {1, channels, size, size}});
  ValueId w = b.constant(values({channels, channels, 3, 3}));
  ValueId zero = b.constant(Tensor::of<float>(DType::kF32, {}, {0.f}));
  Attributes pad, window, labels;
  pad.low = pad.high = {0, 0, 1, 1}, pad.interior = {0, 0, 0, 0};
  window.axes = {2, 3}, window.size = {3, 3}, window.step = {1, 1}, window.dilation = {1, 1};
  labels.labels = {{0, 2, 3, 4, 5, 6}, {1, 2, 5, 6}, {0, 1, 3, 4}};
  ValueId windows = *b.op(Prim::kWindow, {*b.op(Prim::kPad, {x, zero}, pad)}, window);
  Module module = *b.finish({*b.op(Prim::kContract, {windows, w}, labels)}, {"y"});
  Ready ready(module, {values({1, channels, size, size})});
  for (auto _ : state) ready.run();
  report(state, 2.0 * 9 * static_cast<double>(channels * channels) * static_cast<double>(size * size));
}
BENCHMARK(convolution)->Args({64, 56})->Args({128, 28})->Args({256, 14})->Args({512, 7})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hal::compiler

BENCHMARK_MAIN();
