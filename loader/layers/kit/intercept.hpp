// SPDX-License-Identifier: Apache-2.0
//
// Puts one handler of a layer into every slot of a table, or into the slots that it has something to say about.
//
//   struct Handler {
//     using State = MyState;
//     static const hal_layer_t layer;
//     template <Slot slot, typename Next, typename... Args>
//     static auto call(State& state, const hal_layer_link_t& link, Next next, Args... args) { return next(args...); }
//   };
//   intercept_all<Handler>(*tables);
#ifndef LOADER_LAYERS_KIT_INTERCEPT_HPP_
#define LOADER_LAYERS_KIT_INTERCEPT_HPP_

#include <type_traits>

#include "fork.hpp"
#include "slot.hpp"

namespace hal::layers {

// Whether T is a struct that can be looked into; handles are not.
template <typename T, typename = void>
struct IsComplete : std::false_type {};
template <typename T>
struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};

template <typename T>
inline constexpr bool kIsHandle = false;
template <typename T>
inline constexpr bool kIsHandle<T*> = !std::is_void_v<T> && !std::is_function_v<T> && !IsComplete<T>::value;

template <typename First>
inline constexpr bool kLeadsToLink = kIsHandle<First> || std::is_same_v<First, const hal_instance_desc_t*>;

template <typename First>
const hal_layer_link_t* link_from(First first, const hal_layer_t* layer) {
  if constexpr (kIsHandle<First>) {
    return hal_layer_link_of(first, layer);
  } else {
    return hal_layer_link_of_desc(first, layer);
  }
}

template <typename Handler, Slot slot, typename Function>
struct Thunk;
template <typename Handler, Slot slot, typename R, typename First, typename... Rest>
struct Thunk<Handler, slot, R (*)(First, Rest...)> {
  static constexpr bool kIsPossible = kLeadsToLink<First>;

  static R call(First first, Rest... rest) {
    const hal_layer_link_t* const link = link_from(first, &Handler::layer);
    const auto next = SlotTraits<slot>::in(*link->next);
    // In a forked child another thread may have left our locks held: the plugin alone answers.
    if (is_forked()) return next(first, rest...);
    auto& state = *static_cast<typename Handler::State*>(link->state);
    return Handler::template call<slot>(state, *link, next, first, rest...);
  }
};

template <typename Handler, Slot slot>
void intercept(const hal_layer_tables_t& tables) {
  using Function = typename SlotTraits<slot>::Function;
  if constexpr (Thunk<Handler, slot, Function>::kIsPossible) {
    SlotTraits<slot>::in(tables) = Thunk<Handler, slot, Function>::call;
  }
}

// All but device.config_keys, which has no object to start from.
template <typename Handler>
void intercept_all(const hal_layer_tables_t& tables) {
  watch_forks();
#define HAL_LAYERS_INTERCEPT_(group, slot, needed_for) intercept<Handler, Slot::group##_##slot>(tables);
  HAL_LOADER_SLOTS(HAL_LAYERS_INTERCEPT_)
#undef HAL_LAYERS_INTERCEPT_
}

}  // namespace hal::layers

#endif  // LOADER_LAYERS_KIT_INTERCEPT_HPP_
