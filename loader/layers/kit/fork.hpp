// SPDX-License-Identifier: Apache-2.0
//
// Whether this process is a fork of the one in which the layer was attached (HAL-ABI-19): its threads are gone and its
// locks may be held for ever, so the layer steps aside.
#ifndef LOADER_LAYERS_KIT_FORK_HPP_
#define LOADER_LAYERS_KIT_FORK_HPP_

namespace hal::layers {

// Before the first is_forked.
void watch_forks();
bool is_forked();

}  // namespace hal::layers

#endif  // LOADER_LAYERS_KIT_FORK_HPP_
