// SPDX-License-Identifier: Apache-2.0
//
// The layer "fault": calls fail, wait, give wrong answers or lose the device, as a file of rules says. Only the calls
// that a rule is about are changed. Keys: rules (the file), seed (above the file's).
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

#include "devices.hpp"
#include "intercept.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "status.hpp"
#include "text.hpp"

namespace hal::layers::fault {
namespace {

constexpr std::string_view kMaker = "layer fault";

// What the rules say about one call.
struct Verdict {
  uint64_t delay_us = 0;
  const Action* failure = nullptr;
  std::string why;  // of the failure
  bool loses_device = false;
  bool corrupts = false;
  uint64_t noise = 0;
};

struct CountedRule {
  explicit CountedRule(Rule given) : rule(std::move(given)) {}
  Rule rule;
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> strikes{0};
};

class Faults {
 public:
  Faults(const hal_layer_desc_t& desc, Rules rules) : host_(desc.host), next_(desc.next), seed_(rules.seed) {
    const std::string plugin = loader::to_string(desc.plugin);
    for (Rule& rule : rules.rules) {
      const bool is_ours = fits(rule.plugin, plugin);
      rules_.push_back(is_ours ? std::make_unique<CountedRule>(std::move(rule)) : nullptr);
      if (is_ours && rules_.back()->rule.action.loses_device) can_lose_ = true;
    }
  }

  bool can_lose() const { return can_lose_; }
  bool is_about(std::string_view call) const {
    return can_lose_ || std::any_of(rules_.begin(), rules_.end(), [&](const auto& counted) {
             return counted != nullptr && fits(counted->rule.call, call);
           });
  }

  Verdict judge(std::string_view call) {
    Verdict verdict;
    for (size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i] == nullptr || !fits(rules_[i]->rule.call, call)) continue;
      CountedRule& counted = *rules_[i];
      const uint64_t count = ++counted.calls;
      if (!strikes(counted.rule, seed_, i, count)) continue;
      if (counted.strikes.fetch_add(1) >= counted.rule.limit) continue;
      add(counted.rule.action, mix(seed_, i + 1'000'000, count),
          "rules[" + std::to_string(i) + "] at call " + std::to_string(count) + " that fits it", verdict);
      log("rules[" + std::to_string(i) + "] strikes at " + std::string(call));
    }
    return verdict;
  }

  Devices& devices() { return devices_; }

  // Whoever waits for a lost device hears of it.
  void lose(const void* object) {
    for (hal_semaphore_t* const semaphore : devices_.lose(object))
      fail(semaphore, HAL_STATUS_DEVICE_LOST, "the device is lost");
  }
  void fail(hal_semaphore_t* semaphore, hal_status_code_t code, const std::string& message) {
    hal_status_t* const failure = make_status(code, message, kMaker, "queue.submit");
    hal_status_release(next_->queue->semaphore_fail(semaphore, failure));
    hal_status_release(failure);
  }

 private:
  static void add(const Action& action, uint64_t noise, const std::string& why, Verdict& verdict) {
    if (action.delay) verdict.delay_us += action.delay->least + noise % (action.delay->most - action.delay->least + 1);
    if (action.fail != HAL_STATUS_OK && verdict.failure == nullptr) {
      verdict.failure = &action;
      verdict.why = (action.message.empty() ? "injected" : action.message) + " (" + why + ")";
    }
    verdict.loses_device = verdict.loses_device || action.loses_device;
    verdict.corrupts = verdict.corrupts || action.corrupts;
    verdict.noise = noise;
  }
  void log(const std::string& text) const {
    const std::string line = "fault: " + text;
    host_->log(host_->context, HAL_LOG_DEBUG, loader::to_hal(line));
  }

  const hal_host_t* const host_;
  const hal_calls_t* const next_;
  const uint64_t seed_;
  bool can_lose_ = false;
  std::vector<std::unique_ptr<CountedRule>> rules_;  // NULL: of another plugin
  Devices devices_;
};

// Out-parameters of a call that fails are zero.
template <typename T>
void zero_out(T value) {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<Pointee> || (std::is_integral_v<Pointee> && !std::is_const_v<Pointee>)) {
      if (value != nullptr) *value = Pointee{};
    }
  }
}

