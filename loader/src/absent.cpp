// SPDX-License-Identifier: Apache-2.0
#include "absent.hpp"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <type_traits>

#include "slots.hpp"
#include "text.hpp"

namespace hal::loader {
namespace {

void release_nothing(hal_status_t*) {}

// One status per slot, for one plugin name ("" for tables that nobody registered, such as a layer's).
struct AbsentStatuses {
  explicit AbsentStatuses(std::string name) : plugin(std::move(name)) {
    for (size_t i = 0; i < kSlots.size(); ++i) {
      messages[i] = std::string(kSlots[i].name) + " is not offered by " +
                    (plugin.empty() ? "this plugin" : "plugin " + plugin) + "; ask the device's capabilities first";
      statuses[i] = {sizeof(hal_status_t), HAL_STATUS_UNSUPPORTED, 0,       to_hal(messages[i]),
                     to_hal(plugin),       to_hal(kSlots[i].name), nullptr, release_nothing};
    }
  }
  std::string plugin;
  std::array<std::string, kSlots.size()> messages;
  std::array<hal_status_t, kSlots.size()> statuses;
};

// Never destroyed: a call may come as late as another library's exit handlers.
struct CallsRegister {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<AbsentStatuses>> by_name;
  std::map<const hal_calls_t*, AbsentStatuses*> by_calls;
  AbsentStatuses anonymous{""};
};

CallsRegister& calls_register() {
  static auto* const instance = new CallsRegister;
  return *instance;
}

hal_status_t* absent_status(Slot slot, const hal_calls_t* calls) {
  CallsRegister& all = calls_register();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_calls.find(calls);
  AbsentStatuses& statuses = found == all.by_calls.end() ? all.anonymous : *found->second;
  return &statuses.statuses[static_cast<size_t>(slot)];
}

template <typename T, typename = void>
struct IsComplete : std::false_type {};
template <typename T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

// Zeroes one argument if it is an out-parameter. An array of items, which follows its count or the array that it
// answers, is left alone.
struct OutZeroer {
  bool is_array_next = false;

  template <typename T>
  void operator()(T* out) {
    if constexpr (std::is_void_v<T> || !IsComplete<T>::value) {
      return;
    } else if constexpr (std::is_const_v<T>) {
      is_array_next = is_array_next || std::is_integral_v<T>;
    } else if constexpr (requires { out->struct_size; }) {
      if (out != nullptr && !is_array_next) zero_struct(out);
    } else if constexpr (!std::is_same_v<T, hal_config_key_t>) {
      if (out != nullptr) *out = T{};
      is_array_next = std::is_integral_v<T>;
    }
  }
  template <typename T>
  requires(!std::is_pointer_v<T>) void operator()(const T&) {}  // an in-parameter

  template <typename T>
  static void zero_struct(T* out) {
    const size_t size = std::min<size_t>(out->struct_size, sizeof(T));
    constexpr size_t kHeader = sizeof(out->struct_size);
    if (size > kHeader) std::memset(reinterpret_cast<char*>(out) + kHeader, 0, size - kHeader);
  }
};

// The table that a call's first argument leads to; NULL where that is not an object.
template <typename First>
const hal_calls_t* calls_of(First first) {
  if constexpr (std::is_pointer_v<First>) {
    if constexpr (!IsComplete<std::remove_pointer_t<First>>::value) return hal_calls_of(first);
  }
  return nullptr;
}

template <Slot slot, typename Function>
struct Absent;
template <Slot slot, typename First, typename... Rest>
struct Absent<slot, hal_status_t* (*)(First, Rest...)> {
  static hal_status_t* call(First first, Rest... rest) {
    OutZeroer zero;
    (zero(rest), ...);
    return absent_status(slot, calls_of(first));
  }
};
template <Slot slot, typename... Args>
struct Absent<slot, void (*)(Args...)> {
  static void call(Args...) {}  // destroying what could not be created
};

// kSlots covers every byte of Tables that is not a header, in order; and each table has its pointer.
constexpr bool slots_are_complete() {
  size_t next = 0;
  for (const GroupInfo& group : kGroups) {
    for (size_t at = group.offset + 2 * sizeof(uint32_t); at < group.offset + group.size; at += sizeof(void*)) {
      if (next == kSlots.size() || kSlots[next++].offset != at) return false;
    }
  }
  return next == kSlots.size() && kGroups.back().offset + kGroups.back().size == sizeof(Tables) &&
         kGroups.size() * sizeof(void*) == sizeof(hal_calls_t);
}
static_assert(slots_are_complete(), "slots.hpp must list every slot of every group, in order");

}  // namespace

const Tables& absent_tables() {
  static const Tables table = [] {
    Tables tables{};
#define HAL_LOADER_FILL_GROUP_(ID, member, type, required) \
  tables.member.struct_size = sizeof(type);                \
  tables.member.version = 0;
    HAL_LOADER_GROUPS(HAL_LOADER_FILL_GROUP_)
#undef HAL_LOADER_FILL_GROUP_
#define HAL_LOADER_FILL_SLOT_(group, slot, needed_for) \
  tables.group.slot = Absent<Slot::group##_##slot, decltype(tables.group.slot)>::call;
    HAL_LOADER_SLOTS(HAL_LOADER_FILL_SLOT_)
#undef HAL_LOADER_FILL_SLOT_
    return tables;
  }();
  return table;
}

bool is_absent(const Tables& tables, size_t offset) {
  return std::memcmp(reinterpret_cast<const char*>(&tables) + offset,
                     reinterpret_cast<const char*>(&absent_tables()) + offset, sizeof(void*)) == 0;
}

void register_calls(const hal_calls_t* calls, const std::string& plugin) {
  CallsRegister& all = calls_register();
  const std::lock_guard lock(all.mutex);
  std::unique_ptr<AbsentStatuses>& statuses = all.by_name[plugin];
  if (statuses == nullptr) statuses = std::make_unique<AbsentStatuses>(plugin);
  all.by_calls[calls] = statuses.get();
}

void unregister_calls(const hal_calls_t* calls) {
  CallsRegister& all = calls_register();
  const std::lock_guard lock(all.mutex);
  all.by_calls.erase(calls);
}

void lock_calls_register() { calls_register().mutex.lock(); }
void unlock_calls_register() { calls_register().mutex.unlock(); }

}  // namespace hal::loader
