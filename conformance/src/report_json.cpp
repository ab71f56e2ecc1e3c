// SPDX-License-Identifier: Apache-2.0
//
// The report as JSON: conformance/data/report.schema.json.
#include "hal/conformance/writers.hpp"
#include "result_json.hpp"

namespace hal::conformance {
namespace {

// nlohmann's ordered kind keeps schema_version first.
using Json = nlohmann::ordered_json;

Json totals_to_json(const Totals& totals, uint64_t planned) {
  Json json = {{"planned", planned}};
  for (const Verdict verdict : kVerdicts) json[std::string(to_text(verdict))] = totals[static_cast<size_t>(verdict)];
  return json;
}

Json level_to_json(const LevelSummary& level) {
  uint64_t planned = 0;
  for (const uint64_t count : level.totals) planned += count;
  return {{"level", to_text(level.level)},
          {"state", to_text(level.state)},
          {"reason", level.reason},
          {"required", level.required},
          {"required_passed", level.required_passed},
          {"totals", totals_to_json(level.totals, planned)}};
}

Json case_to_json(const ReportedCase& item) {
  Json json = result_to_json(item.result);
  json["level"] = to_text(item.level);
  json["required"] = item.required;
  json["clause"] = item.clause;
  json["tags"] = item.tags;
  json["seed"] = item.seed;
  json["reproduce"] = item.reproduce;
  return json;
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message);
  return std::move(result).value();
}

ReportedCase case_from_json(const nlohmann::json& json) {
  ReportedCase item;
  item.result = result_from_json(json);
  item.level = must(parse_level(json.at("level").get<std::string>()));
  json.at("required").get_to(item.required);
  json.at("clause").get_to(item.clause);
  json.at("tags").get_to(item.tags);
  json.at("seed").get_to(item.seed);
  json.at("reproduce").get_to(item.reproduce);
  return item;
}

Report report_from_json(const nlohmann::json& json) {
  const int version = json.at("schema_version").get<int>();
  if (version != kReportSchemaVersion) {
    throw std::invalid_argument("schema_version is " + std::to_string(version) + "; expected " +
                                std::to_string(kReportSchemaVersion));
  }
  Report report;
  const auto& suite = json.at("suite");
  suite.at("version").get_to(report.suite_version);
  suite.at("case_list_hash").get_to(report.case_list_hash);
  json.at("target").get_to(report.snapshot);
  const auto& run = json.at("run");
  report.profile = must(parse_profile(run.at("profile").get<std::string>()));
  run.at("filter").get_to(report.filter);
  run.at("shard_index").get_to(report.shard_index);
  run.at("shard_count").get_to(report.shard_count);
  run.at("is_partial").get_to(report.is_partial);
  run.at("seed").get_to(report.seed);
  run.at("seconds").get_to(report.seconds);
  run.at("machine").get_to(report.machine);
  run.at("shuffle").get_to(report.shuffle);
  json.at("waivers").get_to(report.waivers);
  json.at("unused_waivers").get_to(report.unused_waivers);
  for (const auto& item : json.at("cases")) report.cases.push_back(case_from_json(item));
  if (nlohmann::json(totals_to_json(report.totals(), report.cases.size())) != json.at("totals")) {
    throw std::invalid_argument("the totals are not those of the cases");
  }
  return report;
}

}  // namespace

std::string write_json(const Report& report) {
  Json json = {{"schema_version", kReportSchemaVersion}};
  json["suite"] = {
      {"name", "hal-conformance"}, {"version", report.suite_version}, {"case_list_hash", report.case_list_hash}};
  json["target"] = nlohmann::json(report.snapshot);
  json["run"] = {
      {"profile", to_text(report.profile)}, {"filter", report.filter},         {"shard_index", report.shard_index},
      {"shard_count", report.shard_count},  {"is_partial", report.is_partial}, {"seed", report.seed},
      {"seconds", report.seconds},          {"machine", report.machine},       {"shuffle", report.shuffle}};
  json["waivers"] = nlohmann::json(report.waivers);
  json["unused_waivers"] = report.unused_waivers;
  json["totals"] = totals_to_json(report.totals(), report.cases.size());
  json["levels"] = Json::array();
  for (const LevelSummary& level : report.levels()) json["levels"].push_back(level_to_json(level));
  json["cases"] = Json::array();
  for (const ReportedCase& item : report.cases) json["cases"].push_back(case_to_json(item));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Report> read_json(std::string_view text) {
  try {
    return report_from_json(nlohmann::json::parse(text));
  } catch (const std::exception& error) {
    return data_corrupt(std::string("not a report of hal-conformance: ") + error.what());
  }
}

}  // namespace hal::conformance
