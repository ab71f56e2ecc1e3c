// SPDX-License-Identifier: Apache-2.0
//
// The views of a report. Device text is untrusted: each writer escapes for its own format.
#ifndef HAL_CONFORMANCE_WRITERS_HPP_
#define HAL_CONFORMANCE_WRITERS_HPP_

#include "hal/conformance/report.hpp"

namespace hal::conformance {

std::string write_text(const Report& report);  // levels, totals, and the first failure explained
std::string write_json(const Report& report);  // conformance/data/report.schema.json
std::string write_junit(const Report& report);
std::string write_html(const Report& report);  // one file, nothing from elsewhere

// DATA_CORRUPT, with the place, for what write_json did not write.
Result<Report> read_json(std::string_view text);

// Writes report.json, report.xml, report.html and report.txt below a directory.
Result<void> write_reports(const Report& report, const std::string& directory);

// What changed from one report to another.
struct ReportDiff {
  std::vector<std::string> worse;  // lines: "runtime.copy.size_64: PASS -> FAIL"
  std::vector<std::string> better;
  std::vector<std::string> added;
  std::vector<std::string> removed;
};
ReportDiff compare_reports(const Report& before, const Report& after);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_WRITERS_HPP_
