// SPDX-License-Identifier: Apache-2.0
//
// Which device each object belongs to, and which devices are lost (HAL-ABI-20): a lost one and what was made on it
// answer DEVICE_LOST until it is reset; what was made before a reset does so for ever.
#ifndef LOADER_LAYERS_FAULT_DEVICES_HPP_
#define LOADER_LAYERS_FAULT_DEVICES_HPP_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "hal/layer.h"

namespace hal::layers::fault {

class Devices {
 public:
  void add_device(const void* device) {
    const std::lock_guard lock(mutex_);
    devices_[device] = {};
  }
  void add_child(const void* device, const void* child, bool is_semaphore) {
    const std::lock_guard lock(mutex_);
    children_[child] = {device, devices_[device].epoch, is_semaphore};
  }
  void remove(const void* object) {
    const std::lock_guard lock(mutex_);
    devices_.erase(object);
    children_.erase(object);
  }

  bool is_lost(const void* object) {
    const std::lock_guard lock(mutex_);
    if (const auto child = children_.find(object); child != children_.end()) {
      const auto parent = devices_.find(child->second.device);
      return parent != devices_.end() && (parent->second.is_lost || parent->second.epoch != child->second.epoch);
    }
    const auto device = devices_.find(object);
    return device != devices_.end() && device->second.is_lost;
  }

  // Loses the device of an object. Returns its semaphores, which are to fail.
  std::vector<hal_semaphore_t*> lose(const void* object) {
    const std::lock_guard lock(mutex_);
    std::vector<hal_semaphore_t*> semaphores;
    const auto child = children_.find(object);
    const void* const device = child == children_.end() ? object : child->second.device;
    const auto found = devices_.find(device);
    if (found == devices_.end() || found->second.is_lost) return semaphores;
    found->second.is_lost = true;
    for (const auto& [handle, about] : children_) {
      if (about.is_semaphore && about.device == device) {
        semaphores.push_back(static_cast<hal_semaphore_t*>(const_cast<void*>(handle)));
      }
    }
    return semaphores;
  }

  // Whether it was lost.
  bool recover(const void* device) {
    const std::lock_guard lock(mutex_);
    const auto found = devices_.find(device);
    if (found == devices_.end() || !found->second.is_lost) return false;
    found->second.is_lost = false;
    ++found->second.epoch;
    return true;
  }

 private:
  struct Device {
    bool is_lost = false;
    uint64_t epoch = 0;
  };
  struct Child {
    const void* device = nullptr;
    uint64_t epoch = 0;
    bool is_semaphore = false;
  };
  std::mutex mutex_;
  std::map<const void*, Device> devices_;
  std::map<const void*, Child> children_;
};

}  // namespace hal::layers::fault

#endif  // LOADER_LAYERS_FAULT_DEVICES_HPP_
