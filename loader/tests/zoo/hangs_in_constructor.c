/* SPDX-License-Identifier: Apache-2.0
 * Never comes back from its constructor, which the dynamic linker waits for. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#define ZOO_NAME "zoo-hangs-in-constructor"
#include "zoo.h"

__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}

ZOO_QUERY()
