// SPDX-License-Identifier: Apache-2.0
//
// The order of every run: from what a plugin is to what it does.
#include "cases.hpp"
#include "operators.hpp"

namespace hal::conformance {

Result<Registry> make_registry() {
  Registry registry;
  for (auto* suite : {abi_cases, device_cases, struct_cases, slot_cases, memory_cases, transfer_cases, queue_cases, failure_cases,
                      semaphore_cases, thread_cases, process_cases, core_cases}) {
    HAL_TRY(registry.add(suite()));
  }
  const auto& library = compiler::OperatorLibrary::builtin();
  HAL_TRY_ASSIGN(auto operators, operator_cases_of(library, library.names()));
  HAL_TRY(registry.add(std::move(operators)));
  return registry;
}

}  // namespace hal::conformance