// Changes what an out-parameter holds: numbers, and structs of numbers alone. Handles and texts stay, since what is
// tried here is a caller's care and not its memory safety.
template <typename T>
void corrupt_out(T value, uint64_t noise) {
  if constexpr (std::is_pointer_v<T>) {
    using Pointee = std::remove_pointer_t<T>;
    if (value == nullptr) return;
    if constexpr (std::is_integral_v<Pointee> && !std::is_const_v<Pointee>) {
      *value = static_cast<Pointee>(*value ^ static_cast<Pointee>(noise | 1));
    } else if constexpr (std::is_same_v<Pointee, hal_buffer_info_t>) {
      value->size ^= noise | 1;
    } else if constexpr (std::is_same_v<Pointee, hal_heap_statistics_t>) {
      value->live_bytes ^= noise | 1;
    } else if constexpr (std::is_same_v<Pointee, hal_calibration_t>) {
      value->device_ticks ^= noise | 1;
    }
  }
}

// One bit of the mapped bytes: what memory that is going bad looks like.
void flip_mapped_bit(const hal_calls_t* next, hal_buffer_t* buffer, uint64_t offset, uint64_t length, void* address,
                     uint64_t noise) {
  if (length == HAL_WHOLE_BUFFER) {
    hal_buffer_info_t info{};
    info.struct_size = sizeof info;
    hal_status_t* const status = next->memory->buffer_info(buffer, &info);
    hal_status_release(status);
    if (status != nullptr) return;
    length = info.size - offset;
  }
  if (length != 0)
    static_cast<unsigned char*>(address)[noise % length] ^= static_cast<unsigned char>(1u << (noise >> 61));
}

struct Handler {
  using State = Faults;
  static const hal_layer_t layer;

  template <Slot slot, typename Next, typename First, typename... Rest>
  static auto call(Faults& faults, const hal_layer_link_t& link, Next next, First first, Rest... rest) {
    constexpr bool kIsVoid = std::is_void_v<std::invoke_result_t<Next, First, Rest...>>;
    const Verdict verdict = faults.judge(SlotTraits<slot>::kName);
    if (verdict.delay_us != 0) std::this_thread::sleep_for(std::chrono::microseconds(verdict.delay_us));
    if (verdict.loses_device) faults.lose(first);
    if constexpr (kIsVoid) {
      faults.devices().remove(first);
      next(first, rest...);
    } else {
      hal_status_t* status = refuse<slot>(faults, verdict, first, rest...);
      if (status != nullptr) return status;
      if constexpr (slot == Slot::device_state) {
        if (faults.devices().is_lost(first)) return answer_lost(rest...);
      }
      if constexpr (slot == Slot::device_reset) return reset(faults, next, first);
      if constexpr (slot == Slot::queue_submit) {
        if (verdict.failure != nullptr) return fail_later(faults, verdict, rest...);
      }
      status = next(first, rest...);
      if (status == nullptr) {
        note<slot>(faults, first, rest...);
        if (verdict.corrupts) corrupt<slot>(link, verdict, first, rest...);
      }
      return status;
    }
  }

 private:
  // Calls that a lost device still answers: they are how one finds out and gets out.
  static constexpr bool works_when_lost(Slot slot) {
    return slot == Slot::device_state || slot == Slot::device_reset || slot == Slot::device_capabilities ||
           slot == Slot::device_initialize || slot == Slot::device_shutdown || slot == Slot::device_enumerate;
  }

  template <Slot slot, typename First, typename... Rest>
  static hal_status_t* refuse(Faults& faults, const Verdict& verdict, First first, Rest... rest) {
    if (!works_when_lost(slot) && faults.devices().is_lost(first)) {
      (zero_out(rest), ...);
      return make_status(HAL_STATUS_DEVICE_LOST, "the device is lost; reset it, or close it and open it again", kMaker,
                         SlotTraits<slot>::kName);
    }
    if (verdict.failure == nullptr || verdict.failure->fails_later) return nullptr;
    (zero_out(rest), ...);
    return make_status(verdict.failure->fail, verdict.why, kMaker, SlotTraits<slot>::kName);
  }

