// SPDX-License-Identifier: Apache-2.0
//
// The layer "record": writes a run to a file, with all its data, so that hal-replay can run it again on any device.
// Key: file. Calls into the host and collectives are left out: only their names are written.
#include <memory>

#include "intercept.hpp"
#include "options.hpp"
#include "recorder.hpp"
#include "status.hpp"
#include "text.hpp"

namespace hal::layers::record {
namespace {

using loader::to_string;

constexpr std::string_view kMaker = "layer record";

// Before the call: what is to be there when others see its effect. A call that is not in the file in another way is
// noted by name.
template <Slot slot>
struct Before {
  template <typename... Args>
  static void run(Recorder&, Args...) {}
};
template <Slot slot>
struct After {
  static constexpr bool kIsOther = true;
  template <typename... Args>
  static void run(Recorder&, Args...) {}
};

#define HAL_RECORD_BEFORE_(slot, parameters, body) \
  template <>                                      \
  struct Before<Slot::slot> {                      \
    static void run parameters { body; }           \
  };
#define HAL_RECORD_AFTER_(slot, parameters, body) \
  template <>                                     \
  struct After<Slot::slot> {                      \
    static constexpr bool kIsOther = false;       \
    static void run parameters { body; }          \
  };

void write_destroy(Recorder& r, EventType type, const void* object) {
  r.write(r.event(type, object));
  r.remove(object);
}

template <typename... Numbers>
void write_made(Recorder& r, EventType type, const void* object, const void* parent, std::vector<std::string> texts,
                Numbers... numbers) {
  r.add(object);
  Event made = r.event(type, object, parent);
  made.texts = std::move(texts);
  made.numbers = {static_cast<uint64_t>(numbers)...};
  r.write(made);
}

void write_load(Recorder& r, hal_device_t* device, const hal_executable_desc_t& desc, hal_executable_t* executable) {
  r.add(executable);
  Event made = r.event(EventType::kExecutableLoad, executable, device);
  made.texts = {to_string(desc.format), to_string(desc.target), to_string(desc.compatibility), to_string(desc.label)};
  made.data.assign(static_cast<const char*>(desc.bytes.data), desc.bytes.length);
  r.write(made);
}

void write_item(Recorder& r, hal_command_buffer_t* commands, const hal_work_t& work) {
  Event made = r.event(EventType::kCommandBufferRecord, commands);
  made.work.push_back(r.work(work));
  r.write(made);
}

HAL_RECORD_BEFORE_(device_close, (Recorder & r, hal_device_t* d), write_destroy(r, EventType::kClose, d))
HAL_RECORD_BEFORE_(memory_buffer_destroy, (Recorder & r, hal_buffer_t* b),
                   write_destroy(r, EventType::kBufferDestroy, b))
HAL_RECORD_BEFORE_(memory_buffer_unmap, (Recorder & r, hal_buffer_t* b), r.unmapping(b))
HAL_RECORD_BEFORE_(queue_queue_destroy, (Recorder & r, hal_queue_t* q), write_destroy(r, EventType::kQueueDestroy, q))
HAL_RECORD_BEFORE_(queue_semaphore_destroy, (Recorder & r, hal_semaphore_t* s),
                   write_destroy(r, EventType::kSemaphoreDestroy, s))
HAL_RECORD_BEFORE_(executable_destroy, (Recorder & r, hal_executable_t* e),
                   write_destroy(r, EventType::kExecutableDestroy, e))
HAL_RECORD_BEFORE_(command_buffer_destroy, (Recorder & r, hal_command_buffer_t* c),
                   write_destroy(r, EventType::kCommandBufferDestroy, c))

HAL_RECORD_AFTER_(device_open, (Recorder & r, hal_instance_t*, uint32_t, hal_device_t** out),
                  write_made(r, EventType::kOpen, *out, nullptr, {r.plugin()}))
HAL_RECORD_AFTER_(memory_buffer_create,
                  (Recorder & r, hal_device_t* d, const hal_buffer_desc_t* desc, hal_buffer_t** out),
                  r.created(*out, d, *desc))
HAL_RECORD_AFTER_(memory_buffer_import,
                  (Recorder & r, hal_device_t* d, const hal_external_memory_t* memory, hal_buffer_t** out),
                  r.imported(*out, d, *memory))
HAL_RECORD_AFTER_(memory_buffer_map,
                  (Recorder & r, hal_buffer_t* b, uint64_t offset, uint64_t length, uint64_t flags, void** address),
                  r.mapped(b, offset, length, flags, *address))
HAL_RECORD_AFTER_(memory_buffer_unmap, (Recorder&, hal_buffer_t*), )
HAL_RECORD_AFTER_(queue_queue_create, (Recorder & r, hal_device_t* d, const hal_queue_desc_t* desc, hal_queue_t** out),
                  write_made(r, EventType::kQueueCreate, *out, d, {to_string(desc->label)},
                             static_cast<int64_t>(desc->priority), desc->kind))
HAL_RECORD_AFTER_(queue_submit, (Recorder&, hal_queue_t*, const hal_submission_t*), )
HAL_RECORD_AFTER_(queue_semaphore_create, (Recorder & r, hal_device_t* d, uint64_t value, hal_semaphore_t** out),
                  write_made(r, EventType::kSemaphoreCreate, *out, d, {}, value))
HAL_RECORD_AFTER_(queue_semaphore_signal, (Recorder&, hal_semaphore_t*, uint64_t), )
HAL_RECORD_AFTER_(queue_semaphore_fail, (Recorder&, hal_semaphore_t*, const hal_status_t*), )
HAL_RECORD_AFTER_(queue_semaphore_wait,
                  (Recorder & r, hal_device_t* d, hal_wait_mode_t mode, uint32_t count,
                   const hal_semaphore_value_t* values, hal_time_t, uint32_t*),
                  r.write(r.wait(d, mode, values, count)))
HAL_RECORD_AFTER_(executable_load,
                  (Recorder & r, hal_device_t* d, const hal_executable_desc_t* desc, hal_executable_t** out),
                  write_load(r, d, *desc, *out))
HAL_RECORD_AFTER_(command_buffer_create,
                  (Recorder & r, hal_device_t* d, const hal_command_buffer_desc_t* desc, hal_command_buffer_t** out),
                  write_made(r, EventType::kCommandBufferCreate, *out, d, {to_string(desc->label)}, desc->binding_slots,
                             desc->flags))
HAL_RECORD_AFTER_(command_buffer_record, (Recorder & r, hal_command_buffer_t* c, const hal_work_t* work),
                  write_item(r, c, *work))
HAL_RECORD_AFTER_(command_buffer_barrier, (Recorder & r, hal_command_buffer_t* c),
                  r.write(r.event(EventType::kCommandBufferBarrier, c)))
HAL_RECORD_AFTER_(command_buffer_finish, (Recorder & r, hal_command_buffer_t* c),
                  r.write(r.event(EventType::kCommandBufferFinish, c)))
#undef HAL_RECORD_BEFORE_
#undef HAL_RECORD_AFTER_

// Calls that others see the effect of before they return: the event is made before, and written if they succeed.
template <Slot slot, typename... Args>
Event early_event(Recorder&, Args...) {
  return {};
}
template <>
Event early_event<Slot::queue_submit>(Recorder& r, hal_queue_t* queue, const hal_submission_t* submission) {
  r.catch_up();
  return submission == nullptr ? Event() : r.submit(queue, *submission);
}
template <>
Event early_event<Slot::queue_semaphore_signal>(Recorder& r, hal_semaphore_t* semaphore, uint64_t value) {
  r.catch_up();
  Event made = r.event(EventType::kSemaphoreSignal, semaphore);
  made.numbers = {value};
  return made;
}
template <>
Event early_event<Slot::queue_semaphore_fail>(Recorder& r, hal_semaphore_t* semaphore, const hal_status_t* failure) {
  Event made = r.event(EventType::kSemaphoreFail, semaphore);
  made.numbers = {hal_status_code(failure)};
  if (failure != nullptr) made.texts = {to_string(failure->message)};
  return made;
}

void write_other(Recorder& r, std::string_view name, const hal_status_t* status) {
  Event made = r.event(EventType::kOther);
  made.texts = {std::string(name)};
  made.numbers = {hal_status_code(status)};
  r.write(made);
}

struct Handler {
  using State = Recorder;
  static const hal_layer_t layer;

