// SPDX-License-Identifier: Apache-2.0
//
// Submissions: order, gates, lifetimes, host calls, and what submit refuses.
#include <atomic>
#include <cstring>

#include "cases.hpp"

namespace hal::conformance {
namespace {

constexpr char kOrder[] = "hal/queue.h: ordering";
constexpr char kLifetime[] = "HAL-ABI-19, hal/queue.h";

void create_many(Rig& rig) {
  const uint32_t most = std::min(capabilities_of(rig.device()).max_queues - 1, 16u);
  std::vector<Queue> queues;
  for (uint32_t i = 0; i < most; i++) queues.push_back(rig.make_queue());
  for (const Queue& queue : queues) {
    const Semaphore done = rig.semaphore();
    expect_ok(rig.try_submit(queue.get(), {}, {}, {{done.get(), 1}}), "queue.submit to one of many queues");
    rig.wait(done.get(), 1);
  }
}

void too_many(Rig& rig) {
  const uint32_t most = capabilities_of(rig.device()).max_queues;
  if (most > 8192) return;  // a device without a limit that anyone could reach
  std::vector<Queue> queues;
  for (uint32_t i = 1; i < most; i++) queues.push_back(rig.make_queue());
  hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
  auto* queue = reinterpret_cast<hal_queue_t*>(&rig);
  const auto create = hal_calls_of(rig.device())->queue.queue_create;
  expect_code(create(rig.device(), &desc, &queue), HAL_STATUS_OUT_OF_RANGE, "queue.queue_create beyond max_queues");
  expect(queue == nullptr, "queue.queue_create failed and did not zero *out_queue");
  queues.pop_back();
  queues.push_back(rig.make_queue());
}

void unknown_kind(Rig& rig) {
  hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
  desc.kind = uint64_t{1} << 40;
  hal_queue_t* queue = nullptr;
  const auto create = hal_calls_of(rig.device())->queue.queue_create;
  expect_code(create(rig.device(), &desc, &queue), HAL_STATUS_UNSUPPORTED, "queue.queue_create with an unknown kind");
  desc.kind = 0;
  expect_code(create(rig.device(), &desc, nullptr), HAL_STATUS_INVALID_ARGUMENT,
              "queue.queue_create with out_queue NULL");
}

void empty_submission(Rig& rig) {
  const Semaphore done = rig.semaphore(41);
  rig.submit({}, {}, {{done.get(), 42}});
  rig.wait(done.get(), 42);
  rig.submit({}, {}, {});
}

// Each item sees what the one before wrote.
void work_in_order(Rig& rig) {
  for (const uint64_t size : {64u, 65536u}) {
    const Buffer a = rig.buffer(size), b = rig.buffer(size), c = rig.buffer(size);
    for (uint64_t round = 1; round <= 10; round++) {
      const hal_work_fill_t fill = fill_work(range_of(a.get()), round, 1);
      const hal_work_copy_t ab = copy_work(range_of(a.get()), range_of(b.get()));
      const hal_work_copy_t bc = copy_work(range_of(b.get()), range_of(c.get()));
      const hal_work_fill_t after = fill_work(range_of(a.get()), 0xEE, 1);
      rig.run({as_work(fill), as_work(ab), as_work(bc), as_work(after)});
      expect_bytes(rig.read(c.get(), 0, size), Bytes(size, static_cast<std::byte>(round)),
                   "fill, copy, copy in one submission");
    }
  }
}

// The last byte has landed when the semaphore says so.
void ready_means_visible(Rig& rig) {
  constexpr uint64_t size = 1u << 20;
  const Buffer source = rig.buffer(size), target = rig.buffer(size);
  Random random = rig.context().random();
  for (int round = 0; round < 4; round++) {
    const Bytes bytes = random.bytes(size);
    rig.write(source.get(), bytes);
    const hal_work_copy_t work = copy_work(range_of(source.get()), range_of(target.get()));
    rig.run({as_work(work)});
    expect_bytes(rig.read(target.get(), 0, size), bytes, "a copy whose semaphore was reached");
  }
}

// Nothing runs before its wait list is met.
void waits_hold_work_back(Rig& rig) {
  const Buffer buffer = rig.buffer(4096);
  rig.write(buffer.get(), Bytes(4096, kPoison));
  const Semaphore gate = rig.semaphore(), second = rig.semaphore(), done = rig.semaphore();
  const hal_work_fill_t fill = fill_work(range_of(buffer.get()), 1, 1);
  rig.submit({as_work(fill)}, {{gate.get(), 3}, {second.get(), 1}}, {{done.get(), 1}});
  expect_ok(hal_semaphore_signal(gate.get(), 2), "queue.semaphore_signal");
  expect_ok(hal_semaphore_signal(second.get(), 1), "queue.semaphore_signal");
  const hal_semaphore_value_t point{done.get(), 1};
  expect_code(hal_semaphore_wait(rig.device(), HAL_WAIT_ALL, 1, &point, in_milliseconds(50), nullptr),
              HAL_STATUS_TIMEOUT, "queue.semaphore_wait for work whose wait list is not met");
  expect_bytes(rig.read(buffer.get(), 0, 4096), Bytes(4096, kPoison), "what held-back work would have written");
  expect_ok(hal_semaphore_signal(gate.get(), 3), "queue.semaphore_signal");
  rig.wait(done.get(), 1);
  expect_bytes(rig.read(buffer.get(), 0, 4096), Bytes(4096, std::byte{1}), "work that was held back and let go");
}

// The source changes between submit and run: a copy reads when it runs.
void copies_run_late(Rig& rig) {
  for (const uint64_t size : {1u, 16u, 63u, 4096u}) {
    const Buffer source = rig.buffer(size), target = rig.buffer(size);
    rig.write(source.get(), Bytes(size, std::byte{1}));
    const Semaphore gate = rig.semaphore(), done = rig.semaphore();
    const hal_work_copy_t work = copy_work(range_of(source.get()), range_of(target.get()));
    rig.submit({as_work(work)}, {{gate.get(), 1}}, {{done.get(), 1}});
    rig.write(source.get(), Bytes(size, std::byte{2}));
    expect_ok(hal_semaphore_signal(gate.get(), 1), "queue.semaphore_signal");
    rig.wait(done.get(), 1);
    expect_bytes(rig.read(target.get(), 0, size), Bytes(size, std::byte{2}),
                 "a copy whose source changed before it could run");
  }
}

void wait_before_signal(Rig& rig) {
  const Buffer buffer = rig.buffer(64), copy = rig.buffer(64);
  const Semaphore first = rig.semaphore(), second = rig.semaphore();
  const Queue other = rig.make_queue();
  const hal_work_copy_t late = copy_work(range_of(buffer.get()), range_of(copy.get()));
  const hal_work_fill_t early = fill_work(range_of(buffer.get()), 0x77, 1);
  rig.submit({as_work(late)}, {{first.get(), 1}}, {{second.get(), 1}});
  expect_ok(rig.try_submit(other.get(), {as_work(early)}, {}, {{first.get(), 1}}), "queue.submit");
  rig.wait(second.get(), 1);
  expect_bytes(rig.read(copy.get(), 0, 64), Bytes(64, std::byte{0x77}),
               "work that was submitted before what it waits for");
}

// a -> (b, c) -> d, with each arrow a semaphore.
void diamond(Rig& rig) {
  const Buffer a = rig.buffer(4096), b = rig.buffer(8192);
  const Queue left = rig.make_queue(), right = rig.make_queue();
  for (uint64_t round = 1; round <= 20; round++) {
    const Semaphore start = rig.semaphore(), on_left = rig.semaphore(), on_right = rig.semaphore(),
                    end = rig.semaphore();
    const hal_work_fill_t fill = fill_work(range_of(a.get()), round, 1);
    const hal_work_copy_t low = copy_work(range_of(a.get()), range_of(b.get(), 0, 4096));
    const hal_work_copy_t high = copy_work(range_of(a.get()), range_of(b.get(), 4096, 4096));
    const hal_work_fill_t clear = fill_work(range_of(a.get()), 0xEE, 1);
    rig.submit({as_work(clear)}, {{on_left.get(), 1}, {on_right.get(), 1}}, {{end.get(), 1}});
    expect_ok(rig.try_submit(left.get(), {as_work(low)}, {{start.get(), 1}}, {{on_left.get(), 1}}), "queue.submit");
    expect_ok(rig.try_submit(right.get(), {as_work(high)}, {{start.get(), 1}}, {{on_right.get(), 1}}), "queue.submit");
    rig.submit({as_work(fill)}, {}, {{start.get(), 1}});
    rig.wait(end.get(), 1);
    expect_bytes(rig.read(b.get(), 0, 8192), Bytes(8192, static_cast<std::byte>(round)),
                 "the middle of a diamond of submissions");
  }
}

// A value walks through buffers, one submission each, over two queues.
void chain(Rig& rig) {
  constexpr uint64_t kLinks = 200;
  const Buffer buffers[2] = {rig.buffer(256), rig.buffer(256)};
  const Queue other = rig.make_queue();
  const Semaphore line = rig.semaphore();
  rig.write(buffers[0].get(), Bytes(256, std::byte{0x31}));
  rig.write(buffers[1].get(), Bytes(256, kPoison));
  for (uint64_t i = 0; i < kLinks; i++) {
    const hal_work_copy_t copy = copy_work(range_of(buffers[i % 2].get()), range_of(buffers[(i + 1) % 2].get()));
    const hal_work_fill_t clear = fill_work(range_of(buffers[i % 2].get()), 0xEE, 1);
    hal_queue_t* queue = i % 3 == 0 ? other.get() : rig.queue();
    expect_ok(rig.try_submit(queue, {as_work(copy), as_work(clear)}, {{line.get(), i}}, {{line.get(), i + 1}}),
              "queue.submit");
  }
  rig.wait(line.get(), kLinks);
  expect_bytes(rig.read(buffers[kLinks % 2].get(), 0, 256), Bytes(256, std::byte{0x31}),
               "a value at the end of a chain of submissions");
}

void signals_many(Rig& rig) {
  std::vector<Semaphore> semaphores;
  SemaphoreList signals;
  for (uint64_t i = 0; i < 64; i++) {
    semaphores.push_back(rig.semaphore(i));
    signals.push_back({semaphores.back().get(), i + 10});
  }
  rig.submit({}, {}, signals);
  for (uint64_t i = 0; i < 64; i++) rig.wait(semaphores[i].get(), i + 10);
}

// ---- lifetimes ----

void destroy_after_submit(Rig& rig) {
  const Buffer result = rig.buffer(65536);
  for (uint64_t round = 1; round <= 20; round++) {
    const Semaphore done = rig.semaphore();
    Buffer middle = rig.buffer(65536);
    Semaphore gate = rig.semaphore();
    Queue queue = rig.make_queue();
    const hal_work_fill_t fill = fill_work(range_of(middle.get()), round, 1);
    const hal_work_copy_t copy = copy_work(range_of(middle.get()), range_of(result.get()));
    expect_ok(rig.try_submit(queue.get(), {as_work(fill), as_work(copy)}, {{gate.get(), 1}}, {{done.get(), 1}}),
              "queue.submit");
    queue.reset();
    middle.reset();
    const Buffer other = rig.buffer(65536);  // takes the memory if it was given back too early
    rig.write(other.get(), Bytes(65536, kPoison));
    expect_ok(hal_semaphore_signal(gate.get(), 1), "queue.semaphore_signal");
    gate.reset();
    rig.wait(done.get(), 1);
    expect_bytes(rig.read(result.get(), 0, 65536), Bytes(65536, static_cast<std::byte>(round)),
                 "work whose queue, buffer and semaphore were destroyed at once after submit");
    expect_bytes(rig.read(other.get(), 0, 65536), Bytes(65536, kPoison),
                 "a buffer made while a destroyed one was in use");
  }
}

void arrays_are_read(Rig& rig) {
  const Buffer buffer = rig.buffer(64);
  const Semaphore gate = rig.semaphore(), done = rig.semaphore();
  hal_work_fill_t fill = fill_work(range_of(buffer.get()), 0x66, 1);
  const hal_work_t* work[] = {as_work(fill)};
  hal_semaphore_value_t wait{gate.get(), 1}, signal{done.get(), 1};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.wait_count = submission.work_count = submission.signal_count = 1;
  submission.waits = &wait;
  submission.work = work;
  submission.signals = &signal;
  expect_ok(hal_queue_submit(rig.queue(), &submission), "queue.submit");
  std::memset(&fill, 0xFF, sizeof fill);
  std::memset(static_cast<void*>(work), 0, sizeof work);
  wait = signal = {nullptr, UINT64_MAX};
  submission = {};
  expect_ok(hal_semaphore_signal(gate.get(), 1), "queue.semaphore_signal");
  rig.wait(done.get(), 1);
  expect_bytes(rig.read(buffer.get(), 0, 64), Bytes(64, std::byte{0x66}),
               "work whose structs were overwritten after submit");
}

// ---- what submit refuses ----

// An error is about the arguments, and then nothing was enqueued and nothing is signalled.
void expect_nothing_happened(Rig& rig, const hal_work_t* bad, hal_status_code_t code, const std::string& what) {
  const Buffer buffer = rig.buffer(256);
  rig.write(buffer.get(), Bytes(256, kPoison));
  const Semaphore done = rig.semaphore();
  const hal_work_fill_t good = fill_work(range_of(buffer.get()), 1, 1);
  expect_code(rig.try_submit(rig.queue(), {as_work(good), bad}, {}, {{done.get(), 1}}), code,
              "queue.submit of " + what);
  const hal_semaphore_value_t point{done.get(), 1};
  expect_code(hal_semaphore_wait(rig.device(), HAL_WAIT_ALL, 1, &point, in_milliseconds(20), nullptr),
              HAL_STATUS_TIMEOUT, "the signal of a submission that was refused");
  expect_bytes(rig.read(buffer.get(), 0, 256), Bytes(256, kPoison), "the good half of a submission that was refused");
}

void refused_whole(Rig& rig) {
  const Buffer buffer = rig.buffer(64);
  const hal_work_fill_t bad = fill_work(range_of(buffer.get(), 0, 65), 1, 1);
  expect_nothing_happened(rig, as_work(bad), HAL_STATUS_OUT_OF_RANGE, "a good and a bad item");
}

void unknown_work(Rig& rig) {
  for (const uint32_t type : {HAL_WORK_NONE, 777u, HAL_VENDOR_BASE(99) + 1u}) {
    hal_work_fill_t work = HAL_WORK_FILL_INIT;
    work.header.type = type;
    expect_nothing_happened(rig, as_work(work), HAL_STATUS_UNSUPPORTED, "work of type " + std::to_string(type));
  }
}

void null_arguments(Rig& rig) {
  expect_nothing_happened(rig, nullptr, HAL_STATUS_INVALID_ARGUMENT, "a NULL work item");
  const hal_work_fill_t no_buffer = fill_work(range_of(nullptr, 0, 4), 0, 1);
  expect_nothing_happened(rig, as_work(no_buffer), HAL_STATUS_INVALID_ARGUMENT, "a fill without a buffer");
  expect_code(rig.try_submit(rig.queue(), {}, {{nullptr, 1}}, {}), HAL_STATUS_INVALID_ARGUMENT,
              "queue.submit with a NULL semaphore to wait for");
  expect_code(rig.try_submit(rig.queue(), {}, {}, {{nullptr, 1}}), HAL_STATUS_INVALID_ARGUMENT,
              "queue.submit with a NULL semaphore to signal");
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.work_count = 1;
  expect_code(hal_queue_submit(rig.queue(), &submission), HAL_STATUS_INVALID_ARGUMENT,
              "queue.submit with a count and no work");
}

void work_tail(Rig& rig) {
  const Buffer buffer = rig.buffer(64);
  struct {
    hal_work_fill_t work;
    uint64_t tail;
  } longer = {fill_work(range_of(buffer.get()), 9, 1), 0};
  longer.work.header.struct_size = sizeof longer;
  rig.run({as_work(longer.work)});
  expect_bytes(rig.read(buffer.get(), 0, 64), Bytes(64, std::byte{9}), "a fill by a longer struct whose tail is zero");
  longer.tail = 1;
  expect_nothing_happened(rig, as_work(longer.work), HAL_STATUS_UNSUPPORTED, "a longer struct whose tail is not zero");
  longer.work.header.struct_size = 8;
  expect_nothing_happened(rig, as_work(longer.work), HAL_STATUS_INVALID_ARGUMENT, "work with struct_size 8");
}

// ---- host calls ----

struct HostCall {
  std::atomic<int> calls{0};
  hal_queue_t* queue = nullptr;
  hal_semaphore_t* semaphore = nullptr;
};

hal_status_t* count_call(void* user_data) {
  static_cast<HostCall*>(user_data)->calls++;
  return nullptr;
}

// A callback holds no lock of the plugin's, so it may submit.
hal_status_t* submit_from_call(void* user_data) {
  auto* state = static_cast<HostCall*>(user_data);
  state->calls++;
  const hal_semaphore_value_t signal{state->semaphore, 1};
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.signals = &signal;
  submission.signal_count = 1;
  return hal_queue_submit(state->queue, &submission);
}

void host_call_once(Rig& rig) {
  HostCall state;
  for (int round = 1; round <= 20; round++) {
    const hal_work_host_call_t work = host_call_work(count_call, &state);
    rig.run({as_work(work)});
    expect_equal(static_cast<uint64_t>(state.calls), static_cast<uint64_t>(round),
                 "how often a host call was called by the end of its submission");
  }
  const Semaphore done = rig.semaphore();
  const hal_semaphore_value_t point{done.get(), 1};
  expect_code(hal_semaphore_wait(rig.device(), HAL_WAIT_ALL, 1, &point, in_milliseconds(20), nullptr),
              HAL_STATUS_TIMEOUT, "queue.semaphore_wait");
  expect_equal(static_cast<uint64_t>(state.calls), 20, "how often 20 host calls were called, a while after their end");
}

void host_call_submits(Rig& rig) {
  const Semaphore inner = rig.semaphore(), outer = rig.semaphore();
  HostCall state;
  state.queue = rig.queue();
  state.semaphore = inner.get();
  const hal_work_host_call_t work = host_call_work(submit_from_call, &state);
  rig.submit({as_work(work)}, {}, {{outer.get(), 1}});
  rig.wait(inner.get(), 1);
  rig.wait(outer.get(), 1);
}

void host_call_refused(Rig& rig) {
  const hal_work_host_call_t work = host_call_work(nullptr, nullptr);
  expect_nothing_happened(rig, as_work(work), HAL_STATUS_INVALID_ARGUMENT, "a host call of NULL");
}

void host_call_unsupported(Rig& rig) {
  HostCall state;
  const hal_work_host_call_t work = host_call_work(count_call, &state);
  expect_nothing_happened(rig, as_work(work), HAL_STATUS_UNSUPPORTED, "a host call where HOST_CALL is not declared");
}

}  // namespace

Cases queue_cases() {
  return {stress(0.1, with_rig("queue.create_many", "hal/queue.h", create_many)),
          stress(0.1, negative(with_rig("queue.too_many", "hal/queue.h: queue_create", too_many))),
          negative(with_rig("queue.unknown_kind", "hal/queue.h: queue_create", unknown_kind)),
          with_rig("queue.empty_submission", kOrder, empty_submission),
          with_rig("queue.work_in_order", kOrder, work_in_order),
          stress(0.1, with_rig("queue.ready_means_visible", "hal/queue.h: semaphore_wait", ready_means_visible)),
          with_rig("queue.waits_hold_work_back", kOrder, waits_hold_work_back),
          with_rig("queue.copies_run_late", kOrder, copies_run_late),
          with_rig("queue.wait_before_signal", kOrder, wait_before_signal),
          with_rig("queue.diamond", kOrder, diamond),
          with_rig("queue.chain_200", kOrder, chain),
          with_rig("queue.signals_many", kOrder, signals_many),
          with_rig("queue.destroy_after_submit", kLifetime, destroy_after_submit),
          with_rig("queue.arrays_are_read", "hal/queue.h: hal_submission_t", arrays_are_read),
          negative(with_rig("queue.refused_whole", "hal/queue.h: submit", refused_whole)),
          negative(with_rig("queue.unknown_work", "hal/queue.h: hal_work_t", unknown_work)),
          negative(with_rig("queue.null_arguments", "hal/queue.h: submit", null_arguments)),
          with_rig("queue.work_tail", "HAL-ABI-04", work_tail),
          needing(HAL_FEATURE_HOST_CALL,
                  with_rig("queue.host_call_once", "hal/queue.h: HAL_WORK_HOST_CALL", host_call_once)),
          needing(HAL_FEATURE_HOST_CALL,
                  with_rig("queue.host_call_submits", "hal/queue.h: HAL_WORK_HOST_CALL", host_call_submits)),
          needing(HAL_FEATURE_HOST_CALL,
                  negative(with_rig("queue.host_call_refused", "hal/queue.h: HAL_WORK_HOST_CALL", host_call_refused))),
          lacking(HAL_FEATURE_HOST_CALL, negative(with_rig("queue.host_call_unsupported",
                                                           "hal/queue.h: HAL_WORK_HOST_CALL", host_call_unsupported)))};
}

}  // namespace hal::conformance
