// SPDX-License-Identifier: Apache-2.0
//
// The parts of a certificate that follow from others. Made when it is signed, and made again when it is verified.
#ifndef CONFORMANCE_SRC_CERTIFICATE_PARTS_HPP_
#define CONFORMANCE_SRC_CERTIFICATE_PARTS_HPP_

#include <nlohmann/json.hpp>

#include "hal/conformance/report.hpp"

namespace hal::conformance {

// "totals", "levels" and "operators", from the cases.
nlohmann::json derived_parts(const Report& report);

// The list of this suite for a profile and levels, for a device with these features.
Result<Plan> whole_plan(const Registry& registry, Profile profile, const std::vector<Level>& levels, uint64_t features);

// The hash of the names of a list, in order.
std::string case_list_sha256(const Plan& plan);

Error refusal(const std::string& reason, const std::string& text);

}  // namespace hal::conformance

#endif  // CONFORMANCE_SRC_CERTIFICATE_PARTS_HPP_
