// SPDX-License-Identifier: Apache-2.0
//
// Plays a recording on a device, or on two side by side. What the application once read is compared with what is there
// now; with two devices the buffers that each submission wrote are compared after it.
#ifndef LOADER_LAYERS_RECORD_REPLAY_HPP_
#define LOADER_LAYERS_RECORD_REPLAY_HPP_

#include <string>
#include <vector>

#include "recording.hpp"
#include "world.hpp"

namespace hal::layers::record {

struct ReplayOptions {
  bool trusts_programs = false;          // programs are native code: never those of a stranger
  double tolerance = 0;                  // 0: bytes; else f32 elements may differ by so much, relative to the larger
  hal_time_t patience = 60'000'000'000;  // nanoseconds for one wait
};

struct ReplayReport {
  uint64_t events = 0, submissions = 0;
  uint64_t reads = 0, different_reads = 0;             // against the recorded run
  uint64_t compared_ranges = 0, different_ranges = 0;  // between the two devices, after each submission
  std::vector<std::string> differences;                // the first of them, for people

  bool is_same() const { return different_reads == 0 && different_ranges == 0; }
};

// `devices`: one or two, of any plugins. Errors name the event: what the recording asks for that a device refuses, or
// what is wrong with the recording.
Result<ReplayReport> replay(const Recording& recording, const std::vector<hal_device_t*>& devices,
                            const ReplayOptions& options);

}  // namespace hal::layers::record

#endif  // LOADER_LAYERS_RECORD_REPLAY_HPP_
