// SPDX-License-Identifier: Apache-2.0
#include "isa.hpp"

#include <cpuid.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "hal/compiler/program.hpp"

namespace hal::compiler::codegen {
namespace {

// Feature, the CPUID leaf with register (0 eax .. 3 edx) and bit that announce it, and the state that the OS must save
// (bits of XCR0): Intel SDM volume 2A, CPUID; AMD APM volume 3.
struct Feature {
  const char* name;
  unsigned leaf, subleaf;
  int reg, bit;
  unsigned xcr0;
};
constexpr unsigned kYmm = 0x6, kZmm = 0xE6;
constexpr Feature kFeatures[] = {
    {"sse3", 1, 0, 2, 0, 0},         {"ssse3", 1, 0, 2, 9, 0},        {"sse4.1", 1, 0, 2, 19, 0},
    {"sse4.2", 1, 0, 2, 20, 0},      {"popcnt", 1, 0, 2, 23, 0},      {"avx", 1, 0, 2, 28, kYmm},
    {"fma", 1, 0, 2, 12, kYmm},      {"f16c", 1, 0, 2, 29, kYmm},     {"bmi", 7, 0, 1, 3, 0},
    {"bmi2", 7, 0, 1, 8, 0},         {"avx2", 7, 0, 1, 5, kYmm},      {"avx512f", 7, 0, 1, 16, kZmm},
    {"avx512dq", 7, 0, 1, 17, kZmm}, {"avx512cd", 7, 0, 1, 28, kZmm}, {"avx512bw", 7, 0, 1, 30, kZmm},
    {"avx512vl", 7, 0, 1, 31, kZmm},
};

unsigned xcr0() {
  unsigned eax, edx;
  __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}

bool present(const Feature& feature) {
  std::array<unsigned, 4> r{};
  if (__get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2], &r[3]) == 0) return false;
  if ((r[static_cast<size_t>(feature.reg)] >> feature.bit & 1u) == 0) return false;
  if (feature.xcr0 == 0) return true;
  constexpr unsigned kOsxsave = 1u << 27;
  if (__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) == 0 || (r[2] & kOsxsave) == 0) return false;
  return (xcr0() & feature.xcr0) == feature.xcr0;
}

}  // namespace

std::string Isa::llvm_features() const {
  std::string out;
  for (const std::string& feature : features) out += (out.empty() ? "+" : ",+") + feature;
  return out;
}

std::string Isa::text() const {
  std::string out = "x86-64";
  for (const std::string& feature : features) out += "+" + feature;
  return out;
}

Result<Isa> parse_isa(const std::string& text) {
  Isa isa;
  size_t at = text.find('+');
  if (text.substr(0, at) != "x86-64")
    return unsupported("target '" + text + "': expected x86-64, then features such as +avx2+fma");
  while (at != std::string::npos) {
    size_t next = text.find('+', at + 1);
    std::string name = text.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    // A device may name features that no code here uses: they are not asked for.
    auto used = [&](const Feature& feature) { return name == feature.name; };
    if (std::any_of(std::begin(kFeatures), std::end(kFeatures), used)) isa.features.insert(name);
    at = next;
  }
  auto has = [&](const char* name) { return isa.features.count(name) != 0; };
  bool wide = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  if (!wide) {  // half of AVX-512 is none: masks for all widths and types are needed
    std::erase_if(isa.features, [](const std::string& name) { return name.starts_with("avx512"); });
  }
  if (has("avx2") || wide) isa.features.insert("avx");
  if (wide) isa.features.insert({"avx2", "fma", "f16c"});
  if (has("avx")) isa.features.insert({"sse4.1", "sse4.2"});
  if (!has("sse4.1") && !has("sse4.2"))
    return unsupported("target '" + text + "': code generation needs at least sse4.1");
  isa.features.insert("sse4.1");
  isa.fma = has("fma");
  isa.f16c = has("f16c");
  isa.vector_bytes = wide ? 64 : has("avx2") ? 32 : 16;
  isa.vector_registers = wide ? 32 : 16;
  return isa;
}

}  // namespace hal::compiler::codegen

namespace hal::compiler {

std::string host_features() {
  std::string out = "x86-64";
  for (const auto& feature : codegen::kFeatures) {
    if (codegen::present(feature)) out += std::string("+") + feature.name;
  }
  return out;
}

}  // namespace hal::compiler
