// SPDX-License-Identifier: Apache-2.0
//
// The file of a trace: Chrome's JSON array of events, one a line. Each event reaches the kernel when it happens, so
// that a crash loses none that was written: then only the closing bracket is missing, which Perfetto does not mind.
#ifndef LOADER_LAYERS_TRACE_TRACE_FILE_HPP_
#define LOADER_LAYERS_TRACE_TRACE_FILE_HPP_

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "hal/cxx/result.hpp"

namespace hal::layers::trace {

using Json = nlohmann::ordered_json;

class TraceFile {
 public:
  // Several plugins of a process share one file. UNAVAILABLE with the system's reason.
  static Result<std::shared_ptr<TraceFile>> open(const std::string& path);

  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void write(const Json& event);

  // A number that no other trace, queue or submission of this file has.
  uint64_t next_id();

  // This thread's id; its name is written when it is first seen.
  int64_t thread();

 private:
  explicit TraceFile(int descriptor);
  void put(const std::string& text);

  const int descriptor_;
  const uint64_t identity_;
  std::mutex mutex_;
  bool is_first_ = true;
  uint64_t last_id_ = 0;
};

}  // namespace hal::layers::trace

#endif  // LOADER_LAYERS_TRACE_TRACE_FILE_HPP_
