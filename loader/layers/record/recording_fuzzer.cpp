// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a recording: events or an error. What is read can be written, and is then read the same.
#include <cstdlib>

#include "recording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hal::layers::record;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Checksums are beyond a fuzzer: the payload is also tried with a right one.
  for (const bool is_framed : {false, true}) {
    std::string file = header();
    if (is_framed) {
      const std::string probe = encode({});
      file += probe;
      file += bytes;
    } else {
      file = bytes;
    }
    const hal::Result<Recording> read = decode(file);
    if (!read) continue;
    std::string again = header();
    for (const Event& event : read->events) again += encode(event);
    const hal::Result<Recording> second = decode(again);
    if (!second || second->events.size() != read->events.size()) std::abort();
  }
  return 0;
}
