// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "hal/cxx/hal.hpp"
#include "hal/loader.h"

namespace hal::layers::record {
namespace {

constexpr size_t kMaxDifferences = 20;

// "" or where two contents differ.
std::string difference(const std::string& expected, const std::string& found, double tolerance) {
  if (expected.size() != found.size()) {
    return "it has " + std::to_string(found.size()) + " bytes, expected " + std::to_string(expected.size());
  }
  if (tolerance == 0 || expected.size() % sizeof(float) != 0) {
    const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin());
    if (a == expected.end()) return "";
    return "byte " + std::to_string(a - expected.begin()) + " is " + std::to_string(static_cast<unsigned char>(*b)) +
           ", expected " + std::to_string(static_cast<unsigned char>(*a));
  }
  for (size_t at = 0; at < expected.size(); at += sizeof(float)) {
    float a = 0, b = 0;
    std::memcpy(&a, expected.data() + at, sizeof a);
    std::memcpy(&b, found.data() + at, sizeof b);
    const bool is_same = std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)) ||
                         std::abs(a - b) <= static_cast<float>(tolerance) * std::max(std::abs(a), std::abs(b));
    if (!is_same) {
      return "f32 element " + std::to_string(at / sizeof(float)) + " is " + std::to_string(b) + ", expected " +
             std::to_string(a);
    }
  }
  return "";
}

// The bytes that a submission may have written, as far as they are named in it.
std::vector<Range> written_ranges(const Event& event) {
  std::vector<Range> ranges;
  for (const Work& work : event.work) {
    if (work.target.buffer != 0 && work.rows[0] <= 1) ranges.push_back(work.target);
    for (const Range& binding : work.bindings) {
      if (binding.buffer != 0) ranges.push_back(binding);
    }
  }
  return ranges;
}

// A submission whose waits are not over: it is held back until they are, so that each runs alone and what it wrote is
// seen before the next one starts.
struct Held {
  const Event* event = nullptr;
  size_t index = 0;
};

bool is_destroy(EventType type) {
  return type == EventType::kBufferDestroy || type == EventType::kQueueDestroy ||
         type == EventType::kSemaphoreDestroy || type == EventType::kExecutableDestroy ||
         type == EventType::kCommandBufferDestroy;
}

class Player {
 public:
  Player(std::vector<World> worlds, const ReplayOptions& options) : worlds_(std::move(worlds)), options_(options) {}

  Result<ReplayReport> play(const Recording& recording) {
    for (size_t i = 0; i < recording.events.size(); ++i) {
      const Event& event = recording.events[i];
      if (Result<void> played = play_one(event, i); !played) return at_event(event, i, played.error());
      HAL_TRY(settle());
      ++report_.events;
    }
    return report_;
  }

 private:
  static Error at_event(const Event& event, size_t index, const Error& error) {
    const std::string label = event.texts.empty() ? "" : " \"" + event.texts[0] + "\"";
    return {error.code,
            "event " + std::to_string(index) + ", " + std::string(event_name(event)) + label + ": " + error.message};
  }

  Result<void> play_one(const Event& event, size_t index) {
    switch (event.type) {
      case EventType::kSubmit:
        held_.push_back({&event, index});
        break;
      case EventType::kSemaphoreWait:
        for (World& world : worlds_) HAL_TRY(world.wait(event, hal_time_now() + options_.patience));
        break;
      case EventType::kBufferRead:
        return compare_read(event, index);
      case EventType::kExecutableLoad:
        if (!options_.trusts_programs) {
          return Error{HAL_STATUS_PERMISSION_DENIED,
                       "the recording holds native programs; allow them if you know who made it"};
        }
        [[fallthrough]];
      default:
        // Destroying is allowed at once after a submit; what is held back still needs it.
        if (is_destroy(event.type)) {
          destroys_.push_back(&event);
        } else {
          for (World& world : worlds_) HAL_TRY(world.apply(event));
        }
    }
    return {};
  }

