// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/waiver.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <set>
#include <sstream>

namespace hal::conformance {
namespace {

std::string text_at(const nlohmann::json& json, const char* key) {
  auto text = json.at(key).get<std::string>();
  if (text.empty()) throw std::invalid_argument("'" + std::string(key) + "' is empty");
  return text;
}

}  // namespace

void to_json(nlohmann::json& json, const Waiver& waiver) {
  json = {{"case", waiver.case_name}, {"reason", waiver.reason}, {"owner", waiver.owner}, {"expires", waiver.expires}};
}

void from_json(const nlohmann::json& json, Waiver& waiver) {
  if (json.size() != 4) throw std::invalid_argument("a waiver has case, reason, owner and expires, and nothing else");
  waiver = {text_at(json, "case"), text_at(json, "reason"), text_at(json, "owner"), text_at(json, "expires")};
  if (waiver.case_name.find_first_of("*?") != std::string::npos)
    throw std::invalid_argument("'case' is one name, not a pattern; got " + waiver.case_name);
  if (!is_day(waiver.expires))
    throw std::invalid_argument("'expires' is a day such as 2027-03-31; got " + waiver.expires);
}

Result<std::vector<Waiver>> parse_waivers(std::string_view json) {
  std::vector<Waiver> waivers;
  std::set<std::string> names;
  try {
    const auto document = nlohmann::json::parse(json);
    if (document.at("schema_version").get<int>() != 1) throw std::invalid_argument("schema_version is not 1");
    for (const auto& item : document.at("waivers")) {
      waivers.push_back(item.get<Waiver>());
      if (!names.insert(waivers.back().case_name).second)
        throw std::invalid_argument(waivers.back().case_name + " is waived twice");
    }
  } catch (const std::exception& error) {
    return data_corrupt("waivers, after " + std::to_string(waivers.size()) + " of them: " + error.what());
  }
  return waivers;
}

Result<std::vector<Waiver>> read_waivers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return not_found("the waiver file " + path + " cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  auto waivers = parse_waivers(text.str());
  if (!waivers) return Error{waivers.error().code, path + ": " + waivers.error().message};
  return waivers;
}

bool is_day(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const size_t i : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  const auto number = [&](size_t at, size_t size) { return std::stoi(std::string(text.substr(at, size))); };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm day{};
  gmtime_r(&now, &day);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", &day);
  return text;
}

bool is_expired(const Waiver& waiver, std::string_view day) { return waiver.expires < day; }

}  // namespace hal::conformance
