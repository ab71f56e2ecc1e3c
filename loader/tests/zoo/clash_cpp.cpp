// SPDX-License-Identifier: Apache-2.0
//
// Brings its own version of a C++ library (CLASH_VALUE) with the names that every version of it has: a class, inline
// variables, a template's static member, an inline function's static, an exception. Compilers make them symbols that
// the dynamic linker shares by name over the whole process, RTLD_LOCAL or not, unless the plugin keeps them to itself.
#define ZOO_NAME_STRING_(value) #value
#define ZOO_NAME_STRING(value) ZOO_NAME_STRING_(value)
#define ZOO_NAME "zoo-clash-cpp-" ZOO_NAME_STRING(CLASH_VALUE)
#include "clash_cpp.hpp"
#include "zoo.h"

namespace {

hal_status_t* capabilities(hal_device_t* device, hal_device_caps_t* out_caps) {
  hal_status_t* const status = zoo_capabilities(device, out_caps);
  out_caps->core_count = clash::sum_of_all();
  return status;
}

}  // namespace

extern "C" {
ZOO_QUERY_SPOILT(zoo_device.capabilities = capabilities)
}
