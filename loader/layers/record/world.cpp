// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <variant>
#include <vector>

#include "hal/cxx/hal.hpp"

namespace hal::layers::record {
namespace {

constexpr uint64_t kMaxUpdate = 65536;

uint64_t number(const Event& event, size_t index) { return index < event.numbers.size() ? event.numbers[index] : 0; }
hal_string_t words(const Event& event, size_t index) {
  return index < event.texts.size() ? text(event.texts[index]) : hal_string_t{nullptr, 0};
}

template <typename Map>
Result<typename Map::mapped_type*> find(Map& map, uint64_t id, const char* what) {
  const auto found = map.find(id);
  if (found != map.end()) return const_cast<typename Map::mapped_type*>(&found->second);
  return data_corrupt("it names " + std::string(what) + " " + std::to_string(id) + ", which is not there");
}

}  // namespace

struct World::Objects {
  struct Sized {
    Buffer buffer;
    uint64_t size = 0;
  };
  Queue queue;  // for copies of our own
  std::vector<hal_heap_info_t> heaps;
  std::map<uint64_t, Sized> buffers;
  std::map<uint64_t, Queue> queues;
  std::map<uint64_t, Semaphore> semaphores;
  std::map<uint64_t, Executable> executables;
  std::map<uint64_t, CommandBuffer> command_buffers;
};

World::World(hal_device_t* device, std::unique_ptr<Objects> objects) : device_(device), objects_(std::move(objects)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

Result<World> World::create(hal_device_t* device) {
  auto objects = std::make_unique<Objects>();
  HAL_TRY_ASSIGN(objects->queue, create_queue(device));
  HAL_TRY_ASSIGN(objects->heaps, heaps(device));
  return World(device, std::move(objects));
}

// Recorded work as the structs that calls take.
class Items {
 public:
  explicit Items(const World& world) : objects_(*world.objects_) {}

  Result<void> add(const Work& work) {
    switch (work.type) {
      case HAL_WORK_COPY:
        return add_copy(work);
      case HAL_WORK_FILL:
        return add_fill(work);
      case HAL_WORK_UPDATE:
        return add_update(work);
      case HAL_WORK_DISPATCH:
        return add_dispatch(work);
      case HAL_WORK_COMMAND_BUFFER:
        return add_command_buffer(work);
      case HAL_WORK_HOST_CALL:
        return {};  // the host's part is in the recording as writes
      case HAL_WORK_ALLOC:
      case HAL_WORK_FREE:
        return add_alloc(work);
      default:
        return unsupported("work of type " + std::to_string(work.type) + " cannot be replayed");
    }
  }

  std::vector<const hal_work_t*> pointers() const {
    std::vector<const hal_work_t*> result;
    for (const auto& item : items_) {
      result.push_back(std::visit([](const auto& work) { return &work.header; }, item));
    }
    return result;
  }

 private:
  template <typename T>
  T& put(T item, const Work& work) {
    item.header.label = text(work.label);
    return std::get<T>(items_.emplace_back(item));
  }
  Result<hal_buffer_range_t> range_of(const Range& given) const {
    if (given.buffer == 0) return hal_buffer_range_t{nullptr, given.offset, given.length, given.slot, 0};
    HAL_TRY_ASSIGN(const auto* const sized, find(objects_.buffers, given.buffer, "buffer"));
    return hal_buffer_range_t{sized->buffer.get(), given.offset, given.length, 0, 0};
  }
  Result<const hal_buffer_range_t*> bind(const Work& work) {
    std::vector<hal_buffer_range_t>& ranges = bindings_.emplace_back();
    for (const Range& given : work.bindings) {
      HAL_TRY_ASSIGN(const hal_buffer_range_t one, range_of(given));
      ranges.push_back(one);
    }
    return ranges.data();
  }

  Result<void> add_copy(const Work& work) {
    auto& item = put<hal_work_copy_t>(HAL_WORK_COPY_INIT, work);
    HAL_TRY_ASSIGN(item.source, range_of(work.source));
    HAL_TRY_ASSIGN(item.target, range_of(work.target));
    item.rows = work.rows[0];
    item.source_pitch = work.rows[1];
    item.target_pitch = work.rows[2];
    return {};
  }
  Result<void> add_fill(const Work& work) {
    auto& item = put<hal_work_fill_t>(HAL_WORK_FILL_INIT, work);
    HAL_TRY_ASSIGN(item.target, range_of(work.target));
    item.pattern = work.pattern;
    item.pattern_size = work.pattern_size;
    return {};
  }
  // The bytes in the file count, so that none beyond them are read.
  Result<void> add_update(const Work& work) {
    auto& item = put<hal_work_update_t>(HAL_WORK_UPDATE_INIT, work);
    HAL_TRY_ASSIGN(item.target, range_of(work.target));
    item.target.length = work.data.size();
    item.data = work.data.data();
    return {};
  }
  Result<void> add_dispatch(const Work& work) {
    auto& item = put<hal_work_dispatch_t>(HAL_WORK_DISPATCH_INIT, work);
    HAL_TRY_ASSIGN(const Executable* const executable, find(objects_.executables, work.object, "executable"));
    item.executable = executable->get();
    item.entry = work.entry;
    std::copy(work.grid.begin(), work.grid.end(), std::begin(item.workgroup_count));
    item.constants = work.data.data();
    item.constant_bytes = static_cast<uint32_t>(work.data.size());
    HAL_TRY_ASSIGN(item.bindings, bind(work));
    item.binding_count = static_cast<uint32_t>(work.bindings.size());
    return {};
  }
  Result<void> add_command_buffer(const Work& work) {
    auto& item = put<hal_work_command_buffer_t>(HAL_WORK_COMMAND_BUFFER_INIT, work);
    HAL_TRY_ASSIGN(const CommandBuffer* const commands, find(objects_.command_buffers, work.object, "command buffer"));
    item.command_buffer = commands->get();
    HAL_TRY_ASSIGN(item.bindings, bind(work));
    item.binding_count = static_cast<uint32_t>(work.bindings.size());
    return {};
  }
  Result<void> add_alloc(const Work& work) {
    HAL_TRY_ASSIGN(const auto* const sized, find(objects_.buffers, work.object, "buffer"));
    hal_work_alloc_t item{};
    item.header.struct_size = sizeof item;
    item.header.type = work.type;
    put(item, work).buffer = sized->buffer.get();
    return {};
  }

  using Item = std::variant<hal_work_copy_t, hal_work_fill_t, hal_work_update_t, hal_work_dispatch_t,
                            hal_work_command_buffer_t, hal_work_alloc_t>;
  const World::Objects& objects_;
  std::deque<Item> items_;
  std::deque<std::vector<hal_buffer_range_t>> bindings_;
};

// ---- events ----

Result<void> World::apply(const Event& event) {
  switch (event.type) {
    case EventType::kBufferCreate:
    case EventType::kQueueCreate:
    case EventType::kSemaphoreCreate:
    case EventType::kExecutableLoad:
    case EventType::kCommandBufferCreate:
      return create_object(event);
    case EventType::kBufferDestroy:
    case EventType::kQueueDestroy:
    case EventType::kSemaphoreDestroy:
    case EventType::kExecutableDestroy:
    case EventType::kCommandBufferDestroy:
      objects_->buffers.erase(event.object);
      objects_->queues.erase(event.object);
      objects_->semaphores.erase(event.object);
      objects_->executables.erase(event.object);
      objects_->command_buffers.erase(event.object);
      return {};
    default:
      return change_object(event);
  }
}

Result<void> World::create_one_buffer(const Event& event) {
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.heap = number(event, 0) < objects_->heaps.size() ? static_cast<uint32_t>(number(event, 0)) : 0;
  desc.size = number(event, 1);
  desc.alignment = number(event, 2);
  // What the application never wrote is the same everywhere.
  desc.flags = number(event, 3) | ((number(event, 3) & HAL_BUFFER_DEFERRED) == 0 ? HAL_BUFFER_ZEROED : 0);
  desc.label = words(event, 0);
  HAL_TRY_ASSIGN(Buffer buffer, create_buffer(device_, desc));
  objects_->buffers[event.object] = {std::move(buffer), desc.size};
  return {};
}

Result<void> World::create_object(const Event& event) {
  if (event.type == EventType::kBufferCreate) return create_one_buffer(event);
  if (event.type == EventType::kQueueCreate) {
    hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
    desc.priority = static_cast<int32_t>(number(event, 0));
    desc.label = words(event, 0);
    HAL_TRY_ASSIGN(objects_->queues[event.object], create_queue(device_, desc));
  } else if (event.type == EventType::kSemaphoreCreate) {
    HAL_TRY_ASSIGN(objects_->semaphores[event.object], create_semaphore(device_, number(event, 0)));
  } else if (event.type == EventType::kExecutableLoad) {
    hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
    desc.format = words(event, 0);
    desc.target = words(event, 1);
    desc.compatibility = words(event, 2);
    desc.label = words(event, 3);
    desc.bytes = {event.data.data(), event.data.size()};
    HAL_TRY_ASSIGN(objects_->executables[event.object], load_executable(device_, desc));
  } else {
    hal_command_buffer_desc_t desc = HAL_COMMAND_BUFFER_DESC_INIT;
    desc.binding_slots = static_cast<uint32_t>(number(event, 0));
    desc.flags = number(event, 1);
    desc.label = words(event, 0);
    hal_command_buffer_t* made = nullptr;
    HAL_TRY(take_status(hal_command_buffer_create(device_, &desc, &made)));
    objects_->command_buffers[event.object].reset(made);
  }
  return {};
}

Result<void> World::change_object(const Event& event) {
  switch (event.type) {
    case EventType::kBufferWrite:
      return write(event.object, number(event, 0), event.data);
    case EventType::kSemaphoreSignal: {
      HAL_TRY_ASSIGN(const Semaphore* const semaphore, find(objects_->semaphores, event.object, "semaphore"));
      return take_status(hal_semaphore_signal(semaphore->get(), number(event, 0)));
    }
    case EventType::kSemaphoreFail: {
      HAL_TRY_ASSIGN(const Semaphore* const semaphore, find(objects_->semaphores, event.object, "semaphore"));
      hal_status_t failure{};
      failure.struct_size = sizeof failure;
      failure.code = static_cast<hal_status_code_t>(number(event, 0));
      failure.message = words(event, 0);
      failure.release = [](hal_status_t*) {};
      if (failure.code == HAL_STATUS_OK) return data_corrupt("a semaphore fails with code 0");
      return take_status(hal_semaphore_fail(semaphore->get(), &failure));
    }
    case EventType::kCommandBufferRecord: {
      HAL_TRY_ASSIGN(const CommandBuffer* const commands,
                     find(objects_->command_buffers, event.object, "command buffer"));
      Items items(*this);
      for (const Work& work : event.work) HAL_TRY(items.add(work));
      for (const hal_work_t* work : items.pointers()) {
        HAL_TRY(take_status(hal_command_buffer_record(commands->get(), work)));
      }
      return {};
    }
    case EventType::kCommandBufferBarrier: {
      HAL_TRY_ASSIGN(const CommandBuffer* const commands,
                     find(objects_->command_buffers, event.object, "command buffer"));
      return take_status(hal_command_buffer_barrier(commands->get()));
    }
    case EventType::kCommandBufferFinish: {
      HAL_TRY_ASSIGN(const CommandBuffer* const commands,
                     find(objects_->command_buffers, event.object, "command buffer"));
      return take_status(hal_command_buffer_finish(commands->get()));
    }
    default:
      return {};  // opening, closing, and calls without effect
  }
}

// ---- submissions ----

namespace {

Result<std::vector<hal_semaphore_value_t>> values(const std::map<uint64_t, Semaphore>& semaphores,
                                                  const std::vector<Value>& given) {
  std::vector<hal_semaphore_value_t> result;
  for (const Value& value : given) {
    HAL_TRY_ASSIGN(const Semaphore* const semaphore, find(semaphores, value.semaphore, "semaphore"));
    result.push_back({semaphore->get(), value.value});
  }
  return result;
}

}  // namespace

Result<void> World::submit(const Event& event, hal_semaphore_t* done) {
  HAL_TRY_ASSIGN(const Queue* const queue, find(objects_->queues, event.object, "queue"));
  HAL_TRY_ASSIGN(const std::vector<hal_semaphore_value_t> waits, values(objects_->semaphores, event.waits));
  HAL_TRY_ASSIGN(std::vector<hal_semaphore_value_t> signals, values(objects_->semaphores, event.signals));
  signals.push_back({done, 1});
  Items items(*this);
  for (const Work& work : event.work) HAL_TRY(items.add(work));
  const std::vector<const hal_work_t*> work = items.pointers();
  hal_submission_t submission = HAL_SUBMISSION_INIT;
  submission.waits = waits.data();
  submission.wait_count = static_cast<uint32_t>(waits.size());
  submission.work = work.data();
  submission.work_count = static_cast<uint32_t>(work.size());
  submission.signals = signals.data();
  submission.signal_count = static_cast<uint32_t>(signals.size());
  submission.label = words(event, 0);
  return take_status(hal_queue_submit(queue->get(), &submission));
}

Result<void> World::wait(const Event& event, hal_time_t deadline) {
  HAL_TRY_ASSIGN(const std::vector<hal_semaphore_value_t> waits, values(objects_->semaphores, event.waits));
  const auto mode = static_cast<hal_wait_mode_t>(number(event, 0));
  uint32_t index = 0;
  return take_status(
      hal_semaphore_wait(device_, mode, static_cast<uint32_t>(waits.size()), waits.data(), deadline, &index));
}

Result<bool> World::is_ready(const Event& event) const {
  HAL_TRY_ASSIGN(const std::vector<hal_semaphore_value_t> waits, values(objects_->semaphores, event.waits));
  return std::all_of(waits.begin(), waits.end(), [](const hal_semaphore_value_t& wait) {
    uint64_t value = 0;
    hal_status_t* const failure = hal_semaphore_query(wait.semaphore, &value);
    hal_status_release(failure);
    return failure != nullptr || value >= wait.value;
  });
}

// ---- bytes ----

Result<void> World::write(uint64_t buffer, uint64_t offset, const std::string& bytes) {
  HAL_TRY_ASSIGN(const auto* const target, find(objects_->buffers, buffer, "buffer"));
  const Result<void> mapped =
      write_buffer(target->buffer.get(), offset, {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  if (mapped || mapped.error().code != HAL_STATUS_UNSUPPORTED) return mapped;
  for (uint64_t at = 0; at < bytes.size(); at += kMaxUpdate) {
    const uint64_t length = std::min<uint64_t>(kMaxUpdate, bytes.size() - at);
    Submission work;
    work.update(hal::range(target->buffer, offset + at, length), bytes.data() + at);
    HAL_TRY(submit_and_wait(device_, objects_->queue, work));
  }
  return {};
}

Result<std::string> World::read(const Range& given) {
  HAL_TRY_ASSIGN(const auto* const source, find(objects_->buffers, given.buffer, "buffer"));
  if (given.offset > source->size) return data_corrupt("a range begins beyond its buffer");
  const uint64_t room = source->size - given.offset;
  if (given.length != HAL_WHOLE_BUFFER && given.length > room) return data_corrupt("a range ends beyond its buffer");
  std::string bytes(given.length == HAL_WHOLE_BUFFER ? room : given.length, '\0');
  const std::span<std::byte> target(reinterpret_cast<std::byte*>(bytes.data()), bytes.size());
  const Result<void> mapped = read_buffer(source->buffer.get(), given.offset, target);
  if (mapped) return bytes;
  if (mapped.error().code != HAL_STATUS_UNSUPPORTED) return mapped.error();
  const auto visible = std::find_if(objects_->heaps.begin(), objects_->heaps.end(), [](const hal_heap_info_t& heap) {
    return (heap.kind & HAL_HEAP_HOST_VISIBLE) != 0;
  });
  if (visible == objects_->heaps.end()) return unsupported("the device has no heap that the host sees");
  hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  desc.heap = static_cast<uint32_t>(visible - objects_->heaps.begin());
  desc.size = bytes.size();
  HAL_TRY_ASSIGN(const Buffer staging, create_buffer(device_, desc));
  Submission work;
  work.copy(hal::range(source->buffer, given.offset, bytes.size()), hal::range(staging));
  HAL_TRY(submit_and_wait(device_, objects_->queue, work));
  HAL_TRY(read_buffer(staging.get(), 0, target, (visible->kind & HAL_HEAP_HOST_COHERENT) != 0));
  return bytes;
}

}  // namespace hal::layers::record
