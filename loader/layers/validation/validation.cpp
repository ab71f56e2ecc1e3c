// SPDX-License-Identifier: Apache-2.0
//
// The layer "validation": every call is checked before it reaches the plugin; one that breaks a rule is answered with
// a status that names rule, argument and remedy, and is written to the log. Unordered submissions that touch the same
// bytes are reported. Keys: hazards (off, warn, refuse), quarantine (destroyed objects that keep their memory).
#include <memory>

#include "checks.hpp"
#include "options.hpp"
#include "status.hpp"
#include "validator.hpp"

namespace hal::layers::validation {
namespace {

constexpr std::string_view kMaker = "layer validation";

template <typename T>
void zero_out(T value) {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<Pointee> || (std::is_integral_v<Pointee> && !std::is_const_v<Pointee>)) {
      if (value != nullptr) *value = Pointee{};
    }
  }
}

// Checks of single calls, by slot.
template <Slot slot>
struct Check {
  template <typename... Args>
  static Result<void> run(Validator&, Args...) {
    return {};
  }
};
#define HAL_VALIDATION_CHECK_(slot, parameters, body)     \
  template <>                                             \
  struct Check<Slot::slot> {                              \
    static Result<void> run parameters { return v.body; } \
  };
HAL_VALIDATION_CHECK_(memory_buffer_create,
                      (Validator & v, hal_device_t* d, const hal_buffer_desc_t* desc, hal_buffer_t**),
                      check_buffer_create(d, desc))
HAL_VALIDATION_CHECK_(memory_heap_statistics, (Validator & v, hal_device_t* d, uint32_t heap, hal_heap_statistics_t*),
                      check_heap(d, heap))
HAL_VALIDATION_CHECK_(memory_buffer_map, (Validator & v, hal_buffer_t* b, uint64_t o, uint64_t l, uint64_t f, void**),
                      check_map(b, o, l, f))
HAL_VALIDATION_CHECK_(memory_buffer_unmap, (Validator & v, hal_buffer_t* b), check_unmap(b))
HAL_VALIDATION_CHECK_(memory_buffer_flush, (Validator & v, hal_buffer_t* b, uint64_t o, uint64_t l),
                      check_bytes(b, o, l))
HAL_VALIDATION_CHECK_(memory_buffer_invalidate, (Validator & v, hal_buffer_t* b, uint64_t o, uint64_t l),
                      check_bytes(b, o, l))
HAL_VALIDATION_CHECK_(queue_queue_create, (Validator & v, hal_device_t*, const hal_queue_desc_t* desc, hal_queue_t**),
                      check_queue_create(desc))
HAL_VALIDATION_CHECK_(queue_semaphore_create, (Validator & v, hal_device_t*, uint64_t value, hal_semaphore_t**),
                      check_value(value, "initial_value"))
HAL_VALIDATION_CHECK_(queue_semaphore_signal, (Validator & v, hal_semaphore_t*, uint64_t value),
                      check_value(value, "value"))
HAL_VALIDATION_CHECK_(queue_semaphore_wait,
                      (Validator & v, hal_device_t*, hal_wait_mode_t mode, uint32_t count,
                       const hal_semaphore_value_t* values, hal_time_t, uint32_t*),
                      check_wait(mode, count, values))
HAL_VALIDATION_CHECK_(executable_load,
                      (Validator & v, hal_device_t*, const hal_executable_desc_t* desc, hal_executable_t**),
                      check_load(desc))
HAL_VALIDATION_CHECK_(command_buffer_record, (Validator & v, hal_command_buffer_t* c, const hal_work_t* work),
                      check_record(c, work))
HAL_VALIDATION_CHECK_(command_buffer_barrier, (Validator & v, hal_command_buffer_t* c), check_recording(c))
HAL_VALIDATION_CHECK_(command_buffer_finish, (Validator & v, hal_command_buffer_t* c), check_recording(c))
#undef HAL_VALIDATION_CHECK_

// What single calls leave behind when they have succeeded, by slot.
template <Slot slot>
struct Note {
  template <typename... Args>
  static void run(Validator&, Args...) {}
};
#define HAL_VALIDATION_NOTE_(slot, parameters, body) \
  template <>                                        \
  struct Note<Slot::slot> {                          \
    static void run parameters { v.body; }           \
  };
