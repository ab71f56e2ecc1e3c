// SPDX-License-Identifier: Apache-2.0
//
// Queues: work, order, failure through a graph, and destroying everything at once.
#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include "harness.hpp"

namespace hal::test {
namespace {

// ---- work ----

TEST(Queue, FillsWithEachPatternSize) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  uint64_t step = 0;
  for (uint32_t size : {1, 2, 4, 8}) {
    const Buffer buffer = session.buffer(10000);
    const auto work = fill(range(buffer, 8, 9984), 0x1122334455667788, size);
    HAL_ASSERT_OK((Submit{{}, {&work.header}, {{done.get(), ++step}}}.to(queue)));
    HAL_ASSERT_OK(session.wait(done, step));
    const auto bytes = session.read(buffer, 0, 10000);
    for (size_t i = 0; i < bytes.size(); i++) {
      const bool inside = i >= 8 && i < 9992;
      const auto expected = static_cast<uint8_t>(0x1122334455667788u >> (8 * ((i - 8) % size)));
      ASSERT_EQ(bytes[i], inside ? expected : 0) << size << " at " << i;
    }
  }
}

TEST(Queue, CopiesRowsWithTheirOwnPitch) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  const Buffer source = session.buffer(200), target = session.buffer(200);
  std::vector<uint8_t> numbers(200);
  for (size_t i = 0; i < numbers.size(); i++) numbers[i] = static_cast<uint8_t>(i);
  session.write(source, 0, numbers);
  auto work = copy(range(source, 3, 5), range(target, 7, 5));
  work.rows = 4;
  work.source_pitch = 10;
  work.target_pitch = 20;
  HAL_ASSERT_OK((Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  HAL_ASSERT_OK(session.wait(done, 1));
  std::vector<uint8_t> expected(200, 0);
  for (size_t row = 0; row < 4; row++) {
    for (size_t i = 0; i < 5; i++) expected[7 + row * 20 + i] = static_cast<uint8_t>(3 + row * 10 + i);
  }
  EXPECT_EQ(session.read(target, 0, 200), expected);
}

TEST(Queue, CopiesOfOneBufferMayInterleaveButNotMeet) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  const Buffer buffer = session.buffer(100);
  session.write(buffer, 0, std::vector<uint8_t>(50, 1));
  auto work = copy(range(buffer, 0, 4), range(buffer, 4, 4));
  work.rows = 5;
  work.source_pitch = work.target_pitch = 8;
  HAL_EXPECT_OK((Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  HAL_ASSERT_OK(session.wait(done, 1));
  work.target.offset = 3;
  HAL_EXPECT_CODE((Submit{{}, {&work.header}, {}}.to(queue)), INVALID_ARGUMENT);
  work.target_pitch = 9;
  work.target.offset = 4;
  HAL_EXPECT_CODE((Submit{{}, {&work.header}, {}}.to(queue)), INVALID_ARGUMENT);
  const auto flat = copy(range(buffer, 0, 10), range(buffer, 9, 10));
  HAL_EXPECT_CODE((Submit{{}, {&flat.header}, {}}.to(queue)), INVALID_ARGUMENT);
}

TEST(Queue, LargeTransfersAreWholeAndStayInside) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  uint64_t step = 0;
  for (uint64_t length : {(1 << 20) - 8, 1 << 20, (1 << 20) + 8, (5 << 20) + 24}) {
    const Buffer source = session.buffer(length + 16), target = session.buffer(length + 16);
    std::vector<uint8_t> bytes(length + 16);
    for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
    session.write(source, 0, bytes);
    const auto work = copy(range(source, 8, length), range(target, 8, length));
    HAL_ASSERT_OK((Submit{{}, {&work.header}, {{done.get(), ++step}}}.to(queue)));
    HAL_ASSERT_OK(session.wait(done, step));
    std::fill_n(bytes.begin(), 8, uint8_t{0});
    std::fill_n(bytes.end() - 8, 8, uint8_t{0});
    EXPECT_TRUE(session.read(target, 0, length + 16) == bytes) << length;
    const auto filled = fill(range(target, 8, length), 0x0807060504030201, 8);
    HAL_ASSERT_OK((Submit{{}, {&filled.header}, {{done.get(), ++step}}}.to(queue)));
    HAL_ASSERT_OK(session.wait(done, step));
    for (size_t i = 8; i < bytes.size() - 8; i++) bytes[i] = static_cast<uint8_t>(i % 8 + 1);
    EXPECT_TRUE(session.read(target, 0, length + 16) == bytes) << length;
  }
}

TEST(Queue, ManyRowsAreCopiedEach) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  constexpr uint64_t kRows = 5000, kLength = 700, kSourcePitch = 701, kTargetPitch = 704;
  const Buffer source = session.buffer(kRows * kSourcePitch), target = session.buffer(kRows * kTargetPitch);
  std::vector<uint8_t> bytes(kRows * kSourcePitch);
  for (size_t i = 0; i < bytes.size(); i++) bytes[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
  session.write(source, 0, bytes);
  auto work = copy(range(source, 1, kLength), range(target, 2, kLength));
  work.rows = kRows;
  work.source_pitch = kSourcePitch;
  work.target_pitch = kTargetPitch;
  HAL_ASSERT_OK((Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  HAL_ASSERT_OK(session.wait(done, 1));
  std::vector<uint8_t> expected(kRows * kTargetPitch, 0);
  for (uint64_t row = 0; row < kRows; row++) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(row * kSourcePitch + 1), kLength,
                expected.begin() + static_cast<std::ptrdiff_t>(row * kTargetPitch + 2));
  }
  EXPECT_TRUE(session.read(target, 0, expected.size()) == expected);
}

TEST(Queue, UpdateTakesItsBytesAtSubmit) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore gate = session.semaphore(), done = session.semaphore();
  const Buffer buffer = session.buffer(16);
  std::vector<uint8_t> bytes{1, 2, 3, 4};
  hal_work_update_t work = HAL_WORK_UPDATE_INIT;
  work.target = range(buffer, 2, 4);
  work.data = bytes.data();
  HAL_ASSERT_OK((Submit{{{gate.get(), 1}}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  bytes.assign(4, 99);
  HAL_ASSERT_OK(hal_semaphore_signal(gate.get(), 1));
  HAL_ASSERT_OK(session.wait(done, 1));
  EXPECT_EQ(session.read(buffer, 0, 8), (std::vector<uint8_t>{0, 0, 1, 2, 3, 4, 0, 0}));
}

TEST(Queue, CopiesReadTheirSourceWhenTheyRun) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore gate = session.semaphore(), done = session.semaphore();
  const Buffer source = session.buffer(16), target = session.buffer(16);
  const auto work = copy(range(source), range(target));
  HAL_ASSERT_OK((Submit{{{gate.get(), 1}}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  session.write(source, 0, std::vector<uint8_t>(16, 42));
  HAL_ASSERT_OK(hal_semaphore_signal(gate.get(), 1));
  HAL_ASSERT_OK(session.wait(done, 1));
  EXPECT_EQ(session.read(target, 0, 16), std::vector<uint8_t>(16, 42));
}

TEST(Queue, WorkOfOneSubmissionRunsInOrder) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  const Buffer a = session.buffer(5000), b = session.buffer(5000);
  const auto first = fill(range(a), 1), second = fill(range(a, 0, 2500), 2);
  const auto third = copy(range(a), range(b));
  const auto last = fill(range(a), 3);
  HAL_ASSERT_OK(
      (Submit{{}, {&first.header, &second.header, &third.header, &last.header}, {{done.get(), 1}}}.to(queue)));
  HAL_ASSERT_OK(session.wait(done, 1));
  const auto bytes = session.read(b, 0, 5000);
  for (size_t i = 0; i < bytes.size(); i++) ASSERT_EQ(bytes[i], i < 2500 ? 2 : 1);
}

// ---- what submit refuses ----

TEST(Queue, RefusesWhatDoesNotFitAndEnqueuesNothing) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  const Buffer buffer = session.buffer(64), empty = session.buffer(0);
  const auto refused = [&](const hal_work_t& work) {
    const hal_status_code_t code = take(Submit{{}, {&work}, {{done.get(), 1}}}.to(queue)).code;
    HAL_EXPECT_CODE(session.wait(done, 1, HAL_TIME_POLL), TIMEOUT);
    return code;
  };
  const auto with_size = [](hal_work_fill_t work, uint32_t size) {
    work.header.struct_size = size;
    return work;
  };
  const hal_buffer_range_t whole = range(buffer);
  HAL_EXPECT_CODE((Submit{{}, {nullptr}, {}}.to(queue)), INVALID_ARGUMENT);
  EXPECT_EQ(refused(fill(range(buffer, 0, 65), 1).header), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(refused(fill(range(buffer, 8, UINT64_MAX - 1), 1).header), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(refused(fill(range(empty, 0, 1), 1).header), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(refused(fill(range(Buffer(), 0, 1), 1).header), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused(fill(whole, 1, 3).header), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused(fill(range(buffer, 1, 4), 1, 4).header), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused(with_size(fill(whole, 1), 12).header), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused(with_size(fill(whole, 1), 0xCCCCCCCC).header), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused(copy(range(buffer, 0, 8), range(buffer, 8, 9)).header), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(refused(host_call(nullptr, nullptr).header), HAL_STATUS_INVALID_ARGUMENT);
  hal_work_fill_t reserved = fill(whole, 1);
  reserved.reserved0 = 1;
  EXPECT_EQ(refused(reserved.header), HAL_STATUS_UNSUPPORTED);
  hal_work_t unknown = {sizeof(hal_work_t), 4711, {nullptr, 0}, nullptr};
  EXPECT_EQ(refused(unknown), HAL_STATUS_UNSUPPORTED);
}

TEST(Queue, TheTailOfALongerStructMustBeZero) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  struct Longer {
    hal_submission_t submission = HAL_SUBMISSION_INIT;
    uint64_t more[8] = {};
  } longer;
  const hal_semaphore_value_t signal = {done.get(), 1};
  longer.submission.struct_size = sizeof longer;
  longer.submission.signals = &signal;
  longer.submission.signal_count = 1;
  longer.more[3] = 1;
  const Outcome outcome = take(hal_queue_submit(queue.get(), &longer.submission));
  EXPECT_EQ(outcome.code, HAL_STATUS_UNSUPPORTED);
  EXPECT_NE(outcome.message.find(std::to_string(sizeof(hal_submission_t) + 24)), std::string::npos) << outcome.message;
  longer.more[3] = 0;
  HAL_EXPECT_OK(hal_queue_submit(queue.get(), &longer.submission));
  HAL_EXPECT_OK(session.wait(done, 1));
}

TEST(Queue, ChainsAreBoundedAndRequiredNodesRefused) {
  const Session session;
  const Queue queue = session.queue();
  hal_chain_t node = {sizeof(hal_chain_t), 0x12345, 0, nullptr};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.next = &node;
  HAL_EXPECT_OK(hal_queue_submit(queue.get(), &submission));
  node.flags = HAL_CHAIN_REQUIRED;
  HAL_EXPECT_CODE(hal_queue_submit(queue.get(), &submission), UNSUPPORTED);
  node.flags = 0;
  node.next = &node;
  HAL_EXPECT_CODE(hal_queue_submit(queue.get(), &submission), INVALID_ARGUMENT);
  node.next = nullptr;
  node.struct_size = 3;
  HAL_EXPECT_CODE(hal_queue_submit(queue.get(), &submission), INVALID_ARGUMENT);
}

TEST(Queue, ASignalMustGrow) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore(4);
  HAL_EXPECT_CODE((Submit{{}, {}, {{done.get(), 4}}}.to(queue)), INVALID_ARGUMENT);
  const Semaphore gate = session.semaphore();
  HAL_ASSERT_OK((Submit{{{gate.get(), 1}}, {}, {{done.get(), 5}}}.to(queue)));
  HAL_ASSERT_OK(hal_semaphore_signal(done.get(), 10));
  HAL_ASSERT_OK(hal_semaphore_signal(gate.get(), 1));
  const Outcome outcome = take(session.wait(done, 11));
  EXPECT_EQ(outcome.code, HAL_STATUS_ABORTED);
  EXPECT_EQ(outcome.root_code, HAL_STATUS_INVALID_ARGUMENT);
}

TEST(Queue, TheNumberOfQueuesIsBounded) {
  const Session session;
  const uint32_t most = session.caps().max_queues;
  std::vector<Queue> queues;
  for (uint32_t i = 0; i < most; i++) queues.push_back(session.queue());
  hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
  hal_queue_t* queue = nullptr;
  HAL_EXPECT_CODE(session.calls().queue->queue_create(session.device(), &desc, &queue), OUT_OF_RANGE);
  queues.pop_back();
  queues.push_back(session.queue());
  desc.kind = 1u << 20;
  HAL_EXPECT_CODE(session.calls().queue->queue_create(session.device(), &desc, &queue), UNSUPPORTED);
}

// ---- failure ----

struct Failing {
  std::atomic<int> calls{0};
};

hal_status_t* fail_call(void* user_data) {
  static_cast<Failing*>(user_data)->calls++;
  return host_status(HAL_STATUS_DATA_CORRUPT, "injected");
}

TEST(Queue, AFailureNamesItsOriginAndStopsTheRest) {
  const Session session;
  const Queue queue = session.queue("left");
  const Semaphore done = session.semaphore();
  const Buffer buffer = session.buffer(8);
  Failing failing;
  auto bad = host_call(fail_call, &failing);
  bad.header.label = view("the bad one");
  const auto never = fill(range(buffer), 1);
  HAL_ASSERT_OK((Submit{{}, {&bad.header, &never.header}, {{done.get(), 1}}, "step 5"}.to(queue)));
  const Outcome outcome = take(session.wait(done, 1));
  EXPECT_EQ(outcome.code, HAL_STATUS_ABORTED);
  EXPECT_EQ(outcome.root_code, HAL_STATUS_DATA_CORRUPT);
  EXPECT_EQ(outcome.root_vendor_code, 7);
  for (const char* part : {"injected", "left", "step 5", "the bad one"}) {
    EXPECT_NE(outcome.root.find(part), std::string::npos) << outcome.root;
  }
  EXPECT_EQ(failing.calls, 1);
  EXPECT_EQ(session.read(buffer, 0, 8), std::vector<uint8_t>(8, 0));
}

// A graph of 20 operations: operation i waits for some before it. One fails; all that follow from it fail with its
// text.
TEST(Queue, InAGraphOfTwentyEveryDependantFailsWithTheRoot) {
  constexpr int kOperations = 20;
  const Session session;
  std::mt19937 random(1);
  for (int broken = 0; broken < kOperations; broken++) {
    const Queue queues[] = {session.queue("a"), session.queue("b"), session.queue("c")};
    std::vector<Semaphore> done;
    std::vector<bool> reached(kOperations, false);
    Failing failing;
    const Buffer buffer = session.buffer(kOperations);
    for (int i = 0; i < kOperations; i++) done.push_back(session.semaphore());
    const Semaphore gate = session.semaphore();
    for (int i = 0; i < kOperations; i++) {
      Submit submit{{{gate.get(), 1}}, {}, {{done[static_cast<size_t>(i)].get(), 1}}};
      reached[static_cast<size_t>(i)] = i == broken;
      for (int k = 0; k < 2 && i > 0; k++) {
        const auto before = static_cast<size_t>(random() % static_cast<unsigned>(i));
        submit.waits.push_back({done[before].get(), 1});
        if (reached[before]) reached[static_cast<size_t>(i)] = true;
      }
      const auto good = fill(range(buffer, static_cast<uint64_t>(i), 1), 1);
      const auto bad = host_call(fail_call, &failing);
      submit.work = {i == broken ? &bad.header : &good.header};
      HAL_ASSERT_OK(submit.to(queues[i % 3]));
    }
    HAL_ASSERT_OK(hal_semaphore_signal(gate.get(), 1));
    const hal_time_t deadline = after(5 * kSecond);
    std::string root;
    for (size_t i = 0; i < kOperations; i++) {
      const Outcome outcome = take(session.wait(done[i], 1, deadline));
      ASSERT_EQ(outcome.code, reached[i] ? hal_status_code_t{HAL_STATUS_ABORTED} : HAL_STATUS_OK) << broken << " " << i;
      if (!reached[i]) continue;
      if (root.empty()) root = outcome.root;
      EXPECT_EQ(outcome.root, root);
      EXPECT_NE(root.find("injected"), std::string::npos);
      EXPECT_EQ(session.read(buffer, i, 1)[0], 0) << "a dependant ran";
    }
    EXPECT_EQ(failing.calls, 1);
  }
}

TEST(Queue, AFailedWaitEndsASubmissionWhoseOtherWaitsStayOpen) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore never = session.semaphore(), bad = session.semaphore(), done = session.semaphore();
  HAL_ASSERT_OK((Submit{{{never.get(), 1}, {bad.get(), 1}, {never.get(), 2}}, {}, {{done.get(), 1}}}.to(queue)));
  HAL_EXPECT_CODE(session.wait(done, 1, after(2 * kMillisecond)), TIMEOUT);
  hal_status_t* failure = host_status(HAL_STATUS_CANCELLED, "called off");
  HAL_ASSERT_OK(hal_semaphore_fail(bad.get(), failure));
  hal_status_release(failure);
  const Outcome outcome = take(session.wait(done, 1));
  EXPECT_EQ(outcome.code, HAL_STATUS_ABORTED);
  EXPECT_EQ(outcome.root, "called off");
}

// ---- host calls ----

struct Chain {
  const Queue* queue;
  const Semaphore* done;
  std::atomic<uint64_t> calls{0};
  uint64_t last;
};

hal_status_t* submit_next(void* user_data) {
  auto* chain = static_cast<Chain*>(user_data);
  const uint64_t call = ++chain->calls;
  const auto work = host_call(submit_next, chain);
  Submit submit{{}, {}, {}};
  if (call < chain->last) submit.work = {&work.header};
  if (call == chain->last) submit.signals = {{chain->done->get(), 1}};
  return submit.to(*chain->queue);
}

TEST(Queue, AHostCallMaySubmit) {
  const Session session;
  const Queue queue = session.queue();
  const Semaphore done = session.semaphore();
  Chain chain{&queue, &done, {}, 1000};
  const auto work = host_call(submit_next, &chain);
  HAL_ASSERT_OK((Submit{{}, {&work.header}, {}}.to(queue)));
  HAL_ASSERT_OK(session.wait(done, 1));
  EXPECT_EQ(chain.calls, 1000u);
}

// ---- lifetimes ----

hal_status_t* count_call(void* user_data) {
  static_cast<std::atomic<int>*>(user_data)->fetch_add(1);
  return nullptr;
}

TEST(Queue, EverythingMayBeDestroyedAtOnceAfterSubmit) {
  std::atomic<int> calls{0};
  for (int order = 0; order < 24; order++) {
    const Session session;
    Queue queue = session.queue();
    Semaphore gate = session.semaphore(), done = session.semaphore();
    Buffer a = session.buffer(1 << 16), b = session.buffer(1 << 16);
    const auto first = fill(range(a), 7);
    const auto second = copy(range(a), range(b));
    const auto third = host_call(count_call, &calls);
    HAL_ASSERT_OK(
        (Submit{{{gate.get(), 1}}, {&first.header, &second.header, &third.header}, {{done.get(), 1}}}.to(queue)));
    HAL_ASSERT_OK(hal_semaphore_signal(gate.get(), 1));
    int sequence[] = {0, 1, 2, 3};
    for (int i = 0; i < order; i++) std::next_permutation(sequence, sequence + 4);
    for (int what : sequence) {
      if (what == 0) queue.reset();
      if (what == 1) a.reset();
      if (what == 2) b.reset();
      if (what == 3) gate.reset(), done.reset();
    }
  }
  EXPECT_EQ(calls, 24) << "queued work was dropped";
}

TEST(Queue, ShutdownIsBusyWhileHandlesLiveAndCancelsWhatCanNeverStart) {
  Session session;
  Queue queue = session.queue();
  Semaphore never = session.semaphore(), done = session.semaphore();
  Buffer buffer = session.buffer(64);
  std::atomic<int> calls{0};
  const auto work = host_call(count_call, &calls);
  HAL_ASSERT_OK((Submit{{{never.get(), 1}}, {&work.header}, {{done.get(), 1}}}.to(queue)));
  HAL_ASSERT_OK((Submit{{{done.get(), 1}}, {&work.header}, {}}.to(queue)));
  const Outcome outcome = take(session.calls().device->shutdown(session.instance()));
  EXPECT_EQ(outcome.code, HAL_STATUS_BUSY);
  for (const char* part : {"1 device", "1 buffer", "1 queue", "2 semaphores"}) {
    EXPECT_NE(outcome.message.find(part), std::string::npos) << outcome.message;
  }
  queue.reset();
  buffer.reset();
  never.reset();
  done.reset();
  session.close();
  EXPECT_EQ(calls, 0);
}

TEST(Queue, MemoryIsFreeWhenTheWaitReturns) {
  const Session session;
  const Queue queue = session.queue();
  for (uint64_t i = 1; i <= 300; i++) {
    const Semaphore done = session.semaphore();
    Buffer buffer = session.buffer(4096);
    const auto work = fill(range(buffer), i);
    HAL_ASSERT_OK((Submit{{}, {&work.header}, {{done.get(), 1}}}.to(queue)));
    HAL_ASSERT_OK(session.wait(done, 1));
    buffer.reset();
    ASSERT_EQ(session.statistics().live_bytes, 0u);
  }
}

TEST(Queue, SixteenThreadsUseOneQueue) {
  const Session session;
  const Queue queue = session.queue();
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; t++) {
    threads.emplace_back([&, t] {
      const Semaphore done = session.semaphore();
      const Buffer buffer = session.buffer(256);
      for (uint64_t i = 1; i <= 50; i++) {
        const auto work = fill(range(buffer), static_cast<uint64_t>(t) * 50 + i, 8);
        HAL_EXPECT_OK((Submit{{{done.get(), i - 1}}, {&work.header}, {{done.get(), i}}}.to(queue)));
      }
      HAL_EXPECT_OK(session.wait(done, 50));
      uint64_t value = 0;
      std::memcpy(&value, session.read(buffer, 248, 8).data(), 8);
      EXPECT_EQ(value, static_cast<uint64_t>(t) * 50 + 50);
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace hal::test
