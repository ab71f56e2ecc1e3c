// SPDX-License-Identifier: Apache-2.0
//
// A plugin without the loader between: for cases about what a plugin itself gives.
#ifndef CONFORMANCE_CASES_RAW_PLUGIN_HPP_
#define CONFORMANCE_CASES_RAW_PLUGIN_HPP_

#include <string>

#include "hal/conformance/context.hpp"
#include "hal/plugin.h"

namespace hal::conformance {

// An open library. Everything throws CaseFailure.
class RawPlugin {
 public:
  explicit RawPlugin(const CaseContext& context);
  RawPlugin(const RawPlugin&) = delete;
  RawPlugin& operator=(const RawPlugin&) = delete;
  ~RawPlugin();

  hal_plugin_query_fn entry() const { return entry_; }
  const hal_plugin_t& query();
  // The table of a group; NULL if the plugin has none.
  template <typename T>
  const T* group(hal_group_id_t id) {
    return static_cast<const T*>(find(id));
  }
  // Starts an instance with the target's configuration.
  hal_instance_t* initialize();
  void shutdown(hal_instance_t* instance);
  void unload();

 private:
  const void* find(hal_group_id_t id);

  const CaseContext& context_;
  void* library_ = nullptr;
  hal_plugin_query_fn entry_ = nullptr;
};

// The host's table, as a host of the given ABI version would give it. Static storage.
const hal_host_t& raw_host();

}  // namespace hal::conformance

#endif  // CONFORMANCE_CASES_RAW_PLUGIN_HPP_
