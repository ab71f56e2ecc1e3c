/* SPDX-License-Identifier: Apache-2.0
 * Claims the chip of zoo-good too, as a second driver for it would. */
#define ZOO_NAME "zoo-duplicate"
#define ZOO_UUID "zoo-good"
#include "zoo.h"

ZOO_QUERY()
