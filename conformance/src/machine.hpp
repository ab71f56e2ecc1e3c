// SPDX-License-Identifier: Apache-2.0
//
// The machine of a run, in one line for a report.
#ifndef CONFORMANCE_SRC_MACHINE_HPP_
#define CONFORMANCE_SRC_MACHINE_HPP_

#include <string>

namespace hal::conformance {

// "AMD EPYC 7763, 2 cores, Linux 6.1.0 x86_64"
std::string describe_machine();

}  // namespace hal::conformance

#endif  // CONFORMANCE_SRC_MACHINE_HPP_
