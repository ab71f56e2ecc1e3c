// SPDX-License-Identifier: Apache-2.0
//
// Dispatches and command buffers, over objects that no plugin made: what is checked here needs none.
#include "work_check.hpp"

#include <gtest/gtest.h>

#include <list>

namespace hal::layers::validation {
namespace {

class WorkCheck : public testing::Test {
 protected:
  ObjectPtr make(hal_object_kind_t kind, const ObjectPtr& parent) {
    headers_.push_back({nullptr, kind, 1});
    return registry.add(&headers_.back(), kind, parent == nullptr ? nullptr : parent->handle);
  }
  ObjectPtr buffer(uint64_t size) {
    const ObjectPtr made = make(HAL_OBJECT_BUFFER, device);
    made->size = size;
    made->label = "b" + std::to_string(size);
    return made;
  }
  static hal_buffer_range_t range(const ObjectPtr& of, uint64_t offset = 0, uint64_t length = HAL_WHOLE_BUFFER) {
    return {static_cast<hal_buffer_t*>(of->handle), offset, length, 0, 0};
  }
  static hal_buffer_range_t slot(uint32_t index, uint64_t offset = 0, uint64_t length = HAL_WHOLE_BUFFER) {
    return {nullptr, offset, length, index, 0};
  }
  // "" or what is wrong.
  template <typename T>
  std::string check(const T& work, const Object* recording = nullptr, hal_status_code_t code = 0) {
    effects = {};
    const Result<void> result = check_work({registry, *device, recording}, &work.header, "w", effects);
    if (!result && code != 0) {
      EXPECT_EQ(result.error().code, code) << result.error().message;
    }
    return result ? "" : result.error().message;
  }
  void expect(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "\"" << text << "\"";
  }

