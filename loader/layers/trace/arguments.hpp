// SPDX-License-Identifier: Apache-2.0
//
// Arguments of calls as JSON: numbers and texts as they are, handles as addresses, descriptors by their fields.
#ifndef LOADER_LAYERS_TRACE_ARGUMENTS_HPP_
#define LOADER_LAYERS_TRACE_ARGUMENTS_HPP_

#include <string>
#include <string_view>
#include <type_traits>

#include "intercept.hpp"
#include "trace_file.hpp"

namespace hal::layers::trace {

Json address(const void* pointer);
Json number(uint64_t value);  // a text where a double could not hold it
Json words(hal_string_t text);

Json describe(const hal_buffer_desc_t& desc);
Json describe(const hal_queue_desc_t& desc);
Json describe(const hal_executable_desc_t& desc);
Json describe(const hal_command_buffer_desc_t& desc);
Json describe(const hal_support_query_t& query);
Json describe(const hal_external_memory_t& memory);
Json describe(const hal_communicator_desc_t& desc);
Json describe(const hal_collective_query_t& query);
Json describe(const hal_profiler_desc_t& desc);
Json describe(const hal_instance_desc_t& desc);
Json describe(const hal_submission_t& submission);
Json describe(const hal_semaphore_value_t& value);
Json describe(const hal_work_t& work);
Json describe(const hal_status_t& status);
Json describe(const hal_buffer_info_t& info);
Json describe(const hal_heap_statistics_t& statistics);

// "copy", "dispatch", ...
std::string_view work_name(hal_work_type_t type);

template <typename T>
concept Described = requires(const T& value) {
  describe(value);
};

// What is known before the call.
template <typename T>
void add_in(Json& arguments, std::string_view name, T value) {
  using Pointee = std::remove_pointer_t<T>;
  if constexpr (std::is_integral_v<T>) {
    arguments[std::string(name)] = number(static_cast<uint64_t>(value));
  } else if constexpr (std::is_same_v<T, hal_string_t>) {
    arguments[std::string(name)] = words(value);
  } else if constexpr (kIsHandle<T>) {
    arguments[std::string(name)] = address(value);
  } else if constexpr (std::is_const_v<Pointee>) {
    if constexpr (Described<std::remove_const_t<Pointee>>) {
      arguments[std::string(name)] = value == nullptr ? Json() : describe(*value);
    } else {
      arguments[std::string(name)] = address(value);
    }
  }
}

// What a call that succeeded has given.
template <typename T>
void add_out(Json& arguments, std::string_view name, T value) {
  using Pointee = std::remove_pointer_t<T>;
  if constexpr (std::is_pointer_v<T> && IsComplete<Pointee>::value && !std::is_const_v<Pointee>) {
    if (value == nullptr) return;
    if constexpr (std::is_pointer_v<Pointee>) {
      arguments[std::string(name)] = address(*value);
    } else if constexpr (std::is_integral_v<Pointee>) {
      arguments[std::string(name)] = number(static_cast<uint64_t>(*value));
    } else if constexpr (std::is_same_v<Pointee, hal_buffer_info_t> || std::is_same_v<Pointee, hal_heap_statistics_t>) {
      arguments[std::string(name)] = describe(*value);
    }
  }
}

}  // namespace hal::layers::trace

#endif  // LOADER_LAYERS_TRACE_ARGUMENTS_HPP_
