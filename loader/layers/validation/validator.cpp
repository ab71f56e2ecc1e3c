// SPDX-License-Identifier: Apache-2.0
#include "validator.hpp"

#include "text.hpp"

namespace hal::layers::validation {
namespace {

using loader::to_string;
using std::to_string;

constexpr uint64_t kMapFlags = HAL_MAP_READ | HAL_MAP_WRITE | HAL_MAP_DISCARD;

Error unknown_bits(const std::string& argument, uint64_t bits) {
  return violation(HAL_STATUS_UNSUPPORTED, Rule::kZeroTail, argument,
                   "has bits that this release does not know: " + to_string(bits));
}

}  // namespace

Validator::Validator(const hal_layer_desc_t& desc, Hazards hazards, size_t quarantine)
    : host_(desc.host), next_(desc.next), hazards_(hazards), quarantine_(quarantine) {}

void Validator::report(hal_log_level_t level, std::string_view call, const std::string& text) const {
  const std::string line = "validation: " + std::string(call) + (call.empty() ? "" : ": ") + text;
  host_->log(host_->context, level, loader::to_hal(line));
}

void Validator::report_hazards(const std::vector<std::string>& found) const {
  for (const std::string& text : found) report(HAL_LOG_ERROR, "", text);
}

ObjectPtr Validator::known(const void* handle, hal_object_kind_t kind) const {
  Result<ObjectPtr> found = registry_.find(handle, kind, "");
  return found ? *found : nullptr;
}

// ---- memory ----

Result<void> Validator::check_heap(hal_device_t* device, uint32_t heap) const {
  const ObjectPtr object = known(device, HAL_OBJECT_DEVICE);
  if (object == nullptr || heap < object->heaps.size()) return {};
  return violation(
      HAL_STATUS_OUT_OF_RANGE, Rule::kMemory, "heap",
      to_string(heap) + " of a device with " + to_string(object->heaps.size()) + " heaps; list them first");
}

Result<void> Validator::check_buffer_create(hal_device_t* device, const hal_buffer_desc_t* desc) const {
  HAL_TRY(check_heap(device, desc->heap));
  constexpr uint64_t kKnown = HAL_BUFFER_ZEROED | HAL_BUFFER_DEFERRED;
  if ((desc->flags & ~kKnown) != 0) return unknown_bits("desc.flags", desc->flags & ~kKnown);
  if ((desc->alignment & (desc->alignment - 1)) != 0) {
    return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kMemory, "desc.alignment",
                     "is " + to_string(desc->alignment) + "; expected 0 or a power of two");
  }
  return {};
}

Result<void> Validator::check_bytes(hal_buffer_t* handle, uint64_t offset, uint64_t length) const {
  HAL_TRY_ASSIGN(const ObjectPtr buffer, registry_.find(handle, HAL_OBJECT_BUFFER, "buffer"));
  if (!buffer->is_host_visible) {
    return violation(HAL_STATUS_UNSUPPORTED, Rule::kMemory, "buffer",
                     "lies in a heap that is not HOST_VISIBLE; copy to a buffer that is");
  }
  HAL_TRY(check_range(buffer->size, offset, length, "offset and length"));
  return {};
}

Result<void> Validator::check_map(hal_buffer_t* handle, uint64_t offset, uint64_t length, uint64_t flags) {
  HAL_TRY(check_bytes(handle, offset, length));
  if ((flags & ~kMapFlags) != 0) return unknown_bits("flags", flags & ~kMapFlags);
  HAL_TRY_ASSIGN(const ObjectPtr buffer, registry_.find(handle, HAL_OBJECT_BUFFER, "buffer"));
  HAL_TRY_ASSIGN(const uint64_t bytes, check_range(buffer->size, offset, length, "offset and length"));
  for (const std::string& writer : order_.writers(*buffer, offset, bytes)) {
    report(HAL_LOG_WARNING, "memory.buffer_map",
           cite(Rule::kOrder) + ": submission " + writer + " writes these bytes of \"" + buffer->label +
               "\" and nobody has waited for it; wait for a semaphore that it signals before you touch them");
  }
  return {};
}

Result<void> Validator::check_unmap(hal_buffer_t* handle) const {
  HAL_TRY_ASSIGN(const ObjectPtr buffer, registry_.find(handle, HAL_OBJECT_BUFFER, "buffer"));
  if (buffer->uses != 0) return {};
  return violation(HAL_STATUS_FAILED_PRECONDITION, Rule::kMemory, "buffer", "is not mapped; each unmap ends one map");
}

