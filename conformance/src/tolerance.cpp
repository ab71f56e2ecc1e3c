// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/tolerance.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tolerances_data.hpp"

namespace hal::conformance {
namespace {

hal_dtype_t dtype_of(std::string_view text) {
#define HAL_CONFORMANCE_DTYPE_(code, NAME, name, kind, bits, exponent, mantissa) \
  if (text == name) return HAL_DTYPE_##NAME;
  HAL_DTYPE_TABLE(HAL_CONFORMANCE_DTYPE_)
#undef HAL_CONFORMANCE_DTYPE_
  return HAL_DTYPE_NONE;
}

ToleranceRow row_of(const nlohmann::json& json) {
  ToleranceRow row;
  json.at("class").get_to(row.operator_class);
  json.at("dtype").get_to(row.dtype_text);
  json.at("ulp").get_to(row.ulp);
  json.at("ulp_per_term").get_to(row.ulp_per_term);
  json.at("rms").get_to(row.rms);
  json.at("rms_per_root_term").get_to(row.rms_per_root_term);
  json.at("derivation").get_to(row.derivation);
  row.dtype = dtype_of(row.dtype_text);
  return row;
}

Result<void> check(const ToleranceRow& row) {
  const std::string name = "tolerance " + row.operator_class + " x " + row.dtype_text + ": ";
  if (!float_format(row.dtype)) return data_corrupt(name + "the dtype is none of f16, bf16, f32 and f64");
  for (const double number : {row.ulp, row.ulp_per_term, row.rms, row.rms_per_root_term}) {
    if (!std::isfinite(number) || number < 0.0) return data_corrupt(name + "a number is negative or not finite");
  }
  if (row.derivation.size() < 20) return data_corrupt(name + "it has no derivation");
  return {};
}

}  // namespace

Result<ToleranceTable> ToleranceTable::parse(std::string_view json) {
  ToleranceTable table;
  std::set<std::pair<std::string, hal_dtype_t>> seen;
  try {
    const auto document = nlohmann::json::parse(json);
    for (const auto& item : document.at("rows")) table.rows_.push_back(row_of(item));
  } catch (const nlohmann::json::exception& error) {
    return data_corrupt("tolerances, after row " + std::to_string(table.rows_.size()) + ": " + error.what());
  }
  for (const ToleranceRow& row : table.rows_) {
    HAL_TRY(check(row));
    if (!seen.emplace(row.operator_class, row.dtype).second) {
      return data_corrupt("tolerance " + row.operator_class + " x " + row.dtype_text + " is there twice");
    }
  }
  return table;
}

Result<ToleranceTable> ToleranceTable::standard() { return parse(kTolerancesJson); }

Result<Tolerance> ToleranceTable::find(std::string_view operator_class, hal_dtype_t dtype, uint64_t terms) const {
  const auto n = static_cast<double>(terms);
  for (const ToleranceRow& row : rows_) {
    if (row.operator_class != operator_class || row.dtype != dtype) continue;
    Tolerance tolerance;
    tolerance.ulp = row.ulp + row.ulp_per_term * n;
    tolerance.rms_ulp = row.rms + row.rms_per_root_term * std::sqrt(n);
    return tolerance;
  }
  return not_found("no tolerance for class '" + std::string(operator_class) + "' and dtype code " +
                   std::to_string(dtype) + "; add a row with a derivation to conformance/data/tolerances.json");
}

}  // namespace hal::conformance
