// SPDX-License-Identifier: Apache-2.0
//
// The layer "trace": every call as a slice with its arguments and status, and every submission from its submit to its
// completion, in Chrome's trace format (Perfetto, chrome://tracing). Keys: file, completion.
#include <unistd.h>

#include <array>
#include <map>
#include <mutex>

#include "arguments.hpp"
#include "completion.hpp"
#include "options.hpp"
#include "status.hpp"
#include "text.hpp"

namespace hal::layers::trace {
namespace {

constexpr std::string_view kMaker = "layer trace";

struct QueueTrack {
  hal_device_t* device = nullptr;
  int64_t track = 0;
};

// All that the layer knows of one plugin.
class Trace {
 public:
  Trace(const hal_layer_desc_t& desc, std::shared_ptr<TraceFile> file, bool completion)
      : host_(desc.host), next_(desc.next), file_(std::move(file)), follows_completion_(completion) {}

  double now() const { return static_cast<double>(host_->now(host_->context)) / 1000.0; }

  void event(std::string_view name, const char* phase, int64_t track, Json more) {
    Json event = {{"name", name}, {"cat", "hal"}, {"ph", phase}, {"ts", now()}, {"pid", getpid()}, {"tid", track}};
    event.update(more);
    file_->write(event);
  }
  int64_t thread() { return file_->thread(); }

  void add_queue(hal_device_t* device, hal_queue_t* queue, hal_string_t label) {
    // Tracks of queues lie beyond the numbers of threads.
    const int64_t track = 1'000'000'000 + static_cast<int64_t>(file_->next_id());
    {
      const std::lock_guard lock(mutex_);
      queues_[queue] = {device, track};
    }
    const std::string name = "queue " + (label.length != 0 ? loader::to_string(label) : std::to_string(track));
    file_->write({{"name", "thread_name"}, {"ph", "M"}, {"pid", getpid()}, {"tid", track}, {"args", {{"name", name}}}});
  }
  void remove_queue(hal_queue_t* queue) {
    const std::lock_guard lock(mutex_);
    queues_.erase(queue);
  }

  // The thread that watches a device ends before the device does.
  void close_device(hal_device_t* device) {
    std::shared_ptr<Completion> last;  // goes when the lock is given back
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    if (found == devices_.end()) return;
    last = std::move(found->second);
    devices_.erase(found);
    std::erase_if(queues_, [&](const auto& entry) { return entry.second.device == device; });
  }

  hal_status_t* submit(decltype(hal_queue_group_t::submit) next, hal_queue_t* queue,
                       const hal_submission_t* submission) {
    QueueTrack track;
    const std::shared_ptr<Completion> completion = completion_of(queue, track);
    hal_semaphore_t* const end = completion != nullptr && is_plain(submission) ? completion->make_semaphore() : nullptr;
    if (end == nullptr) return next(queue, submission);
    std::vector<hal_semaphore_value_t> signals(submission->signals, submission->signals + submission->signal_count);
    signals.push_back({end, 1});
    hal_submission_t longer = *submission;
    longer.signals = signals.data();
    longer.signal_count = static_cast<uint32_t>(signals.size());
    const std::string label = submission->label.length != 0 ? loader::to_string(submission->label) : "submission";
    const uint64_t id = begin_flow(track.track, label);
    hal_status_t* const status = next(queue, &longer);
    if (status != nullptr) {
      completion->drop(end);
      end_flow(track.track, label, id, status);
    } else {
      completion->watch(
          end, [this, track, label, id](const hal_status_t* failure) { end_flow(track.track, label, id, failure); });
    }
    return status;
  }

 private:
  // One that this release knows in full: its signal list can be made longer.
  static bool is_plain(const hal_submission_t* submission) {
    return submission != nullptr && submission->struct_size == sizeof(hal_submission_t) &&
           (submission->signal_count == 0 || submission->signals != nullptr);
  }

  std::shared_ptr<Completion> completion_of(hal_queue_t* queue, QueueTrack& track) {
    if (!follows_completion_) return nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto found = queues_.find(queue);
      if (found == queues_.end()) return nullptr;
      track = found->second;
      if (const auto known = devices_.find(track.device); known != devices_.end()) return known->second;
    }
    std::shared_ptr<Completion> made = Completion::start(track.device, next_);
    const std::lock_guard lock(mutex_);
    return devices_.emplace(track.device, made).first->second;
  }

