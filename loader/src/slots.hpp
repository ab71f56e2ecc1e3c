// SPDX-License-Identifier: Apache-2.0
//
// The one list of groups and slots of ABI 1.0, with what a plugin must offer. Negotiation, the functions for absent
// slots and the tests are made from it. That it is complete and in order is checked when absent.cpp is compiled.
#ifndef LOADER_SLOTS_HPP_
#define LOADER_SLOTS_HPP_

#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/calls.h"

namespace hal::loader {

// When a slot must be there: always, or never, or when a device claims a feature (a bit of hal_device_caps_t.features).
inline constexpr uint64_t kRequired = UINT64_MAX;
inline constexpr uint64_t kOptional = 0;

// G(ID, member of hal_calls_t and Tables, type, required)
#define HAL_LOADER_GROUPS(G)                                           \
  G(DEVICE, device, hal_device_group_t, true)                          \
  G(MEMORY, memory, hal_memory_group_t, true)                          \
  G(QUEUE, queue, hal_queue_group_t, true)                             \
  G(EXECUTABLE, executable, hal_executable_group_t, false)             \
  G(COMMAND_BUFFER, command_buffer, hal_command_buffer_group_t, false) \
  G(COLLECTIVE, collective, hal_collective_group_t, false)             \
  G(PROFILING, profiling, hal_profiling_group_t, false)                \
  G(TELEMETRY, telemetry, hal_telemetry_group_t, false)                \
  G(EXTENSION, extension, hal_extension_group_t, false)

// S(group, slot, when it must be there), in the order of the tables.
#define HAL_LOADER_SLOTS(S)                               \
  S(device, initialize, kRequired)                        \
  S(device, shutdown, kRequired)                          \
  S(device, config_keys, kOptional)                       \
  S(device, enumerate, kRequired)                         \
  S(device, open, kRequired)                              \
  S(device, close, kRequired)                             \
  S(device, capabilities, kRequired)                      \
  S(device, query_support, kRequired)                     \
  S(device, state, kRequired)                             \
  S(device, reset, kOptional)                             \
  S(memory, heaps, kRequired)                             \
  S(memory, heap_statistics, kRequired)                   \
  S(memory, buffer_create, kRequired)                     \
  S(memory, buffer_destroy, kRequired)                    \
  S(memory, buffer_info, kRequired)                       \
  S(memory, buffer_map, kOptional)                        \
  S(memory, buffer_unmap, kOptional)                      \
  S(memory, buffer_flush, kOptional)                      \
  S(memory, buffer_invalidate, kOptional)                 \
  S(memory, buffer_address, HAL_FEATURE_DEVICE_ADDRESS)   \
  S(memory, buffer_import, HAL_FEATURE_IMPORT_HOST)       \
  S(memory, buffer_export, HAL_FEATURE_EXPORT_FD)         \
  S(queue, queue_create, kRequired)                       \
  S(queue, queue_destroy, kRequired)                      \
  S(queue, submit, kRequired)                             \
  S(queue, semaphore_create, kRequired)                   \
  S(queue, semaphore_destroy, kRequired)                  \
  S(queue, semaphore_query, kRequired)                    \
  S(queue, semaphore_signal, kRequired)                   \
  S(queue, semaphore_fail, kRequired)                     \
  S(queue, semaphore_wait, kRequired)                     \
  S(queue, semaphore_export, kOptional)                   \
  S(queue, semaphore_import, kOptional)                   \
  S(executable, can_load, HAL_FEATURE_EXECUTABLES)        \
  S(executable, load, HAL_FEATURE_EXECUTABLES)            \
  S(executable, destroy, HAL_FEATURE_EXECUTABLES)         \
  S(executable, entries, HAL_FEATURE_EXECUTABLES)         \
  S(executable, export_artefact, kOptional)               \
  S(command_buffer, create, HAL_FEATURE_COMMAND_BUFFERS)  \
  S(command_buffer, destroy, HAL_FEATURE_COMMAND_BUFFERS) \
  S(command_buffer, record, HAL_FEATURE_COMMAND_BUFFERS)  \
  S(command_buffer, barrier, HAL_FEATURE_COMMAND_BUFFERS) \
  S(command_buffer, finish, HAL_FEATURE_COMMAND_BUFFERS)  \
  S(collective, query_support, HAL_FEATURE_COLLECTIVES)   \
  S(collective, unique_id, HAL_FEATURE_COLLECTIVES)       \
  S(collective, create, HAL_FEATURE_COLLECTIVES)          \
  S(collective, destroy, HAL_FEATURE_COLLECTIVES)         \
  S(collective, abort, HAL_FEATURE_COLLECTIVES)           \
  S(profiling, counters, HAL_FEATURE_PROFILING)           \
  S(profiling, calibrate, HAL_FEATURE_PROFILING)          \
  S(profiling, create, HAL_FEATURE_PROFILING)             \
  S(profiling, destroy, HAL_FEATURE_PROFILING)            \
  S(profiling, start, HAL_FEATURE_PROFILING)              \
  S(profiling, stop, HAL_FEATURE_PROFILING)               \
  S(profiling, read, HAL_FEATURE_PROFILING)               \
  S(telemetry, metrics, HAL_FEATURE_TELEMETRY)            \
  S(telemetry, read, HAL_FEATURE_TELEMETRY)               \
  S(extension, list, kOptional)                           \
  S(extension, table, kOptional)

// Every group's table, full-length, in one block: what hal_calls_t of a plugin points into.
#define HAL_LOADER_TABLE_(ID, member, type, required) type member;
struct Tables {
  HAL_LOADER_GROUPS(HAL_LOADER_TABLE_)
};
#undef HAL_LOADER_TABLE_

#define HAL_LOADER_POINTER_(ID, member, type, required) &tables.member,
inline hal_calls_t calls_into(const Tables& tables) { return {HAL_LOADER_GROUPS(HAL_LOADER_POINTER_)}; }
#undef HAL_LOADER_POINTER_

struct GroupInfo {
  hal_group_id_t id;
  const char* name;  // "memory"
  size_t offset;     // in Tables
  uint32_t size;     // of the table in this release
  bool required;
};

struct SlotInfo {
  const char* name;     // "memory.buffer_export"
  size_t offset;        // in Tables
  uint64_t needed_for;  // kRequired, kOptional or the feature that needs it
};

#define HAL_LOADER_GROUP_INFO_(ID, member, type, required) \
  GroupInfo{HAL_GROUP_##ID, #member, offsetof(Tables, member), sizeof(type), required},
inline constexpr auto kGroups = std::to_array<GroupInfo>({HAL_LOADER_GROUPS(HAL_LOADER_GROUP_INFO_)});
#undef HAL_LOADER_GROUP_INFO_

#define HAL_LOADER_SLOT_INFO_(group, slot, needed_for) \
  SlotInfo{#group "." #slot, offsetof(Tables, group.slot), needed_for},
inline constexpr auto kSlots = std::to_array<SlotInfo>({HAL_LOADER_SLOTS(HAL_LOADER_SLOT_INFO_)});
#undef HAL_LOADER_SLOT_INFO_

// Positions in kSlots: Slot::memory_buffer_export.
#define HAL_LOADER_SLOT_ENUMERATOR_(group, slot, needed_for) group##_##slot,
enum class Slot : uint32_t { HAL_LOADER_SLOTS(HAL_LOADER_SLOT_ENUMERATOR_) };
#undef HAL_LOADER_SLOT_ENUMERATOR_

}  // namespace hal::loader

#endif  // LOADER_SLOTS_HPP_
