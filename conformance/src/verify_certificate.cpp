// SPDX-License-Identifier: Apache-2.0
//
// Is a certificate to be believed? Each check refuses with a reason of its own. The signature comes first, so that
// nothing of a stranger's is looked at; what follows guards against a signer who was wrong or was deceived.
#include <algorithm>
#include <charconv>
#include <set>

#include "certificate_parts.hpp"
#include "hal/conformance/canonical_json.hpp"
#include "hal/conformance/certificate.hpp"

namespace hal::conformance {
namespace {

using Json = nlohmann::json;

struct Sealed {
  Json certificate;
  PublicKey key;
};

Result<Sealed> open_seal(std::string_view text, const std::vector<PublicKey>& trusted) {
  const Json document = Json::parse(text);
  HAL_TRY_ASSIGN(const std::string canonical, canonical_json(document));
  if (canonical != text) return refusal("altered", "the file is not in canonical form, so somebody has written on it");
  const Json& signature = document.at("signature");
  if (document.size() != 2 || signature.size() != 3 || signature.at("algorithm") != "Ed25519")
    return refusal("altered", "a certificate has a body and an Ed25519 signature, and nothing else");
  HAL_TRY_ASSIGN(const PublicKey key, PublicKey::from_hex(signature.at("public_key").get<std::string>()));
  if (std::find(trusted.begin(), trusted.end(), key) == trusted.end()) {
    return refusal("untrusted key", "it is signed by key " + key.id() + ", which is none of the " +
                                        std::to_string(trusted.size()) + " trusted");
  }
  HAL_TRY_ASSIGN(const std::string message, canonical_json(document.at("certificate")));
  if (!key.accepts(message, signature.at("value").get<std::string>()))
    return refusal("altered", "the signature is not of these bytes");
  return Sealed{document.at("certificate"), key};
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().message);
  return std::move(result).value();
}

std::vector<Level> levels_in(const Json& certificate) {
  std::vector<Level> levels;
  for (const Json& level : certificate.at("levels"))
    levels.push_back(must(parse_level(level.at("level").get<std::string>())));
  return levels;
}

uint64_t number_in(const Json& text) {
  const auto digits = text.get<std::string>();
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size())
    throw std::invalid_argument(digits + " is no number");
  return number;
}

Result<void> check_list(const Json& certificate, const Plan& plan) {
  const std::string ours = case_list_sha256(plan);
  const std::string stated = certificate.at("suite").at("case_list_sha256").get<std::string>();
  if (stated != ours) {
    return refusal("another suite's list", "the certificate is of list " + stated.substr(0, 12) + " (suite " +
                                               certificate.at("suite").at("version").get<std::string>() +
                                               "), this suite's is " + ours.substr(0, 12) +
                                               " (" MORTISE_VERSION "); verify with the suite that issued it");
  }
  std::set<std::string> names;
  for (const Json& item : certificate.at("cases")) names.insert(item.at("name").get<std::string>());
  for (const PlannedCase& planned : plan.cases) {
    if (names.count(planned.item->name) == 0) return refusal("missing cases", planned.item->name + " is not there");
  }
  if (certificate.at("cases").size() != plan.cases.size())
    return refusal("missing cases", "the list has a case twice, or one that this suite does not know");
  return {};
}

// A required case is UNSUPPORTED exactly where the declared features say so.
Result<void> check_skips(const Report& report, const Plan& plan) {
  for (size_t i = 0; i < plan.cases.size(); i++) {
    const ReportedCase& item = report.cases[i];
    const bool skipped = item.result.verdict == Verdict::kUnsupported, may = !plan.cases[i].unsupported.empty();
    if (skipped && !may)
      return refusal("skipped cases", item.result.name + " was skipped, though the device declares what it needs");
  }
  return {};
}

