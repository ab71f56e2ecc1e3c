// SPDX-License-Identifier: Apache-2.0
//
// What the faulty plugin's files share: the fault that is set, and its tables.
#ifndef CONFORMANCE_TESTS_FAULTY_STATE_HPP_
#define CONFORMANCE_TESTS_FAULTY_STATE_HPP_

#include <atomic>

#include "faults.hpp"
#include "hal/sdk/sdk.h"

namespace hal::faulty {

extern std::atomic<Fault> fault;
inline bool is(Fault which) { return fault.load(std::memory_order_relaxed) == which; }

// Sets the fault of that name; false if there is none.
bool set_fault(hal_string_t name);

// The wrong driver, memory group and queue group.
extern const hal_sdk_driver_t driver;
hal_memory_group_t memory_group();
hal_queue_group_t queue_group();

}  // namespace hal::faulty

#endif  // CONFORMANCE_TESTS_FAULTY_STATE_HPP_
