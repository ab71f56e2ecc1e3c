// SPDX-License-Identifier: Apache-2.0
//
// The report as JUnit XML: a suite for each level. FAIL and FLAKY are failures; CRASH, TIMEOUT and NOT_RUN are errors.
#include <cstdio>

#include "escape.hpp"
#include "hal/conformance/writers.hpp"

namespace hal::conformance {
namespace {

bool is_failure(Verdict verdict) { return verdict == Verdict::kFail || verdict == Verdict::kFlaky; }
bool is_error(Verdict verdict) { return is_bad(verdict) && !is_failure(verdict); }
bool is_skipped(Verdict verdict) { return !is_bad(verdict) && verdict != Verdict::kPass; }

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

std::string element(const ReportedCase& item) {
  const CaseResult& result = item.result;
  std::string text = "    <testcase classname=\"" + std::string(to_text(item.level)) + "\" name=\"" +
                     escape_markup(result.name) + "\" time=\"" + seconds_text(result.seconds) + "\"";
  if (result.verdict == Verdict::kPass) return text + "/>\n";
  const char* name = is_failure(result.verdict) ? "failure" : is_error(result.verdict) ? "error" : "skipped";
  text += ">\n      <" + std::string(name) + " message=\"" + std::string(to_text(result.verdict)) + ": " +
          escape_markup(result.message) + "\"";
  text += is_skipped(result.verdict)
              ? "/>"
              : ">hal-conformance reproduce '" + escape_markup(item.reproduce) + "'</" + name + ">";
  return text + "\n    </testcase>\n";
}

std::string suite(const Report& report, Level level) {
  uint64_t tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;
  for (const ReportedCase& item : report.cases) {
    if (item.level != level) continue;
    tests++;
    failures += is_failure(item.result.verdict) ? 1 : 0;
    errors += is_error(item.result.verdict) ? 1 : 0;
    skipped += is_skipped(item.result.verdict) ? 1 : 0;
    cases += element(item);
  }
  if (tests == 0) return {};
  return "  <testsuite name=\"hal-conformance." + std::string(to_text(level)) + "\" tests=\"" + std::to_string(tests) +
         "\" failures=\"" + std::to_string(failures) + "\" errors=\"" + std::to_string(errors) + "\" skipped=\"" +
         std::to_string(skipped) + "\">\n" + cases + "  </testsuite>\n";
}

}  // namespace

std::string write_junit(const Report& report) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Level level : kLevels) text += suite(report, level);
  return text + "</testsuites>\n";
}

}  // namespace hal::conformance
