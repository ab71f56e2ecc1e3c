// SPDX-License-Identifier: Apache-2.0
#include "hal/conformance/context.hpp"

#include <algorithm>

#include "hal/conformance/expect.hpp"
#include "hal/conformance/rig.hpp"

namespace hal::conformance {
namespace {

std::string text_of(hal_string_t text) {
  return text.length == 0 ? std::string() : std::string(text.data, text.length);
}

std::string hex_of(const uint8_t (&bytes)[16]) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

template <typename T, typename Call>
Result<std::vector<T>> list(Call call) {
  uint32_t count = 0;
  HAL_TRY(take_status(call(0, &count, nullptr)));
  std::vector<T> items(count);
  for (T& item : items) item.struct_size = sizeof(T);
  HAL_TRY(take_status(call(count, &count, items.data())));
  items.resize(std::min<size_t>(items.size(), count));
  return items;
}

Result<std::vector<hal_loader_device_t>> devices_of(hal_loader_t* loader) {
  return list<hal_loader_device_t>([&](uint32_t capacity, uint32_t* count, hal_loader_device_t* items) {
    return hal_loader_devices(loader, capacity, count, items);
  });
}

// Why no device came: what the loader says of each file.
Error no_device(hal_loader_t* loader) {
  const auto files = list<hal_loader_file_t>([&](uint32_t capacity, uint32_t* count, hal_loader_file_t* items) {
    return hal_loader_files(loader, capacity, count, items);
  });
  if (!files) return files.error();
  std::string reasons;
  for (const auto& file : *files) {
    if (file.reason.length != 0) reasons += "; " + text_of(file.path) + ": " + text_of(file.reason);
  }
  return not_found("the plugin offers no device" + reasons);
}

Result<hal_loader_t*> make_loader(const Target& target) {
  hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
  const hal_string_t path = to_hal(target.plugin);
  std::vector<hal_key_value_t> config;
  for (const auto& [key, value] : target.config) config.push_back({to_hal(key), to_hal(value)});
  desc.config = config.data();
  desc.config_count = static_cast<uint32_t>(config.size());
  if (!target.plugin.empty()) {
    desc.plugin_paths = &path;
    desc.plugin_path_count = 1;
    desc.flags = HAL_LOADER_EXPLICIT_ONLY;
  }
  hal_loader_t* loader = nullptr;
  HAL_TRY(take_status(hal_loader_create(&desc, &loader)));
  return loader;
}

std::string render(const hal_device_caps_t& caps) {
  nlohmann::json json = {{"core_count", caps.core_count},
                         {"features", caps.features},
                         {"emulated", caps.emulated},
                         {"max_buffer_size", caps.max_buffer_size},
                         {"max_workgroup_count", caps.max_workgroup_count},
                         {"max_workgroup_size", caps.max_workgroup_size},
                         {"max_bindings", caps.max_bindings},
                         {"max_constant_bytes", caps.max_constant_bytes},
                         {"local_memory_size", caps.local_memory_size},
                         {"max_queues", caps.max_queues},
                         {"target", text_of(caps.target)},
                         {"compute_units", caps.compute_unit_count},
                         {"cache_levels", caps.cache_level_count},
                         {"memory_bandwidth", caps.memory_bandwidth},
                         {"numa_node_count", caps.numa_node_count},
                         {"timestamp_bits", caps.timestamp_bits},
                         {"timestamp_period", caps.timestamp_period}};
  for (uint32_t i = 0; i < caps.format_count; i++) json["formats"].push_back(text_of(caps.formats[i]));
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const Target& target) {
  std::unique_ptr<Session> session(new Session);
  HAL_TRY_ASSIGN(session->loader_, make_loader(target));
  HAL_TRY_ASSIGN(const auto devices, devices_of(session->loader_));
  if (devices.empty()) return no_device(session->loader_);
  session->device_name_ = target.device.empty() ? text_of(devices.front().name) : target.device;
  HAL_TRY(take_status(hal_loader_open(session->loader_, to_hal(session->device_name_), &session->device_)));
  return session;
}

Result<void> Session::close() {
  if (device_ != nullptr) hal_loader_close(loader_, device_);
  device_ = nullptr;
  if (loader_ == nullptr) return {};
  HAL_TRY(take_status(hal_loader_destroy(loader_)));
  loader_ = nullptr;
  return {};
}

// Best effort: a case that failed half-way leaves objects, and its process ends next.
Session::~Session() {
  const Result<void> closed = close();
  static_cast<void>(closed);
}

Result<Snapshot> Session::describe() const {
  Snapshot snapshot;
  HAL_TRY_ASSIGN(const auto devices, devices_of(loader_));
  HAL_TRY_ASSIGN(const auto plugins,
                 list<hal_loader_plugin_t>([&](uint32_t capacity, uint32_t* count, hal_loader_plugin_t* items) {
                   return hal_loader_plugins(loader_, capacity, count, items);
                 }));
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const hal_loader_device_t& device) {
    return text_of(device.name) == device_name_ || hex_of(device.info->uuid) == device_name_;
  });
  // A name without an index ("cpu") is that plugin's first device.
  const hal_loader_device_t& device = found != devices.end() ? *found : devices.front();
  const hal_loader_plugin_t& plugin = plugins.at(device.plugin);
  snapshot.device = text_of(device.name);
  snapshot.device_name = text_of(device.info->name);
  snapshot.uuid = hex_of(device.info->uuid);
  snapshot.plugin = text_of(plugin.name);
  snapshot.plugin_version = text_of(plugin.version);
  snapshot.plugin_vendor = text_of(plugin.vendor);
  snapshot.plugin_path = text_of(plugin.path);
  snapshot.build_id = text_of(plugin.build_id);
  snapshot.groups = plugin.groups;
  hal_device_caps_t caps{};
  caps.struct_size = sizeof caps;
  HAL_TRY(take_status(hal_device_capabilities(device_, &caps)));
  snapshot.features = caps.features;
  snapshot.capabilities = render(caps);
  for (uint32_t i = 0; i < caps.format_count; i++) snapshot.formats.push_back(text_of(caps.formats[i]));
  return snapshot;
}

Session& CaseContext::session() {
  if (session_ == nullptr) {
    auto opened = Session::open(target_);
    if (!opened) throw CaseFailure("opening the device: " + opened.error().message, std::nullopt, opened.error().code);
    session_ = std::move(opened).value();
  }
  return *session_;
}

hal_device_t* CaseContext::device() { return session().device(); }

Result<void> CaseContext::close() { return session_ == nullptr ? Result<void>() : session_->close(); }

}  // namespace hal::conformance
