// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/target.hpp"

#include "hal/conformance/context.hpp"
#include "hal/conformance/isolate.hpp"

namespace hal::conformance {
namespace {

// The child's answer: {"snapshot": ...} or {"code": 5, "message": "..."}.
std::string answer_probe(const Target& target) {
  const auto described = [&]() -> Result<Snapshot> {
    HAL_TRY_ASSIGN(auto session, Session::open(target));
    return session->describe();
  }();
  nlohmann::json json;
  if (described) {
    json["snapshot"] = *described;
  } else {
    json = {{"code", described.error().code}, {"message", described.error().message}};
  }
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

void to_json(nlohmann::json& json, const Snapshot& snapshot) {
  json = {{"device", snapshot.device},
          {"device_name", snapshot.device_name},
          {"uuid", snapshot.uuid},
          {"plugin", snapshot.plugin},
          {"plugin_version", snapshot.plugin_version},
          {"plugin_vendor", snapshot.plugin_vendor},
          {"plugin_path", snapshot.plugin_path},
          {"build_id", snapshot.build_id},
          {"plugin_sha256", snapshot.plugin_sha256},
          {"groups", snapshot.groups},
          {"features", snapshot.features},
          {"capabilities", snapshot.capabilities},
          {"formats", snapshot.formats}};
}

void from_json(const nlohmann::json& json, Snapshot& snapshot) {
  json.at("device").get_to(snapshot.device);
  json.at("device_name").get_to(snapshot.device_name);
  json.at("uuid").get_to(snapshot.uuid);
  json.at("plugin").get_to(snapshot.plugin);
  json.at("plugin_version").get_to(snapshot.plugin_version);
  json.at("plugin_vendor").get_to(snapshot.plugin_vendor);
  json.at("plugin_path").get_to(snapshot.plugin_path);
  json.at("build_id").get_to(snapshot.build_id);
  json.at("plugin_sha256").get_to(snapshot.plugin_sha256);
  json.at("groups").get_to(snapshot.groups);
  json.at("features").get_to(snapshot.features);
  json.at("capabilities").get_to(snapshot.capabilities);
  json.at("formats").get_to(snapshot.formats);
}

Result<Snapshot> probe(const Target& target, double deadline_seconds) {
  Limits limits;
  limits.deadline_seconds = deadline_seconds;
  HAL_TRY_ASSIGN(const Outcome outcome, run_isolated(limits, [&] { return answer_probe(target); }));
  const std::string what = target.plugin.empty() ? "device '" + target.device + "'" : target.plugin;
  if (outcome.ending != Ending::kAnswered) {
    return Error{HAL_STATUS_UNAVAILABLE, "opening " + what + ": " + outcome.how + "; nothing can be certified"};
  }
  try {
    const auto json = nlohmann::json::parse(outcome.answer);
    if (json.contains("snapshot")) return json.at("snapshot").get<Snapshot>();
    return Error{json.at("code").get<hal_status_code_t>(), json.at("message").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    return internal_error("the probe's answer cannot be read: " + std::string(error.what()));
  }
}

}  // namespace hal::conformance
