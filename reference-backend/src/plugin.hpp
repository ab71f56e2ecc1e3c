// SPDX-License-Identifier: Apache-2.0
//
// The plugin's objects, and the guard between C++ and the ABI: no exception passes it.
#ifndef HAL_REFERENCE_BACKEND_PLUGIN_HPP_
#define HAL_REFERENCE_BACKEND_PLUGIN_HPP_

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/sdk/sdk.h"
#include "machine.hpp"
#include "pool.hpp"

struct hal_instance {
  hal_sdk_instance_t base{};
  hal::cpu::Machine machine;
  std::unique_ptr<hal::cpu::Pool> pool;
};

struct hal_device {
  hal_sdk_device_t base{};
  hal_instance_t* instance = nullptr;
  hal_device_caps_t caps{};
  hal_sdk_heap_t heap{};
  std::vector<hal_compute_unit_t> units;
};

namespace hal::cpu {

// Runs a body that returns hal_status_t*, and turns what it throws into a status.
template <typename Body>
hal_status_t* guarded(const char* call, Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return hal_sdk_status_out_of_memory();
  } catch (const std::exception& error) {
    return hal_sdk_status(HAL_STATUS_INTERNAL, call, "%s", error.what());
  }
}

inline hal_status_t* to_status(const Error& error, const char* call) {
  return hal_sdk_status(error.code, call, "%s", error.message.c_str());
}

inline hal_string_t to_string(const std::string& text) { return {text.data(), text.size()}; }

extern const hal_device_group_t device_group;          // device_group.cpp
extern const hal_executable_group_t executable_group;  // executable.cpp

// Describes the device: capabilities, heap and driver. describe.cpp
void describe(hal_device_t& device);
hal_support_t support_of(const hal_support_query_t& query);

// The driver's work. dispatch.cpp, transfer.cpp
hal_status_t* dispatch(hal_device_t* device, const hal_work_dispatch_t* work);
hal_status_t* copy(hal_device_t* device, const hal_work_copy_t* work);
hal_status_t* fill(hal_device_t* device, const hal_work_fill_t* work);

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_PLUGIN_HPP_
