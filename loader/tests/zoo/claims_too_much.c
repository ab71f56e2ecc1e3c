/* SPDX-License-Identifier: Apache-2.0
 * Its device claims executables, and there is no executable group. */
#define ZOO_NAME "zoo-claims-too-much"
#define ZOO_FEATURES HAL_FEATURE_EXECUTABLES
#include "zoo.h"

ZOO_QUERY()
