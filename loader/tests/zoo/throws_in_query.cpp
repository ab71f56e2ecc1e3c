// SPDX-License-Identifier: Apache-2.0
// Lets a C++ exception out of its query.
#include <stdexcept>

#define ZOO_NAME "zoo-throws-in-query"
#include "zoo.h"

ZOO_QUERY_SPOILT(throw std::runtime_error("the driver is in a bad mood"))
