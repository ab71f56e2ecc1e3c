// SPDX-License-Identifier: Apache-2.0
//
// Checks of arguments that hold for every call, by their types: handles are live and of the right kind, structs have a
// sane size, pointers that must not be NULL are not.
#ifndef LOADER_LAYERS_VALIDATION_CHECKS_HPP_
#define LOADER_LAYERS_VALIDATION_CHECKS_HPP_

#include <string>
#include <type_traits>

#include "intercept.hpp"
#include "registry.hpp"
#include "work_check.hpp"

namespace hal::layers::validation {

template <typename Handle>
constexpr hal_object_kind_t kind_of() {
  if constexpr (std::is_same_v<Handle, hal_instance_t*>) return HAL_OBJECT_INSTANCE;
  if constexpr (std::is_same_v<Handle, hal_device_t*>) return HAL_OBJECT_DEVICE;
  if constexpr (std::is_same_v<Handle, hal_buffer_t*>) return HAL_OBJECT_BUFFER;
  if constexpr (std::is_same_v<Handle, hal_queue_t*>) return HAL_OBJECT_QUEUE;
  if constexpr (std::is_same_v<Handle, hal_semaphore_t*>) return HAL_OBJECT_SEMAPHORE;
  if constexpr (std::is_same_v<Handle, hal_executable_t*>) return HAL_OBJECT_EXECUTABLE;
  if constexpr (std::is_same_v<Handle, hal_command_buffer_t*>) return HAL_OBJECT_COMMAND_BUFFER;
  if constexpr (std::is_same_v<Handle, hal_communicator_t*>) return HAL_OBJECT_COMMUNICATOR;
  if constexpr (std::is_same_v<Handle, hal_profiler_t*>) return HAL_OBJECT_PROFILER;
}

inline bool may_be_null(std::string_view name) { return name == "out_index" || name == "out_compatibility"; }

// Arrays that the count before them says are empty may be NULL.
class ArgumentChecks {
 public:
  explicit ArgumentChecks(const Registry& registry) : registry_(registry) {}

  template <typename T>
  Result<void> operator()(std::string_view name, T value) {
    const std::string argument(name);
    if constexpr (std::is_integral_v<T>) {
      if (name == "capacity" || name == "count") is_empty_ = value == 0;
      return {};
    } else if constexpr (kIsHandle<T>) {
      HAL_TRY(registry_.find(value, kind_of<T>(), argument));
      return {};
    } else if constexpr (std::is_pointer_v<T>) {
      return check_pointer(argument, value);
    } else {
      return {};
    }
  }

 private:
  template <typename T>
  Result<void> check_pointer(const std::string& argument, T value) {
    using Pointee = std::remove_pointer_t<T>;
    constexpr bool kIsStruct = requires(Pointee one) { one.struct_size; };
    if (value == nullptr) {
      const bool is_array = is_empty_ && argument != "out_count";
      if (is_array || may_be_null(argument)) return {};
      return violation(
          HAL_STATUS_INVALID_ARGUMENT, Rule::kStrings, argument,
          "is NULL; expected somewhere to " + std::string(std::is_const_v<Pointee> ? "read from" : "write to"));
    }
    if constexpr (kIsStruct && std::is_const_v<Pointee>) {
      if constexpr (!std::is_same_v<Pointee, const hal_work_t>) {
        HAL_TRY(check_struct(value, sizeof(Pointee), argument));
      }
      if constexpr (requires(Pointee one) { one.next; }) {
        if (value->struct_size >= sizeof(Pointee)) return check_chain(value->next, argument);
      }
    } else if constexpr (kIsStruct) {
      if (value->struct_size >= sizeof(uint64_t)) return {};
      return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kZeroTail, argument + ".struct_size",
                       "is " + std::to_string(value->struct_size) + "; set it to sizeof before the call");
    }
    return {};
  }

  const Registry& registry_;
  bool is_empty_ = false;
};

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_CHECKS_HPP_
