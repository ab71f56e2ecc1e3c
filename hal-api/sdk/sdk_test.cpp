// SPDX-License-Identifier: Apache-2.0
//
// What no working plugin shows: a lost device, a driver that fails, statuses from strangers.
#include "hal/sdk/sdk.h"

#include <gtest/gtest.h>

#include <string>

struct hal_instance {
  hal_sdk_instance_t base{};
};

struct hal_device {
  hal_sdk_device_t base{};
  hal_device_caps_t caps{};
  hal_sdk_heap_t heap{};
};

namespace {

std::string text(hal_string_t string) { return {string.data, string.length}; }

hal_status_code_t take(hal_status_t* status) {
  const hal_status_code_t code = hal_status_code(status);
  hal_status_release(status);
  return code;
}

hal_status_t* failing_fill(hal_device_t*, const hal_work_fill_t*) {
  return hal_sdk_status_caused(HAL_STATUS_INTERNAL, 55, nullptr, "fill", "the chip said no");
}

hal_status_t* no_memory(hal_device_t*, hal_buffer_t*) { return hal_sdk_status_out_of_memory(); }

class SdkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hal_sdk_instance_init(&instance_.base, nullptr), nullptr);
    device_.heap.info = {sizeof(hal_heap_info_t), UINT32_MAX, HAL_HEAP_HOST_VISIBLE, 1 << 20, 64, 64};
    device_.caps.max_buffer_size = 1 << 20;
    device_.caps.max_queues = 4;
    device_.base.caps = &device_.caps;
    device_.base.driver = &driver_;
    device_.base.heaps = &device_.heap;
    device_.base.heap_count = 1;
    hal_sdk_object_init(&device_.base.object, HAL_OBJECT_DEVICE, &instance_.base, nullptr, [](hal_sdk_object_t*) {});
    const hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
    ASSERT_EQ(queue_group_.queue_create(&device_, &desc, &queue_), nullptr);
    ASSERT_EQ(queue_group_.semaphore_create(&device_, 0, &gate_), nullptr);
    ASSERT_EQ(queue_group_.semaphore_create(&device_, 0, &done_), nullptr);
  }
  void TearDown() override {
    queue_group_.queue_destroy(queue_);
    queue_group_.semaphore_destroy(gate_);
    queue_group_.semaphore_destroy(done_);
    hal_sdk_device_close(&device_);
    EXPECT_EQ(take(hal_sdk_instance_shutdown(&instance_.base)), HAL_STATUS_OK);
  }

  hal_status_t* create(uint64_t size, hal_buffer_t** out) {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = size;
    return hal_sdk_memory_group.buffer_create(&device_, &desc, out);
  }
  // One item behind the gate.
  hal_status_t* submit(const hal_work_t* work) {
    const hal_semaphore_value_t wait = {gate_, 1}, signal = {done_, 1};
    hal_submission_t submission = HAL_SUBMISSION_INIT;
    submission.waits = &wait;
    submission.signals = &signal;
    submission.work = &work;
    submission.wait_count = submission.signal_count = 1;
    submission.work_count = work != nullptr ? 1 : 0;
    return queue_group_.submit(queue_, &submission);
  }
  hal_status_t* open_gate_and_wait() {
    EXPECT_EQ(take(queue_group_.semaphore_signal(gate_, 1)), HAL_STATUS_OK);
    const hal_semaphore_value_t value = {done_, 1};
    return queue_group_.semaphore_wait(&device_, HAL_WAIT_ALL, 1, &value, hal_sdk_now() + 5000000000u, nullptr);
  }

  hal_sdk_driver_t driver_ = {
      hal_sdk_host_allocate, hal_sdk_host_release, hal_sdk_host_copy, failing_fill, nullptr, nullptr};
  const hal_queue_group_t& queue_group_ = hal_sdk_queue_group;
  hal_instance_t instance_;
  hal_device_t device_;
  hal_queue_t* queue_ = nullptr;
  hal_semaphore_t *gate_ = nullptr, *done_ = nullptr;
};

