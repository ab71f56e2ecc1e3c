// SPDX-License-Identifier: Apache-2.0
//
// Features by CPUID (Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E), never by model number.
#include "features.hpp"

#include <array>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace hal::cpu {
namespace {

#if defined(__x86_64__)

enum Register { kEax, kEbx, kEcx, kEdx };

// Bits of XCR0 that the operating system must have set.
constexpr uint64_t kNoState = 0, kAvxState = 0x6, kAvx512State = 0xE6;

struct Feature {
  const char* name;
  uint32_t leaf, subleaf;
  Register where;
  uint32_t bit;
  uint64_t state;
  bool listed;
  const char* missing;  // static text, for can_load
};

// Listed: what code generators choose by. The others are known, so that code which names them loads.
#define HAL_FEATURE_ROW(name, leaf, subleaf, where, bit, state, listed) \
  Feature { name, leaf, subleaf, where, bit, state, listed, "this processor has no " name }
#define HAL_LISTED_ROW(name, leaf, subleaf, where, bit, state) \
  HAL_FEATURE_ROW(name, leaf, subleaf, where, bit, state, true)
#define HAL_UNLISTED_ROW(name, leaf, subleaf, where, bit, state) \
  HAL_FEATURE_ROW(name, leaf, subleaf, where, bit, state, false)

constexpr Feature kFeatures[] = {
    HAL_UNLISTED_ROW("sse", 1, 0, kEdx, 25, kNoState),
    HAL_UNLISTED_ROW("sse2", 1, 0, kEdx, 26, kNoState),
    HAL_UNLISTED_ROW("cx8", 1, 0, kEdx, 8, kNoState),
    HAL_UNLISTED_ROW("cmov", 1, 0, kEdx, 15, kNoState),
    HAL_UNLISTED_ROW("mmx", 1, 0, kEdx, 23, kNoState),
    HAL_UNLISTED_ROW("fxsr", 1, 0, kEdx, 24, kNoState),
    HAL_UNLISTED_ROW("sse3", 1, 0, kEcx, 0, kNoState),
    HAL_UNLISTED_ROW("pclmul", 1, 0, kEcx, 1, kNoState),
    HAL_UNLISTED_ROW("ssse3", 1, 0, kEcx, 9, kNoState),
    HAL_UNLISTED_ROW("cx16", 1, 0, kEcx, 13, kNoState),
    HAL_UNLISTED_ROW("sse4.1", 1, 0, kEcx, 19, kNoState),
    HAL_LISTED_ROW("sse4.2", 1, 0, kEcx, 20, kNoState),
    HAL_UNLISTED_ROW("movbe", 1, 0, kEcx, 22, kNoState),
    HAL_LISTED_ROW("popcnt", 1, 0, kEcx, 23, kNoState),
    HAL_UNLISTED_ROW("aes", 1, 0, kEcx, 25, kNoState),
    HAL_UNLISTED_ROW("crc32", 1, 0, kEcx, 20, kNoState),
    HAL_UNLISTED_ROW("rdrnd", 1, 0, kEcx, 30, kNoState),
    HAL_UNLISTED_ROW("sahf", 0x80000001u, 0, kEcx, 0, kNoState),
    HAL_LISTED_ROW("lzcnt", 0x80000001u, 0, kEcx, 5, kNoState),
    HAL_UNLISTED_ROW("prfchw", 0x80000001u, 0, kEcx, 8, kNoState),
    HAL_UNLISTED_ROW("fsgsbase", 7, 0, kEbx, 0, kNoState),
    HAL_UNLISTED_ROW("rdseed", 7, 0, kEbx, 18, kNoState),
    HAL_UNLISTED_ROW("adx", 7, 0, kEbx, 19, kNoState),
    HAL_UNLISTED_ROW("clflushopt", 7, 0, kEbx, 23, kNoState),
    HAL_UNLISTED_ROW("clwb", 7, 0, kEbx, 24, kNoState),
    HAL_UNLISTED_ROW("rdpid", 7, 0, kEcx, 22, kNoState),
    HAL_LISTED_ROW("bmi", 7, 0, kEbx, 3, kNoState),
    HAL_LISTED_ROW("bmi2", 7, 0, kEbx, 8, kNoState),
    HAL_UNLISTED_ROW("sha", 7, 0, kEbx, 29, kNoState),
    HAL_LISTED_ROW("gfni", 7, 0, kEcx, 8, kNoState),
    HAL_LISTED_ROW("avx", 1, 0, kEcx, 28, kAvxState),
    HAL_LISTED_ROW("f16c", 1, 0, kEcx, 29, kAvxState),
    HAL_LISTED_ROW("fma", 1, 0, kEcx, 12, kAvxState),
    HAL_LISTED_ROW("avx2", 7, 0, kEbx, 5, kAvxState),
    HAL_UNLISTED_ROW("vaes", 7, 0, kEcx, 9, kAvxState),
    HAL_UNLISTED_ROW("vpclmulqdq", 7, 0, kEcx, 10, kAvxState),
    HAL_LISTED_ROW("avxvnni", 7, 1, kEax, 4, kAvxState),
    HAL_LISTED_ROW("avx512f", 7, 0, kEbx, 16, kAvx512State),
    HAL_UNLISTED_ROW("evex512", 7, 0, kEbx, 16, kAvx512State),
    HAL_LISTED_ROW("avx512dq", 7, 0, kEbx, 17, kAvx512State),
    HAL_LISTED_ROW("avx512ifma", 7, 0, kEbx, 21, kAvx512State),
    HAL_LISTED_ROW("avx512cd", 7, 0, kEbx, 28, kAvx512State),
    HAL_LISTED_ROW("avx512bw", 7, 0, kEbx, 30, kAvx512State),
    HAL_LISTED_ROW("avx512vl", 7, 0, kEbx, 31, kAvx512State),
    HAL_LISTED_ROW("avx512vbmi", 7, 0, kEcx, 1, kAvx512State),
    HAL_LISTED_ROW("avx512vbmi2", 7, 0, kEcx, 6, kAvx512State),
    HAL_LISTED_ROW("avx512vnni", 7, 0, kEcx, 11, kAvx512State),
    HAL_LISTED_ROW("avx512bitalg", 7, 0, kEcx, 12, kAvx512State),
    HAL_LISTED_ROW("avx512vpopcntdq", 7, 0, kEcx, 14, kAvx512State),
    HAL_LISTED_ROW("avx512fp16", 7, 0, kEdx, 23, kAvx512State),
    HAL_LISTED_ROW("avx512bf16", 7, 1, kEax, 5, kAvx512State),
};
#undef HAL_UNLISTED_ROW
#undef HAL_LISTED_ROW
#undef HAL_FEATURE_ROW

// XCR0: which register states the operating system saves. 0 where it says nothing.
uint64_t saved_states() {
  std::array<uint32_t, 4> id{};
  if (__get_cpuid(1, &id[0], &id[1], &id[2], &id[3]) == 0 || (id[kEcx] & (1u << 27)) == 0) return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

bool probe(const Feature& feature) {
  static const uint64_t saved = saved_states();
  if ((saved & feature.state) != feature.state) return false;
  std::array<uint32_t, 4> id{};
  if (__get_cpuid_count(feature.leaf, feature.subleaf, &id[0], &id[1], &id[2], &id[3]) == 0) return false;
  return ((id[feature.where] >> feature.bit) & 1u) != 0;
}

const Feature* find(std::string_view name) {
  for (const Feature& feature : kFeatures) {
    if (name == feature.name) return &feature;
  }
  return nullptr;
}

std::string make_target() {
  std::string target(architecture());
  for (const Feature& feature : kFeatures) {
    if (feature.listed && probe(feature)) target.append("+").append(feature.name);
  }
  return target;
}

TargetVerdict check_feature(std::string_view name) {
  const Feature* feature = find(name);
  if (feature == nullptr) return {false, name, "the target names a feature that this plugin does not know"};
  if (!probe(*feature)) return {false, name, feature->missing};
  return {true, {}, ""};
}

#else

std::string make_target() { return {}; }
TargetVerdict check_feature(std::string_view name) { return {false, name, "this plugin loads no code here"}; }

#endif

}  // namespace

std::string_view architecture() {
#if defined(__x86_64__)
  return "x86-64";
#else
  return {};
#endif
}

const std::string& machine_target() {
  static const std::string target = make_target();
  return target;
}

bool has_feature(std::string_view name) { return check_feature(name).runs; }

TargetVerdict check_target(std::string_view target) {
  const std::string_view machine = target.substr(0, target.find('+'));
  if (machine.empty() || machine != architecture()) {
    return {false, machine, "the target is for another architecture, or names none"};
  }
  for (size_t at = machine.size(); at < target.size();) {
    const size_t end = target.find('+', at + 1);
    const std::string_view name = target.substr(at + 1, (end == target.npos ? target.size() : end) - at - 1);
    const TargetVerdict verdict = check_feature(name);
    if (!verdict.runs) return verdict;
    at = end == target.npos ? target.size() : end;
  }
  return {true, {}, ""};
}

}  // namespace hal::cpu
