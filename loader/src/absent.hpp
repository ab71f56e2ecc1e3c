// SPDX-License-Identifier: Apache-2.0
//
// Functions that stand in absent slots, so that no caller ever tests for NULL: they zero their out-parameters and
// return UNSUPPORTED with the names of slot and plugin. Nothing is allocated in such a call.
#ifndef LOADER_ABSENT_HPP_
#define LOADER_ABSENT_HPP_

#include <string>

#include "slots.hpp"

namespace hal::loader {

// Tables with such a function in every slot.
const Tables& absent_tables();

// Whether the slot at `offset` holds such a function.
bool is_absent(const Tables& tables, size_t offset);

// Says whose tables these are, for the messages. The texts of a plugin's name are kept for the life of the process,
// since a status may outlive the plugin.
void register_calls(const hal_calls_t* calls, const std::string& plugin);
void unregister_calls(const hal_calls_t* calls);

// Around fork, so that a child never finds the register half-written.
void lock_calls_register();
void unlock_calls_register();

}  // namespace hal::loader

#endif  // LOADER_ABSENT_HPP_
