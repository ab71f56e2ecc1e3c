// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace hal::conformance {
namespace {

// Arm's /proc/cpuinfo has no "model name".
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "processor not named";
}

}  // namespace

std::string describe_machine() {
  utsname system{};
  uname(&system);
  return processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " + system.sysname + " " +
         system.release + " " + system.machine;
}

}  // namespace hal::conformance
