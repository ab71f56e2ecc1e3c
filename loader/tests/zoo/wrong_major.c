/* SPDX-License-Identifier: Apache-2.0
 * Speaks ABI 9.2. */
#define ZOO_NAME "zoo-wrong-major"
#define ZOO_ABI HAL_ABI_MAKE(9, 2)
#include "zoo.h"

ZOO_QUERY()
