// SPDX-License-Identifier: Apache-2.0
//
// A case that fails in a run and passes alone: is it what ran before it? Cases share no process, so that what carries
// over is in the device, its driver or the machine.
#ifndef CONFORMANCE_SRC_PREDECESSORS_HPP_
#define CONFORMANCE_SRC_PREDECESSORS_HPP_

#include <cstddef>
#include <functional>
#include <vector>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

// The shortest part of `before`, found by halving, after which the case fails; empty where it does not fail even after
// all of them. `fails_after` runs those cases in order, then the case.
Result<std::vector<size_t>> guilty_predecessors(
    std::vector<size_t> before, const std::function<Result<bool>(const std::vector<size_t>&)>& fails_after);

}  // namespace hal::conformance

#endif  // CONFORMANCE_SRC_PREDECESSORS_HPP_
