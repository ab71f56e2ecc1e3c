// SPDX-License-Identifier: Apache-2.0
//
// Timeline semaphores: order, failure, deadlines, and ten thousand races between signal and wait.
#include <atomic>
#include <thread>

#include "harness.hpp"

namespace hal::test {
namespace {

uint64_t value_of(const Semaphore& semaphore) {
  uint64_t value = 0;
  HAL_EXPECT_OK(hal_semaphore_query(semaphore.get(), &value));
  return value;
}

TEST(Semaphore, GrowsAndNeverShrinks) {
  const Session session;
  const Semaphore semaphore = session.semaphore(5);
  EXPECT_EQ(value_of(semaphore), 5u);
  HAL_EXPECT_CODE(hal_semaphore_signal(semaphore.get(), 5), INVALID_ARGUMENT);
  HAL_EXPECT_CODE(hal_semaphore_signal(semaphore.get(), 4), INVALID_ARGUMENT);
  HAL_EXPECT_OK(hal_semaphore_signal(semaphore.get(), 9));
  EXPECT_EQ(value_of(semaphore), 9u);
  HAL_EXPECT_OK(session.wait(semaphore, 3, HAL_TIME_POLL));
  HAL_EXPECT_CODE(hal_semaphore_signal(semaphore.get(), uint64_t{1} << 63), OUT_OF_RANGE);
  HAL_EXPECT_OK(hal_semaphore_signal(semaphore.get(), (uint64_t{1} << 63) - 1));
}

TEST(Semaphore, DeadlinesAreAbsoluteNanoseconds) {
  const Session session;
  const Semaphore semaphore = session.semaphore();
  const hal_time_t start = hal_sdk_now();
  HAL_EXPECT_CODE(session.wait(semaphore, 1, HAL_TIME_POLL), TIMEOUT);
  HAL_EXPECT_CODE(session.wait(semaphore, 1, start), TIMEOUT);
  EXPECT_LT(hal_sdk_now() - start, 500 * kMillisecond);
  HAL_EXPECT_CODE(session.wait(semaphore, 1, start + 50 * kMillisecond), TIMEOUT);
  EXPECT_GE(hal_sdk_now() - start, 50 * kMillisecond);
  EXPECT_LT(hal_sdk_now() - start, 5 * kSecond);
}

TEST(Semaphore, AllWaitsForAllAndAnyForOne) {
  const Session session;
  const Semaphore a = session.semaphore(), b = session.semaphore();
  const hal_semaphore_value_t values[] = {{a.get(), 1}, {b.get(), 1}};
  HAL_ASSERT_OK(hal_semaphore_signal(b.get(), 1));
  uint32_t index = 99;
  HAL_EXPECT_OK(hal_semaphore_wait(session.device(), HAL_WAIT_ANY, 2, values, HAL_TIME_FOREVER, &index));
  EXPECT_EQ(index, 1u);
  HAL_EXPECT_CODE(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 2, values, after(5 * kMillisecond), &index),
                  TIMEOUT);
  HAL_ASSERT_OK(hal_semaphore_signal(a.get(), 1));
  HAL_EXPECT_OK(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 2, values, HAL_TIME_POLL, nullptr));
  HAL_EXPECT_OK(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 0, nullptr, HAL_TIME_POLL, nullptr));
  HAL_EXPECT_OK(hal_semaphore_wait(session.device(), HAL_WAIT_ANY, 0, nullptr, HAL_TIME_POLL, nullptr));
  HAL_EXPECT_CODE(hal_semaphore_wait(session.device(), 7, 2, values, HAL_TIME_POLL, nullptr), INVALID_ARGUMENT);
}