HAL_VALIDATION_NOTE_(device_open, (Validator & v, hal_instance_t*, uint32_t, hal_device_t** out), opened(*out))
HAL_VALIDATION_NOTE_(memory_buffer_create,
                     (Validator & v, hal_device_t* d, const hal_buffer_desc_t* desc, hal_buffer_t** out),
                     created_buffer(*out, desc, d))
HAL_VALIDATION_NOTE_(memory_buffer_import,
                     (Validator & v, hal_device_t*, const hal_external_memory_t*, hal_buffer_t** out),
                     imported_buffer(*out))
HAL_VALIDATION_NOTE_(memory_buffer_map, (Validator & v, hal_buffer_t* b, uint64_t, uint64_t, uint64_t, void**),
                     mapped(b, 1))
HAL_VALIDATION_NOTE_(memory_buffer_unmap, (Validator & v, hal_buffer_t* b), mapped(b, -1))
HAL_VALIDATION_NOTE_(queue_queue_create,
                     (Validator & v, hal_device_t*, const hal_queue_desc_t* desc, hal_queue_t** out),
                     label(*out, HAL_OBJECT_QUEUE, desc->label))
HAL_VALIDATION_NOTE_(queue_semaphore_signal, (Validator & v, hal_semaphore_t* s, uint64_t value),
                     saw(s, nullptr, value))
HAL_VALIDATION_NOTE_(executable_load,
                     (Validator & v, hal_device_t*, const hal_executable_desc_t*, hal_executable_t** out), loaded(*out))
HAL_VALIDATION_NOTE_(command_buffer_create,
                     (Validator & v, hal_device_t*, const hal_command_buffer_desc_t* desc, hal_command_buffer_t** out),
                     created_command_buffer(*out, desc))
HAL_VALIDATION_NOTE_(command_buffer_finish, (Validator & v, hal_command_buffer_t* c), finished(c))
#undef HAL_VALIDATION_NOTE_

struct Handler {
  using State = Validator;
  static const hal_layer_t layer;

  template <Slot slot, typename Next, typename First, typename... Rest>
  static auto call(Validator& v, const hal_layer_link_t&, Next next, First first, Rest... rest) {
    if constexpr (std::is_void_v<std::invoke_result_t<Next, First, Rest...>>) {
      destroy<slot>(v, next, first);
    } else {
      SubmissionPtr submission;
      hal_status_t* const refused =
          guarded(kMaker, SlotTraits<slot>::kName, [&] { return check<slot>(v, submission, first, rest...); });
      if (refused != nullptr) {
        v.report(HAL_LOG_ERROR, SlotTraits<slot>::kName, std::string(refused->message.data, refused->message.length));
        (zero_out(rest), ...);
        return refused;
      }
      hal_status_t* const status = pass<slot>(v, next, first, rest...);
      hal_status_t* const unnoted = guarded(kMaker, SlotTraits<slot>::kName, [&]() -> Result<void> {
        after<slot>(v, status, submission, first, rest...);
        return {};
      });
      hal_status_release(unnoted);
      return status;
    }
  }

 private:
  template <Slot slot, typename... Args>
  static Result<void> check(Validator& v, SubmissionPtr& submission, Args... args) {
    ArgumentChecks checks(v.registry());
    Result<void> verdict;
    size_t index = 0;
    ((verdict = verdict ? checks(argument_name<slot>(index), args) : verdict, ++index), ...);
    HAL_TRY(verdict);
    if constexpr (slot == Slot::queue_submit) {
      HAL_TRY_ASSIGN(submission, v.check_submit(args...));
    }
    return Check<slot>::run(v, args...);
  }

  static bool lacks_room(const hal_status_t* status) {
    return status != nullptr && (status->code == HAL_STATUS_OUT_OF_MEMORY || status->code == HAL_STATUS_OUT_OF_RANGE);
  }

  // Room that destroyed objects still take is given back before a caller hears that there is none.
  template <Slot slot, typename Next, typename... Args>
  static hal_status_t* pass(Validator& v, Next next, Args... args) {
    if constexpr (slot == Slot::memory_heap_statistics || slot == Slot::device_shutdown) v.quarantine().flush();
    hal_status_t* status = next(args...);
    while (slot != Slot::queue_submit && lacks_room(status) && v.quarantine().flush_older_half()) {
      hal_status_release(status);
      status = next(args...);
    }
    return status;
  }

