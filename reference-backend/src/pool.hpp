// SPDX-License-Identifier: Apache-2.0
//
// The instance's worker threads. They run submissions that are ready, and help each other with grids: a grid is cut
// into chunks that are taken with one atomic counter. A few idle workers poll for a moment before they sleep, so that
// work that follows work closely pays for no system call.
#ifndef HAL_REFERENCE_BACKEND_POOL_HPP_
#define HAL_REFERENCE_BACKEND_POOL_HPP_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/sdk/queue.h"
#include "hal/sdk/thread.h"

namespace hal::cpu {

// Bytes of local memory that each worker has for the workgroup that it runs.
constexpr uint64_t kLocalMemoryBytes = uint64_t{1} << 20;

// Something that many threads do together.
class Job {
 public:
  Job(uint64_t total, uint64_t chunk) : total_(total), chunk_(chunk) {}
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Runs the items [begin, end) on the calling thread; `local_memory` is the thread's own.
  virtual void run(uint64_t begin, uint64_t end, void* local_memory) = 0;

  // No further chunks are taken.
  void cancel() { next_.store(total_, std::memory_order_relaxed); }

 private:
  friend class Pool;
  bool has_more() const { return next_.load(std::memory_order_relaxed) < total_; }
  void run_chunks(void* local_memory);

  const uint64_t total_, chunk_;
  std::atomic<uint64_t> next_{0};
  unsigned helpers_ = 0;  // under the pool's mutex
  Job* below_ = nullptr;  // under the pool's mutex
};

class Pool {
 public:
  // One worker for each logical processor in the list; `pin` keeps it there. `cores` says how many there really are.
  static Result<std::unique_ptr<Pool>> start(const std::vector<unsigned>& processors, bool pin, size_t cores);
  ~Pool() { stop(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned size() const { return static_cast<unsigned>(workers_.size()); }

  // Enqueues; never blocks for long and never fails.
  void push(hal_sdk_submission_t* submission);

  // Runs a job to its end on the calling worker and on those that are idle.
  void run(Job& job);

  // Joins the workers. Nothing is queued any more.
  void stop();

 private:
  struct Worker {
    Pool* pool = nullptr;
    hal_sdk_thread_t thread{};
    void* local_memory = nullptr;
    int processor = -1;  // -1: any
  };
  struct Task {
    hal_sdk_submission_t* submission = nullptr;
    Job* job = nullptr;
  };

  Pool() = default;
  static void* enter(void* worker);
  static thread_local Worker* current_;

  bool take(Task& task);
  bool find_task(Task& task);
  void idle(std::unique_lock<std::mutex>& lock);
  bool poll(std::unique_lock<std::mutex>& lock);
  void help(Job& job, void* local_memory);
  void wake(unsigned wanted);
  void unlist(Job& job);

  std::mutex mutex_;
  std::condition_variable work_arrived_, helper_left_;
  std::atomic<uint64_t> events_{0};  // changes under the mutex; read by those who poll
  hal_sdk_submission_t* first_ = nullptr;
  hal_sdk_submission_t** last_ = &first_;
  unsigned queued_ = 0;
  Job* jobs_ = nullptr;
  unsigned polling_ = 0, sleeping_ = 0, may_poll_ = 0;
  bool stopping_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace hal::cpu

#endif  // HAL_REFERENCE_BACKEND_POOL_HPP_
