// SPDX-License-Identifier: Apache-2.0
//
// The closed set of verdicts, and the rule that one latches: nothing that happens later turns a failure into a pass.
#ifndef HAL_CONFORMANCE_VERDICT_HPP_
#define HAL_CONFORMANCE_VERDICT_HPP_

#include <array>
#include <optional>
#include <string_view>

namespace hal::conformance {

// X(enumerator, text, bad, meaning). The texts are what reports hold; the table is append-only.
#define HAL_VERDICT_TABLE(X)                                                                               \
  X(NotRun, "NOT_RUN", true, "planned, and the run ended before it")                                       \
  X(Pass, "PASS", false, "every check held")                                                               \
  X(Fail, "FAIL", true, "a check did not hold")                                                            \
  X(Crash, "CRASH", true, "the process of the case died")                                                  \
  X(Timeout, "TIMEOUT", true, "the deadline passed and the process group was killed")                      \
  X(Unsupported, "UNSUPPORTED", false, "the device declared, before the run, that it does not offer this") \
  X(Waived, "WAIVED", false, "failed, and a waiver names the case, a reason and an expiry")                \
  X(Flaky, "FLAKY", true, "failed, passed when it was run again alone, and no earlier case explains it")   \
  X(OrderDependent, "ORDER_DEPENDENT", true, "fails after the cases that are named, and passes alone")

enum class Verdict {
#define HAL_VERDICT_ENUMERATOR_(name, text, bad, meaning) k##name,
  HAL_VERDICT_TABLE(HAL_VERDICT_ENUMERATOR_)
#undef HAL_VERDICT_ENUMERATOR_
};

#define HAL_VERDICT_ONE_(name, text, bad, meaning) Verdict::k##name,
inline constexpr std::array kVerdicts = {HAL_VERDICT_TABLE(HAL_VERDICT_ONE_)};
#undef HAL_VERDICT_ONE_

constexpr std::string_view to_text(Verdict verdict) {
#define HAL_VERDICT_TEXT_(name, text, bad, meaning) text,
  constexpr std::string_view texts[] = {HAL_VERDICT_TABLE(HAL_VERDICT_TEXT_)};
#undef HAL_VERDICT_TEXT_
  return texts[static_cast<size_t>(verdict)];
}

// Whether a run with such a case does not hold.
constexpr bool is_bad(Verdict verdict) {
#define HAL_VERDICT_BAD_(name, text, bad, meaning) bad,
  constexpr bool bad[] = {HAL_VERDICT_TABLE(HAL_VERDICT_BAD_)};
#undef HAL_VERDICT_BAD_
  return bad[static_cast<size_t>(verdict)];
}

constexpr std::optional<Verdict> parse_verdict(std::string_view text) {
  for (const Verdict verdict : kVerdicts) {
    if (to_text(verdict) == text) return verdict;
  }
  return std::nullopt;
}

// What is held once `next` is heard: the first verdict stays, unless `next` is the first bad one.
constexpr Verdict latch(Verdict held, Verdict next) {
  if (held == Verdict::kNotRun) return next;
  if (is_bad(held) || !is_bad(next) || next == Verdict::kNotRun) return held;
  return next;
}

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_VERDICT_HPP_
