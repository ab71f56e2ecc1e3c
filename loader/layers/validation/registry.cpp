// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <cstdio>

namespace hal::layers::validation {
namespace {

std::string address(const void* handle) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(handle)));
  return text;
}

std::string titled(const Object& object) {
  return "the " + kind_name(object.kind) + (object.label.empty() ? "" : " \"" + object.label + "\"");
}

}  // namespace

std::string kind_name(hal_object_kind_t kind) {
  switch (kind) {
    case HAL_OBJECT_INSTANCE:
      return "instance";
    case HAL_OBJECT_DEVICE:
      return "device";
    case HAL_OBJECT_BUFFER:
      return "buffer";
    case HAL_OBJECT_QUEUE:
      return "queue";
    case HAL_OBJECT_SEMAPHORE:
      return "semaphore";
    case HAL_OBJECT_EXECUTABLE:
      return "executable";
    case HAL_OBJECT_COMMAND_BUFFER:
      return "command buffer";
    case HAL_OBJECT_COMMUNICATOR:
      return "communicator";
    case HAL_OBJECT_PROFILER:
      return "profiler";
    default:
      return "object";
  }
}

const Registry::Shard& Registry::shard_of(const void* handle) const {
  // Objects lie at multiples of 16 at least; the higher bits spread.
  const auto bits = reinterpret_cast<uintptr_t>(handle) >> 4;
  return shards_[(bits ^ (bits >> 6) ^ (bits >> 12)) % kShards];
}

ObjectPtr Registry::add(void* handle, hal_object_kind_t kind, void* device) {
  auto object = std::make_shared<Object>();
  object->id = ++last_id_;
  object->handle = handle;
  object->kind = kind;
  object->generation = static_cast<const hal_object_t*>(handle)->generation;
  object->device = device;
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  shard.gone.erase(handle);
  shard.live[handle] = object;
  return object;
}

Result<ObjectPtr> Registry::find(const void* handle, hal_object_kind_t kind, const std::string& argument) const {
  const auto wrong = [&](const std::string& what) {
    return violation(HAL_STATUS_INVALID_ARGUMENT, Rule::kHandle, argument, what);
  };
  if (handle == nullptr) return wrong("is NULL; expected a " + kind_name(kind));
  const Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  if (const auto found = shard.live.find(handle); found != shard.live.end()) {
    const Object& object = *found->second;
    if (object.kind != kind) return wrong("is " + titled(object) + "; expected a " + kind_name(kind));
    // Not in the map's sense live any more where the plugin has used the memory for something else.
    if (static_cast<const hal_object_t*>(object.handle)->generation != object.generation) {
      return wrong("is a stale handle: " + titled(object) + " has another generation now");
    }
    return found->second;
  }
  if (const auto gone = shard.gone.find(handle); gone != shard.gone.end()) {
    return wrong("is a stale handle: " + titled(*gone->second) +
                 " was destroyed; destroy it after the last call that names it");
  }
  return wrong(address(handle) + " is no " + kind_name(kind) +
               " of this plugin; pass a handle that one of its create calls gave");
}

bool Registry::remove(const void* handle) {
  Shard& shard = shard_of(handle);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.live.find(handle);
  if (found == shard.live.end()) return false;
  found->second->is_live = false;
  shard.gone[handle] = std::move(found->second);
  shard.live.erase(found);
  shard.gone_order.push_back(handle);
  if (shard.gone_order.size() > kRemembered) {
    shard.gone.erase(shard.gone_order.front());
    shard.gone_order.pop_front();
  }
  return true;
}

std::vector<ObjectPtr> Registry::live() const {
  std::vector<ObjectPtr> objects;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [handle, object] : shard.live) objects.push_back(object);
  }
  return objects;
}

}  // namespace hal::layers::validation
