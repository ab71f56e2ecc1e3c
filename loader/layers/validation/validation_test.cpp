// SPDX-License-Identifier: Apache-2.0
//
// The layer "validation" over the CPU plugin: each kind of illegal call is answered with its code and a text that names
// rule, call and argument, and legal work passes without a word.
#include <array>

#include "fixture.hpp"
#include "hal/cxx/hal.hpp"
#include "hal/loader.hpp"

namespace hal::loader {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class Validation : public testing::Test {
 protected:
  void set_up(std::vector<std::pair<std::string, std::string>> config = {}) {
    loader.paths = {PLUGIN_FOLDER "/cpu.json"};
    loader.layers = {LAYER_FOLDER "/validation.json"};
    loader.layer_config = std::move(config);
    ASSERT_TRUE(loader.create());
    ASSERT_EQ(string(loader.layer_list()[0].reason), "");
    const Result<hal_device_t*> opened = loader.open("cpu:0");
    ASSERT_TRUE(opened) << opened.error().message;
    device = *opened;
  }
  void TearDown() override {
    if (device != nullptr) loader.close(device);
  }

  Buffer buffer(uint64_t size = 64, const std::string& label = "thing") {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = size;
    desc.label = text(label);
    Result<Buffer> made = create_buffer(device, desc);
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }

  // The status of a call that must be refused: its code and parts of its text, which the log has too.
  void expect(hal_status_t* status, hal_status_code_t code, const std::vector<std::string>& parts) {
    ASSERT_NE(status, nullptr);
    const Result<void> taken = take_status(status);
    EXPECT_EQ(taken.error().code, code) << taken.error().message;
    EXPECT_TRUE(contains(taken.error().message, "layer validation")) << taken.error().message;
    ASSERT_FALSE(loader.log.empty());
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(taken.error().message, part)) << taken.error().message;
      EXPECT_TRUE(contains(loader.log.back(), part)) << loader.log.back();
    }
    loader.log.clear();
  }
  void expect_submit(const Submission& work, const Queue& queue, hal_status_code_t code, const std::string& part) {
    const Result<void> done = work.submit(queue);
    ASSERT_FALSE(done) << part;
    EXPECT_EQ(done.error().code, code) << done.error().message;
    EXPECT_TRUE(contains(done.error().message, part)) << done.error().message;
    loader.log.clear();
  }

  TestLoader loader;
  hal_device_t* device = nullptr;
};

TEST_F(Validation, LegalWorkPassesWithoutAWord) {
  set_up();
  {
    const Result<Queue> queue = create_queue(device);
    ASSERT_TRUE(queue);
    const Buffer one = buffer(), two = buffer();
    const std::array<std::byte, 8> bytes{};
    for (int i = 0; i < 3; ++i) {
      Submission work;
      work.fill(range(one), 1, 1).copy(range(one, 0, 8), range(two, 8, 8)).update(range(two, 0, 8), bytes.data());
      ASSERT_TRUE(submit_and_wait(device, *queue, work));
      std::array<std::byte, 16> read{};
      ASSERT_TRUE(read_buffer(two.get(), 0, read));
      EXPECT_EQ(read[8], std::byte{1});
    }
    EXPECT_EQ(heap_statistics(device, 0)->live_buffers, 2u);
  }
  EXPECT_EQ(heap_statistics(device, 0)->live_buffers, 0u) << "destroyed objects that are kept do not count";
  EXPECT_EQ(loader.log, std::vector<std::string>{});
}

TEST_F(Validation, AStaleHandleIsAnErrorAndNoCrash) {
  set_up();
  hal_buffer_t* const gone = buffer(64, "weights").release();
  hal_buffer_destroy(gone);
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  expect(hal_buffer_info(gone, &info), HAL_STATUS_INVALID_ARGUMENT,
         {"HAL-ABI-07: buffer: is a stale handle: the buffer \"weights\" was destroyed", "memory.buffer_info"});
  hal_buffer_destroy(gone);
  ASSERT_EQ(loader.log.size(), 1u);
  EXPECT_TRUE(contains(loader.log[0], "memory.buffer_destroy: HAL-ABI-07: buffer: is a stale handle"));
  loader.log.clear();
  const Result<Queue> queue = create_queue(device);
  Submission work;
  work.fill({gone, 0, 8, 0, 0}, 0, 1);
  expect_submit(work, *queue, HAL_STATUS_INVALID_ARGUMENT, "submission.work[0].target.buffer: is a stale handle");
}

