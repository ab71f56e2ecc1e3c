// SPDX-License-Identifier: Apache-2.0
//
// A certificate for people: a badge in SVG, and one page of HTML that prints on one sheet.
#include <set>

#include "escape.hpp"
#include "hal/conformance/certificate.hpp"

namespace hal::conformance {
namespace {

using Json = nlohmann::json;

constexpr char kPageHead[] = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate of conformance</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:1.5rem;border:2px solid #57606a;color:#1f2328;background:#fff}
h1{margin:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{color:#57606a}dd{margin:0;overflow-wrap:anywhere}
code{font-size:.8rem}@media(max-width:30rem){dl{grid-template-columns:1fr}}@media print{body{border:0;margin:0}}
</style></head><body>
)";

std::string text_of(const Json& value) {
  return escape_markup(value.is_string() ? value.get<std::string>() : value.dump());
}

std::string row(const std::string& name, const std::string& markup) {
  return "<dt>" + name + "</dt><dd>" + markup + "</dd>\n";
}

std::string hash_of(const Json& value) { return "<code>" + text_of(value) + "</code>"; }

std::string levels_of(const Json& certificate, bool passed_only) {
  std::string text;
  for (const Json& level : certificate.at("levels")) {
    const std::string state = level.at("state").get<std::string>();
    if (passed_only && state.rfind("passed", 0) != 0) continue;
    if (!text.empty()) text += passed_only ? " + " : "<br>";
    text += text_of(level.at("level"));
    if (!passed_only) {
      text += ": <strong>" + escape_markup(state) + "</strong>, " + text_of(level.at("required_met")) + " of " +
              text_of(level.at("required")) + " required cases";
    }
  }
  return text;
}

std::string totals_of(const Json& certificate) {
  std::string text = std::to_string(certificate.at("cases").size()) + " cases";
  for (const auto& [name, count] : certificate.at("totals").items()) {
    if (count != 0) text += ", " + count.dump() + " " + name;
  }
  return text;
}

// An operator counts as supported at the dtypes where every case of it passed.
std::string operators_of(const Json& certificate) {
  size_t cells = 0, passed = 0;
  for (const auto& [name, dtypes] : certificate.at("operators").items()) {
    for (const auto& [dtype, verdict] : dtypes.items()) {
      cells++;
      passed += verdict == "PASS" ? 1 : 0;
    }
  }
  return std::to_string(certificate.at("operators").size()) + " operators; " + std::to_string(passed) + " of " +
         std::to_string(cells) + " pairs of operator and dtype passed";
}

std::string waivers_of(const Json& certificate) {
  std::string text;
  for (const Json& waiver : certificate.at("waivers")) {
    text += text_of(waiver.at("case")) + " until " + text_of(waiver.at("expires")) + " (" +
            text_of(waiver.at("owner")) + "): " + text_of(waiver.at("reason")) + "<br>";
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string write_badge(const Json& certificate) {
  const std::string left = "Mortise " + text_of(certificate.at("suite").at("version"));
  const std::string right = levels_of(certificate, true) + ", " + text_of(certificate.at("run").at("profile"));
  // 7 pixels a character at 11 px, rounded up: nothing measures text where a badge is made.
  const size_t a = left.size() * 7 + 12, b = right.size() * 7 + 12;
  const auto box = [](size_t x, size_t width, const char* colour) {
    return "<rect x=\"" + std::to_string(x) + "\" width=\"" + std::to_string(width) + "\" height=\"20\" fill=\"" +
           colour + "\"/>";
  };
  const auto label = [](size_t x, const std::string& text) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"14\" text-anchor=\"middle\">" + text + "</text>";
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(a + b) +
         "\" height=\"20\" role=\"img\" aria-label=\"" + left + ": " + right + "\"><title>" + left + ": " + right +
         "</title>" + box(0, a, "#444") + box(a, b, "#1a7f37") +
         "<g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">" + label(a / 2, left) +
         label(a + b / 2, right) + "</g></svg>\n";
}

std::string write_certificate_page(const Json& certificate, const PublicKey& key) {
  const Json &plugin = certificate.at("plugin"), &device = certificate.at("device"), &run = certificate.at("run");
  return std::string(kPageHead) + "<h1>" + text_of(device.at("name")) +
         "</h1>\n<p>Certificate of conformance, issued " + text_of(certificate.at("issued")) + "</p>\n<dl>\n" +
         row("Levels", levels_of(certificate, false)) + row("Cases", totals_of(certificate)) +
         row("Operators", operators_of(certificate)) + row("Waivers", waivers_of(certificate)) +
         row("Plugin", text_of(plugin.at("name")) + " " + text_of(plugin.at("version")) + ", " +
                           text_of(plugin.at("vendor")) + ", build " + text_of(plugin.at("build_id"))) +
         row("Plugin file", hash_of(plugin.at("sha256"))) + row("Device", hash_of(device.at("uuid"))) +
         row("Machine", text_of(certificate.at("machine"))) +
         row("Suite", text_of(certificate.at("suite").at("version")) + ", profile " + text_of(run.at("profile")) +
                          ", seed " + text_of(run.at("seed"))) +
         row("List of cases", hash_of(certificate.at("suite").at("case_list_sha256"))) +
         row("Report", hash_of(run.at("report_sha256"))) + row("Signed by key", hash_of(key.id())) +
         "</dl>\n<p>This page is for people and proves nothing. The proof is certificate.json: <code>hal-conformance "
         "verify certificate.json --trusted-key KEY.pub --plugin FILE.so</code></p>\n</body></html>\n";
}

}  // namespace hal::conformance
