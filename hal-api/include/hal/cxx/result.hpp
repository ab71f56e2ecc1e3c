// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value or an Error, for C++ inside Mortise and for C++ users of the HAL. Has std::expected's member names,
// so that it can give way to it (C++23). Not for the C ABI: see hal/status.h.
#ifndef HAL_CXX_RESULT_HPP_
#define HAL_CXX_RESULT_HPP_

#include <cassert>
#include <string>
#include <utility>
#include <variant>

#include "hal/status.h"

namespace hal {

// What went wrong: a status code and a text that says what was expected, what came, where, and what to do next.
struct Error {
  hal_status_code_t code = HAL_STATUS_INTERNAL;
  std::string message;
};

inline Error invalid_argument(std::string message) { return {HAL_STATUS_INVALID_ARGUMENT, std::move(message)}; }
inline Error unsupported(std::string message) { return {HAL_STATUS_UNSUPPORTED, std::move(message)}; }
inline Error not_found(std::string message) { return {HAL_STATUS_NOT_FOUND, std::move(message)}; }
inline Error data_corrupt(std::string message) { return {HAL_STATUS_DATA_CORRUPT, std::move(message)}; }
inline Error internal_error(std::string message) { return {HAL_STATUS_INTERNAL, std::move(message)}; }

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return assert(has_value()), std::get<0>(state_); }
  const T& value() const& { return assert(has_value()), std::get<0>(state_); }
  T&& value() && { return assert(has_value()), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const& { return assert(!has_value()), std::get<1>(state_); }
  Error&& error() && { return assert(!has_value()), std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& { return assert(failed_), error_; }
  Error&& error() && { return assert(failed_), std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

// Takes a C status over: success, or an Error with the whole chain of causes in its text.
inline Result<void> take_status(hal_status_t* status) {
  if (status == nullptr) return {};
  Error error{status->code, {}};
  for (const hal_status_t* at = status; at != nullptr; at = at->cause) {
    if (at != status) error.message += ": ";
    if (at->plugin.length != 0) error.message += std::string(at->plugin.data, at->plugin.length) + ": ";
    if (at->call.length != 0) error.message += std::string(at->call.data, at->call.length) + ": ";
    error.message += at->message.length != 0 ? std::string(at->message.data, at->message.length)
                                             : std::string(hal_status_code_name(at->code));
  }
  hal_status_release(status);
  return error;
}

}  // namespace hal

#define HAL_CONCAT_INNER_(a, b) a##b
#define HAL_CONCAT_(a, b) HAL_CONCAT_INNER_(a, b)

// HAL_TRY(expression): returns the error to the caller. HAL_TRY_ASSIGN(declaration, expression): and else takes the value.
#define HAL_TRY(expression)                                     \
  do {                                                          \
    auto hal_try_result_ = (expression);                        \
    if (!hal_try_result_) return std::move(hal_try_result_).error(); \
  } while (0)
#define HAL_TRY_ASSIGN_(temporary, declaration, expression) \
  auto temporary = (expression);                            \
  if (!temporary) return std::move(temporary).error();      \
  declaration = std::move(temporary).value()
#define HAL_TRY_ASSIGN(declaration, expression) \
  HAL_TRY_ASSIGN_(HAL_CONCAT_(hal_try_result_, __LINE__), declaration, expression)

#endif  // HAL_CXX_RESULT_HPP_
