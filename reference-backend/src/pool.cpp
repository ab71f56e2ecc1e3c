// SPDX-License-Identifier: Apache-2.0
//
// Worker threads: see pool.hpp.
#include "pool.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cfenv>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hal::cpu {
namespace {

// Round to nearest, subnormals kept, all exceptions masked: what kernels are promised, whatever a host call left.
void reset_floating_point() {
#if defined(__x86_64__)
  _mm_setcsr(0x1F80);
#else
  std::fesetenv(FE_DFL_ENV);
#endif
}

void pin_to(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (processor < 0 || processor >= CPU_SETSIZE) return;
  CPU_SET(static_cast<size_t>(processor), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

void Job::run_chunks(void* local_memory) {
  reset_floating_point();
  for (;;) {
    const uint64_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (begin >= total_) return;
    run(begin, std::min(total_, begin + chunk_), local_memory);
  }
}

thread_local Pool::Worker* Pool::current_ = nullptr;

// ---- starting and stopping ----

Result<std::unique_ptr<Pool>> Pool::start(const std::vector<unsigned>& processors, bool pin, size_t cores) {
  std::unique_ptr<Pool> pool(new Pool);
  // One core stays free of polling: it is the host's.
  pool->may_poll_ = static_cast<unsigned>(std::max<size_t>(2, std::min(cores, processors.size())) - 1);
  for (unsigned processor : processors) {
    auto worker = std::make_unique<Worker>();
    worker->pool = pool.get();
    worker->processor = pin ? static_cast<int>(processor) : -1;
    worker->local_memory = mmap(nullptr, kLocalMemoryBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (worker->local_memory == MAP_FAILED) return Error{HAL_STATUS_OUT_OF_MEMORY, "no local memory for a worker"};
    const int error = hal_sdk_thread_start(&worker->thread, "hal-cpu", enter, worker.get());
    if (error != 0) {
      munmap(worker->local_memory, kLocalMemoryBytes);
      return Error{HAL_STATUS_UNAVAILABLE, std::string("cannot start a worker thread: ") + std::strerror(error)};
    }
    pool->workers_.push_back(std::move(worker));
  }
  return pool;
}

void Pool::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    events_.fetch_add(1, std::memory_order_release);
  }
  work_arrived_.notify_all();
  for (auto& worker : workers_) {
    hal_sdk_thread_join(&worker->thread);
    munmap(worker->local_memory, kLocalMemoryBytes);
  }
  workers_.clear();
}

void* Pool::enter(void* argument) {
  auto* worker = static_cast<Worker*>(argument);
  current_ = worker;
  pin_to(worker->processor);
  std::fesetenv(FE_DFL_ENV);
  Task task;
  while (worker->pool->take(task)) {
    if (task.submission != nullptr) {
      hal_sdk_submission_run(task.submission);
    } else {
      worker->pool->help(*task.job, worker->local_memory);
    }
  }
  return nullptr;
}

// ---- finding something to do ----

bool Pool::find_task(Task& task) {
  task = {};
  if (first_ != nullptr) {
    task.submission = first_;
    first_ = first_->next;
    if (first_ == nullptr) last_ = &first_;
    queued_--;
    return true;
  }
  for (Job* job = jobs_; job != nullptr; job = job->below_) {
    if (!job->has_more()) continue;
    job->helpers_++;
    task.job = job;
    return true;
  }
  return false;
}

bool Pool::take(Task& task) {
  std::unique_lock lock(mutex_);
  while (!find_task(task)) {
    if (stopping_) return false;
    idle(lock);
  }
  return true;
}

void Pool::idle(std::unique_lock<std::mutex>& lock) {
  if (polling_ < may_poll_ && poll(lock)) return;
  const uint64_t seen = events_.load(std::memory_order_relaxed);
  sleeping_++;
  work_arrived_.wait(lock, [&] { return events_.load(std::memory_order_relaxed) != seen; });
  sleeping_--;
}

// True if something happened. Polls without the lock.
bool Pool::poll(std::unique_lock<std::mutex>& lock) {
  const uint64_t seen = events_.load(std::memory_order_relaxed);
  polling_++;
  lock.unlock();
  bool changed = false;
  for (const hal_time_t start = hal_sdk_now(); !changed && hal_sdk_keep_polling(start);) {
    for (int i = 0; i < 32 && !changed; i++) {
      hal_sdk_pause();
      changed = events_.load(std::memory_order_acquire) != seen;
    }
  }
  lock.lock();
  polling_--;
  return events_.load(std::memory_order_relaxed) != seen;
}

// Under the lock: those who poll see the event; `wanted` says how many threads have something to do.
void Pool::wake(unsigned wanted) {
  events_.fetch_add(1, std::memory_order_release);
  if (wanted <= polling_) return;
  for (unsigned i = std::min(wanted - polling_, sleeping_); i > 0; i--) work_arrived_.notify_one();
}

// ---- giving something to do ----

void Pool::push(hal_sdk_submission_t* submission) {
  submission->next = nullptr;
  std::lock_guard lock(mutex_);
  *last_ = submission;
  last_ = &submission->next;
  queued_++;
  wake(queued_);
}

void Pool::help(Job& job, void* local_memory) {
  job.run_chunks(local_memory);
  std::lock_guard lock(mutex_);
  if (--job.helpers_ == 0) helper_left_.notify_all();
}

void Pool::unlist(Job& job) {
  Job** link = &jobs_;
  while (*link != &job) link = &(*link)->below_;
  *link = job.below_;
}

void Pool::run(Job& job) {
  void* local_memory = current_->local_memory;
  const uint64_t chunks = (job.total_ - 1) / job.chunk_ + 1;
  if (chunks == 1 || size() == 1) return job.run_chunks(local_memory);
  {
    std::lock_guard lock(mutex_);
    job.below_ = jobs_;
    jobs_ = &job;
    wake(queued_ + static_cast<unsigned>(std::min<uint64_t>(chunks - 1, size() - 1)));
  }
  job.run_chunks(local_memory);
  std::unique_lock lock(mutex_);
  unlist(job);
  helper_left_.wait(lock, [&] { return job.helpers_ == 0; });
}

}  // namespace hal::cpu