  Registry registry;
  std::list<hal_object_t> headers_;
  ObjectPtr device = make(HAL_OBJECT_DEVICE, nullptr);
  Effects effects;
};

TEST_F(WorkCheck, ADispatchTakesWhatItsEntrySays) {
  device->caps.max_workgroup_count[0] = device->caps.max_workgroup_count[1] = device->caps.max_workgroup_count[2] = 8;
  const ObjectPtr executable = make(HAL_OBJECT_EXECUTABLE, device);
  executable->entries = {{"add", 2, 4, 0b10}};
  const uint32_t constant = 1;
  hal_buffer_range_t bindings[] = {range(buffer(64)), range(buffer(32), 8, 8)};
  hal_work_dispatch_t work = HAL_WORK_DISPATCH_INIT;
  work.executable = static_cast<hal_executable_t*>(executable->handle);
  work.workgroup_count[0] = work.workgroup_count[1] = work.workgroup_count[2] = 1;
  work.constants = &constant;
  work.constant_bytes = 4;
  work.bindings = bindings;
  work.binding_count = 2;
  EXPECT_EQ(check(work), "");
  ASSERT_EQ(effects.accesses.size(), 2u);
  EXPECT_FALSE(effects.accesses[0].writes);
  EXPECT_TRUE(effects.accesses[1].writes);

  hal_work_dispatch_t bad = work;
  bad.entry = 1;
  expect(check(bad, nullptr, HAL_STATUS_OUT_OF_RANGE), "HAL-ABI-14: w.entry: is 1 of an executable with 1");
  bad = work;
  bad.binding_count = 1;
  expect(check(bad, nullptr, HAL_STATUS_INVALID_ARGUMENT), "\"add\" takes 2 bindings and 4 bytes of constants; got 1");
  bad = work;
  bad.workgroup_count[2] = 9;
  expect(check(bad, nullptr, HAL_STATUS_OUT_OF_RANGE), "w.workgroup_count[2]: is 9; the device takes at most 8");
  bindings[1].offset = 25;
  expect(check(work, nullptr, HAL_STATUS_OUT_OF_RANGE), "HAL-ABI-13: w.bindings[1]: offset 25 and length 8");
}

TEST_F(WorkCheck, SlotsAreForRecordingAndWithinTheTable) {
  const ObjectPtr commands = make(HAL_OBJECT_COMMAND_BUFFER, device);
  commands->binding_slots = 2;
  hal_work_fill_t fill = HAL_WORK_FILL_INIT;
  fill.pattern_size = 1;
  fill.target = slot(1, 4, 8);
  expect(check(fill, nullptr, HAL_STATUS_INVALID_ARGUMENT), "HAL-ABI-07: w.target.buffer: is NULL");
  EXPECT_EQ(check(fill, commands.get()), "");
  fill.target = slot(2);
  expect(check(fill, commands.get(), HAL_STATUS_OUT_OF_RANGE),
         "HAL-ABI-15: w.target.slot: 2 of a command buffer with 2");
}

TEST_F(WorkCheck, ACommandBufferIsBoundAndChecked) {
  const ObjectPtr commands = make(HAL_OBJECT_COMMAND_BUFFER, device);
  const ObjectPtr fixed = buffer(64);
  commands->binding_slots = 1;
  commands->accesses = {{fixed, 0, 0, 64, false}, {nullptr, 0, 8, 8, true}};
  hal_buffer_range_t bindings[] = {range(buffer(32), 16, 16)};
  hal_work_command_buffer_t run = HAL_WORK_COMMAND_BUFFER_INIT;
  run.command_buffer = static_cast<hal_command_buffer_t*>(commands->handle);
  run.bindings = bindings;
  run.binding_count = 1;
  expect(check(run, nullptr, HAL_STATUS_FAILED_PRECONDITION), "is still open for recording; finish it first");
  commands->is_finished = true;
  EXPECT_EQ(check(run), "");
  ASSERT_EQ(effects.accesses.size(), 2u);
  EXPECT_EQ(effects.accesses[1].offset, 24u) << "the binding's offset and the recorded one";
  EXPECT_EQ(effects.accesses[1].length, 8u);

  bindings[0].length = 12;
  expect(check(run, nullptr, HAL_STATUS_OUT_OF_RANGE), "w.bindings[0]: offset 8 and length 8 of a buffer of 12");
  run.binding_count = 0;
  expect(check(run, nullptr, HAL_STATUS_OUT_OF_RANGE), "w.binding_count: is 0, but slot 0 is used");
  run.binding_count = 1;
  bindings[0].length = 16;
  registry.remove(fixed->handle);
  expect(check(run, nullptr, HAL_STATUS_INVALID_ARGUMENT), "was recorded with the buffer \"b64\", which was destroyed");
}

TEST_F(WorkCheck, NestingAndOneShotAreKept) {
  const ObjectPtr inner = make(HAL_OBJECT_COMMAND_BUFFER, device), outer = make(HAL_OBJECT_COMMAND_BUFFER, device);
  inner->is_finished = true;
  hal_work_command_buffer_t run = HAL_WORK_COMMAND_BUFFER_INIT;
  run.command_buffer = static_cast<hal_command_buffer_t*>(inner->handle);
  expect(check(run, outer.get(), HAL_STATUS_FAILED_PRECONDITION), "make it with HAL_COMMAND_BUFFER_NESTED");
  expect(check(run, inner.get(), HAL_STATUS_INVALID_ARGUMENT), "is the one that is recorded into");
  inner->flags = HAL_COMMAND_BUFFER_NESTED | HAL_COMMAND_BUFFER_ONE_SHOT;
  EXPECT_EQ(check(run, outer.get()), "");
  EXPECT_EQ(check(run), "") << "recording it was no run";
  expect(check(run, nullptr, HAL_STATUS_FAILED_PRECONDITION), "is HAL_COMMAND_BUFFER_ONE_SHOT");
}

TEST_F(WorkCheck, AHandleWhoseMemoryServesAnotherObjectIsStale) {
  const ObjectPtr thing = buffer(64);
  static_cast<hal_object_t*>(thing->handle)->generation = 2;
  hal_work_fill_t fill = HAL_WORK_FILL_INIT;
  fill.pattern_size = 1;
  fill.target = range(thing);
  expect(check(fill, nullptr, HAL_STATUS_INVALID_ARGUMENT), "has another generation now");
}

}  // namespace
}  // namespace hal::layers::validation
