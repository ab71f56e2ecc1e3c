// SPDX-License-Identifier: Apache-2.0
#include "absent.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "hal/cxx/result.hpp"
#include "slots.hpp"

namespace hal::loader {
namespace {

struct FakeObject {
  hal_object_t header;
};

TEST(Absent, EverySlotIsFilledAndKnownAsAbsent) {
  for (const SlotInfo& slot : kSlots) {
    void* function = nullptr;
    std::memcpy(&function, reinterpret_cast<const char*>(&absent_tables()) + slot.offset, sizeof function);
    EXPECT_NE(function, nullptr) << slot.name;
    EXPECT_TRUE(is_absent(absent_tables(), slot.offset)) << slot.name;
  }
}

TEST(Absent, SlotNamesAreUnique) {
  std::set<std::string> names;
  for (const SlotInfo& slot : kSlots) EXPECT_TRUE(names.insert(slot.name).second) << slot.name;
}

// An argument of type T: the object where T is a handle (a pointer to an incomplete type), else zero.
template <typename T>
T argument(FakeObject* object) {
  if constexpr (std::is_pointer_v<T> && !std::is_void_v<std::remove_pointer_t<T>> &&
                !requires { sizeof(std::remove_pointer_t<T>); }) {
    return reinterpret_cast<T>(object);
  } else {
    return T{};
  }
}

// Each slot that returns a status is called for real and must name itself.
template <typename... Args>
void expect_names_itself(hal_status_t* (*function)(Args...), const char* name, const hal_calls_t* calls) {
  FakeObject object{{calls, HAL_OBJECT_DEVICE, 1}};
  const hal_status_t* status = function(argument<Args>(&object)...);
  ASSERT_NE(status, nullptr) << name;
  EXPECT_EQ(status->code, static_cast<hal_status_code_t>(HAL_STATUS_UNSUPPORTED)) << name;
  EXPECT_EQ(std::string(status->call.data, status->call.length), name);
  const std::string message(status->message.data, status->message.length);
  EXPECT_EQ(message.rfind(std::string(name) + " is not offered by ", 0), 0u) << message;
}
template <typename... Args>
void expect_names_itself(void (*function)(Args...), const char*, const hal_calls_t*) {
  function(Args{}...);  // does nothing, and does not crash
}

TEST(Absent, EveryFunctionNamesItsSlot) {
  const hal_calls_t calls = calls_into(absent_tables());
  register_calls(&calls, "some-plugin");
#define EXPECT_SLOT(group, slot, needed_for) expect_names_itself(calls.group->slot, #group "." #slot, &calls);
  HAL_LOADER_SLOTS(EXPECT_SLOT)
#undef EXPECT_SLOT
  unregister_calls(&calls);
}

TEST(Absent, ATableThatNobodyRegisteredStillAnswers) {
  const hal_calls_t calls = calls_into(absent_tables());
  FakeObject object{{&calls, HAL_OBJECT_DEVICE, 1}};
  hal_status_t* status = hal_device_reset(reinterpret_cast<hal_device_t*>(&object));
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(status->plugin.length, 0u);
  hal_status_release(status);
}

TEST(Absent, OutStructsAreZeroedAndKeepTheirSize) {
  const hal_calls_t calls = calls_into(absent_tables());
  FakeObject object{{&calls, HAL_OBJECT_BUFFER, 1}};
  hal_external_memory_t memory = {sizeof memory, 9, 9, 9, 9};
  hal_status_release(hal_buffer_export(reinterpret_cast<hal_buffer_t*>(&object), HAL_HANDLE_FD, &memory));
  EXPECT_EQ(memory.struct_size, sizeof memory);
  EXPECT_EQ(memory.type, 0u);
  EXPECT_EQ(memory.size, 0u);
}

}  // namespace
}  // namespace hal::loader
