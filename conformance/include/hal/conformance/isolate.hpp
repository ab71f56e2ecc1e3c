// SPDX-License-Identifier: Apache-2.0
//
// A process of its own, with a deadline. The caller has not loaded a plugin and has one thread, so a fork is a clean
// start. The child leads a process group, which is killed as a whole.
#ifndef HAL_CONFORMANCE_ISOLATE_HPP_
#define HAL_CONFORMANCE_ISOLATE_HPP_

#include <sys/types.h>

#include <functional>
#include <string>

#include "hal/cxx/result.hpp"

namespace hal::conformance {

struct Limits {
  double deadline_seconds = 10.0;
  uint64_t memory_bytes = 0;  // of address space beyond what the process has at its start; 0: no limit
  uint64_t descriptors = 512;
};

enum class Ending { kAnswered, kCrashed, kTimedOut };

struct Outcome {
  Ending ending = Ending::kCrashed;
  std::string answer;  // what the body returned
  std::string how;     // "signal 11 (Segmentation fault)", "exit code 3 before an answer", "no answer in 10 s"
  std::string output;  // the end of its standard output and error
  double seconds = 0.0;
};

// One running child. Poll `descriptor` for input, then call step.
class Child {
 public:
  // Runs `body` in a new process; what it returns is the answer.
  static Result<Child> start(const Limits& limits, const std::function<std::string()>& body);
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  ~Child();

  int descriptor() const { return answer_fd_; }
  double seconds_left() const;
  // Reads what there is and looks at the deadline. True: it is over, and `outcome` says how.
  bool step(Outcome& outcome);

 private:
  Child() = default;
  void read_some();
  bool finish(Outcome& outcome, bool timed_out);

  pid_t pid_ = -1;
  int answer_fd_ = -1;
  int output_fd_ = -1;
  bool closed_ = false;
  double started_ = 0.0;
  double deadline_ = 0.0;
  double limit_ = 0.0;
  std::string answer_;
};

// Starts one and waits for its end.
Result<Outcome> run_isolated(const Limits& limits, const std::function<std::string()>& body);

}  // namespace hal::conformance

#endif  // HAL_CONFORMANCE_ISOLATE_HPP_
