// SPDX-License-Identifier: Apache-2.0
//
// The table of tolerances: conformance/data/tolerances.json, a row for each operator class and dtype, with a
// derivation.
#ifndef HAL_CONFORMANCE_TOLERANCE_HPP_
#define HAL_CONFORMANCE_TOLERANCE_HPP_

#include <string>
#include <string_view>
#include <vector>

#include "hal/conformance/compare.hpp"
#include "hal/cxx/result.hpp"

namespace hal::conformance {

// tolerance = ulp + ulp_per_term * n; aggregate = rms + rms_per_root_term * sqrt(n); n is the accumulation length.
struct ToleranceRow {
  std::string operator_class;
  std::string dtype_text;
  hal_dtype_t dtype = HAL_DTYPE_NONE;
  double ulp = 0.0;
  double ulp_per_term = 0.0;
  double rms = 0.0;
  double rms_per_root_term = 0.0;
  std::string derivation;
};

class ToleranceTable {
 public:
  // DATA_CORRUPT with the row for a missing field, an unknown dtype, a number that is negative, a row twice, or no
  // derivation.
  static Result<ToleranceTable> parse(std::string_view json);
  // The one that is built in.
  static Result<ToleranceTable> standard();

  const std::vector<ToleranceRow>& rows() const { return rows_; }
  // NOT_FOUND names the class and dtype: no row, no certificate.
  Result<Tolerance> find(std::string_view operator_class, hal_dtype_t dtype, uint64_t terms) const;

 private:
  std::vector<ToleranceRow> rows_;
};

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_TOLERANCE_HPP_
