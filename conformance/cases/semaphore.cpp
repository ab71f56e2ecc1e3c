// SPDX-License-Identifier: Apache-2.0
//
// Timeline semaphores and waits: values, deadlines, modes, and no lost wake-up.
#include <atomic>
#include <thread>

#include "cases.hpp"

namespace hal::conformance {
namespace {

constexpr char kRules[] = "hal/queue.h: semaphores";
constexpr uint64_t kMillisecond = 1000000;

hal_status_t* wait(Rig& rig, hal_wait_mode_t mode, const SemaphoreList& points, hal_time_t deadline,
                   uint32_t* index = nullptr) {
  return hal_semaphore_wait(rig.device(), mode, static_cast<uint32_t>(points.size()), points.data(), deadline, index);
}

uint64_t value_of(hal_semaphore_t* semaphore) {
  uint64_t value = UINT64_MAX;
  expect_ok(hal_semaphore_query(semaphore, &value), "queue.semaphore_query");
  return value;
}

void initial_value(Rig& rig) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, uint64_t{1} << 33, (uint64_t{1} << 63) - 1}) {
    const Semaphore semaphore = rig.semaphore(value);
    expect_equal(value_of(semaphore.get()), value, "the value of a new semaphore");
    expect_ok(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), value}}, HAL_TIME_POLL), "a wait for the initial value");
  }
}

void values_grow(Rig& rig) {
  const Semaphore semaphore = rig.semaphore(10);
  for (const uint64_t value : {uint64_t{11}, uint64_t{100}, uint64_t{1} << 40}) {
    expect_ok(hal_semaphore_signal(semaphore.get(), value), "queue.semaphore_signal");
    expect_equal(value_of(semaphore.get()), value, "the value after a signal");
  }
}

void values_do_not_shrink(Rig& rig) {
  const Semaphore semaphore = rig.semaphore(10);
  for (const uint64_t value : {10u, 9u, 0u}) {
    expect_code(hal_semaphore_signal(semaphore.get(), value), HAL_STATUS_INVALID_ARGUMENT,
                "queue.semaphore_signal of " + std::to_string(value) + " at 10");
    expect_equal(value_of(semaphore.get()), 10, "the value after a signal that was refused");
  }
}

void below_current(Rig& rig) {
  const Semaphore semaphore = rig.semaphore(10);
  for (const uint64_t value : {0u, 1u, 9u, 10u}) {
    expect_ok(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), value}}, HAL_TIME_POLL), "a wait for a value that is behind");
  }
}

void poll(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  const hal_time_t before = hal_time_now();
  for (int i = 0; i < 100; i++) {
    expect_code(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 1}}, HAL_TIME_POLL), HAL_STATUS_TIMEOUT,
                "a poll for a value that is ahead");
  }
  expect(hal_time_now() - before < 2000 * kMillisecond, "100 polls took over 2 s; HAL_TIME_POLL never blocks");
}

// Deadlines are absolute, in nanoseconds of the host's clock.
void deadline(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  for (const uint64_t milliseconds : {5u, 40u, 120u}) {
    const hal_time_t before = hal_time_now();
    expect_code(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 1}}, before + milliseconds * kMillisecond),
                HAL_STATUS_TIMEOUT, "a wait with a deadline");
    const uint64_t took = hal_time_now() - before;
    const std::string text = "a wait with a deadline in " + std::to_string(milliseconds) + " ms ended after " +
                             std::to_string(took / 1000) + " us";
    expect(took >= milliseconds * kMillisecond, text);
    expect(took < (milliseconds + 1500) * kMillisecond, text);
  }
}

void past_deadline(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  const hal_time_t before = hal_time_now();
  expect_code(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 1}}, before - kMillisecond), HAL_STATUS_TIMEOUT,
              "a wait whose deadline is past");
  expect(hal_time_now() - before < 1000 * kMillisecond, "a wait whose deadline is past took over a second");
}

void timeout_changes_nothing(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  expect_code(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 1}}, in_milliseconds(5)), HAL_STATUS_TIMEOUT,
              "a wait with a deadline");
  expect_equal(value_of(semaphore.get()), 0, "the value after a wait that timed out");
  expect_ok(hal_semaphore_signal(semaphore.get(), 1), "queue.semaphore_signal");
  expect_ok(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 1}}, in_milliseconds(kPatience)),
            "a wait after one that timed out");
}

