// SPDX-License-Identifier: Apache-2.0
//
// An instance of the device's plugin that a case brings up for itself, with the configuration of the target.
#ifndef CONFORMANCE_CASES_OWN_INSTANCE_HPP_
#define CONFORMANCE_CASES_OWN_INSTANCE_HPP_

#include "hal/conformance/rig.hpp"

namespace hal::conformance {

class OwnInstance {
 public:
  explicit OwnInstance(Rig& rig) : group_(*hal_calls_of(rig.device())->device) {
    const std::string prefix = rig.context().snapshot().plugin + ".";
    std::vector<hal_key_value_t> config;
    for (const auto& [key, value] : rig.context().target().config) {
      if (key.rfind(prefix, 0) == 0)
        config.push_back({to_hal(std::string_view(key).substr(prefix.size())), to_hal(value)});
    }
    hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
    desc.config = config.data();
    desc.config_count = static_cast<uint32_t>(config.size());
    expect_ok(group_.initialize(&desc, &instance_), "device.initialize");
    expect(instance_ != nullptr, "device.initialize succeeded and gave no instance");
  }
  OwnInstance(const OwnInstance&) = delete;
  OwnInstance& operator=(const OwnInstance&) = delete;
  ~OwnInstance() {
    if (instance_ != nullptr) hal_status_release(group_.shutdown(instance_));
  }

  // Ends it; a failure ends the case.
  void shutdown() {
    hal_instance_t* const instance = std::exchange(instance_, nullptr);
    if (instance != nullptr) expect_ok(group_.shutdown(instance), "device.shutdown");
  }

  hal_instance_t* get() const { return instance_; }
  const hal_device_group_t& group() const { return group_; }

 private:
  const hal_device_group_t& group_;
  hal_instance_t* instance_ = nullptr;
};

}  // namespace hal::conformance

#endif  // CONFORMANCE_CASES_OWN_INSTANCE_HPP_
