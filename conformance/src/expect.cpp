// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/expect.hpp"

#include <algorithm>

#include "hal/cxx/result.hpp"

namespace hal::conformance {
namespace {

std::string name_of(hal_status_code_t code) { return std::string("'") + hal_status_code_name(code) + "'"; }

// A status is a plugin's data: its text may be anything.
std::string take_text(hal_status_t* status) { return take_status(status).error().message; }

std::string hex_byte(std::byte value) {
  constexpr char digits[] = "0123456789abcdef";
  const auto number = std::to_integer<unsigned>(value);
  return {'0', 'x', digits[number >> 4], digits[number & 15]};
}

}  // namespace

void expect(bool holds, const std::string& what) {
  if (!holds) throw CaseFailure(what);
}

void expect_well_formed(const hal_status_t* status, const std::string& what) {
  expect(status->release != nullptr, what + ": the status has no release function (HAL-ABI-06)");
  expect(status->struct_size >= sizeof(hal_status_t), what + ": the status has struct_size " +
                                                          std::to_string(status->struct_size) + "; expected at least " +
                                                          std::to_string(sizeof(hal_status_t)));
  expect(status->code >= 1 && status->code < HAL_STATUS_COUNT_PLUS_ONE_,
         what + ": the status has code " + std::to_string(status->code) + ", which is in no table of hal/status.h");
  expect(status->message.length != 0 && status->message.data != nullptr && status->message.length < (1u << 16),
         what + ": the status " + name_of(status->code) + " has no message that says what was expected and what came");
}

void expect_ok(hal_status_t* status, const std::string& what) {
  if (status == nullptr) return;
  expect_well_formed(status, what);
  const hal_status_code_t code = status->code;
  throw CaseFailure(what + ": expected success, got " + name_of(code) + ": " + take_text(status), std::nullopt, code);
}

void expect_code(hal_status_t* status, hal_status_code_t code, const std::string& what) {
  if (status == nullptr) throw CaseFailure(what + ": expected " + name_of(code) + ", got success");
  expect_well_formed(status, what);
  const hal_status_code_t got = status->code;
  const std::string text = take_text(status);
  if (got == code) return;
  throw CaseFailure(what + ": expected " + name_of(code) + ", got " + name_of(got) + ": " + text, std::nullopt, got);
}

void expect_equal(uint64_t got, uint64_t expected, const std::string& what) {
  if (got == expected) return;
  throw CaseFailure(what + ": expected " + std::to_string(expected) + ", got " + std::to_string(got),
                    Mismatch{0, std::to_string(expected), std::to_string(got), std::nullopt});
}

void expect_bytes(std::span<const std::byte> got, std::span<const std::byte> expected, const std::string& what) {
  expect_equal(got.size(), expected.size(), what + ": number of bytes");
  const auto [at, other] = std::mismatch(got.begin(), got.end(), expected.begin());
  if (at == got.end()) return;
  const auto index = static_cast<uint64_t>(at - got.begin());
  throw CaseFailure(what + ": byte " + std::to_string(index) + " of " + std::to_string(got.size()) + " is " +
                        hex_byte(*at) + "; expected " + hex_byte(*other),
                    Mismatch{index, hex_byte(*other), hex_byte(*at), std::nullopt});
}

}  // namespace hal::conformance
