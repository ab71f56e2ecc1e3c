// SPDX-License-Identifier: Apache-2.0
//
// The certificate: what a run of the suite found, in canonical JSON, signed with Ed25519. Everything in it that follows
// from something else (totals, levels, the list of cases) is computed again by whoever verifies it.
// Not here: a plugin. Nothing in these calls opens one.
#ifndef HAL_CONFORMANCE_CERTIFICATE_HPP_
#define HAL_CONFORMANCE_CERTIFICATE_HPP_

#include <nlohmann/json.hpp>
#include <optional>

#include "hal/conformance/report.hpp"
#include "hal/conformance/signature.hpp"

namespace hal::conformance {

inline constexpr int kCertificateSchemaVersion = 1;

// What a report amounts to. FAILED_PRECONDITION where it amounts to no certificate: a part of the cases, another
// suite's list, no level passed, an expired waiver. `report_text` is the report's bytes, whose hash goes in.
Result<nlohmann::json> make_certificate(const Registry& registry, const Report& report, std::string_view report_text,
                                        const std::string& day);

// The file: {"certificate": ..., "signature": {...}} in canonical form.
Result<std::string> seal(const nlohmann::json& certificate, const PrivateKey& key);

struct VerifyOptions {
  std::vector<PublicKey> trusted;
  std::string day;                           // on which waivers must hold
  std::optional<std::string> plugin_sha256;  // of the plugin at hand
  std::optional<std::string> report_sha256;  // of the report at hand
};

// The certificate if it can be believed. FAILED_PRECONDITION with a message that begins with the reason: "altered: ",
// "untrusted key: ", "another suite's list: ", "missing cases: ", "totals: ", "skipped cases: ", "waivers: ",
// "expired waiver: ", "another plugin: ", "another report: ".
Result<nlohmann::json> verify_certificate(const Registry& registry, std::string_view text,
                                          const VerifyOptions& options);

// Views of a certificate's body: a badge, and one page for people.
std::string write_badge(const nlohmann::json& certificate);
std::string write_certificate_page(const nlohmann::json& certificate, const PublicKey& key);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_CERTIFICATE_HPP_
