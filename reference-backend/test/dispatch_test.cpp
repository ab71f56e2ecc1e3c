// SPDX-License-Identifier: Apache-2.0
//
// Dispatch: each workgroup once, constants and bindings whole, failures, concurrency, floating-point environment.
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <sstream>
#include <thread>

#include "kernel_files.hpp"

namespace hal::test {
namespace {

class DispatchTest : public ::testing::Test {
 protected:
  // Runs work and waits.
  Outcome run(const std::vector<const hal_work_t*>& work) {
    const Semaphore done = session_.semaphore();
    HAL_EXPECT_OK((Submit{{}, work, {{done.get(), 1}}}.to(queue_)));
    return take(session_.wait(done, 1, after(60 * kSecond)));
  }
  hal_status_code_t submit_code(const hal_work_dispatch_t& work) {
    return take(Submit{{}, {&work.header}, {}}.to(queue_)).code;
  }

  Session session_;
  Queue queue_ = session_.queue();
  Executable kernels_ = load(session_);
};

TEST_F(DispatchTest, EachWorkgroupRunsOnceInEveryGrid) {
  for (const std::vector<uint32_t>& grid : {std::vector<uint32_t>{1, 1, 1},
                                            {2, 1, 1},
                                            {17, 1, 1},
                                            {1, 9, 1},
                                            {1, 1, 5},
                                            {3, 5, 7},
                                            {64, 3, 2},
                                            {100003, 1, 1}}) {
    const uint64_t total = uint64_t{grid[0]} * grid[1] * grid[2];
    const Buffer out = session_.buffer(total * 8);
    const Dispatch dispatch(kernels_, "write_id", grid, {range(out)});
    EXPECT_EQ(run({&dispatch.work.header}).code, HAL_STATUS_OK);
    const auto values = read_as<uint64_t>(session_, out, total);
    for (uint64_t i = 0; i < total; i++) {
      const uint64_t x = i % grid[0], y = i / grid[0] % grid[1], z = i / grid[0] / grid[1];
      ASSERT_EQ(values[i], 1 + x + 1000 * y + 1000000 * z) << grid[0] << "x" << grid[1] << "x" << grid[2];
    }
  }
}

TEST_F(DispatchTest, AZeroExtentDoesNothing) {
  const Buffer out = session_.buffer(64);
  for (int axis = 0; axis < 3; axis++) {
    std::vector<uint32_t> grid{4, 2, 1};
    grid[static_cast<size_t>(axis)] = 0;
    const Dispatch dispatch(kernels_, "write_id", grid, {range(out)});
    EXPECT_EQ(run({&dispatch.work.header}).code, HAL_STATUS_OK);
    EXPECT_EQ(session_.read(out, 0, 64), std::vector<uint8_t>(64, 0));
  }
}

TEST_F(DispatchTest, BindingsAreRangesAndConstantsAreTakenAtSubmit) {
  struct {
    float a, b;
  } constants = {2.0f, 1.0f};
  const Buffer x = session_.buffer(80), out = session_.buffer(400);
  for (uint8_t i = 0; i < 20; i++) {
    const float value = i;
    std::vector<uint8_t> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    session_.write(x, i * 4u, bytes);
  }
  Dispatch dispatch(kernels_, "scale", {10, 1, 1}, {range(x, 40, 40), range(out, 100, 40)}, bytes_of(constants));
  const Semaphore gate = session_.semaphore(), done = session_.semaphore();
  HAL_ASSERT_OK((Submit{{{gate.get(), 1}}, {&dispatch.work.header}, {{done.get(), 1}}}.to(queue_)));
  dispatch.constants.assign(8, 0);
  dispatch.bindings.assign(2, hal_buffer_range_t{});
  HAL_ASSERT_OK(hal_semaphore_signal(gate.get(), 1));
  HAL_ASSERT_OK(session_.wait(done, 1));
  const auto values = read_as<float>(session_, out, 100);
  for (size_t i = 0; i < 100; i++) {
    const bool inside = i >= 25 && i < 35;
    ASSERT_EQ(values[i], inside ? 2.0f * static_cast<float>(i - 25 + 10) + 1.0f : 0.0f) << i;
  }
}

TEST_F(DispatchTest, SixtyFourBindingsAndAKilobyteOfConstants) {
  std::vector<Buffer> buffers;
  std::vector<hal_buffer_range_t> ranges;
  uint64_t expected = 0;
  for (uint32_t i = 0; i < 64; i++) {
    buffers.push_back(session_.buffer(8));
    const auto work = fill(range(buffers.back()), i * 1000u, 4);
    EXPECT_EQ(run({&work.header}).code, HAL_STATUS_OK);
    ranges.push_back(range(buffers.back()));
    expected += i * 1000u;
  }
  std::vector<char> constants(1024);
  for (size_t i = 0; i < constants.size(); i++) {
    constants[i] = static_cast<char>(i % 251);
    expected += i % 251;
  }
  const Dispatch dispatch(kernels_, "add_all", {1, 1, 1}, ranges, constants);
  EXPECT_EQ(run({&dispatch.work.header}).code, HAL_STATUS_OK);
  EXPECT_EQ(read_as<uint64_t>(session_, buffers[0], 1)[0], expected);
}

TEST_F(DispatchTest, LocalMemoryBelongsToOneWorkgroup) {
  constexpr uint32_t kGroups = 5000;
  const Buffer out = session_.buffer(kGroups * 8);
  const Dispatch dispatch(kernels_, "use_local", {kGroups, 1, 1}, {range(out)});
  EXPECT_EQ(run({&dispatch.work.header}).code, HAL_STATUS_OK);
  const auto values = read_as<uint64_t>(session_, out, kGroups);
  for (uint64_t i = 0; i < kGroups; i++) ASSERT_EQ(values[i], 512 * i);
}

TEST_F(DispatchTest, AFailureNamesKernelNumberAndWorkgroup) {
  for (uint64_t at : {0, 1, 4999, 9999}) {
    Dispatch dispatch(kernels_, "fail_at", {100, 10, 10}, {}, bytes_of(at));
    dispatch.work.header.label = view("layer 3");
    const Outcome outcome = run({&dispatch.work.header});
    EXPECT_EQ(outcome.code, HAL_STATUS_ABORTED);
    EXPECT_EQ(outcome.root_vendor_code, 42);
    std::ostringstream place;
    place << "(" << at % 100 << ", " << at / 100 % 10 << ", " << at / 1000 << ")";
    for (const std::string& part : {std::string("fail_at"), place.str(), std::string("layer 3")}) {
      EXPECT_NE(outcome.root.find(part), std::string::npos) << outcome.root;
    }
  }
  const Dispatch good(kernels_, "nothing", {1, 1, 1});
  EXPECT_EQ(run({&good.work.header}).code, HAL_STATUS_OK);
}

TEST_F(DispatchTest, BadArgumentsAreRefusedAtSubmit) {
  const Buffer out = session_.buffer(64);
  Dispatch dispatch(kernels_, "write_id", {1, 1, 1}, {range(out)});
  const hal_work_dispatch_t good = dispatch.work;
  const auto refused = [&](auto change) {
    hal_work_dispatch_t work = good;
    change(work);
    return submit_code(work);
  };
  EXPECT_EQ(refused([](auto& work) { work.executable = nullptr; }), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& work) { work.entry = 1000; }), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(refused([](auto& work) { work.binding_count = 0; }), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& work) { work.bindings = nullptr; }), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& work) { work.constant_bytes = 4; }), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused([](auto& work) { work.workgroup_count[1] = UINT32_MAX; }), HAL_STATUS_OUT_OF_RANGE);
  dispatch.bindings[0].length = 65;
  EXPECT_EQ(submit_code(dispatch.work), HAL_STATUS_OUT_OF_RANGE);
}