void Validator::created_buffer(hal_buffer_t* handle, const hal_buffer_desc_t* desc, hal_device_t* device) {
  const ObjectPtr buffer = known(handle, HAL_OBJECT_BUFFER);
  const ObjectPtr parent = known(device, HAL_OBJECT_DEVICE);
  buffer->size = desc->size;
  buffer->flags = desc->flags;
  buffer->label = to_string(desc->label);
  if (parent != nullptr && desc->heap < parent->heaps.size()) {
    buffer->is_host_visible = (parent->heaps[desc->heap].kind & HAL_HEAP_HOST_VISIBLE) != 0;
  }
}

void Validator::imported_buffer(hal_buffer_t* handle) {
  const ObjectPtr buffer = known(handle, HAL_OBJECT_BUFFER);
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  hal_status_release(next_->memory->buffer_info(handle, &info));
  buffer->size = info.size;
  buffer->is_imported = true;
}

void Validator::mapped(hal_buffer_t* handle, int change) {
  if (const ObjectPtr buffer = known(handle, HAL_OBJECT_BUFFER)) buffer->uses += static_cast<uint32_t>(change);
}

// ---- queues and semaphores ----

Result<void> Validator::check_queue_create(const hal_queue_desc_t* desc) const {
  constexpr uint64_t kKnown = HAL_QUEUE_COMPUTE | HAL_QUEUE_TRANSFER;
  if ((desc->kind & ~kKnown) != 0) return unknown_bits("desc.kind", desc->kind & ~kKnown);
  return {};
}

Result<void> Validator::check_value(uint64_t value, const std::string& argument) const {
  if (value <= kMaxSemaphoreValue) return {};
  return violation(HAL_STATUS_OUT_OF_RANGE, Rule::kOrder, argument,
                   "is " + to_string(value) + "; the largest value of a semaphore is 2^63-1");
}

Result<std::vector<Point>> Validator::points(const hal_semaphore_value_t* values, uint32_t count,
                                             const std::string& list) const {
  if (count != 0 && values == nullptr) {
    return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kStrings, list, "is NULL and its count is " + to_string(count));
  }
  std::vector<Point> result;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string item = list + "[" + to_string(i) + "]";
    HAL_TRY_ASSIGN(const ObjectPtr semaphore,
                   registry_.find(values[i].semaphore, HAL_OBJECT_SEMAPHORE, item + ".semaphore"));
    HAL_TRY(check_value(values[i].value, item + ".value"));
    result.push_back({semaphore->id, values[i].value});
  }
  return result;
}

Result<void> Validator::check_wait(hal_wait_mode_t mode, uint32_t count, const hal_semaphore_value_t* values) const {
  if (mode > HAL_WAIT_ANY) {
    return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kOrder, "mode",
                     "is " + to_string(mode) + "; expected HAL_WAIT_ALL or HAL_WAIT_ANY");
  }
  HAL_TRY(points(values, count, "values"));
  return {};
}

Result<SubmissionPtr> Validator::check_submit(hal_queue_t* handle, const hal_submission_t* given) {
  HAL_TRY_ASSIGN(const ObjectPtr queue, registry_.find(handle, HAL_OBJECT_QUEUE, "queue"));
  const ObjectPtr device = known(queue->device, HAL_OBJECT_DEVICE);
  auto submission = std::make_shared<Submission>();
  submission->name = "\"" + to_string(given->label) + "\" on queue \"" + queue->label + "\"";
  HAL_TRY_ASSIGN(submission->waits, points(given->waits, given->wait_count, "submission.waits"));
  HAL_TRY_ASSIGN(submission->signals, points(given->signals, given->signal_count, "submission.signals"));
  if (given->work_count != 0 && given->work == nullptr) {
    return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kStrings, "submission.work",
                     "is NULL and work_count is " + to_string(given->work_count));
  }
  Effects effects;
  for (uint32_t i = 0; device != nullptr && i < given->work_count; ++i) {
    HAL_TRY(check_work({registry_, *device}, given->work[i], "submission.work[" + to_string(i) + "]", effects));
  }
  // What calls the host is seen to end in ways that are not known here; what is closed is nobody's to judge.
  if (hazards_ == Hazards::kOff || effects.calls_host || device == nullptr) return SubmissionPtr();
  submission->accesses = std::move(effects.accesses);
  const std::vector<std::string> found = order_.add(submission);
  report_hazards(found);
  if (hazards_ == Hazards::kRefuse && !found.empty()) {
    order_.remove(submission);
    return Error{HAL_STATUS_FAILED_PRECONDITION, found.front()};
  }
  return submission;
}

void Validator::saw(hal_semaphore_t* handle, const hal_status_t* status, uint64_t value) {
  const ObjectPtr semaphore = known(handle, HAL_OBJECT_SEMAPHORE);
  if (semaphore == nullptr) return;
  if (status == nullptr) {
    report_hazards(order_.reached(semaphore->id, value));
  } else if (status->code == HAL_STATUS_ABORTED) {
    report_hazards(order_.failed(semaphore->id));
  }
}