void wait_all(Rig& rig) {
  const Semaphore a = rig.semaphore(1), b = rig.semaphore(), c = rig.semaphore(1);
  const SemaphoreList points = {{a.get(), 1}, {b.get(), 1}, {c.get(), 1}};
  expect_code(wait(rig, HAL_WAIT_ALL, points, in_milliseconds(20)), HAL_STATUS_TIMEOUT,
              "a wait for all of three, two of which are ready");
  expect_ok(hal_semaphore_signal(b.get(), 1), "queue.semaphore_signal");
  expect_ok(wait(rig, HAL_WAIT_ALL, points, HAL_TIME_POLL), "a wait for all of three that are ready");
}

void wait_any(Rig& rig) {
  const Semaphore a = rig.semaphore(), b = rig.semaphore(), c = rig.semaphore();
  const SemaphoreList points = {{a.get(), 1}, {b.get(), 1}, {c.get(), 1}};
  uint32_t index = 99;
  expect_code(wait(rig, HAL_WAIT_ANY, points, in_milliseconds(20), &index), HAL_STATUS_TIMEOUT,
              "a wait for any of three, none of which is ready");
  expect_ok(hal_semaphore_signal(b.get(), 1), "queue.semaphore_signal");
  expect_ok(wait(rig, HAL_WAIT_ANY, points, HAL_TIME_POLL, &index), "a wait for any of three, one of which is ready");
  expect_equal(index, 1, "the index of the one that is ready");
  expect_ok(wait(rig, HAL_WAIT_ANY, points, HAL_TIME_POLL, nullptr), "a wait for any with out_index NULL");
}

void empty_list(Rig& rig) {
  for (const hal_wait_mode_t mode : {HAL_WAIT_ALL, HAL_WAIT_ANY}) {
    expect_ok(hal_semaphore_wait(rig.device(), mode, 0, nullptr, HAL_TIME_POLL, nullptr), "a wait for an empty list");
  }
}

void bad_arguments(Rig& rig) {
  const Semaphore semaphore = rig.semaphore(5);
  expect_code(hal_semaphore_wait(rig.device(), HAL_WAIT_ALL, 1, nullptr, HAL_TIME_POLL, nullptr),
              HAL_STATUS_INVALID_ARGUMENT, "queue.semaphore_wait with a count and no list");
  expect_code(wait(rig, HAL_WAIT_ALL, {{nullptr, 1}}, HAL_TIME_POLL), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_wait for a NULL semaphore");
  expect_code(wait(rig, 77, {{semaphore.get(), 1}}, HAL_TIME_POLL), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_wait with mode 77");
  expect_code(hal_semaphore_query(semaphore.get(), nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_query with out_value NULL");
  const auto create = hal_calls_of(rig.device())->queue.semaphore_create;
  expect_code(create(rig.device(), 0, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "queue.semaphore_create with out_semaphore NULL");
}

// A thread that runs while the case waits; joined whatever happens.
class Helper {
 public:
  explicit Helper(std::function<void()> body) : thread_(std::move(body)) {}
  ~Helper() { thread_.join(); }

 private:
  std::thread thread_;
};

void woken_by_a_thread(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  const Helper helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    hal_status_release(hal_semaphore_signal(semaphore.get(), 7));
  });
  expect_ok(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 7}}, HAL_TIME_FOREVER),
            "a wait for ever, and a signal from another thread");
}

void any_woken_by_a_thread(Rig& rig) {
  const Semaphore never = rig.semaphore(), soon = rig.semaphore();
  const Helper helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    hal_status_release(hal_semaphore_signal(soon.get(), 1));
  });
  uint32_t index = 99;
  expect_ok(wait(rig, HAL_WAIT_ANY, {{never.get(), 1}, {soon.get(), 1}}, in_milliseconds(kPatience), &index),
            "a wait for any, and a signal of the second");
  expect_equal(index, 1, "the index of the one that was signalled");
}

