/* SPDX-License-Identifier: Apache-2.0
 *
 * Everything that an application needs of the ABI. The loader's own calls are in hal/loader.h.
 */
#ifndef HAL_HAL_H_
#define HAL_HAL_H_

#include "hal/calls.h"

#endif /* HAL_HAL_H_ */
