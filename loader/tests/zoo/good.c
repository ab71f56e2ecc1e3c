/* SPDX-License-Identifier: Apache-2.0
 * Nothing is wrong with this one: plain C99, for any compiler. ZOO_NAME may be given from outside. */
#ifndef ZOO_NAME
#define ZOO_NAME "zoo-good"
#endif
#include "zoo.h"

ZOO_QUERY()