hal_status_t* disturb_floating_point(void*) {
  _mm_setcsr(_mm_getcsr() | 0x8040 | 0x6000);
  return nullptr;
}

TEST_F(DispatchTest, KernelsRoundToNearestAndKeepSubnormals) {
  constexpr uint32_t kGroups = 64;
  const unsigned kControl = ~0x3Fu;  // all but the flags that arithmetic raises
  const unsigned before = _mm_getcsr() & kControl;
  const Buffer out = session_.buffer(kGroups * 8);
  const Dispatch dispatch(kernels_, "floating_point", {kGroups, 1, 1}, {range(out)});
  const auto disturb = host_call(disturb_floating_point, nullptr);
  EXPECT_EQ(run({&disturb.header, &dispatch.work.header}).code, HAL_STATUS_OK);
  const auto values = read_as<float>(session_, out, 2 * kGroups);
  for (size_t i = 0; i < kGroups; i++) {
    ASSERT_EQ(values[2 * i], 5.87747175e-39f);
    ASSERT_EQ(values[2 * i + 1], 1.0f / 3.0f);
  }
  EXPECT_EQ(_mm_getcsr() & kControl, before);
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

// Ends when submit has returned; had submit run the work itself, it would end by its own deadline, as a failure.
hal_status_t* wait_for_return(void* returned) {
  const hal_time_t deadline = after(10 * kSecond);
  while (!static_cast<std::atomic<bool>*>(returned)->load()) {
    if (hal_sdk_now() > deadline) return host_status(HAL_STATUS_TIMEOUT, "submit waits for the work");
    std::this_thread::yield();
  }
  return nullptr;
}

TEST_F(DispatchTest, SubmitReturnsBeforeTheWorkIsDone) {
  std::atomic<bool> returned{false};
  const auto work = host_call(wait_for_return, &returned);
  const Dispatch dispatch(kernels_, "nothing", {4, 1, 1});
  const Semaphore done = session_.semaphore();
  HAL_ASSERT_OK((Submit{{}, {&work.header, &dispatch.work.header}, {{done.get(), 1}}}.to(queue_)));
  returned = true;
  HAL_ASSERT_OK(session_.wait(done, 1, after(60 * kSecond)));
}

TEST_F(DispatchTest, TheExecutableMayBeDestroyedWhileItRuns) {
  const uint64_t rounds = 5'000'000;
  const Dispatch dispatch(kernels_, "spin", {4, 1, 1}, {}, bytes_of(rounds));
  const Semaphore done = session_.semaphore();
  HAL_ASSERT_OK((Submit{{}, {&dispatch.work.header}, {{done.get(), 1}}}.to(queue_)));
  kernels_.reset();
  HAL_EXPECT_OK(session_.wait(done, 1, after(60 * kSecond)));
}

TEST_F(DispatchTest, ManySubmissionsOfManyThreadsShareTheWorkers) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&] {
      const Buffer out = session_.buffer(64 * 8);
      const Semaphore done = session_.semaphore();
      const Dispatch dispatch(kernels_, "write_id", {64, 1, 1}, {range(out)});
      for (uint64_t i = 1; i <= 200; i++) {
        HAL_EXPECT_OK((Submit{{{done.get(), i - 1}}, {&dispatch.work.header}, {{done.get(), i}}}.to(queue_)));
      }
      HAL_EXPECT_OK(session_.wait(done, 200, after(60 * kSecond)));
      const auto values = read_as<uint64_t>(session_, out, 64);
      for (uint64_t i = 0; i < 64; i++) EXPECT_EQ(values[i], 200 * (1 + i));
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace hal::test
