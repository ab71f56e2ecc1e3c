// SPDX-License-Identifier: Apache-2.0
#include "threads.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace hal::loader {

ThreadIds thread_ids() {
  ThreadIds threads;
  std::error_code failed;
  for (std::filesystem::directory_iterator at("/proc/self/task", failed), end; !failed && at != end;
       at.increment(failed)) {
    threads.insert(std::atoi(at->path().filename().c_str()));
  }
  return threads;
}

std::string thread_name(int thread) {
  std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

}  // namespace hal::loader