TEST_F(SdkTest, ALostDeviceAnswersAtOnceAndFailsWhatIsQueued) {
  hal_buffer_t *buffer = nullptr, *other = nullptr;
  ASSERT_EQ(create(64, &buffer), nullptr);
  ASSERT_EQ(submit(nullptr), nullptr);
  hal_sdk_device_set_state(&device_.base, HAL_DEVICE_STATE_LOST);
  hal_device_state_t state = HAL_DEVICE_STATE_READY;
  void* address = nullptr;
  EXPECT_EQ(take(hal_sdk_device_state(&device_, &state)), HAL_STATUS_OK);
  EXPECT_EQ(state, HAL_DEVICE_STATE_LOST);
  EXPECT_EQ(take(submit(nullptr)), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(take(create(64, &other)), HAL_STATUS_DEVICE_LOST);
  EXPECT_EQ(take(hal_sdk_memory_group.buffer_map(buffer, 0, 64, HAL_MAP_READ, &address)), HAL_STATUS_DEVICE_LOST);
  hal_status_t* status = open_gate_and_wait();
  ASSERT_EQ(hal_status_code(status), HAL_STATUS_ABORTED);
  EXPECT_EQ(hal_status_code(status->cause), HAL_STATUS_DEVICE_LOST);
  hal_status_release(status);
  hal_sdk_memory_group.buffer_destroy(buffer);
}

TEST_F(SdkTest, ADriversFailureIsTheCauseWithItsNumber) {
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(create(64, &buffer), nullptr);
  hal_work_fill_t fill = HAL_WORK_FILL_INIT;
  fill.target = {buffer, 0, 64, 0, 0};
  fill.pattern_size = 1;
  ASSERT_EQ(submit(&fill.header), nullptr);
  hal_status_t* status = open_gate_and_wait();
  ASSERT_EQ(hal_status_code(status), HAL_STATUS_ABORTED);
  ASSERT_NE(status->cause, nullptr);
  EXPECT_EQ(status->cause->code, static_cast<hal_status_code_t>(HAL_STATUS_INTERNAL));
  EXPECT_EQ(status->cause->vendor_code, 55);
  EXPECT_EQ(text(status->cause->call), "fill");
  hal_status_release(status);
  hal_work_update_t update = HAL_WORK_UPDATE_INIT;
  update.target = fill.target;
  EXPECT_EQ(take(submit(&update.header)), HAL_STATUS_UNSUPPORTED) << "the driver has no update";
  hal_sdk_memory_group.buffer_destroy(buffer);
}

TEST_F(SdkTest, AFailedAllocationGivesItsBytesBack) {
  driver_.allocate = no_memory;
  hal_buffer_t* buffer = nullptr;
  EXPECT_EQ(take(create(1000, &buffer)), HAL_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(device_.heap.live_bytes, 0u);
  driver_.allocate = hal_sdk_host_allocate;
  ASSERT_EQ(create(1 << 20, &buffer), nullptr) << "the whole heap";
  hal_buffer_t* more = nullptr;
  EXPECT_EQ(take(create(1, &more)), HAL_STATUS_OUT_OF_MEMORY);
  hal_sdk_memory_group.buffer_destroy(buffer);
  EXPECT_EQ(device_.heap.live_bytes, 0u);
}

TEST(SdkStatus, AStrangersStatusIsCopiedAndACycleOfCausesEnds) {
  const auto nothing = [](hal_status_t*) {};
  char message[] = "original";
  hal_status_t a = {sizeof a, HAL_STATUS_INTERNAL, 9, {message, 8}, {"p", 1}, {"c", 1}, nullptr, nothing};
  a.cause = &a;
  hal_status_t* copy = hal_sdk_status_share(&a);
  message[0] = 'X';
  EXPECT_EQ(text(copy->message), "original");
  EXPECT_EQ(copy->vendor_code, 9);
  int depth = 0;
  for (const hal_status_t* at = copy; at != nullptr; at = at->cause) depth++;
  EXPECT_LT(depth, 100);
  hal_status_t* shared = hal_sdk_status_share(copy);
  EXPECT_EQ(shared, copy);
  hal_status_release(copy);
  EXPECT_EQ(text(shared->message), "original");
  hal_status_release(shared);
}

TEST(SdkStatus, OutOfMemoryIsStatic) {
  hal_status_t* status = hal_sdk_status_out_of_memory();
  EXPECT_EQ(hal_sdk_status_share(status), status);
  hal_status_release(status);
  hal_status_release(status);
  EXPECT_EQ(status->code, static_cast<hal_status_code_t>(HAL_STATUS_OUT_OF_MEMORY));
}

TEST(SdkRange, SumsDoNotOverflow) {
  uint64_t length = 0;
  EXPECT_EQ(take(hal_sdk_check_range("c", "r", 100, 100, 0, &length)), HAL_STATUS_OK);
  EXPECT_EQ(take(hal_sdk_check_range("c", "r", 100, 40, HAL_WHOLE_BUFFER, &length)), HAL_STATUS_OK);
  EXPECT_EQ(length, 60u);
  EXPECT_EQ(take(hal_sdk_check_range("c", "r", 100, 101, HAL_WHOLE_BUFFER, &length)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(take(hal_sdk_check_range("c", "r", 100, 1, UINT64_MAX - 1, &length)), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(take(hal_sdk_check_range("c", "r", 100, UINT64_MAX, 2, &length)), HAL_STATUS_OUT_OF_RANGE);
}

}  // namespace