TEST(Semaphore, TheFirstFailureStaysAndWaitAgreesWithQuery) {
  const Session session;
  const Semaphore semaphore = session.semaphore(3);
  hal_status_t* first = host_status(HAL_STATUS_DEVICE_LOST, "the first failure");
  hal_status_t* second = host_status(HAL_STATUS_INTERNAL, "the second failure");
  HAL_EXPECT_OK(hal_semaphore_fail(semaphore.get(), first));
  HAL_EXPECT_OK(hal_semaphore_fail(semaphore.get(), second));
  hal_status_release(first);
  hal_status_release(second);
  for (int round = 0; round < 3; round++) {
    uint64_t value = 0;
    const Outcome query = take(hal_semaphore_query(semaphore.get(), &value));
    const Outcome wait = take(session.wait(semaphore, 1));
    for (const Outcome& outcome : {query, wait}) {
      EXPECT_EQ(outcome.code, HAL_STATUS_ABORTED);
      EXPECT_EQ(outcome.root, "the first failure");
      EXPECT_EQ(outcome.root_code, HAL_STATUS_DEVICE_LOST);
      EXPECT_EQ(outcome.root_vendor_code, 7);
    }
    EXPECT_EQ(value, 3u);
  }
  HAL_EXPECT_CODE(hal_semaphore_signal(semaphore.get(), 8), ABORTED);
  HAL_EXPECT_CODE(hal_semaphore_fail(semaphore.get(), nullptr), INVALID_ARGUMENT);
}

TEST(Semaphore, AFailureWakesASleeper) {
  const Session session;
  const Semaphore a = session.semaphore(), b = session.semaphore();
  std::thread failer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    hal_status_t* failure = host_status(HAL_STATUS_INTERNAL, "broken");
    HAL_EXPECT_OK(hal_semaphore_fail(b.get(), failure));
    hal_status_release(failure);
  });
  const hal_semaphore_value_t values[] = {{a.get(), 1}, {b.get(), 1}};
  const Outcome outcome =
      take(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 2, values, HAL_TIME_FOREVER, nullptr));
  EXPECT_EQ(outcome.code, HAL_STATUS_ABORTED);
  EXPECT_EQ(outcome.root, "broken");
  failer.join();
}

TEST(Semaphore, NoWakeUpIsLost) {
  const Session session;
  const Semaphore ping = session.semaphore(), pong = session.semaphore();
  constexpr uint64_t kRounds = 10000;
  std::thread other([&] {
    for (uint64_t i = 1; i <= kRounds; i++) {
      HAL_EXPECT_OK(session.wait(ping, i));
      if (i % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
      HAL_EXPECT_OK(hal_semaphore_signal(pong.get(), i));
    }
  });
  for (uint64_t i = 1; i <= kRounds; i++) {
    HAL_EXPECT_OK(hal_semaphore_signal(ping.get(), i));
    if (i % 77 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    HAL_EXPECT_OK(session.wait(pong, i));
  }
  other.join();
}

TEST(Semaphore, ManyThreadsWaitOnManyWithTimeOuts) {
  const Session session;
  std::vector<Semaphore> semaphores;
  std::vector<hal_semaphore_value_t> values;
  for (int i = 0; i < 20; i++) {
    semaphores.push_back(session.semaphore());
    values.push_back({semaphores.back().get(), 1000});
  }
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&, t] {
      for (;;) {
        const auto mode = t % 2 == 0 ? HAL_WAIT_ALL : HAL_WAIT_ANY;
        const Outcome outcome =
            take(hal_semaphore_wait(session.device(), mode, 20, values.data(), after(50000 * (t + 1)), nullptr));
        if (outcome.code == HAL_STATUS_TIMEOUT) continue;
        EXPECT_EQ(outcome.code, HAL_STATUS_OK);
        break;
      }
      done++;
    });
  }
  for (uint64_t value = 1; value <= 1000; value++) {
    for (const Semaphore& semaphore : semaphores) HAL_EXPECT_OK(hal_semaphore_signal(semaphore.get(), value));
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, 4);
}

TEST(Semaphore, BadHandlesAreInvalid) {
  const Session session;
  const Semaphore semaphore = session.semaphore();
  const hal_semaphore_value_t none[] = {{nullptr, 1}};
  const hal_semaphore_value_t large[] = {{semaphore.get(), UINT64_MAX}};
  HAL_EXPECT_CODE(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 1, none, HAL_TIME_POLL, nullptr),
                  INVALID_ARGUMENT);
  HAL_EXPECT_CODE(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 1, nullptr, HAL_TIME_POLL, nullptr),
                  INVALID_ARGUMENT);
  HAL_EXPECT_CODE(hal_semaphore_wait(session.device(), HAL_WAIT_ALL, 1, large, HAL_TIME_POLL, nullptr), OUT_OF_RANGE);
  hal_semaphore_t* out = nullptr;
  HAL_EXPECT_CODE(session.calls().queue->semaphore_create(session.device(), UINT64_MAX, &out), OUT_OF_RANGE);
}

}  // namespace
}  // namespace hal::test
