// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>

namespace hal::loader {
namespace {

// Never destroyed: a late thread may end as late as the process.
struct OwnThreads {
  std::mutex creation;
  std::mutex mutex;
  ThreadIds ids;
};
OwnThreads& own_threads() {
  static auto* const instance = new OwnThreads;
  return *instance;
}

}  // namespace

ThreadIds thread_ids() {
  ThreadIds threads;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed), end; !failed && at != end;
       at.increment(failed)) {
    threads.insert(std::atoi(at->path().filename().c_str()));
  }
  const std::lock_guard lock(own_threads().mutex);
  for (const int own : own_threads().ids) threads.erase(own);
  return threads;
}

OwnThread::OwnThread() {
  const std::lock_guard lock(own_threads().mutex);
  own_threads().ids.insert(gettid());
}

OwnThread::~OwnThread() {
  const std::lock_guard lock(own_threads().mutex);
  own_threads().ids.erase(gettid());
}

std::mutex& thread_creation() { return own_threads().creation; }

void lock_own_threads() {
  own_threads().creation.lock();
  own_threads().mutex.lock();
}

void unlock_own_threads(bool is_child) {
  if (is_child) own_threads().ids.clear();
  own_threads().mutex.unlock();
  own_threads().creation.unlock();
}

std::string thread_name(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace hal::loader
