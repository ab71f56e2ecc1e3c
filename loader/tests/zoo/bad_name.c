/* SPDX-License-Identifier: Apache-2.0
 * Its name is not one. */
#define ZOO_NAME "Zoo:../etc"
#include "zoo.h"

ZOO_QUERY()
