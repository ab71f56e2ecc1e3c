/* SPDX-License-Identifier: Apache-2.0
 * Never comes back from hal_plugin_query. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define ZOO_NAME "zoo-hangs-in-query"
#include "zoo.h"

static void hang(void) {
  for (;;) pause();
}

ZOO_QUERY_SPOILT(hang())
