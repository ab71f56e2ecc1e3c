// SPDX-License-Identifier: Apache-2.0
//
// Every live object of one plugin with what is known of it, keyed by its handle: in shards, so that threads seldom meet
// at a lock. Destroyed handles are remembered for a while, to tell a stale one from a foreign one.
#ifndef LOADER_LAYERS_VALIDATION_REGISTRY_HPP_
#define LOADER_LAYERS_VALIDATION_REGISTRY_HPP_

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "hal/layer.h"
#include "violation.hpp"

namespace hal::layers::validation {

struct EntryFacts {
  std::string name;
  uint32_t binding_count = 0;
  uint32_t constant_bytes = 0;
  uint64_t written_bindings = 0;
};

// Bytes of a buffer that a work item touches. In a command buffer `buffer` may be empty: then `slot` counts.
struct Object;
struct Access {
  std::shared_ptr<Object> buffer;
  uint32_t slot = 0;
  uint64_t offset = 0;
  uint64_t length = 0;  // HAL_WHOLE_BUFFER only where the slot is not bound yet
  bool writes = false;
};

struct Object {
  uint64_t id = 0;  // never used twice, other than the handle
  void* handle = nullptr;
  hal_object_kind_t kind = 0;
  uint32_t generation = 0;
  void* device = nullptr;
  std::string label;
  std::atomic<bool> is_live{true};

  // What does not change after the object is made.
  uint64_t size = 0;            // of a buffer
  bool is_host_visible = true;  // of a buffer
  bool is_imported = false;     // of a buffer
  uint64_t flags = 0;
  uint32_t binding_slots = 0;       // of a command buffer
  std::vector<EntryFacts> entries;  // of an executable
  hal_device_caps_t caps{};         // of a device
  std::vector<hal_heap_info_t> heaps;

  std::atomic<uint32_t> uses{0};  // maps of a buffer, waits for a semaphore
  std::mutex mutex;               // of what follows: a command buffer
  bool is_finished = false;
  bool has_run = false;
  bool calls_host = false;
  std::vector<Access> accesses;
};
using ObjectPtr = std::shared_ptr<Object>;

// "buffer", "semaphore", ...
std::string kind_name(hal_object_kind_t kind);

class Registry {
 public:
  ObjectPtr add(void* handle, hal_object_kind_t kind, void* device);

  // The live object of this kind. The error says what the handle is instead: destroyed, of another kind, or unknown.
  Result<ObjectPtr> find(const void* handle, hal_object_kind_t kind, const std::string& argument) const;

  // Whether it was live. By the handle alone, since the object's memory may be gone.
  bool remove(const void* handle);
  std::vector<ObjectPtr> live() const;

 private:
  static constexpr size_t kShards = 64;
  static constexpr size_t kRemembered = 1024;  // for each shard

  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<const void*, ObjectPtr> live;
    std::unordered_map<const void*, ObjectPtr> gone;
    std::deque<const void*> gone_order;
  };

  const Shard& shard_of(const void* handle) const;
  Shard& shard_of(const void* handle) { return const_cast<Shard&>(std::as_const(*this).shard_of(handle)); }

  std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> last_id_{0};
};

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_REGISTRY_HPP_
