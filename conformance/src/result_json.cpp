// SPDX-License-Identifier: Apache-2.0
#include "result_json.hpp"

#include <cmath>

namespace hal::conformance {
namespace {

nlohmann::json mismatch_to_json(const Mismatch& mismatch) {
  nlohmann::json json = {{"index", mismatch.index}, {"expected", mismatch.expected}, {"got", mismatch.got}};
  // JSON has no infinity; the distance to a NaN is written as null.
  if (mismatch.ulp) json["ulp"] = std::isfinite(*mismatch.ulp) ? nlohmann::json(*mismatch.ulp) : nlohmann::json();
  return json;
}

Mismatch mismatch_from_json(const nlohmann::json& json) {
  Mismatch mismatch{json.at("index").get<uint64_t>(), json.at("expected").get<std::string>(),
                    json.at("got").get<std::string>(), std::nullopt};
  if (json.contains("ulp")) mismatch.ulp = json["ulp"].is_null() ? INFINITY : json["ulp"].get<double>();
  return mismatch;
}

}  // namespace

nlohmann::json result_to_json(const CaseResult& result) {
  nlohmann::json json = {{"name", result.name},
                         {"verdict", to_text(result.verdict)},
                         {"seconds", result.seconds},
                         {"attempts", result.attempts}};
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.status.empty()) json["status"] = result.status;
  if (!result.output.empty()) json["output"] = result.output;
  if (result.mismatch) json["mismatch"] = mismatch_to_json(*result.mismatch);
  return json;
}

CaseResult result_from_json(const nlohmann::json& json) {
  CaseResult result;
  json.at("name").get_to(result.name);
  const auto text = json.at("verdict").get<std::string>();
  const auto verdict = parse_verdict(text);
  if (!verdict) throw nlohmann::json::other_error::create(599, "no verdict is called " + text, &json);
  result.verdict = *verdict;
  json.at("seconds").get_to(result.seconds);
  json.at("attempts").get_to(result.attempts);
  result.message = json.value("message", std::string());
  result.status = json.value("status", std::string());
  result.output = json.value("output", std::string());
  if (json.contains("mismatch")) result.mismatch = mismatch_from_json(json["mismatch"]);
  return result;
}

}  // namespace hal::conformance
