/* SPDX-License-Identifier: Apache-2.0
 * Says that it was built with a sanitizer that the host was not built with. */
#define ZOO_NAME "zoo-sanitizer"
#ifdef __SANITIZE_THREAD__
#define ZOO_SANITIZER HAL_SANITIZER_ADDRESS
#else
#define ZOO_SANITIZER HAL_SANITIZER_THREAD
#endif
#include "zoo.h"

ZOO_QUERY()