  template <Slot slot, typename First, typename... Rest>
  static void after(Validator& v, const hal_status_t* status, const SubmissionPtr& submission, First first,
                    Rest... rest) {
    if (status == nullptr) {
      (note_created(v, first, rest), ...);
      Note<slot>::run(v, first, rest...);
      if constexpr (slot == Slot::device_shutdown) v.registry().remove(first);
    } else if constexpr (slot == Slot::device_shutdown) {
      v.report_live(SlotTraits<slot>::kName);
    }
    if (status != nullptr && submission != nullptr) v.forget(submission);
    if constexpr (slot == Slot::queue_semaphore_query) v.saw(first, status, *std::get<0>(std::tuple(rest...)));
    if constexpr (slot == Slot::queue_semaphore_wait) {
      v.look_at(std::get<1>(std::tuple(rest...)), std::get<2>(std::tuple(rest...)));
    }
  }

  template <typename First, typename T>
  static void note_created(Validator& v, [[maybe_unused]] First first, T argument) {
    if constexpr (kIsHandle<std::remove_pointer_t<T>>) {
      constexpr bool kHasDevice = std::is_same_v<First, hal_device_t*>;
      void* device = nullptr;
      if constexpr (kHasDevice) device = first;
      // So that what is asked of the object next finds its way through the layers below.
      if constexpr (kIsHandle<First>) (void)hal_adopt(hal_calls_of(first), nullptr, *argument);
      v.registry().add(*argument, kind_of<std::remove_pointer_t<T>>(), device);
    }
  }

  template <Slot slot, typename Next, typename Handle>
  static void destroy(Validator& v, Next next, Handle handle) {
    hal_status_t* const refused = guarded(kMaker, SlotTraits<slot>::kName, [&]() -> Result<void> {
      HAL_TRY_ASSIGN(const ObjectPtr object,
                     v.registry().find(handle, kind_of<Handle>(), std::string(argument_name<slot>(0))));
      if (object->uses != 0) {
        v.report(
            HAL_LOG_ERROR, SlotTraits<slot>::kName,
            cite(Rule::kHandle) + ": the " + kind_name(object->kind) + " \"" + object->label + "\" is still mapped");
      }
      if (!v.registry().remove(handle)) {  // another thread was first
        return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kHandle, std::string(argument_name<slot>(0)),
                         "is destroyed by two threads at once");
      }
      if constexpr (slot == Slot::device_close) {
        v.report_unseen(SlotTraits<slot>::kName);
        v.quarantine().flush();
        next(handle);
      } else if (object->is_imported || !v.registry().find(object->device, HAL_OBJECT_DEVICE, "")) {
        next(handle);
      } else {
        v.quarantine().add([next, handle] { next(handle); });
      }
      return {};
    });
    if (refused == nullptr) return;
    v.report(HAL_LOG_ERROR, SlotTraits<slot>::kName, std::string(refused->message.data, refused->message.length));
    hal_status_release(refused);
  }
};

Result<Hazards> hazards_of(const Options& options) {
  const std::string name = options.text("hazards", "warn");
  if (name == "off") return Hazards::kOff;
  if (name == "warn") return Hazards::kWarn;
  if (name == "refuse") return Hazards::kRefuse;
  return invalid_argument("\"hazards\" is \"" + name + "\"; expected off, warn or refuse");
}

hal_status_t* attach(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state) {
  return guarded(kMaker, "attach", [&]() -> Result<void> {
    HAL_TRY_ASSIGN(const Options options, Options::read(*desc, {"hazards", "quarantine"}));
    HAL_TRY_ASSIGN(const Hazards hazards, hazards_of(options));
    HAL_TRY_ASSIGN(const uint64_t quarantine, options.number("quarantine", 256, 1'000'000));
    *out_state = new Validator(*desc, hazards, quarantine);
    intercept_all<Handler>(*tables);
    return {};
  });
}

void detach(void* state) { delete static_cast<Validator*>(state); }

const hal_layer_t Handler::layer = {
    sizeof(hal_layer_t), HAL_ABI_VERSION, {"validation", 10}, {"1.0", 3}, HAL_SANITIZER_NONE, 0, attach, detach};

}  // namespace
}  // namespace hal::layers::validation

hal_status_t* hal_layer_query(uint32_t, const hal_layer_t** out_layer) {
  *out_layer = &hal::layers::validation::Handler::layer;
  return nullptr;
}