TEST_F(Validation, WhatIsKeptGivesItsPlaceToWhatIsNew) {
  set_up({{"validation.quarantine", "100000"}});
  const uint32_t most = capabilities(device)->max_queues;
  for (uint32_t i = 0; i < most + 10; ++i) {
    const Result<Queue> queue = create_queue(device);
    ASSERT_TRUE(queue) << i << " of " << most << ": " << queue.error().message;
  }
}

TEST_F(Validation, AForeignHandleIsAnError) {
  set_up();
  TestLoader other;
  other.paths = loader.paths;
  ASSERT_TRUE(other.create());
  const Result<hal_device_t*> far = other.open("cpu:0");
  ASSERT_TRUE(far);
  {
    const Result<Buffer> theirs = create_buffer(*far, 64);
    const Result<Queue> queue = create_queue(device);
    ASSERT_TRUE(theirs && queue);
    Submission work;
    work.fill(range(*theirs), 0, 1);
    expect_submit(work, *queue, HAL_STATUS_INVALID_ARGUMENT, "is no buffer of this plugin");
    const auto wrong_kind = range(reinterpret_cast<hal_buffer_t*>(queue->get()), 0, 8);
    Submission more;
    more.fill(wrong_kind, 0, 1);
    expect_submit(more, *queue, HAL_STATUS_INVALID_ARGUMENT, "is the queue; expected a buffer");
  }
  other.close(*far);
}

TEST_F(Validation, DescriptorsAreChecked) {
  set_up();
  hal_buffer_t* made = nullptr;
  const auto create = [&](auto&& change) {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = 64;
    change(desc);
    made = reinterpret_cast<hal_buffer_t*>(1);
    hal_status_t* const status = hal_calls_of(device)->memory->buffer_create(device, &desc, &made);
    EXPECT_EQ(made, nullptr) << "out-parameters are zeroed";
    return status;
  };
  expect(create([](auto& d) { d.heap = 99; }), HAL_STATUS_OUT_OF_RANGE, {"HAL-ABI-13: heap: 99 of a device with"});
  expect(create([](auto& d) { d.alignment = 3; }), HAL_STATUS_INVALID_ARGUMENT, {"HAL-ABI-13: desc.alignment: is 3"});
  expect(create([](auto& d) { d.flags = 1u << 20; }), HAL_STATUS_UNSUPPORTED, {"HAL-ABI-04: desc.flags"});
  expect(create([](auto& d) { d.struct_size = 0; }), HAL_STATUS_INVALID_ARGUMENT, {"HAL-ABI-04: desc.struct_size"});
  hal_chain_t loop = {sizeof loop, 1, 0, &loop};
  expect(create([&](auto& d) { d.next = &loop; }), HAL_STATUS_INVALID_ARGUMENT, {"HAL-ABI-05: desc.next"});
  struct {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    uint64_t later = 7;
  } longer;
  longer.desc.struct_size = sizeof longer;
  expect(hal_calls_of(device)->memory->buffer_create(device, &longer.desc, &made), HAL_STATUS_UNSUPPORTED,
         {"HAL-ABI-04: desc: has a field at offset " + std::to_string(sizeof longer.desc)});
  expect(hal_calls_of(device)->memory->buffer_create(device, nullptr, &made), HAL_STATUS_INVALID_ARGUMENT,
         {"HAL-ABI-08: desc: is NULL"});
  longer.desc.struct_size = sizeof longer.desc;
  expect(hal_calls_of(device)->memory->buffer_create(device, &longer.desc, nullptr), HAL_STATUS_INVALID_ARGUMENT,
         {"HAL-ABI-08: out_buffer: is NULL"});
  hal_queue_desc_t queue = HAL_QUEUE_DESC_INIT;
  queue.kind = 1u << 9;
  hal_queue_t* none = nullptr;
  expect(hal_calls_of(device)->queue->queue_create(device, &queue, &none), HAL_STATUS_UNSUPPORTED, {"desc.kind"});
}

