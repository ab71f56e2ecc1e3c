// SPDX-License-Identifier: Apache-2.0
//
// One row for each slot of each group: a right call of it. From a row come the cases "runtime.GROUP.SLOT.works" and the
// same call made wrong: with NULL, with an object of another kind, without an out-parameter. A slot that is not there
// must answer UNSUPPORTED in each of them. slots_test.cpp holds the rows to the ABI's golden file.
#ifndef CONFORMANCE_CASES_SLOTS_HPP_
#define CONFORMANCE_CASES_SLOTS_HPP_

#include <cstring>
#include <functional>
#include <optional>

#include "cases.hpp"
#include "own_instance.hpp"

namespace hal::conformance {

enum class Mistake { kNone, kNullHandle, kWrongKind, kNullOut };

// Hands a row's call its arguments, one of them wrong.
class Arguments {
 public:
  Arguments(Rig& rig, Mistake mistake) : rig_(rig), mistake_(mistake) {}

  Rig& rig() { return rig_; }
  hal_device_t* device() const { return rig_.device(); }
  const hal_calls_t& calls() const { return *hal_calls_of(rig_.device()); }
  Mistake mistake() const { return mistake_; }

  // The object that the call is about. An object of another kind has a table of its own, as all of a program's have.
  template <typename T>
  T* subject(T* right) {
    if (mistake_ == Mistake::kNullHandle) return nullptr;
    if (mistake_ != Mistake::kWrongKind) return right;
    if constexpr (std::is_same_v<T, hal_semaphore_t>) {
      if (!other_buffer_) other_buffer_ = rig_.buffer(64);
      return reinterpret_cast<T*>(other_buffer_.get());
    } else {
      if (!other_semaphore_) other_semaphore_ = rig_.semaphore();
      return reinterpret_cast<T*>(other_semaphore_.get());
    }
  }

  // The out-parameter, filled with poison. What a failing call leaves in it is looked at later.
  template <typename T>
  T* out(T& value) {
    std::memset(static_cast<void*>(&value), 0x5C, sizeof value);
    if constexpr (requires { value.struct_size; }) {
      value.struct_size = sizeof value;
      out_ = {reinterpret_cast<std::byte*>(&value) + sizeof(uint32_t), sizeof value - sizeof(uint32_t)};
    } else {
      out_ = {reinterpret_cast<std::byte*>(&value), sizeof value};
    }
    return mistake_ == Mistake::kNullOut ? nullptr : &value;
  }

  // A failing call zeroes its out-parameters (hal/base.h). To be called while they live.
  hal_status_t* check(hal_status_t* status, const std::string& what) {
    if (status == nullptr || mistake_ == Mistake::kNullOut) return status;
    for (const std::byte byte : out_) expect(byte == std::byte{0}, what + " failed and did not zero its out-parameter");
    return status;
  }

 private:
  Rig& rig_;
  Mistake mistake_;
  std::span<std::byte> out_;
  Buffer other_buffer_;
  Semaphore other_semaphore_;
};

// When a slot must be there.
inline constexpr uint64_t kAlways = UINT64_MAX;
inline constexpr uint64_t kOptional = 0;

struct SlotRow {
  const char* slot;     // "memory.buffer_create"
  uint64_t needed_for;  // kAlways, kOptional or a HAL_FEATURE_*
  bool has_subject;
  bool has_out;
  std::function<hal_status_t*(Arguments&)> call;  // checks what a right call gave, and gives it back
};

std::vector<SlotRow> device_slots();
std::vector<SlotRow> memory_slots();
std::vector<SlotRow> queue_slots();
std::vector<SlotRow> executable_slots();
std::vector<SlotRow> command_buffer_slots();
std::vector<SlotRow> collective_slots();
std::vector<SlotRow> profiling_slots();
std::vector<SlotRow> telemetry_slots();
std::vector<SlotRow> extension_slots();

}  // namespace hal::conformance

#endif  // CONFORMANCE_CASES_SLOTS_HPP_
