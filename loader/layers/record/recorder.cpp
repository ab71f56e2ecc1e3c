// SPDX-License-Identifier: Apache-2.0
#include "recorder.hpp"

#include <cerrno>
#include <cstring>

#include "text.hpp"

namespace hal::layers::record {
namespace {

using loader::to_string;

constexpr uint64_t kMaxUpdate = 65536;

template <typename T>
const T& as(const hal_work_t& work) {
  return reinterpret_cast<const T&>(work);
}

std::string bytes(const void* data, uint64_t length) {
  return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), length);
}

}  // namespace

Result<std::unique_ptr<Recorder>> Recorder::open(const hal_layer_desc_t& desc, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return Error{HAL_STATUS_UNAVAILABLE, "the recording cannot be written to " + path + ": " + std::strerror(errno)};
  }
  const std::string begin = header();
  std::fwrite(begin.data(), 1, begin.size(), file);
  return std::unique_ptr<Recorder>(new Recorder(desc, file));
}

Recorder::Recorder(const hal_layer_desc_t& desc, std::FILE* file)
    : next_(desc.next), plugin_(to_string(desc.plugin)), file_(file) {}

Recorder::~Recorder() { std::fclose(file_); }

Event Recorder::event(EventType type, const void* object, const void* parent) {
  Event event;
  event.sequence = next_sequence();
  event.type = type;
  event.object = number(object);
  event.parent = number(parent);
  return event;
}

// What a submit led to may end the program: so it is in the file before.
void Recorder::write(const Event& event) {
  const std::string framed = encode(event);
  const std::lock_guard lock(mutex_);
  std::fwrite(framed.data(), 1, framed.size(), file_);
  if (event.type == EventType::kSubmit) std::fflush(file_);
}

uint64_t Recorder::add(const void* handle) {
  const std::lock_guard lock(mutex_);
  return numbers_[handle] = ++last_number_;
}

uint64_t Recorder::number(const void* handle) {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(handle);
  return found == numbers_.end() ? 0 : found->second;
}

void Recorder::remove(const void* handle) {
  const std::lock_guard lock(mutex_);
  numbers_.erase(handle);
  maps_.erase(handle);
}

uint64_t Recorder::size_of(hal_buffer_t* buffer) const {
  hal_buffer_info_t info{};
  info.struct_size = sizeof info;
  hal_status_release(next_->memory->buffer_info(buffer, &info));
  return info.size;
}

void Recorder::created(hal_buffer_t* buffer, hal_device_t* device, const hal_buffer_desc_t& desc) {
  add(buffer);
  Event made = event(EventType::kBufferCreate, buffer, device);
  made.numbers = {desc.heap, desc.size, desc.alignment, desc.flags};
  made.texts = {to_string(desc.label)};
  write(made);
}

// Memory of the host's own: a mapping that never ends.
void Recorder::imported(hal_buffer_t* buffer, hal_device_t* device, const hal_external_memory_t& memory) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.size = memory.size;
  created(buffer, device, desc);
  if (memory.type != HAL_HANDLE_HOST_POINTER) return;
  const std::lock_guard lock(mutex_);
  maps_[buffer].push_back({0,
                           memory.size,
                           HAL_MAP_READ | HAL_MAP_WRITE,
                           reinterpret_cast<const char*>(static_cast<uintptr_t>(memory.value + memory.offset)),
                           {}});
}

void Recorder::mapped(hal_buffer_t* buffer, uint64_t offset, uint64_t length, uint64_t flags, void* address) {
  if (length == HAL_WHOLE_BUFFER) length = size_of(buffer) - offset;
  const std::lock_guard lock(mutex_);
  maps_[buffer].push_back({offset, length, flags, static_cast<const char*>(address), {}});
}

Event Recorder::bytes_event(EventType type, const void* buffer, const Map& map) {
  Event event = this->event(type, buffer);
  event.numbers = {map.offset};
  event.data.assign(map.address, map.length);
  return event;
}

// Which of several maps ends is not said: the last one.
void Recorder::unmapping(hal_buffer_t* buffer) {
  Map map;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Map>& maps = maps_[buffer];
    if (maps.empty()) return;
    map = std::move(maps.back());
    maps.pop_back();
  }
  const bool writes = (map.flags & HAL_MAP_WRITE) != 0;
  write(bytes_event(writes ? EventType::kBufferWrite : EventType::kBufferRead, buffer, map));
}