  static hal_status_t* answer_lost(hal_device_state_t* out_state) {
    *out_state = HAL_DEVICE_STATE_LOST;
    return nullptr;
  }

  // A loss of our making is over, whether the plugin can reset or not.
  template <typename Next>
  static hal_status_t* reset(Faults& faults, Next next, hal_device_t* device) {
    if (!faults.devices().recover(device)) return next(device);
    hal_status_release(next(device));
    return nullptr;
  }

  static hal_status_t* fail_later(Faults& faults, const Verdict& verdict, const hal_submission_t* submission) {
    for (uint32_t i = 0; i < submission->signal_count; ++i) {
      faults.fail(submission->signals[i].semaphore, verdict.failure->fail, verdict.why);
    }
    return nullptr;
  }

  // Whose an object is that a call has made.
  template <Slot slot, typename First, typename... Rest>
  static void note(Faults& faults, [[maybe_unused]] First first, Rest... rest) noexcept {
    if (faults.can_lose()) (note_one(faults, first, rest), ...);
  }
  template <typename First, typename T>
  static void note_one(Faults& faults, [[maybe_unused]] First first, T argument) noexcept {
    if constexpr (kIsHandle<std::remove_pointer_t<T>>) {
      hal_status_release(guarded(kMaker, {}, [&]() -> Result<void> {
        if constexpr (std::is_same_v<T, hal_device_t**>) faults.devices().add_device(*argument);
        if constexpr (std::is_same_v<First, hal_device_t*>) {
          faults.devices().add_child(first, *argument, std::is_same_v<T, hal_semaphore_t**>);
        }
        return {};
      }));
    }
  }

  template <Slot slot, typename First, typename... Rest>
  static void corrupt(const hal_layer_link_t& link, const Verdict& verdict, First first, Rest... rest) {
    if constexpr (slot == Slot::memory_buffer_map) {
      const auto flip = [&](uint64_t offset, uint64_t length, uint64_t, void** address) {
        flip_mapped_bit(link.next, first, offset, length, *address, verdict.noise);
      };
      flip(rest...);
    } else {
      (corrupt_out(rest, verdict.noise), ...);
    }
  }
};

std::vector<std::string_view> call_names() {
  std::vector<std::string_view> names;
  for (const auto& slot : kSlots) {
    if (std::string_view(slot.name) != "device.config_keys") names.emplace_back(slot.name);
  }
  return names;
}

Result<Rules> read_rules(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (path.empty() || !file) {
    return invalid_argument("the key \"rules\" is \"" + path + "\"; expected a file of rules that can be read");
  }
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<Rules> rules = parse_rules(text, call_names());
  if (!rules) return Error{rules.error().code, path + ": " + rules.error().message};
  return rules;
}

hal_status_t* attach(const hal_layer_desc_t* desc, hal_layer_tables_t* tables, void** out_state) {
  return guarded(kMaker, "attach", [&]() -> Result<void> {
    HAL_TRY_ASSIGN(const Options options, Options::read(*desc, {"rules", "seed"}));
    HAL_TRY_ASSIGN(Rules rules, read_rules(options.text("rules", "")));
    HAL_TRY_ASSIGN(rules.seed, options.number("seed", rules.seed));
    auto faults = std::make_unique<Faults>(*desc, std::move(rules));
    watch_forks();
#define HAL_FAULT_SLOT_(group, slot, needed_for) \
  if (faults->is_about(#group "." #slot)) intercept<Handler, Slot::group##_##slot>(*tables);
    HAL_LOADER_SLOTS(HAL_FAULT_SLOT_)
#undef HAL_FAULT_SLOT_
    *out_state = faults.release();
    return {};
  });
}

void detach(void* state) { delete static_cast<Faults*>(state); }

const hal_layer_t Handler::layer = {
    sizeof(hal_layer_t), HAL_ABI_VERSION, {"fault", 5}, {"1.0", 3}, HAL_SANITIZER_NONE, 0, attach, detach};

}  // namespace
}  // namespace hal::layers::fault

hal_status_t* hal_layer_query(uint32_t, const hal_layer_t** out_layer) {
  *out_layer = &hal::layers::fault::Handler::layer;
  return nullptr;
}
