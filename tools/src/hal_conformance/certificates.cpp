// SPDX-License-Identifier: Apache-2.0
//
// hal-conformance keygen | sign | verify. No call here opens a plugin: the key is never in a process with a stranger's
// code.
#include <filesystem>
#include <fstream>
#include <memory>

#include "commands.hpp"
#include "hal/conformance/certificate.hpp"
#include "hal/conformance/writers.hpp"

namespace hal::tools {
namespace {

using namespace hal::conformance;

int keygen(const Tool& tool, const std::string& path) {
  const auto made = [&]() -> Result<PublicKey> {
    HAL_TRY_ASSIGN(const PrivateKey key, PrivateKey::generate());
    HAL_TRY(key.write(path));
    return key.public_key();
  }();
  if (!made) return tool.fail(made.error());
  std::cout << made->id() << '\n';
  tool.note("keep " + path + " secret; give " + path + ".pub to those who verify");
  return kExitGood;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  if (!file.flush()) return Error{HAL_STATUS_UNAVAILABLE, "writing " + path + "; is the disk full?"};
  return {};
}

// The plugin may have been built anew since the run; one that is gone cannot be asked.
Result<void> check_plugin(const Snapshot& snapshot) {
  if (!std::filesystem::exists(snapshot.plugin_path)) return {};
  HAL_TRY_ASSIGN(const std::string now, sha256_of_file(snapshot.plugin_path));
  if (now == snapshot.plugin_sha256) return {};
  return Error{HAL_STATUS_FAILED_PRECONDITION,
               "another plugin: " + snapshot.plugin_path + " is not the file that was certified; run again"};
}

Result<void> sign(const std::string& directory, const std::string& key_path) {
  HAL_TRY_ASSIGN(const PrivateKey key, PrivateKey::read(key_path));
  const std::string report_path = directory + "/report.json";
  HAL_TRY_ASSIGN(const std::string text, read_file(report_path));
  HAL_TRY_ASSIGN(const Report report, read_report(report_path));
  HAL_TRY(check_plugin(report.snapshot));
  HAL_TRY_ASSIGN(const Registry registry, make_registry());
  HAL_TRY_ASSIGN(const auto certificate, make_certificate(registry, report, text, today()));
  HAL_TRY_ASSIGN(const std::string sealed, seal(certificate, key));
  HAL_TRY(write_file(directory + "/certificate.json", sealed));
  HAL_TRY(write_file(directory + "/certificate.svg", write_badge(certificate)));
  return write_file(directory + "/certificate.html", write_certificate_page(certificate, key.public_key()));
}

struct VerifyArguments {
  std::string certificate;
  std::vector<std::string> keys;
  std::string plugin;
  std::string report;
  std::string day;
};

// A report that lies beside the certificate is looked at without being asked.
std::string report_beside(const VerifyArguments& arguments) {
  if (!arguments.report.empty()) return arguments.report;
  const auto beside = std::filesystem::path(arguments.certificate).replace_filename("report.json");
  return std::filesystem::exists(beside) ? beside.string() : std::string();
}

Result<nlohmann::json> verify(const VerifyArguments& arguments) {
  VerifyOptions options;
  options.day = arguments.day.empty() ? today() : arguments.day;
  if (!is_day(options.day)) return invalid_argument("--day is a day such as 2027-03-31; got " + options.day);
  for (const std::string& path : arguments.keys) {
    HAL_TRY_ASSIGN(PublicKey key, PublicKey::read(path));
    options.trusted.push_back(key);
  }
  HAL_TRY_ASSIGN(const std::string text, read_file(arguments.certificate));
  if (!arguments.plugin.empty()) {
    HAL_TRY_ASSIGN(options.plugin_sha256, sha256_of_file(arguments.plugin));
  }
  const std::string report = report_beside(arguments);
  if (!report.empty()) {
    HAL_TRY_ASSIGN(options.report_sha256, sha256_of_file(report));
  }
  HAL_TRY_ASSIGN(const Registry registry, make_registry());
  return verify_certificate(registry, text, options);
}

int print_verified(const VerifyArguments& arguments, const nlohmann::json& certificate) {
  std::cout << "good: " << certificate.at("device").at("name").get<std::string>() << ", plugin "
            << certificate.at("plugin").at("name").get<std::string>() << ' '
            << certificate.at("plugin").at("version").get<std::string>() << '\n';
  for (const auto& level : certificate.at("levels")) {
    std::cout << "level " << level.at("level").get<std::string>() << ": " << level.at("state").get<std::string>()
              << ", " << level.at("required_met") << " of " << level.at("required") << " required cases\n";
  }
  std::cout << certificate.at("cases").size() << " cases, " << certificate.at("waivers").size() << " waivers, profile "
            << certificate.at("run").at("profile").get<std::string>() << ", issued "
            << certificate.at("issued").get<std::string>() << '\n';
  if (arguments.plugin.empty()) {
    std::cout << "the plugin's file was not compared (--plugin FILE); the certificate is of sha256 "
              << certificate.at("plugin").at("sha256").get<std::string>() << '\n';
  }
  return kExitGood;
}

}  // namespace

Command add_keygen(Tool& tool) {
  auto path = std::make_shared<std::string>();
  CLI::App* const app = tool.app().add_subcommand("keygen", "Makes an Ed25519 key: KEY and KEY.pub, in PEM");
  app->add_option("key", *path, "Where the private key goes; never replaces a file")->required();
  return {app, [&tool, path] { return keygen(tool, *path); }};
}

Command add_sign(Tool& tool) {
  struct Arguments {
    std::string directory, key;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* const app =
      tool.app().add_subcommand("sign", "Makes DIR/certificate.json, .svg and .html from DIR/report.json");
  app->add_option("dir", arguments->directory, "The --out of a run")->required();
  app->add_option("--key", arguments->key, "A private key of keygen's")->required()->type_name("KEY");
  return {app, [&tool, arguments] {
            const auto signed_it = sign(arguments->directory, arguments->key);
            if (!signed_it) return tool.fail(signed_it.error());
            tool.note("certificate: " + arguments->directory + "/certificate.{json,svg,html}");
            return kExitGood;
          }};
}

Command add_verify(Tool& tool) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* const app = tool.app().add_subcommand("verify", "Says whether a certificate can be believed, and why not");
  app->add_option("certificate", arguments->certificate, "certificate.json")->required();
  app->add_option("--trusted-key", arguments->keys, "A public key that is trusted; may be repeated")
      ->required()
      ->type_name("KEY.pub");
  app->add_option("--plugin", arguments->plugin, "The plugin at hand: is it the certified one?")->type_name("FILE");
  app->add_option("--report", arguments->report, "The report (default: report.json beside it, if there)")
      ->type_name("FILE");
  app->add_option("--day", arguments->day, "Instead of today, for waivers")->type_name("YYYY-MM-DD");
  return {app, [&tool, arguments] {
            const auto verified = verify(*arguments);
            return verified ? print_verified(*arguments, *verified) : tool.fail(verified.error());
          }};
}

}  // namespace hal::tools
