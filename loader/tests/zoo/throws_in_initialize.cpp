// SPDX-License-Identifier: Apache-2.0
// Lets something that is no std::exception out of initialize.
#define ZOO_NAME "zoo-throws-in-initialize"
#include "zoo.h"

namespace {
hal_status_t* initialize(const hal_instance_desc_t*, hal_instance_t**) { throw 42; }
}  // namespace

ZOO_QUERY_SPOILT(zoo_device.initialize = initialize)
