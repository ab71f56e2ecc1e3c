// SPDX-License-Identifier: Apache-2.0
//
// What a dispatch costs: the submit call alone, and from submit to ready, for an empty kernel. Medians of repetitions:
//   mortise_cpu_dispatch_bench --benchmark_repetitions=9 --benchmark_report_aggregates_only
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "../test/kernel_files.hpp"

namespace hal::test {
namespace {

struct Setup {
  Session session;
  Queue queue = session.queue();
  Executable kernels = load(session);
  Semaphore done = session.semaphore();
  uint64_t step = 0;
};

void submit_one(Setup& setup, const Dispatch& dispatch, hal_semaphore_value_t signal) {
  const hal_work_t* work[] = {&dispatch.work.header};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.work = work;
  submission.work_count = 1;
  submission.signals = &signal;
  submission.signal_count = 1;
  if (hal_queue_submit(setup.queue.get(), &submission) != nullptr) abort();
}

void wait_for(Setup& setup, const std::vector<hal_semaphore_value_t>& values) {
  if (hal_semaphore_wait(setup.session.device(), HAL_WAIT_ALL, static_cast<uint32_t>(values.size()), values.data(),
                         HAL_TIME_FOREVER, nullptr) != nullptr) {
    abort();
  }
}

// One dispatch at a time. The counters are percentiles of single dispatches, which a mean over a busy machine hides.
void submit_to_ready(benchmark::State& state) {
  Setup setup;
  const auto groups = static_cast<uint32_t>(state.range(0));
  const Dispatch dispatch(setup.kernels, "nothing", {groups, 1, 1});
  std::vector<hal_time_t> ready, submitted;
  for (auto _ : state) {
    const hal_time_t start = hal_sdk_now();
    submit_one(setup, dispatch, {setup.done.get(), ++setup.step});
    const hal_time_t middle = hal_sdk_now();
    wait_for(setup, {{setup.done.get(), setup.step}});
    ready.push_back(hal_sdk_now() - start);
    submitted.push_back(middle - start);
  }
  std::sort(ready.begin(), ready.end());
  std::sort(submitted.begin(), submitted.end());
  state.counters["ready_median_ns"] = static_cast<double>(ready[ready.size() / 2]);
  state.counters["ready_p90_ns"] = static_cast<double>(ready[ready.size() * 9 / 10]);
  state.counters["submit_median_ns"] = static_cast<double>(submitted[submitted.size() / 2]);
}
BENCHMARK(submit_to_ready)->Arg(1)->Arg(2)->Arg(64)->UseRealTime();

hal_status_t* hold_worker(void* open) {
  while (!static_cast<std::atomic<bool>*>(open)->load(std::memory_order_acquire)) usleep(100);
  return nullptr;
}

// The submit call alone, while all workers have something else to do.
void submit_to_busy_workers(benchmark::State& state) {
  Setup setup;
  std::atomic<bool> open{false};
  const Dispatch dispatch(setup.kernels, "nothing", {1, 1, 1});
  const auto hold = host_call(hold_worker, &open);
  const uint32_t workers = setup.session.caps().core_count;
  std::vector<Semaphore> semaphores;
  for (int i = 0; i < 512; i++) semaphores.push_back(setup.session.semaphore());
  uint64_t round = 0;
  for (auto _ : state) {
    open = false;
    for (uint32_t i = 0; i < workers; i++) {
      if ((Submit{{}, {&hold.header}, {}}.to(setup.queue)) != nullptr) abort();
    }
    usleep(200);
    std::vector<hal_semaphore_value_t> signals;
    round++;
    for (const Semaphore& semaphore : semaphores) signals.push_back({semaphore.get(), round});
    const hal_time_t start = hal_sdk_now();
    for (const auto& signal : signals) submit_one(setup, dispatch, signal);
    state.SetIterationTime(static_cast<double>(hal_sdk_now() - start) * 1e-9 / static_cast<double>(signals.size()));
    open = true;
    wait_for(setup, signals);
  }
}
BENCHMARK(submit_to_busy_workers)->UseManualTime()->Iterations(300);

// Submissions one after the other without waiting: throughput of the whole path.
void submit_stream(benchmark::State& state) {
  Setup setup;
  const Dispatch dispatch(setup.kernels, "nothing", {1, 1, 1});
  for (auto _ : state) {
    const hal_semaphore_value_t before = {setup.done.get(), setup.step};
    const hal_semaphore_value_t signal = {setup.done.get(), setup.step + 1};
    const hal_work_t* work[] = {&dispatch.work.header};
    hal_submission_t submission = HAL_SUBMISSION_INIT;
    submission.waits = &before;
    submission.wait_count = 1;
    submission.work = work;
    submission.work_count = 1;
    submission.signals = &signal;
    submission.signal_count = 1;
    if (hal_queue_submit(setup.queue.get(), &submission) != nullptr) abort();
    setup.step++;
    if (setup.step % 1024 == 0) wait_for(setup, {{setup.done.get(), setup.step}});
  }
  wait_for(setup, {{setup.done.get(), setup.step}});
}
BENCHMARK(submit_stream)->UseRealTime();

}  // namespace
}  // namespace hal::test

BENCHMARK_MAIN();
