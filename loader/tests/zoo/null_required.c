/* SPDX-License-Identifier: Apache-2.0
 * A required slot is NULL. */
#define ZOO_NAME "zoo-null-required"
#include "zoo.h"

ZOO_QUERY_SPOILT(zoo_memory.buffer_create = NULL)
