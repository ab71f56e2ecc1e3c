// SPDX-License-Identifier: Apache-2.0
//
// A slot as a type: its name, its parameters' names, and how it is reached in a table. Made from the loader's one list
// of slots and from the headers.
#ifndef LOADER_LAYERS_KIT_SLOT_HPP_
#define LOADER_LAYERS_KIT_SLOT_HPP_

#include <string_view>

#include "hal/layer.h"
#include "slots.hpp"

namespace hal::layers {

using loader::kSlots;
using loader::Slot;

template <Slot slot>
struct SlotTraits;

#define HAL_LAYERS_SLOT_(group, slot, needed_for)                                        \
  template <>                                                                            \
  struct SlotTraits<Slot::group##_##slot> {                                              \
    static constexpr std::string_view kName = #group "." #slot;                          \
    using Function = decltype(hal_##group##_group_t::slot);                              \
    static Function in(const hal_calls_t& calls) { return calls.group->slot; }           \
    static Function& in(const hal_layer_tables_t& tables) { return tables.group->slot; } \
  };
HAL_LOADER_SLOTS(HAL_LAYERS_SLOT_)
#undef HAL_LAYERS_SLOT_

// "device desc out_buffer"
template <Slot slot>
struct ArgumentNames;
#define HAL_ARGUMENTS(group, slot, names)             \
  template <>                                         \
  struct ArgumentNames<Slot::group##_##slot> {        \
    static constexpr std::string_view kNames = names; \
  };
#include "argument_names.inc"
#undef HAL_ARGUMENTS

// The name of parameter `index`, from 0.
template <Slot slot>
constexpr std::string_view argument_name(size_t index) {
  std::string_view names = ArgumentNames<slot>::kNames;
  for (; index != 0; --index) names.remove_prefix(names.find(' ') + 1);
  return names.substr(0, names.find(' '));
}

}  // namespace hal::layers

#endif  // LOADER_LAYERS_KIT_SLOT_HPP_