  Result<bool> is_ready(const Event& event) {
    for (World& world : worlds_) {
      HAL_TRY_ASSIGN(const bool ready, world.is_ready(event));
      if (!ready) return false;
    }
    return true;
  }

  // Runs what has nothing left to wait for; that may be what others wait for.
  Result<void> settle() {
    for (auto at = held_.begin(); at != held_.end();) {
      HAL_TRY_ASSIGN(const bool ready, is_ready(*at->event));
      if (!ready) {
        ++at;
        continue;
      }
      const Held held = *at;
      held_.erase(at);
      if (Result<void> done = run(held); !done) return at_event(*held.event, held.index, done.error());
      at = held_.begin();
    }
    if (!held_.empty()) return {};
    for (const Event* event : destroys_) {
      for (World& world : worlds_) HAL_TRY(world.apply(*event));
    }
    destroys_.clear();
    return {};
  }

  Result<void> run(const Held& held) {
    ++report_.submissions;
    std::vector<Semaphore> done;
    for (World& world : worlds_) {
      HAL_TRY_ASSIGN(Semaphore semaphore, create_semaphore(world.device()));
      HAL_TRY(world.submit(*held.event, semaphore.get()));
      done.push_back(std::move(semaphore));
    }
    std::vector<hal_status_code_t> codes;
    for (size_t i = 0; i < worlds_.size(); ++i) {
      const Result<void> ended = wait(worlds_[i].device(), done[i], 1, hal_time_now() + options_.patience);
      codes.push_back(ended ? HAL_STATUS_OK : ended.error().code);
      if (!ended && ended.error().code != HAL_STATUS_ABORTED) return ended;
    }
    return compare(held, codes);
  }

  Result<void> compare(const Held& held, const std::vector<hal_status_code_t>& codes) {
    if (codes.size() < 2) return {};
    if (codes[0] != codes[1]) {
      ++report_.different_ranges;
      note(held.index, std::string("the submission fails on ") +
                           (codes[0] != HAL_STATUS_OK ? "the first" : "the second") + " device alone");
      return {};
    }
    for (const Range& range : written_ranges(*held.event)) HAL_TRY(compare_range(held, range));
    return {};
  }

  Result<void> compare_range(const Held& held, const Range& range) {
    HAL_TRY_ASSIGN(const std::string first, worlds_[0].read(range));
    HAL_TRY_ASSIGN(const std::string second, worlds_[1].read(range));
    ++report_.compared_ranges;
    const std::string text = difference(first, second, options_.tolerance);
    if (text.empty()) return {};
    ++report_.different_ranges;
    note(held.index, "buffer " + std::to_string(range.buffer) + " after the submission: " + text);
    return {};
  }

  Result<void> compare_read(const Event& event, size_t index) {
    const uint64_t offset = event.numbers.empty() ? 0 : event.numbers[0];
    for (World& world : worlds_) {
      HAL_TRY_ASSIGN(const std::string found, world.read({event.object, offset, event.data.size(), 0}));
      ++report_.reads;
      const std::string text = difference(event.data, found, options_.tolerance);
      if (text.empty()) continue;
      ++report_.different_reads;
      note(index, "buffer " + std::to_string(event.object) + " as the application read it: " + text);
    }
    return {};
  }

  void note(size_t index, const std::string& text) {
    if (report_.differences.size() < kMaxDifferences) {
      report_.differences.push_back("event " + std::to_string(index) + ": " + text);
    }
  }

  std::vector<World> worlds_;
  const ReplayOptions options_;
  std::deque<Held> held_;
  std::vector<const Event*> destroys_;  // until nothing is held back
  ReplayReport report_;
};

}  // namespace

Result<ReplayReport> replay(const Recording& recording, const std::vector<hal_device_t*>& devices,
                            const ReplayOptions& options) {
  std::vector<World> worlds;
  for (hal_device_t* const device : devices) {
    HAL_TRY_ASSIGN(World world, World::create(device));
    worlds.push_back(std::move(world));
  }
  return Player(std::move(worlds), options).play(recording);
}

}  // namespace hal::layers::record
