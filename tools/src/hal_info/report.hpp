// SPDX-License-Identifier: Apache-2.0
//
// What hal-info prints: one snapshot as text for people, or as JSON for scripts (docs/schemas/hal-info.schema.json).
#ifndef TOOLS_HAL_INFO_REPORT_HPP_
#define TOOLS_HAL_INFO_REPORT_HPP_

#include <ostream>

#include "snapshot.hpp"

namespace hal::tools {

// A line per device and a line per plugin.
void print_table(std::ostream& out, const Snapshot& snapshot, bool coloured);
// Plugins, their devices, and what each device is made of.
void print_tree(std::ostream& out, const Snapshot& snapshot);
// Everything about each device of the snapshot.
void print_details(std::ostream& out, const Snapshot& snapshot, bool coloured);
// Every file that was looked at, and why it was taken or not.
void print_diagnosis(std::ostream& out, const Snapshot& snapshot, bool coloured);

void print_json(std::ostream& out, const Snapshot& snapshot);
void print_diagnosis_json(std::ostream& out, const Snapshot& snapshot);

}  // namespace hal::tools

#endif  // TOOLS_HAL_INFO_REPORT_HPP_
