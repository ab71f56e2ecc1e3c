/* SPDX-License-Identifier: Apache-2.0
 * Writes to address 8 in its query. */
#define ZOO_NAME "zoo-crashes"
#include "zoo.h"

static volatile uintptr_t nowhere = 8;

ZOO_QUERY_SPOILT(*(volatile int*)nowhere = 1)
