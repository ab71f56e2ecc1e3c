// SPDX-License-Identifier: Apache-2.0
//
// From a report to a signed certificate.
#include "hal/conformance/certificate.hpp"

#include <algorithm>

#include "certificate_parts.hpp"
#include "hal/conformance/canonical_json.hpp"
#include "support_matrix.hpp"

namespace hal::conformance {
namespace {

using Json = nlohmann::json;

Json totals_of(const Totals& totals) {
  Json json = Json::object();
  for (const Verdict verdict : kVerdicts) json[std::string(to_text(verdict))] = totals[static_cast<size_t>(verdict)];
  return json;
}

Json operators_of(const Report& report) {
  Json json = Json::object();
  for (const auto& [name, row] : support_matrix(report.cases).operators) {
    for (const auto& [dtype, verdict] : row) json[name][dtype] = to_text(verdict);
  }
  return json;
}

std::vector<Level> levels_of(const Report& report) {
  std::vector<Level> levels;
  for (const LevelSummary& level : report.levels()) levels.push_back(level.level);
  return levels;
}

Result<void> check_list(const Report& report, const Plan& plan) {
  const auto checked = check_report(report, plan);
  if (!checked)
    return refusal("another suite's list", checked.error().message + "; sign with the suite that made the report");
  return {};
}

Result<void> check_worth(const Report& report, const std::string& day) {
  if (report.is_partial) return refusal("missing cases", "a filter or a shard left cases out of this run");
  if (report.snapshot.plugin_sha256.empty()) return refusal("another plugin", "the report has no hash of the plugin");
  for (const Waiver& waiver : report.waivers) {
    if (is_expired(waiver, day)) return refusal("expired waiver", waiver.case_name + ", on " + waiver.expires);
  }
  const auto levels = report.levels();
  const auto passed = [](const LevelSummary& level) { return is_passed(level.state); };
  if (std::none_of(levels.begin(), levels.end(), passed))
    return refusal("no level", "the device passed no level, so there is nothing to certify");
  return {};
}

Json cases_of(const Report& report) {
  Json json = Json::array();
  for (const ReportedCase& item : report.cases)
    json.push_back({{"name", item.result.name}, {"verdict", to_text(item.result.verdict)}});
  return json;
}

Json plugin_of(const Snapshot& snapshot) {
  return {{"name", snapshot.plugin},
          {"version", snapshot.plugin_version},
          {"vendor", snapshot.plugin_vendor},
          {"build_id", snapshot.build_id},
          {"sha256", snapshot.plugin_sha256}};
}

Json device_of(const Snapshot& snapshot) {
  return {{"name", snapshot.device_name},
          {"uuid", snapshot.uuid},
          {"features", std::to_string(snapshot.features)},
          {"groups", std::to_string(snapshot.groups)},
          {"formats", snapshot.formats},
          {"capabilities_sha256", sha256(snapshot.capabilities)}};
}

}  // namespace

Error refusal(const std::string& reason, const std::string& text) {
  return Error{HAL_STATUS_FAILED_PRECONDITION, reason + ": " + text};
}

Json derived_parts(const Report& report) {
  Json json = {{"totals", totals_of(report.totals())}, {"operators", operators_of(report)}, {"levels", Json::array()}};
  for (const LevelSummary& level : report.levels()) {
    json["levels"].push_back({{"level", to_text(level.level)},
                              {"state", to_text(level.state)},
                              {"required", level.required},
                              {"required_met", level.required_passed}});
  }
  return json;
}

Result<Plan> whole_plan(const Registry& registry, Profile profile, const std::vector<Level>& levels,
                        uint64_t features) {
  Selection selection;
  selection.profile = profile;
  selection.levels = levels;
  Snapshot snapshot;
  snapshot.features = features;
  return make_plan(registry, selection, snapshot);
}

std::string case_list_sha256(const Plan& plan) {
  std::string names;
  for (const PlannedCase& planned : plan.cases) names += planned.item->name + "\n";
  return sha256(names);
}

Result<Json> make_certificate(const Registry& registry, const Report& report, std::string_view report_text,
                              const std::string& day) {
  HAL_TRY(check_worth(report, day));
  HAL_TRY_ASSIGN(const Plan plan, whole_plan(registry, report.profile, levels_of(report), report.snapshot.features));
  HAL_TRY(check_list(report, plan));
  Json json = derived_parts(report);
  json["schema_version"] = kCertificateSchemaVersion;
  json["issued"] = day;
  json["suite"] = {
      {"name", "hal-conformance"}, {"version", report.suite_version}, {"case_list_sha256", case_list_sha256(plan)}};
  json["run"] = {{"profile", to_text(report.profile)},
                 {"seed", std::to_string(report.seed)},
                 {"report_sha256", sha256(report_text)}};
  json["plugin"] = plugin_of(report.snapshot);
  json["device"] = device_of(report.snapshot);
  json["machine"] = report.machine;
  json["waivers"] = report.waivers;
  json["cases"] = cases_of(report);
  return json;
}

Result<std::string> seal(const Json& certificate, const PrivateKey& key) {
  HAL_TRY_ASSIGN(const std::string message, canonical_json(certificate));
  HAL_TRY_ASSIGN(const std::string value, key.sign(message));
  const Json signature = {{"algorithm", "Ed25519"}, {"public_key", key.public_key().hex()}, {"value", value}};
  return canonical_json({{"certificate", certificate}, {"signature", signature}});
}

}  // namespace hal::conformance
