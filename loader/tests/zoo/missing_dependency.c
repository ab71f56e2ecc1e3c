/* SPDX-License-Identifier: Apache-2.0
 * Needs a library that is not where the dynamic linker looks. */
#define ZOO_NAME "zoo-missing-dependency"
#include "zoo.h"

int zoo_gone(void);

ZOO_QUERY_SPOILT((void)zoo_gone())
