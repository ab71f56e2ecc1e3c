// SPDX-License-Identifier: Apache-2.0
//
// A case's result as JSON, for the journal, the report and the pipe between a case and the runner. Reading throws
// nlohmann::json::exception for what was not written here.
#ifndef CONFORMANCE_SRC_RESULT_JSON_HPP_
#define CONFORMANCE_SRC_RESULT_JSON_HPP_

#include <nlohmann/json.hpp>

#include "hal/conformance/report.hpp"

namespace hal::conformance {

nlohmann::json result_to_json(const CaseResult& result);
CaseResult result_from_json(const nlohmann::json& json);

}  // namespace hal::conformance

#endif  // CONFORMANCE_SRC_RESULT_JSON_HPP_
