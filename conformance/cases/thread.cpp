// SPDX-License-Identifier: Apache-2.0
//
// The same calls from many threads at once (HAL-ABI-21): contents stay apart, accounts stay right.
#include <atomic>
#include <mutex>
#include <thread>

#include "cases.hpp"
#include "raw_plugin.hpp"

namespace hal::conformance {
namespace {

constexpr char kRules[] = "HAL-ABI-21";
constexpr uint32_t kThreads = 8;

// Runs `body(number)` on each thread; the first failure is the case's.
void on_threads(const std::function<void(uint32_t)>& body) {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::optional<CaseFailure> first;
  for (uint32_t i = 0; i < kThreads; i++) {
    threads.emplace_back([&, i] {
      try {
        body(i);
      } catch (const CaseFailure& failure) {
        const std::lock_guard lock(mutex);
        if (!first) first = failure;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) throw CaseFailure(*first);
}

void buffers(Rig& rig) {
  const hal_heap_statistics_t before = rig.statistics();
  on_threads([&](uint32_t number) {
    Random random = rig.context().random(number);
    for (int i = 0; i < 60; i++) {
      const Bytes bytes = random.bytes(1 + random.below(5000));
      const Buffer buffer = rig.buffer(bytes.size());
      rig.write(buffer.get(), bytes);
      expect_bytes(rig.read(buffer.get(), 0, bytes.size()), bytes, "a buffer of one of eight threads");
    }
  });
  expect_equal(rig.statistics().live_buffers, before.live_buffers,
               "live_buffers after eight threads made and destroyed theirs");
  expect_equal(rig.statistics().live_bytes, before.live_bytes,
               "live_bytes after eight threads made and destroyed theirs");
}

void one_queue(Rig& rig) {
  on_threads([&](uint32_t number) {
    const Buffer a = rig.buffer(512), b = rig.buffer(512);
    for (uint32_t i = 0; i < 100; i++) {
      const auto value = static_cast<std::byte>(number * 16 + i % 16);
      const hal_work_fill_t fill = fill_work(range_of(a.get()), std::to_integer<uint64_t>(value), 1);
      const hal_work_copy_t copy = copy_work(range_of(a.get()), range_of(b.get()));
      rig.run({as_work(fill), as_work(copy)});
      if (i % 10 == 0)
        expect_bytes(rig.read(b.get(), 0, 512), Bytes(512, value), "a copy of one of eight threads on one queue");
    }
  });
}

void objects(Rig& rig) {
  on_threads([&](uint32_t) {
    for (int i = 0; i < 100; i++) {
      const Queue queue = rig.make_queue();
      const Semaphore semaphore = rig.semaphore();
      expect_ok(rig.try_submit(queue.get(), {}, {}, {{semaphore.get(), 1}}), "queue.submit");
      rig.wait(semaphore.get(), 1);
    }
  });
}

// Every value is signalled by one thread; all are waited for by all.
void one_timeline(Rig& rig) {
  std::vector<Semaphore> semaphores;
  for (uint32_t i = 0; i < kThreads; i++) semaphores.push_back(rig.semaphore());
  on_threads([&](uint32_t number) {
    for (uint64_t round = 1; round <= 50; round++) {
      rig.submit({}, {}, {{semaphores[number].get(), round}});
      rig.wait(semaphores[number].get(), round);  // else the next value might come first
      rig.wait(semaphores[(number + 1) % kThreads].get(), round);
    }
  });
}

void instances(CaseContext& context) {
  RawPlugin raw(context);
  const auto& group = *raw.group<hal_device_group_t>(HAL_GROUP_DEVICE);
  on_threads([&](uint32_t) {
    for (int i = 0; i < 5; i++) {
      hal_instance_t* instance = raw.initialize();
      hal_device_t* device = nullptr;
      expect_ok(group.open(instance, 0, &device), "device.open on one of eight threads");
      group.close(device);
      raw.shutdown(instance);
    }
  });
}

void errors(Rig& rig) {
  on_threads([&](uint32_t) {
    for (int i = 0; i < 200; i++) {
      hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
      desc.size = UINT64_MAX;
      hal_buffer_t* buffer = nullptr;
      const auto create = hal_calls_of(rig.device())->memory.buffer_create;
      expect_code(create(rig.device(), &desc, &buffer), HAL_STATUS_OUT_OF_MEMORY,
                  "memory.buffer_create on one of eight threads");
    }
  });
}

}  // namespace

Cases thread_cases() {
  return {stress(0.3, with_rig("thread.buffers", kRules, buffers)),
          stress(0.3, with_rig("thread.one_queue", kRules, one_queue)),
          stress(0.2, with_rig("thread.objects", kRules, objects)),
          stress(0.2, with_rig("thread.one_timeline", kRules, one_timeline)),
          stress(0.3, in_context("thread.instances", kRules, instances)),
          stress(0.1, with_rig("thread.errors", kRules, errors))};
}

}  // namespace hal::conformance
