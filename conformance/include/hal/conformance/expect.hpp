// SPDX-License-Identifier: Apache-2.0
//
// The checks of case bodies. The first one that does not hold ends the case by a CaseFailure.
#ifndef HAL_CONFORMANCE_EXPECT_HPP_
#define HAL_CONFORMANCE_EXPECT_HPP_

#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "hal/status.h"

namespace hal::conformance {

// Where a result first differs.
struct Mismatch {
  uint64_t index = 0;
  std::string expected;
  std::string got;
  std::optional<double> ulp;  // for floating point
};

class CaseFailure : public std::runtime_error {
 public:
  explicit CaseFailure(const std::string& message, std::optional<Mismatch> mismatch = std::nullopt,
                       hal_status_code_t status = HAL_STATUS_OK)
      : std::runtime_error(message), mismatch_(std::move(mismatch)), status_(status) {}
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }
  hal_status_code_t status() const { return status_; }  // what the device answered, where that is what was wrong

 private:
  std::optional<Mismatch> mismatch_;
  hal_status_code_t status_;
};

// Throws unless `holds`.
void expect(bool holds, const std::string& what);

// Success. Takes the status over.
void expect_ok(hal_status_t* status, const std::string& what);

// Exactly this code, and a well-formed status. Takes the status over.
void expect_code(hal_status_t* status, hal_status_code_t code, const std::string& what);

// A status that anyone may show to a user: known code, text, a release. Does not take it over.
void expect_well_formed(const hal_status_t* status, const std::string& what);

void expect_equal(uint64_t got, uint64_t expected, const std::string& what);

// The same bytes; the failure has the first index that differs.
void expect_bytes(std::span<const std::byte> got, std::span<const std::byte> expected, const std::string& what);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_EXPECT_HPP_
