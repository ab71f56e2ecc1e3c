// SPDX-License-Identifier: Apache-2.0
//
// Which threads this process has, so that a plugin that leaves one behind is noticed before its code is unmapped.
#ifndef LOADER_THREADS_HPP_
#define LOADER_THREADS_HPP_

#include <mutex>
#include <set>
#include <string>

namespace hal::loader {

using ThreadIds = std::set<int>;

// Without our own. Empty where /proc is not there: then nothing is noticed.
ThreadIds thread_ids();

// A thread of ours, as long as this lives on it.
class OwnThread {
 public:
  OwnThread();
  ~OwnThread();
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;
};

// Held while a thread of ours is made: the C library takes locks for it that a fork would leave locked in the child.
std::mutex& thread_creation();

// Around fork, whose child has none of them.
void lock_own_threads();
void unlock_own_threads(bool is_child);

// The name of a thread, "" once it has gone.
std::string thread_name(int thread);

}  // namespace hal::loader

#endif  // LOADER_THREADS_HPP_
