// SPDX-License-Identifier: Apache-2.0
#include "raw_plugin.hpp"

#include <dlfcn.h>

#include "hal/conformance/expect.hpp"
#include "hal/conformance/rig.hpp"

namespace hal::conformance {
namespace {

hal_time_t now(void*) { return hal_time_now(); }
void drop_message(void*, hal_log_level_t, hal_string_t) {}

}  // namespace

const hal_host_t& raw_host() {
  static const hal_host_t host = {sizeof(hal_host_t), HAL_ABI_VERSION, to_hal("hal-conformance"), nullptr, now,
                                  drop_message};
  return host;
}

RawPlugin::RawPlugin(const CaseContext& context) : context_(context) {
  const std::string& path = context.snapshot().plugin_path;
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw CaseFailure("dlopen of " + path + ": " + dlerror());
  entry_ = reinterpret_cast<hal_plugin_query_fn>(dlsym(library_, HAL_PLUGIN_QUERY_NAME));
  expect(entry_ != nullptr, path + " does not export " HAL_PLUGIN_QUERY_NAME);
}

RawPlugin::~RawPlugin() { unload(); }

void RawPlugin::unload() {
  if (library_ != nullptr) dlclose(library_);
  library_ = nullptr;
}

const hal_plugin_t& RawPlugin::query() {
  const hal_plugin_t* plugin = nullptr;
  expect_ok(entry_(&raw_host(), &plugin), HAL_PLUGIN_QUERY_NAME);
  expect(plugin != nullptr, HAL_PLUGIN_QUERY_NAME " succeeded and gave no plugin");
  return *plugin;
}

const void* RawPlugin::find(hal_group_id_t id) {
  const hal_plugin_t& plugin = query();
  for (uint32_t i = 0; i < plugin.group_count; i++) {
    if (plugin.groups[i].id == id) return plugin.groups[i].table;
  }
  return nullptr;
}

hal_instance_t* RawPlugin::initialize() {
  const auto* device = group<hal_device_group_t>(HAL_GROUP_DEVICE);
  expect(device != nullptr, "the plugin has no device group");
  const std::string prefix = context_.snapshot().plugin + ".";
  std::vector<hal_key_value_t> config;
  for (const auto& [key, value] : context_.target().config) {
    if (key.rfind(prefix, 0) == 0)
      config.push_back({to_hal(std::string_view(key).substr(prefix.size())), to_hal(value)});
  }
  hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
  desc.config = config.data();
  desc.config_count = static_cast<uint32_t>(config.size());
  hal_instance_t* instance = nullptr;
  expect_ok(device->initialize(&desc, &instance), "device.initialize");
  expect(instance != nullptr, "device.initialize succeeded and gave no instance");
  return instance;
}

void RawPlugin::shutdown(hal_instance_t* instance) {
  expect_ok(group<hal_device_group_t>(HAL_GROUP_DEVICE)->shutdown(instance), "device.shutdown");
}

}  // namespace hal::conformance