TEST_F(Validation, MapsAndRangesAreChecked) {
  set_up();
  const Buffer thing = buffer();
  void* address = nullptr;
  expect(hal_buffer_map(thing.get(), 60, 5, HAL_MAP_READ, &address), HAL_STATUS_OUT_OF_RANGE,
         {"HAL-ABI-13: offset and length: offset 60 and length 5 of a buffer of 64 bytes", "memory.buffer_map"});
  expect(hal_buffer_map(thing.get(), 1, UINT64_MAX - 1, HAL_MAP_READ, &address), HAL_STATUS_OUT_OF_RANGE, {});
  expect(hal_buffer_map(thing.get(), 65, HAL_WHOLE_BUFFER, HAL_MAP_READ, &address), HAL_STATUS_OUT_OF_RANGE, {});
  expect(hal_buffer_map(thing.get(), 0, 1, 1u << 30, &address), HAL_STATUS_UNSUPPORTED, {"flags"});
  expect(hal_buffer_map(thing.get(), 0, 1, HAL_MAP_READ, nullptr), HAL_STATUS_INVALID_ARGUMENT,
         {"out_address: is NULL"});
  expect(hal_buffer_unmap(thing.get()), HAL_STATUS_FAILED_PRECONDITION, {"is not mapped"});
  ASSERT_EQ(hal_buffer_map(thing.get(), 64, 0, HAL_MAP_READ, &address), nullptr) << "an empty range is one";
  ASSERT_EQ(hal_buffer_unmap(thing.get()), nullptr);
}

TEST_F(Validation, WorkIsChecked) {
  set_up();
  const Result<Queue> queue = create_queue(device);
  ASSERT_TRUE(queue);
  const Buffer one = buffer(), two = buffer();
  const auto expect_work = [&](auto&& fill, hal_status_code_t code, const std::string& part) {
    Submission work;
    fill(work);
    expect_submit(work, *queue, code, part);
  };
  expect_work([&](auto& w) { w.fill(range(one, 60, 8), 0, 1); }, HAL_STATUS_OUT_OF_RANGE,
              "submission.work[0].target: offset 60 and length 8");
  expect_work([&](auto& w) { w.fill(range(one), 0, 3); }, HAL_STATUS_INVALID_ARGUMENT, "pattern_size: is 3");
  expect_work([&](auto& w) { w.fill(range(one, 2, 8), 0, 4); }, HAL_STATUS_INVALID_ARGUMENT, "multiples");
  expect_work([&](auto& w) { w.copy(range(one, 0, 8), range(two, 0, 9)); }, HAL_STATUS_INVALID_ARGUMENT,
              "the source has 8 bytes and the target 9");
  expect_work([&](auto& w) { w.copy(range(one, 0, 8), range(one, 7, 8)); }, HAL_STATUS_INVALID_ARGUMENT, "share bytes");
  expect_work([&](auto& w) { w.update(range(one), nullptr); }, HAL_STATUS_INVALID_ARGUMENT, "work[0].data: is NULL");
  expect_work([&](auto& w) { w.host_call(nullptr, nullptr); }, HAL_STATUS_INVALID_ARGUMENT, "work[0].call: is NULL");
  expect_work([&](auto& w) { w.fill(range(one), 0, 1).dispatch(HAL_WORK_DISPATCH_INIT); }, HAL_STATUS_INVALID_ARGUMENT,
              "submission.work[1].executable: is NULL");
  const Buffer large = buffer(1 << 17);
  expect_work([&](auto& w) { w.update(range(large), &w); }, HAL_STATUS_OUT_OF_RANGE, "at most 65536");
  hal_submission_t bad = HAL_SUBMISSION_INIT;
  bad.work_count = 1;
  expect(hal_queue_submit(queue->get(), &bad), HAL_STATUS_INVALID_ARGUMENT, {"submission.work: is NULL"});
  const hal_work_t* const nothing = nullptr;
  bad.work = &nothing;
  expect(hal_queue_submit(queue->get(), &bad), HAL_STATUS_INVALID_ARGUMENT, {"submission.work[0]: is NULL"});
  hal_work_fill_t small = HAL_WORK_FILL_INIT;
  small.header.struct_size = sizeof(hal_work_t);
  const hal_work_t* const items = &small.header;
  bad.work = &items;
  expect(hal_queue_submit(queue->get(), &bad), HAL_STATUS_INVALID_ARGUMENT, {"submission.work[0].struct_size"});
}