void failure_wakes(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  const hal_status_t failure = {sizeof(hal_status_t), HAL_STATUS_CANCELLED, 0, to_hal("on purpose"), {}, {}, nullptr,
                                [](hal_status_t*) {}};
  const Helper helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    hal_status_release(hal_semaphore_fail(semaphore.get(), &failure));
  });
  expect_code(wait(rig, HAL_WAIT_ALL, {{semaphore.get(), 7}}, in_milliseconds(kPatience)), HAL_STATUS_ABORTED,
              "a wait for a semaphore that fails meanwhile");
}

void many_waiters(Rig& rig) {
  const Semaphore semaphore = rig.semaphore();
  std::atomic<int> woken{0};
  {
    std::vector<std::unique_ptr<Helper>> helpers;
    for (uint64_t i = 1; i <= 8; i++) {
      helpers.push_back(std::make_unique<Helper>([&, i] {
        hal_status_t* status = wait(rig, HAL_WAIT_ALL, {{semaphore.get(), i}}, in_milliseconds(kPatience));
        woken += status == nullptr ? 1 : 0;
        hal_status_release(status);
      }));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    expect_ok(hal_semaphore_signal(semaphore.get(), 8), "queue.semaphore_signal");
  }
  expect_equal(static_cast<uint64_t>(woken), 8, "threads that one signal woke");
}

// Two threads hand a value to each other: a wake-up that is lost ends in a timeout.
void ping_pong(Rig& rig) {
  constexpr uint64_t kRounds = 10000;
  const Semaphore ping = rig.semaphore(), pong = rig.semaphore();
  const Helper helper([&] {
    for (uint64_t i = 1; i <= kRounds; i++) {
      hal_status_t* status = wait(rig, HAL_WAIT_ALL, {{ping.get(), i}}, in_milliseconds(kPatience));
      const bool lost = status != nullptr;
      hal_status_release(status);
      if (lost) return;
      hal_status_release(hal_semaphore_signal(pong.get(), i));
    }
  });
  for (uint64_t i = 1; i <= kRounds; i++) {
    expect_ok(hal_semaphore_signal(ping.get(), i), "queue.semaphore_signal");
    rig.wait(pong.get(), i);
  }
}

void submit_loop(Rig& rig) {
  constexpr uint64_t kRounds = 10000;
  const Semaphore semaphore = rig.semaphore();
  for (uint64_t i = 1; i <= kRounds; i++) {
    rig.submit({}, {}, {{semaphore.get(), i}});
    rig.wait(semaphore.get(), i);
  }
  expect_equal(value_of(semaphore.get()), kRounds, "the value after ten thousand submissions");
}

}  // namespace

Cases semaphore_cases() {
  return {with_rig("semaphore.initial_value", kRules, initial_value),
          with_rig("semaphore.values_grow", kRules, values_grow),
          negative(with_rig("semaphore.values_do_not_shrink", kRules, values_do_not_shrink)),
          with_rig("semaphore.below_current", kRules, below_current),
          with_rig("semaphore.poll", kRules, poll),
          with_rig("semaphore.deadline", "hal/base.h: hal_time_t", deadline),
          with_rig("semaphore.past_deadline", "hal/base.h: hal_time_t", past_deadline),
          with_rig("semaphore.timeout_changes_nothing", kRules, timeout_changes_nothing),
          with_rig("semaphore.wait_all", kRules, wait_all),
          with_rig("semaphore.wait_any", kRules, wait_any),
          with_rig("semaphore.empty_list", kRules, empty_list),
          negative(with_rig("semaphore.bad_arguments", kRules, bad_arguments)),
          with_rig("semaphore.woken_by_a_thread", kRules, woken_by_a_thread),
          with_rig("semaphore.any_woken_by_a_thread", kRules, any_woken_by_a_thread),
          with_rig("semaphore.failure_wakes", kRules, failure_wakes),
          with_rig("semaphore.many_waiters", kRules, many_waiters),
          stress(0.5, with_rig("semaphore.ping_pong_10000", kRules, ping_pong)),
          stress(0.5, with_rig("semaphore.submit_loop_10000", kRules, submit_loop))};
}

}  // namespace hal::conformance
