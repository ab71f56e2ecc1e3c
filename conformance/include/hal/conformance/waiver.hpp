// SPDX-License-Identifier: Apache-2.0
//
// Waivers: a file that names cases which are known to fail, with a reason, an owner and a last day
// (docs/schemas/waivers.schema.json). A waiver names one case, never a pattern, so that nothing new hides behind it.
#ifndef HAL_CONFORMANCE_WAIVER_HPP_
#define HAL_CONFORMANCE_WAIVER_HPP_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

struct Waiver {
  std::string case_name;
  std::string reason;
  std::string owner;
  std::string expires;  // the last day on which it holds: "2027-03-31"
};

// An entry of the file; the same in reports and certificates. Reading throws for what is no waiver.
void to_json(nlohmann::json& json, const Waiver& waiver);
void from_json(const nlohmann::json& json, Waiver& waiver);

// DATA_CORRUPT, with the entry and what is wrong with it.
Result<std::vector<Waiver>> parse_waivers(std::string_view json);
Result<std::vector<Waiver>> read_waivers(const std::string& path);

// Days are "YYYY-MM-DD" in UTC, so that text order is the order of time.
bool is_day(std::string_view text);
std::string today();
bool is_expired(const Waiver& waiver, std::string_view day);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_WAIVER_HPP_
