// SPDX-License-Identifier: Apache-2.0
//
// The suites, one file each, and the few words in which they write their cases.
#ifndef CONFORMANCE_CASES_CASES_HPP_
#define CONFORMANCE_CASES_CASES_HPP_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hal/conformance/case.hpp"
#include "hal/conformance/rig.hpp"

namespace hal::conformance {

using Cases = std::vector<Case>;

Cases abi_cases();        // what the library exports and what hal_plugin_query gives
Cases device_cases();     // instances, enumeration, identity, capabilities
Cases struct_cases();     // every in-struct, out-struct and count-then-fill slot, by one set of rules
Cases memory_cases();     // heaps, buffers, maps, imports
Cases transfer_cases();   // copy, fill, update
Cases queue_cases();      // submissions: order, lifetime, arguments
Cases failure_cases();    // failures that travel through semaphores
Cases semaphore_cases();  // timelines and waits
Cases thread_cases();     // the same from many threads
Cases process_cases();    // what a plugin may not change in its host
Cases slot_cases();       // each slot of each group, called rightly and wrongly
Cases core_cases();       // executables and dispatch

// A case of the runtime level over a context, or over a rig.
inline Case in_context(std::string name, std::string clause, std::function<void(CaseContext&)> body) {
  Case item;
  item.name = "runtime." + std::move(name);
  item.clause = std::move(clause);
  item.body = std::move(body);
  return item;
}

inline Case with_rig(std::string name, std::string clause, std::function<void(Rig&)> body) {
  return in_context(std::move(name), std::move(clause), [body = std::move(body)](CaseContext& context) {
    Rig rig(context);
    body(rig);
  });
}

inline Case negative(Case item) { return item.tags.push_back("negative"), item; }
inline Case needing(uint64_t features, Case item) { return item.needs = features, item; }
inline Case lacking(uint64_t features, Case item) { return item.lacks = features, item; }

// Heavy on the device; the simulator profile leaves it out.
inline Case stress(double cost_seconds, Case item) {
  item.tags.push_back("stress");
  item.cost_seconds = cost_seconds;
  item.deadline_seconds = 30.0;
  return item;
}

}  // namespace hal::conformance

#endif  // CONFORMANCE_CASES_CASES_HPP_