void Validator::look_at(uint32_t count, const hal_semaphore_value_t* values) {
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    hal_status_t* const status = next_->queue->semaphore_query(values[i].semaphore, &value);
    saw(values[i].semaphore, status, value);
    hal_status_release(status);
  }
}

// ---- programs and command buffers ----

Result<void> Validator::check_load(const hal_executable_desc_t* desc) const {
  if (desc->bytes.length == 0 || desc->bytes.data != nullptr) return {};
  return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kProgram, "desc.bytes",
                   "is NULL with length " + to_string(desc->bytes.length));
}

void Validator::loaded(hal_executable_t* handle) {
  uint32_t count = 0;
  hal_status_release(next_->executable->entries(handle, 0, &count, nullptr));
  std::vector<hal_entry_info_t> infos(count);
  for (hal_entry_info_t& info : infos) info.struct_size = sizeof info;
  hal_status_release(next_->executable->entries(handle, count, &count, infos.data()));
  const ObjectPtr executable = known(handle, HAL_OBJECT_EXECUTABLE);
  for (const hal_entry_info_t& info : infos) {
    executable->entries.push_back(
        {to_string(info.name), info.binding_count, info.constant_bytes, info.written_bindings});
  }
}

Result<void> Validator::check_recording(hal_command_buffer_t* handle) const {
  HAL_TRY_ASSIGN(const ObjectPtr object, registry_.find(handle, HAL_OBJECT_COMMAND_BUFFER, "command_buffer"));
  const std::lock_guard lock(object->mutex);
  if (!object->is_finished) return {};
  return violation(HAL_STATUS_FAILED_PRECONDITION, Rule::kCommandBuffer, "command_buffer",
                   "is finished; record into a new one");
}

Result<void> Validator::check_record(hal_command_buffer_t* handle, const hal_work_t* work) {
  HAL_TRY(check_recording(handle));
  HAL_TRY_ASSIGN(const ObjectPtr object, registry_.find(handle, HAL_OBJECT_COMMAND_BUFFER, "command_buffer"));
  const ObjectPtr device = known(object->device, HAL_OBJECT_DEVICE);
  if (device == nullptr) return {};
  Effects effects;
  HAL_TRY(check_work({registry_, *device, object.get()}, work, "work", effects));
  const std::lock_guard lock(object->mutex);
  object->calls_host = object->calls_host || effects.calls_host;
  for (Access& access : effects.accesses) object->accesses.push_back(std::move(access));
  return {};
}

void Validator::created_command_buffer(hal_command_buffer_t* handle, const hal_command_buffer_desc_t* desc) {
  const ObjectPtr object = known(handle, HAL_OBJECT_COMMAND_BUFFER);
  object->binding_slots = desc->binding_slots;
  object->flags = desc->flags;
  object->label = to_string(desc->label);
}

void Validator::finished(hal_command_buffer_t* handle) {
  const ObjectPtr object = known(handle, HAL_OBJECT_COMMAND_BUFFER);
  if (object == nullptr) return;
  const std::lock_guard lock(object->mutex);
  object->is_finished = true;
}

// ---- devices ----

void Validator::opened(hal_device_t* handle) {
  const ObjectPtr device = known(handle, HAL_OBJECT_DEVICE);
  device->caps.struct_size = sizeof device->caps;
  hal_status_release(next_->device->capabilities(handle, &device->caps));
  uint32_t count = 0;
  hal_status_release(next_->memory->heaps(handle, 0, &count, nullptr));
  device->heaps.resize(count);
  for (hal_heap_info_t& heap : device->heaps) heap.struct_size = sizeof heap;
  hal_status_release(next_->memory->heaps(handle, count, &count, device->heaps.data()));
}

void Validator::label(void* handle, hal_object_kind_t kind, hal_string_t label) {
  if (const ObjectPtr object = known(handle, kind)) object->label = to_string(label);
}

void Validator::report_unseen(std::string_view call) {
  const std::vector<std::string> names = order_.never_seen();
  if (names.empty()) return;
  report(HAL_LOG_WARNING, call,
         cite(Rule::kOrder) + ": nobody has waited for " + to_string(names.size()) + " submissions, such as " +
             names.front() + "; whether they failed is not known");
}

void Validator::report_live(std::string_view call) {
  for (const ObjectPtr& object : registry_.live()) {
    if (object->kind == HAL_OBJECT_INSTANCE) continue;
    report(HAL_LOG_WARNING, call,
           cite(Rule::kLifetime) + ": a " + kind_name(object->kind) + " \"" + object->label +
               "\" is still live; destroy it first");
  }
}

}  // namespace hal::layers::validation