TEST_F(Validation, SemaphoresAreChecked) {
  set_up();
  const Result<Queue> queue = create_queue(device);
  Result<Semaphore> semaphore = create_semaphore(device);
  ASSERT_TRUE(queue && semaphore);
  const uint64_t most = UINT64_C(1) << 63;
  expect(hal_semaphore_signal(semaphore->get(), most), HAL_STATUS_OUT_OF_RANGE, {"HAL-ABI-10: value"});
  hal_semaphore_value_t values[] = {{semaphore->get(), most}};
  expect(hal_semaphore_wait(device, HAL_WAIT_ALL, 1, values, 0, nullptr), HAL_STATUS_OUT_OF_RANGE, {"values[0].value"});
  expect(hal_semaphore_wait(device, 7, 0, nullptr, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT, {"mode: is 7"});
  expect(hal_semaphore_wait(device, HAL_WAIT_ALL, 1, nullptr, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT, {"values"});
  expect(hal_semaphore_fail(semaphore->get(), nullptr), HAL_STATUS_INVALID_ARGUMENT, {"failure: is NULL"});
  values[0] = {nullptr, 1};
  expect(hal_semaphore_wait(device, HAL_WAIT_ALL, 1, values, 0, nullptr), HAL_STATUS_INVALID_ARGUMENT,
         {"values[0].semaphore: is NULL"});
  Submission work;
  work.wait(*semaphore, 1);
  semaphore->reset();
  expect_submit(work, *queue, HAL_STATUS_INVALID_ARGUMENT, "submission.waits[0].semaphore: is a stale handle");
}

TEST_F(Validation, UnorderedWritesAreReportedWithBothNames) {
  set_up();
  const Result<Queue> one = create_queue(device), two = create_queue(device);
  const Result<Semaphore> first = create_semaphore(device), second = create_semaphore(device);
  const Buffer thing = buffer(64, "activations");
  Submission a, b;
  a.label("A").fill(range(thing), 1, 1).signal(*first, 1);
  b.label("B").fill(range(thing, 32, 32), 2, 1).signal(*second, 1);
  ASSERT_TRUE(a.submit(*one));
  ASSERT_TRUE(b.submit(*two)) << "reported, and not refused";
  ASSERT_EQ(loader.log.size(), 1u);
  EXPECT_TRUE(contains(loader.log[0],
                       "HAL-ABI-10: queue.submit: submission \"B\" on queue \"\" writes bytes 32 to 64 of buffer "
                       "\"activations\", which submission \"A\" on queue \"\" writes"))
      << loader.log[0];
  ASSERT_TRUE(wait(device, *first, 1));
  ASSERT_TRUE(wait(device, *second, 1));
}

TEST_F(Validation, HazardsCanBeRefused) {
  set_up({{"validation.hazards", "refuse"}});
  const Result<Queue> queue = create_queue(device);
  const Result<Semaphore> done = create_semaphore(device);
  const Buffer thing = buffer();
  Submission a, b;
  a.fill(range(thing), 1, 1).signal(*done, 1);
  b.fill(range(thing), 2, 1).signal(*done, 2);
  ASSERT_TRUE(a.submit(*queue));
  expect_submit(b, *queue, HAL_STATUS_FAILED_PRECONDITION, "let one wait for a semaphore that the other signals");
  ASSERT_TRUE(wait(device, *done, 1));
  ASSERT_TRUE(b.submit(*queue)) << "the host has seen the first one end";
  ASSERT_TRUE(wait(device, *done, 2));
}

TEST_F(Validation, AForgottenWaitIsReported) {
  set_up();
  const Result<Queue> queue = create_queue(device);
  const Result<Semaphore> done = create_semaphore(device);
  const Buffer thing = buffer(64, "result");
  Submission work;
  work.label("late").fill(range(thing), 1, 1).signal(*done, 1);
  ASSERT_TRUE(work.submit(*queue));
  std::array<std::byte, 8> bytes{};
  ASSERT_TRUE(read_buffer(thing.get(), 0, bytes));
  ASSERT_EQ(loader.log.size(), 1u);
  EXPECT_TRUE(contains(loader.log[0],
                       "memory.buffer_map: HAL-ABI-10: submission \"late\" on queue \"\" writes these "
                       "bytes of \"result\" and nobody has waited for it"))
      << loader.log[0];
  loader.log.clear();
  ASSERT_TRUE(wait(device, *done, 1));
  ASSERT_TRUE(read_buffer(thing.get(), 0, bytes));
  EXPECT_TRUE(loader.log.empty());
  Submission again;
  again.label("unseen").fill(range(thing), 1, 1);
  ASSERT_TRUE(again.submit(*queue));
  loader.close(device);
  device = nullptr;
  ASSERT_EQ(loader.log.size(), 1u);
  EXPECT_TRUE(contains(loader.log[0], "nobody has waited for 1 submissions, such as \"unseen\"")) << loader.log[0];
}

TEST_F(Validation, ABufferThatIsDestroyedWhileMappedIsReported) {
  set_up();
  hal_buffer_t* const thing = buffer(64, "mapped").release();
  void* address = nullptr;
  ASSERT_EQ(hal_buffer_map(thing, 0, 8, HAL_MAP_WRITE, &address), nullptr);
  hal_buffer_destroy(thing);
  ASSERT_EQ(loader.log.size(), 1u);
  EXPECT_TRUE(contains(loader.log[0], "the buffer \"mapped\" is still mapped")) << loader.log[0];
}

TEST_F(Validation, WhatIsLiveAtShutdownIsNamed) {
  set_up();
  Buffer thing = buffer(64, "forgotten");
  loader.close(device);
  device = nullptr;
  EXPECT_FALSE(loader.destroy());
  ASSERT_FALSE(loader.log.empty());
  EXPECT_TRUE(contains(loader.log[0], "device.shutdown: HAL-ABI-19: a buffer \"forgotten\" is still live"));
  thing.reset();
  EXPECT_TRUE(loader.destroy());
}

TEST_F(Validation, ItStandsOverAndUnderOtherLayers) {
  const TemporaryFolder folder;
  loader.layer_config = {{"trace.file", folder.path() + "/t.json"}};
  loader.paths = {PLUGIN_FOLDER "/cpu.json"};
  for (const bool is_outer : {true, false}) {
    TestLoader stacked;
    stacked.paths = loader.paths;
    stacked.layer_config = loader.layer_config;
    stacked.layers = {LAYER_FOLDER "/validation.json", LAYER_FOLDER "/trace.json"};
    if (!is_outer) std::swap(stacked.layers[0], stacked.layers[1]);
    ASSERT_TRUE(stacked.create());
    const Result<hal_device_t*> opened = stacked.open("cpu:0");
    ASSERT_TRUE(opened) << opened.error().message;
    {
      const Result<Queue> queue = create_queue(*opened);
      const Result<Buffer> thing = create_buffer(*opened, 64);
      Submission work;
      work.fill(range(*thing), 1, 1);
      ASSERT_TRUE(submit_and_wait(*opened, *queue, work));
      void* address = nullptr;
      EXPECT_EQ(take_status(hal_buffer_map(thing->get(), 99, 1, HAL_MAP_READ, &address)).error().code,
                HAL_STATUS_OUT_OF_RANGE);
    }
    stacked.close(*opened);
    EXPECT_EQ(stacked.log.size(), 1u);
  }
}

}  // namespace
}  // namespace hal::loader
