// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "hal/conformance/writers.hpp"

namespace hal::conformance {
namespace {

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

// Control characters of a device's text do not reach a terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; }, '?');
  return text;
}

std::string explain(const ReportedCase& item) {
  const CaseResult& result = item.result;
  std::string text =
      "  " + result.name + ": " + std::string(to_text(result.verdict)) + "\n    " + printable(result.message) + "\n";
  if (result.mismatch) {
    text += "    first mismatch: index " + std::to_string(result.mismatch->index) + ", expected " +
            result.mismatch->expected + ", got " + printable(result.mismatch->got);
    if (result.mismatch->ulp) text += ", " + std::to_string(*result.mismatch->ulp) + " ULP";
    text += "\n";
  }
  text += "    held to: " + item.clause + "; seed " + std::to_string(item.seed) + "\n";
  if (!result.output.empty()) text += "    the process wrote: " + printable(result.output.substr(0, 400)) + "\n";
  return text + "    reproduce: hal-conformance reproduce '" + item.reproduce + "'\n";
}

}  // namespace

std::string write_text(const Report& report) {
  std::string text = report.snapshot.device + " (" + printable(report.snapshot.device_name) + "), plugin " +
                     report.snapshot.plugin + " " + printable(report.snapshot.plugin_version) + ", profile " +
                     std::string(to_text(report.profile)) + ", seed " + std::to_string(report.seed) + "\n";
  uint64_t explained = 0, bad = 0;
  for (const ReportedCase& item : report.cases) {
    if (!is_bad(item.result.verdict)) continue;
    bad++;
    if (explained++ == 0) {
      text += "\nFirst failure:\n" + explain(item) + "\n";
    } else {
      text += std::string("  ") + item.result.name + ": " + std::string(to_text(item.result.verdict)) +
              "  (hal-conformance reproduce '" + item.reproduce + "')\n";
    }
  }
  if (bad > 1) text += "\n";
  for (const std::string& line : report.unused_waivers) text += "waiver: " + printable(line) + "\n";
  for (const LevelSummary& level : report.levels()) {
    text += "level " + std::string(to_text(level.level)) + ": " + std::string(to_text(level.state)) + ", " +
            std::to_string(level.required_passed) + " of " + std::to_string(level.required) + " required cases" +
            (level.reason.empty() ? "" : "; " + level.reason) + "\n";
  }
  text += std::to_string(report.cases.size()) + " planned";
  const Totals totals = report.totals();
  for (const Verdict verdict : kVerdicts) {
    const uint64_t count = totals[static_cast<size_t>(verdict)];
    if (count != 0 || verdict == Verdict::kPass)
      text += ", " + std::to_string(count) + " " + std::string(to_text(verdict));
  }
  return text + ", in " + seconds_text(report.seconds) + "\n";
}

Result<void> write_reports(const Report& report, const std::string& directory) {
  const std::pair<const char*, std::string> files[] = {{"report.txt", write_text(report)},
                                                       {"report.json", write_json(report)},
                                                       {"report.xml", write_junit(report)},
                                                       {"report.html", write_html(report)}};
  for (const auto& [name, content] : files) {
    const std::string path = directory + "/" + name;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << content;
    if (!file.flush()) return Error{HAL_STATUS_UNAVAILABLE, "writing " + path + "; is the disk full?"};
  }
  return {};
}

}  // namespace hal::conformance