  uint64_t begin_flow(int64_t track, const std::string& label) {
    const uint64_t id = file_->next_id();
    event("completion", "s", thread(), {{"id", id}});
    event(label, "b", track, {{"id", id}});
    return id;
  }
  void end_flow(int64_t track, const std::string& label, uint64_t id, const hal_status_t* failure) noexcept try {
    const Json status = failure == nullptr ? Json("ok") : describe(*failure);
    event(label, "e", track, {{"id", id}, {"args", {{"status", status}}}});
    event("done: " + label, "X", track, {{"dur", 0.001}, {"args", {{"submission", id}, {"status", status}}}});
    event("completion", "f", track, {{"id", id}, {"bp", "e"}});
  } catch (const std::exception&) {
    return;  // short of memory: an event is lost
  }

  const hal_host_t* const host_;
  const hal_calls_t* const next_;
  const std::shared_ptr<TraceFile> file_;
  const bool follows_completion_;
  std::mutex mutex_;  // of what follows
  std::map<hal_device_t*, std::shared_ptr<Completion>> devices_;
  std::map<hal_queue_t*, QueueTrack> queues_;
};

struct Handler {
  using State = Trace;
  static const hal_layer_t layer;

  template <Slot slot, typename Next, typename... Args>
  static auto call(Trace& trace, const hal_layer_link_t&, Next next, Args... args) {
    begin<slot>(trace, args...);
    before<slot>(trace, args...);
    if constexpr (std::is_void_v<std::invoke_result_t<Next, Args...>>) {
      next(args...);
      end<slot>(trace, nullptr, args...);
    } else {
      hal_status_t* const status = pass<slot>(trace, next, args...);
      if (status == nullptr) after<slot>(trace, args...);
      end<slot>(trace, status, args...);
      return status;
    }
  }

 private:
  template <Slot slot, typename Next, typename... Args>
  static hal_status_t* pass(Trace& trace, Next next, Args... args) {
    if constexpr (slot == Slot::queue_submit) {
      try {
        return trace.submit(next, args...);
      } catch (const std::bad_alloc&) {
        return make_status(HAL_STATUS_OUT_OF_MEMORY, "no memory to trace this", kMaker, SlotTraits<slot>::kName);
      }
    } else {
      return next(args...);
    }
  }

  template <Slot slot, typename... Args>
  static void before(Trace& trace, Args... args) {
    if constexpr (slot == Slot::queue_queue_destroy) trace.remove_queue(args...);
    if constexpr (slot == Slot::device_close) trace.close_device(args...);
  }

  template <Slot slot, typename First, typename... Args>
  static void after(Trace& trace, First first, Args... args) noexcept try {
    if constexpr (slot == Slot::queue_queue_create) {
      const auto create = [&](const hal_queue_desc_t* desc, hal_queue_t** queue) {
        trace.add_queue(first, *queue, desc->label);
      };
      create(args...);
    }
  } catch (const std::exception&) {
    return;  // its submissions are not followed
  }

  template <Slot slot, typename... Args>
  static void begin(Trace& trace, Args... args) noexcept try {
    Json arguments = Json::object();
    size_t index = 0;
    (add_in(arguments, argument_name<slot>(index++), args), ...);
    trace.event(SlotTraits<slot>::kName, "B", trace.thread(), {{"args", std::move(arguments)}});
  } catch (const std::exception&) {
    return;
  }

  template <Slot slot, typename... Args>
  static void end(Trace& trace, const hal_status_t* status, Args... args) noexcept try {
    Json arguments = {{"status", status == nullptr ? Json("ok") : describe(*status)}};
    size_t index = 0;
    if (status == nullptr) (add_out(arguments, argument_name<slot>(index++), args), ...);
    trace.event(SlotTraits<slot>::kName, "E", trace.thread(), {{"args", std::move(arguments)}});
  } catch (const std::exception&) {
    return;
  }
};

hal_status_t* attach(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state) {
  return guarded(kMaker, "attach", [&]() -> Result<void> {
    HAL_TRY_ASSIGN(const Options options, Options::read(*desc, {"file", "completion"}));
    HAL_TRY_ASSIGN(const bool completion, options.flag("completion", true));
    const std::string path = with_process_id(options.text("file", "mortise-trace-%p.json"));
    HAL_TRY_ASSIGN(std::shared_ptr<TraceFile> file, TraceFile::open(path));
    *out_state = new Trace(*desc, std::move(file), completion);
    intercept_all<Handler>(*tables);
    return {};
  });
}

void detach(void* state) { delete static_cast<Trace*>(state); }

const hal_layer_t Handler::layer = {
    sizeof(hal_layer_t), HAL_ABI_VERSION, {"trace", 5}, {"1.0", 3}, HAL_SANITIZER_NONE, 0, attach, detach};

}  // namespace
}  // namespace hal::layers::trace

hal_status_t* hal_layer_query(uint32_t, const hal_layer_t** out_layer) {
  *out_layer = &hal::layers::trace::Handler::layer;
  return nullptr;
}
