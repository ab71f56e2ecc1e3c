// SPDX-License-Identifier: Apache-2.0
//
// The report as one HTML file with nothing from elsewhere: levels, failures first, all cases with a filter, and the
// support matrix of operators by dtype.
#include <algorithm>
#include <cstdio>

#include "escape.hpp"
#include "hal/conformance/writers.hpp"
#include "support_matrix.hpp"

namespace hal::conformance {
namespace {

constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>hal-conformance report</title><style>
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{text-align:left;padding:.25rem .5rem;border-bottom:1px solid #8886;vertical-align:top}
td.name{overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.25rem 0;font-size:.85rem}
.PASS,.passed{color:#1a7f37}.FAIL,.CRASH,.TIMEOUT,.FLAKY,.NOT_RUN,.failed{color:#d1242f;font-weight:600}.UNSUPPORTED,.WAIVED{color:#777}
input{font:inherit;padding:.4rem;width:100%;box-sizing:border-box}details{margin:.5rem 0;border-left:3px solid #d1242f;padding-left:.75rem}
</style></head><body>
)";

constexpr char kScript[] = R"(<script>
"use strict";
const box=document.getElementById("filter"),rows=[...document.querySelectorAll("#cases tbody tr")].map(r=>[r,r.textContent.toLowerCase()]),count=document.getElementById("count");
function apply(){const words=box.value.toLowerCase().split(/\s+/).filter(Boolean);let shown=0;
for(const [row,text] of rows){const hit=words.every(w=>text.includes(w));row.hidden=!hit;if(hit)shown++;}
count.textContent=shown+" of "+rows.length+" cases";}
box.addEventListener("input",apply);apply();
</script></body></html>
)";

std::string cell(std::string_view text, std::string_view style = {}) {
  const std::string open = style.empty() ? "<td>" : "<td class=\"" + std::string(style) + "\">";
  return open + escape_markup(text) + "</td>";
}

std::string verdict_cell(Verdict verdict) { return cell(to_text(verdict), to_text(verdict)); }

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", seconds);
  return text;
}

std::string write_summary(const Report& report) {
  std::string text = "<h1>" + escape_markup(report.snapshot.device_name) + "</h1>\n<p>" +
                     escape_markup(report.snapshot.device) + ", plugin " +
                     escape_markup(report.snapshot.plugin + " " + report.snapshot.plugin_version + " (" +
                                   report.snapshot.build_id + ")") +
                     ". Profile " + std::string(to_text(report.profile)) + ", seed " + std::to_string(report.seed) +
                     ", suite " + escape_markup(report.suite_version) +
                     ".</p>\n<table id=\"levels\"><thead><tr><th>Level</th><th>State</th>"
                     "<th>Required cases passed</th><th>Why not</th></tr></thead><tbody>\n";
  for (const LevelSummary& level : report.levels()) {
    text += "<tr>" + cell(to_text(level.level)) +
            cell(to_text(level.state), level.state == LevelState::kNotJudged ? "" : to_text(level.state)) +
            cell(std::to_string(level.required_passed) + " of " + std::to_string(level.required)) + cell(level.reason) +
            "</tr>\n";
  }
  text += "</tbody></table>\n<table id=\"totals\"><thead><tr><th>Planned</th>";
  for (const Verdict verdict : kVerdicts) text += "<th>" + std::string(to_text(verdict)) + "</th>";
  text += "</tr></thead><tbody><tr>" + cell(std::to_string(report.cases.size()));
  const Totals totals = report.totals();
  for (const uint64_t count : totals) text += cell(std::to_string(count));
  return text + "</tr></tbody></table>\n";
}

std::string write_failure(const ReportedCase& item) {
  const CaseResult& result = item.result;
  std::string text = "<details open><summary><span class=\"" + std::string(to_text(result.verdict)) + "\">" +
                     std::string(to_text(result.verdict)) + "</span> " + escape_markup(result.name) + "</summary><p>" +
                     escape_markup(result.message) + "<br>Held to: " + escape_markup(item.clause) + "</p>";
  if (result.mismatch) {
    text += "<p>First mismatch: index " + std::to_string(result.mismatch->index) + ", expected " +
            escape_markup(result.mismatch->expected) + ", got " + escape_markup(result.mismatch->got) +
            (result.mismatch->ulp ? ", " + std::to_string(*result.mismatch->ulp) + " ULP" : "") + "</p>";
  }
  if (!result.output.empty()) text += "<pre>" + escape_markup(result.output) + "</pre>";
  return text + "<pre>hal-conformance reproduce '" + escape_markup(item.reproduce) + "'</pre></details>\n";
}

std::string write_failures(const Report& report) {
  std::string text;
  for (const ReportedCase& item : report.cases) {
    if (is_bad(item.result.verdict)) text += write_failure(item);
  }
  return text.empty() ? "<h2>No failures</h2>\n" : "<h2>Failures</h2>\n" + text;
}

std::string write_matrix(const Report& report) {
  const auto [matrix, dtypes] = support_matrix(report.cases);
  if (matrix.empty()) return {};
  std::string text = "<h2>Operators by dtype</h2>\n<table id=\"matrix\"><thead><tr><th>Operator</th>";
  for (const std::string& dtype : dtypes) text += "<th>" + escape_markup(dtype) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (const auto& [name, row] : matrix) {
    text += "<tr>" + cell(name, "name");
    for (const std::string& dtype : dtypes) text += row.count(dtype) != 0 ? verdict_cell(row.at(dtype)) : cell("-");
    text += "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string write_cases(const Report& report) {
  std::vector<const ReportedCase*> items;
  for (const ReportedCase& item : report.cases) items.push_back(&item);
  std::stable_partition(items.begin(), items.end(),
                        [](const ReportedCase* item) { return is_bad(item->result.verdict); });
  std::string text =
      "<h2>All cases</h2>\n<label for=\"filter\">Filter, by words of a row</label><input id=\"filter\" type=\"search\">"
      "<p id=\"count\" aria-live=\"polite\"></p>\n<table "
      "id=\"cases\"><thead><tr><th>Case</th><th>Verdict</th><th>Seconds</th>"
      "<th>Held to</th><th>Note</th></tr></thead><tbody>\n";
  for (const ReportedCase* item : items) {
    text += "<tr>" + cell(item->result.name, "name") + verdict_cell(item->result.verdict) +
            cell(seconds_text(item->result.seconds)) + cell(item->clause) + cell(item->result.message) + "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

}  // namespace

std::string write_html(const Report& report) {
  return kHead + write_summary(report) + write_failures(report) + write_matrix(report) + write_cases(report) + kScript;
}

}  // namespace hal::conformance
