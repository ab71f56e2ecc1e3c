// SPDX-License-Identifier: Apache-2.0
//
// A certificate is believed only as it was signed, by a trusted key, whole, in time, for this plugin and this suite.
// Each tampering is refused with its own reason: some by whoever holds no key, some by a signer who was deceived.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "hal/conformance/canonical_json.hpp"
#include "hal/conformance/certificate.hpp"
#include "hal/conformance/writers.hpp"

namespace hal::conformance {
namespace {

using Json = nlohmann::json;

constexpr char kDay[] = "2026-06-01";

Case named(std::string name, Level level, uint64_t needs = 0) {
  Case item;
  item.name = std::move(name);
  item.level = level;
  item.clause = "test";
  item.needs = needs;
  item.body = [](CaseContext&) {};
  return item;
}

Registry make_small_registry(bool with_one_more = false) {
  Registry registry;
  std::vector<Case> items = {named("runtime.a", Level::kRuntime), named("runtime.b", Level::kRuntime, 4),
                             named("runtime.c", Level::kRuntime), named("operators.add.f32.x", Level::kOperators)};
  if (with_one_more) items.push_back(named("operators.mul.f32.x", Level::kOperators));
  EXPECT_TRUE(registry.add(std::move(items)).has_value());
  return registry;
}

Report make_report(const Registry& registry) {
  Report report;
  report.suite_version = "1.0.0";
  report.snapshot.device_name = "<Chip> & co";
  report.snapshot.features = uint64_t{1} << 63;
  report.snapshot.plugin_sha256 = std::string(64, 'a');
  report.snapshot.capabilities = "{}";
  report.machine = "a machine";
  report.waivers = {{"runtime.c", "erratum", "team", "2026-12-31"}};
  for (const Case& item : registry.cases()) {
    report.cases.emplace_back();
    ReportedCase& reported = report.cases.back();
    reported.level = item.level;
    reported.result.name = item.name;
    reported.result.verdict = item.needs != 0            ? Verdict::kUnsupported
                              : item.name == "runtime.c" ? Verdict::kWaived
                                                         : Verdict::kPass;
  }
  return report;
}

class Certificate : public testing::Test {
 protected:
  Registry registry_ = make_small_registry();
  PrivateKey key_ = *PrivateKey::generate();
  Json body_ = *make_certificate(registry_, make_report(registry_), "the report", kDay);

  VerifyOptions options() const { return {{key_.public_key()}, kDay, std::string(64, 'a'), sha256("the report")}; }

