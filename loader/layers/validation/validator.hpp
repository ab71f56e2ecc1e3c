// SPDX-License-Identifier: Apache-2.0
//
// What the layer "validation" knows of one plugin, and its checks of each call that go beyond the argument's type. No
// lock is held when it calls the plugin.
#ifndef LOADER_LAYERS_VALIDATION_VALIDATOR_HPP_
#define LOADER_LAYERS_VALIDATION_VALIDATOR_HPP_

#include <string>
#include <vector>

#include "order.hpp"
#include "quarantine.hpp"
#include "registry.hpp"
#include "work_check.hpp"

namespace hal::layers::validation {

enum class Hazards { kOff, kWarn, kRefuse };

class Validator {
 public:
  Validator(const hal_layer_desc_t& desc, Hazards hazards, size_t quarantine);

  Registry& registry() { return registry_; }
  Quarantine& quarantine() { return quarantine_; }

  void report(hal_log_level_t level, std::string_view call, const std::string& text) const;

  // Before the plugin is called. Arguments have passed ArgumentChecks.
  Result<void> check_buffer_create(hal_device_t* device, const hal_buffer_desc_t* desc) const;
  Result<void> check_heap(hal_device_t* device, uint32_t heap) const;
  Result<void> check_map(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags);
  Result<void> check_unmap(hal_buffer_t* buffer) const;
  Result<void> check_bytes(hal_buffer_t* buffer, uint64_t offset, uint64_t length) const;
  Result<void> check_queue_create(const hal_queue_desc_t* desc) const;
  Result<void> check_value(uint64_t value, const std::string& argument) const;
  Result<void> check_wait(hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values) const;
  Result<void> check_load(const hal_executable_desc_t* desc) const;
  Result<void> check_recording(hal_command_buffer_t* command_buffer) const;
  Result<void> check_record(hal_command_buffer_t* command_buffer, const hal_work_t* work);
  // Also notes what it does, for the order; `forget` it where the plugin refuses it.
  Result<SubmissionPtr> check_submit(hal_queue_t* queue, const hal_submission_t* submission);
  void forget(const SubmissionPtr& submission) { order_.remove(submission); }

  // After it has succeeded.
  void opened(hal_device_t* device);
  void created_buffer(hal_buffer_t* buffer, const hal_buffer_desc_t* desc, hal_device_t* device);
  void imported_buffer(hal_buffer_t* buffer);
  void loaded(hal_executable_t* executable);
  void created_command_buffer(hal_command_buffer_t* command_buffer, const hal_command_buffer_desc_t* desc);
  void label(void* handle, hal_object_kind_t kind, hal_string_t label);
  void mapped(hal_buffer_t* buffer, int change);
  void finished(hal_command_buffer_t* command_buffer);
  // A semaphore was queried, signalled or awaited.
  void saw(hal_semaphore_t* semaphore, const hal_status_t* status, uint64_t value);
  void look_at(uint32_t count, const hal_semaphore_value_t* values);

  // Before a device closes or an instance shuts down.
  void report_unseen(std::string_view call);
  void report_live(std::string_view call);

 private:
  Result<std::vector<Point>> points(const hal_semaphore_value_t* values, uint32_t count, const std::string& list) const;
  ObjectPtr known(const void* handle, hal_object_kind_t kind) const;
  void report_hazards(const std::vector<std::string>& found) const;

  const hal_host_t* const host_;
  const hal_calls_t* const next_;
  const Hazards hazards_;
  Registry registry_;
  Quarantine quarantine_;
  Order order_;
};

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_VALIDATOR_HPP_