  template <Slot slot, typename Next, typename... Args>
  static auto call(Recorder& r, const hal_layer_link_t&, Next next, Args... args) {
    constexpr bool kIsEarly =
        slot == Slot::queue_submit || slot == Slot::queue_semaphore_signal || slot == Slot::queue_semaphore_fail;
    Event early;
    quietly([&] {
      Before<slot>::run(r, args...);
      if constexpr (kIsEarly) early = early_event<slot>(r, args...);
    });
    if constexpr (std::is_void_v<std::invoke_result_t<Next, Args...>>) {
      next(args...);
    } else {
      hal_status_t* const status = next(args...);
      quietly([&] {
        if (status != nullptr || After<slot>::kIsOther) return write_other(r, SlotTraits<slot>::kName, status);
        if constexpr (kIsEarly) r.write(early);
        After<slot>::run(r, args...);
      });
      return status;
    }
  }

 private:
  // What cannot be recorded is missing in the file, and never in the run.
  template <typename Body>
  static void quietly(Body&& body) noexcept {
    hal_status_release(guarded(kMaker, {}, [&]() -> Result<void> {
      body();
      return {};
    }));
  }
};

hal_status_t* attach(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state) {
  return guarded(kMaker, "attach", [&]() -> Result<void> {
    HAL_TRY_ASSIGN(const Options options, Options::read(*desc, {"file"}));
    // One file for each plugin: a run on several is several runs.
    std::string path = with_process_id(options.text("file", "mortise-%p-%n.record"));
    if (const size_t at = path.find("%n"); at != std::string::npos) path.replace(at, 2, to_string(desc->plugin));
    HAL_TRY_ASSIGN(std::unique_ptr<Recorder> recorder, Recorder::open(*desc, path));
    intercept_all<Handler>(*tables);
    *out_state = recorder.release();
    return {};
  });
}

void detach(void* state) { delete static_cast<Recorder*>(state); }

const hal_layer_t Handler::layer = {
    sizeof(hal_layer_t), HAL_ABI_VERSION, {"record", 6}, {"1.0", 3}, HAL_SANITIZER_NONE, 0, attach, detach};

}  // namespace
}  // namespace hal::layers::record

hal_status_t* hal_layer_query(uint32_t, const hal_layer_t** out_layer) {
  *out_layer = &hal::layers::record::Handler::layer;
  return nullptr;
}