  // "" where it is believed, else the reason.
  std::string reason(const std::string& text, const VerifyOptions& options) const {
    const auto verified = verify_certificate(registry_, text, options);
    if (verified) return "";
    EXPECT_EQ(verified.error().code, HAL_STATUS_FAILED_PRECONDITION) << verified.error().message;
    return verified.error().message.substr(0, verified.error().message.find(':'));
  }
  std::string reason_of(const Json& body) const { return reason(*seal(body, key_), options()); }
};

TEST_F(Certificate, IsBelievedAsItWasSigned) {
  EXPECT_EQ(reason_of(body_), "");
  EXPECT_EQ(body_["levels"][0]["state"], "passed with waivers");
  EXPECT_EQ(body_["levels"][1]["state"], "passed");
  EXPECT_EQ(body_["operators"]["add"]["f32"], "PASS");
  EXPECT_EQ(body_["totals"]["UNSUPPORTED"], 1);
}

TEST_F(Certificate, NoByteCanChange) {
  const std::string text = *seal(body_, key_);
  for (size_t i = 0; i < text.size(); i++) {
    std::string other = text;
    other[i] = static_cast<char>(other[i] ^ 1);
    const std::string why = reason(other, options());
    EXPECT_TRUE(why == "altered" || why == "untrusted key") << i << ": " << why;
  }
  for (size_t size = 0; size < text.size(); size += 13) EXPECT_EQ(reason(text.substr(0, size), options()), "altered");
  EXPECT_EQ(reason(text + "\n", options()), "altered");
  EXPECT_EQ(reason(" " + text, options()), "altered");
  EXPECT_EQ(reason("[]", options()), "altered");
  EXPECT_EQ(reason("{}", options()), "altered");
}

TEST_F(Certificate, AStrangersKeyIsNotTrusted) {
  const PrivateKey other = *PrivateKey::generate();
  EXPECT_EQ(reason(*seal(body_, other), options()), "untrusted key");
  VerifyOptions both = options();
  both.trusted.push_back(other.public_key());
  EXPECT_EQ(reason(*seal(body_, other), both), "");
  both.trusted.clear();
  EXPECT_EQ(reason(*seal(body_, key_), both), "untrusted key");
}

TEST_F(Certificate, CasesCannotGoMissing) {
  Json body = body_;
  body["cases"].erase(0);
  EXPECT_EQ(reason_of(body), "missing cases");
  body = body_;
  body["cases"][0] = body["cases"][1];
  EXPECT_EQ(reason_of(body), "missing cases");
  body = body_;
  body["cases"].push_back({{"name", "runtime.more"}, {"verdict", "PASS"}});
  EXPECT_EQ(reason_of(body), "missing cases");
}

TEST_F(Certificate, IsOfThisSuitesList) {
  const Registry other = make_small_registry(true);
  const auto verified = verify_certificate(other, *seal(body_, key_), options());
  ASSERT_FALSE(verified.has_value());
  EXPECT_EQ(verified.error().message.rfind("another suite's list: ", 0), 0u) << verified.error().message;
  EXPECT_FALSE(make_certificate(other, make_report(registry_), "", kDay).has_value());
}

TEST_F(Certificate, TotalsFollowFromTheCases) {
  Json body = body_;
  body["totals"]["PASS"] = 4;
  EXPECT_EQ(reason_of(body), "totals");
  body = body_;
  body["levels"][0]["state"] = "passed";
  EXPECT_EQ(reason_of(body), "totals");
  body = body_;
  body["cases"][3]["verdict"] = "FAIL";
  EXPECT_EQ(reason_of(body), "totals");
  body = body_;
  body["operators"]["mul"]["f32"] = "PASS";
  EXPECT_EQ(reason_of(body), "totals");
}

TEST_F(Certificate, NothingIsSkippedThatTheDeviceDeclares) {
  Json body = body_;
  body["cases"][0]["verdict"] = "UNSUPPORTED";
  EXPECT_EQ(reason_of(body), "skipped cases");
}

TEST_F(Certificate, WaiversHoldUntilTheirDay) {
  VerifyOptions later = options();
  later.day = "2026-12-31";
  EXPECT_EQ(reason(*seal(body_, key_), later), "");
  later.day = "2027-01-01";
  EXPECT_EQ(reason(*seal(body_, key_), later), "expired waiver");
  Json body = body_;
  body["waivers"] = Json::array();
  EXPECT_EQ(reason_of(body), "waivers");
  body = body_;
  body["waivers"][0]["case"] = "runtime.a";
  EXPECT_EQ(reason_of(body), "waivers");
}

TEST_F(Certificate, IsOfOnePluginAndOneReport) {
  VerifyOptions other = options();
  other.plugin_sha256 = std::string(64, 'b');
  EXPECT_EQ(reason(*seal(body_, key_), other), "another plugin");
  other = options();
  other.report_sha256 = sha256("another");
  EXPECT_EQ(reason(*seal(body_, key_), other), "another report");
  other.report_sha256.reset();
  other.plugin_sha256.reset();
  EXPECT_EQ(reason(*seal(body_, key_), other), "");
}

TEST_F(Certificate, IsNotMadeOfHalfARunNorOfNothing) {
  Report report = make_report(registry_);
  report.is_partial = true;
  EXPECT_FALSE(make_certificate(registry_, report, "", kDay).has_value());
  report = make_report(registry_);
  EXPECT_FALSE(make_certificate(registry_, report, "", "2027-01-01").has_value()) << "an expired waiver";
  for (auto& item : report.cases) item.result.verdict = Verdict::kFail;
  EXPECT_FALSE(make_certificate(registry_, report, "", kDay).has_value()) << "no level passed";
  report = make_report(registry_);
  report.snapshot.plugin_sha256.clear();
  EXPECT_FALSE(make_certificate(registry_, report, "", kDay).has_value()) << "no plugin hash";
}

TEST_F(Certificate, PeopleSeeItWithoutItsMarkup) {
  const std::string page = write_certificate_page(body_, key_.public_key()), badge = write_badge(body_);
  EXPECT_EQ(page.find("<Chip>"), std::string::npos);
  EXPECT_NE(page.find("&lt;Chip&gt; &amp; co"), std::string::npos);
  EXPECT_NE(page.find(key_.public_key().id()), std::string::npos);
  EXPECT_NE(badge.find("runtime + operators"), std::string::npos) << badge;
}

TEST(Canonical, OneValueOneText) {
  EXPECT_EQ(*canonical_json(Json::parse(R"({ "b":[1, -2 ,true,null], "a" : "\u00e9\n\u0001/" })")),
            "{\"a\":\"\xc3\xa9\\n\\u0001/\",\"b\":[1,-2,true,null]}");
  EXPECT_EQ(*canonical_json(Json(9007199254740991)), "9007199254740991");
  for (const char* bad : {"1.5", "1.0", "9007199254740992", "-9007199254740992", "{\"\\u00e9\":1}", "[[1e3]]"})
    EXPECT_FALSE(canonical_json(Json::parse(bad)).has_value()) << bad;
}

// RFC 8032, section 7.1, tests 1 and 2.
TEST(Signature, KnownAnswers) {
  const auto first = PublicKey::from_hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  const std::string of_nothing =
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
      "655"
      "141438e7a100b";
  EXPECT_TRUE(first->accepts("", of_nothing));
  EXPECT_FALSE(first->accepts("x", of_nothing));
  const auto second = PublicKey::from_hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  const std::string of_r =
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aee"
      "b00d"
      "291612bb0c00";
  EXPECT_TRUE(second->accepts("r", of_r));
  EXPECT_FALSE(first->accepts("r", of_r));
  EXPECT_FALSE(second->accepts("r", "00"));
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Signature, KeysAreFilesThatAreNeverReplaced) {
  const std::string path = testing::TempDir() + "/key" + std::to_string(getpid());
  const PrivateKey key = *PrivateKey::generate();
  ASSERT_TRUE(key.write(path).has_value());
  EXPECT_FALSE(key.write(path).has_value());
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(PrivateKey::read(path)->public_key(), key.public_key());
  EXPECT_EQ(*PublicKey::read(path + ".pub"), key.public_key());
  EXPECT_FALSE(PrivateKey::read(path + ".pub").has_value());
  EXPECT_FALSE(PublicKey::read(path).has_value());
  EXPECT_FALSE(PublicKey::read("/nowhere").has_value());
  EXPECT_TRUE(key.public_key().accepts("m", *PrivateKey::read(path)->sign("m")));
  std::filesystem::remove(path);
  std::filesystem::remove(path + ".pub");
}

}  // namespace
}  // namespace hal::conformance