Result<void> check_waivers(const Json& certificate, const Report& report, const std::string& day) {
  std::map<std::string, Waiver> waivers;
  for (auto waiver : certificate.at("waivers").get<std::vector<Waiver>>()) {
    if (is_expired(waiver, day))
      return refusal("expired waiver", waiver.case_name + " was waived until " + waiver.expires + "; today is " + day);
    waivers.emplace(waiver.case_name, std::move(waiver));
  }
  for (const ReportedCase& item : report.cases) {
    if (item.result.verdict == Verdict::kWaived && waivers.erase(item.result.name) == 0)
      return refusal("waivers", item.result.name + " is WAIVED and no waiver names it");
  }
  if (!waivers.empty()) return refusal("waivers", waivers.begin()->first + " is waived, and it did not fail");
  return {};
}

// The cases as the report had them; what does not come from the certificate comes from this suite.
Report report_in(const Json& certificate, const Plan& plan) {
  Report report;
  for (size_t i = 0; i < plan.cases.size(); i++) {
    const Json& json = certificate.at("cases").at(i);
    ReportedCase item;
    item.result.name = json.at("name").get<std::string>();
    const auto verdict = parse_verdict(json.at("verdict").get<std::string>());
    if (item.result.name != plan.cases[i].item->name || !verdict)
      throw std::invalid_argument("case " + std::to_string(i) + " is out of order or has no verdict");
    item.result.verdict = *verdict;
    item.level = plan.cases[i].item->level;
    item.required = plan.cases[i].item->required;
    item.tags = plan.cases[i].item->tags;
    report.cases.push_back(std::move(item));
  }
  return report;
}

Result<void> check_derived(const Json& certificate, const Report& report) {
  const Json derived = derived_parts(report);
  for (const auto& [name, value] : derived.items()) {
    if (certificate.at(name) != value) return refusal("totals", "'" + name + "' is not what the cases add up to");
  }
  return {};
}

Result<void> check_files(const Json& certificate, const VerifyOptions& options) {
  const std::string plugin = certificate.at("plugin").at("sha256").get<std::string>();
  if (options.plugin_sha256 && *options.plugin_sha256 != plugin)
    return refusal("another plugin",
                   "the certificate is of " + plugin + ", the plugin at hand is " + *options.plugin_sha256);
  const std::string report = certificate.at("run").at("report_sha256").get<std::string>();
  if (options.report_sha256 && *options.report_sha256 != report)
    return refusal("another report",
                   "the certificate is of " + report + ", the report at hand is " + *options.report_sha256);
  return {};
}

Result<Json> verify(const Registry& registry, std::string_view text, const VerifyOptions& options) {
  HAL_TRY_ASSIGN(const Sealed sealed, open_seal(text, options.trusted));
  const Json& certificate = sealed.certificate;
  if (certificate.at("schema_version") != kCertificateSchemaVersion)
    return refusal("another suite's list", "its schema_version is not " + std::to_string(kCertificateSchemaVersion));
  const Profile profile = must(parse_profile(certificate.at("run").at("profile").get<std::string>()));
  HAL_TRY_ASSIGN(const Plan plan, whole_plan(registry, profile, levels_in(certificate),
                                             number_in(certificate.at("device").at("features"))));
  HAL_TRY(check_list(certificate, plan));
  const Report report = report_in(certificate, plan);
  HAL_TRY(check_skips(report, plan));
  HAL_TRY(check_derived(certificate, report));
  HAL_TRY(check_waivers(certificate, report, options.day));
  HAL_TRY(check_files(certificate, options));
  return certificate;
}

}  // namespace

Result<Json> verify_certificate(const Registry& registry, std::string_view text, const VerifyOptions& options) {
  try {
    auto verified = verify(registry, text, options);
    if (verified || verified.error().code == HAL_STATUS_FAILED_PRECONDITION) return verified;
    return refusal("altered", verified.error().message);
  } catch (const std::exception& error) {
    return refusal("altered", std::string("not a certificate: ") + error.what());
  }
}

}  // namespace hal::conformance
