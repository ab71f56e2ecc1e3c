/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plugin author starts from: link the static library hal_sdk, include this header, copy backends/template. The
 * SDK owns statuses, struct checks, lifetimes, timeline semaphores, queues and the whole of the memory and queue
 * groups; a plugin gives a driver (hal/sdk/device.h) that allocates, copies, fills and dispatches.
 * docs/write-a-plugin.md.
 *
 * Needs gcc or clang (C99 or C++) and POSIX threads. Not part of the ABI: each plugin has its own copy inside.
 */
#ifndef HAL_SDK_SDK_H_
#define HAL_SDK_SDK_H_

#include "hal/sdk/device.h"
#include "hal/sdk/memory.h"
#include "hal/sdk/object.h"
#include "hal/sdk/queue.h"
#include "hal/sdk/semaphore.h"
#include "hal/sdk/status.h"
#include "hal/sdk/structs.h"
#include "hal/sdk/thread.h"

#endif /* HAL_SDK_SDK_H_ */