void Recorder::catch_up() {
  std::vector<std::pair<const void*, Map>> changed;
  {
    const std::lock_guard lock(mutex_);
    for (auto& [buffer, maps] : maps_) {
      for (Map& map : maps) {
        if ((map.flags & HAL_MAP_WRITE) == 0 || map.last == std::string_view(map.address, map.length)) continue;
        map.last.assign(map.address, map.length);
        changed.emplace_back(buffer, map);
      }
    }
  }
  for (const auto& [buffer, map] : changed) write(bytes_event(EventType::kBufferWrite, buffer, map));
}

Range Recorder::range(const hal_buffer_range_t& given) {
  return {number(given.buffer), given.offset, given.length, given.slot};
}

std::vector<Range> Recorder::ranges(const hal_buffer_range_t* given, uint32_t count) {
  std::vector<Range> result;
  for (uint32_t i = 0; given != nullptr && i < count; ++i) result.push_back(range(given[i]));
  return result;
}

std::vector<Value> Recorder::values(const hal_semaphore_value_t* given, uint32_t count) {
  std::vector<Value> result;
  for (uint32_t i = 0; given != nullptr && i < count; ++i) {
    result.push_back({number(given[i].semaphore), given[i].value});
  }
  return result;
}

Work Recorder::work(const hal_work_t& given) {
  Work work;
  work.type = given.type;
  work.label = to_string(given.label);
  if (given.type == HAL_WORK_COPY) {
    const auto& copy = as<hal_work_copy_t>(given);
    work.source = range(copy.source);
    work.target = range(copy.target);
    work.rows = {copy.rows, copy.source_pitch, copy.target_pitch};
  } else if (given.type == HAL_WORK_FILL) {
    const auto& fill = as<hal_work_fill_t>(given);
    work.target = range(fill.target);
    work.pattern = fill.pattern;
    work.pattern_size = fill.pattern_size;
  } else if (given.type == HAL_WORK_UPDATE) {
    const auto& update = as<hal_work_update_t>(given);
    work.target = range(update.target);
    const bool is_whole = update.target.length == HAL_WHOLE_BUFFER && work.target.buffer != 0;
    const uint64_t length = is_whole ? size_of(update.target.buffer) - update.target.offset : update.target.length;
    // A longer one is illegal: the plugin refuses it, and its bytes may not be there.
    if (length <= kMaxUpdate) work.data = bytes(update.data, length);
  } else if (given.type == HAL_WORK_DISPATCH) {
    const auto& dispatch = as<hal_work_dispatch_t>(given);
    work.object = number(dispatch.executable);
    work.entry = dispatch.entry;
    work.grid = {dispatch.workgroup_count[0], dispatch.workgroup_count[1], dispatch.workgroup_count[2]};
    work.bindings = ranges(dispatch.bindings, dispatch.binding_count);
    work.data = bytes(dispatch.constants, dispatch.constant_bytes);
  } else if (given.type == HAL_WORK_COMMAND_BUFFER) {
    const auto& run = as<hal_work_command_buffer_t>(given);
    work.object = number(run.command_buffer);
    work.bindings = ranges(run.bindings, run.binding_count);
  } else if (given.type == HAL_WORK_ALLOC || given.type == HAL_WORK_FREE) {
    work.object = number(as<hal_work_alloc_t>(given).buffer);
  }
  return work;
}

Event Recorder::submit(hal_queue_t* queue, const hal_submission_t& submission) {
  Event made = event(EventType::kSubmit, queue);
  made.texts = {to_string(submission.label)};
  made.waits = values(submission.waits, submission.wait_count);
  made.signals = values(submission.signals, submission.signal_count);
  for (uint32_t i = 0; submission.work != nullptr && i < submission.work_count; ++i) {
    if (submission.work[i] != nullptr) made.work.push_back(work(*submission.work[i]));
  }
  return made;
}

Event Recorder::wait(hal_device_t* device, hal_wait_mode_t mode, const hal_semaphore_value_t* list, uint32_t count) {
  Event made = event(EventType::kSemaphoreWait, nullptr, device);
  made.numbers = {mode};
  made.waits = values(list, count);
  return made;
}

}  // namespace hal::layers::record
