// SPDX-License-Identifier: Apache-2.0
//
// Which threads this process has, so that a plugin that leaves one behind is noticed before its code is unmapped.
#ifndef LOADER_THREADS_HPP_
#define LOADER_THREADS_HPP_

#include <set>
#include <string>

namespace hal::loader {

using ThreadIds = std::set<int>;

// Empty where /proc is not there: then nothing is noticed.
ThreadIds thread_ids();

// The name of a thread, "" once it has gone.
std::string thread_name(int thread);

}  // namespace hal::loader

#endif  // LOADER_THREADS_HPP_
