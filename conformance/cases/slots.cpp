// SPDX-License-Identifier: Apache-2.0
//
// The cases of slots.hpp's rows.
#include "slots.hpp"

namespace hal::conformance {
namespace {

bool is_declared(const Rig& rig, const SlotRow& row) {
  return row.needed_for == kAlways || (row.needed_for != kOptional && (rig.features() & row.needed_for) != 0);
}

// Makes the right call, to see whether the slot is there. Ends the case where the answer does not fit what the device
// declares.
bool is_there(Rig& rig, const SlotRow& row) {
  Arguments right(rig, Mistake::kNone);
  const std::string what = std::string(row.slot) + ", called rightly";
  hal_status_t* status = row.call(right);
  if (hal_status_code(status) != HAL_STATUS_UNSUPPORTED) {
    expect_ok(status, what);
    expect(is_declared(rig, row) || row.needed_for == kOptional,
           std::string(row.slot) + " works, but the device does not declare the feature that it belongs to");
    return true;
  }
  if (is_declared(rig, row)) expect_ok(status, what);
  expect_code(status, HAL_STATUS_UNSUPPORTED, what);
  return false;
}

void works(Rig& rig, const SlotRow& row) { is_there(rig, row); }

// An absent slot has no case of its own kind to fail, so it is held to its one answer.
void refused(Rig& rig, const SlotRow& row, Mistake mistake, const char* how) {
  if (!is_there(rig, row)) return;
  Arguments wrong(rig, mistake);
  expect_code(row.call(wrong), HAL_STATUS_INVALID_ARGUMENT, std::string(row.slot) + how);
  is_there(rig, row);  // and afterwards it works as before
}

void add(Cases& cases, const SlotRow& row) {
  const std::string name = std::string(row.slot) + ".";
  cases.push_back(with_rig(name + "works", "HAL-ABI-02", [row](Rig& rig) { works(rig, row); }));
  if (row.has_subject) {
    cases.push_back(negative(with_rig(name + "null_handle", "HAL-ABI-07", [row](Rig& rig) {
      refused(rig, row, Mistake::kNullHandle, " with NULL for its object");
    })));
    cases.push_back(negative(with_rig(name + "wrong_kind", "HAL-ABI-07", [row](Rig& rig) {
      refused(rig, row, Mistake::kWrongKind, " with an object of another kind");
    })));
  }
  if (row.has_out) {
    cases.push_back(negative(with_rig(name + "null_out", "hal/base.h: out-parameters", [row](Rig& rig) {
      refused(rig, row, Mistake::kNullOut, " with NULL for its out-parameter");
    })));
  }
}

}  // namespace

Cases slot_cases() {
  Cases cases;
  for (auto* rows : {device_slots, memory_slots, queue_slots, executable_slots, command_buffer_slots, collective_slots,
                     profiling_slots, telemetry_slots, extension_slots}) {
    for (const SlotRow& row : rows()) add(cases, row);
  }
  return cases;
}

}  // namespace hal::conformance
