// SPDX-License-Identifier: Apache-2.0
//
// The report for scripts. Keys and units are fixed by docs/schemas/hal-info.schema.json; sizes are bytes.
#include <nlohmann/json.hpp>

#include "names.hpp"
#include "report.hpp"
#include "telemetry.hpp"

namespace hal::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

std::string string(hal_string_t text) { return std::string(view(text)); }

Json header() {
  return {{"schema_version", kSchemaVersion},
          {"tool", "hal-info"},
          {"version", string(hal_loader_version())},
          {"abi", abi_text(HAL_ABI_VERSION)}};
}

Json to_json(const hal_loader_plugin_t& plugin) {
  return {{"name", string(plugin.name)},         {"version", string(plugin.version)},
          {"vendor", string(plugin.vendor)},     {"build_id", string(plugin.build_id)},
          {"abi", abi_text(plugin.abi_version)}, {"path", string(plugin.path)},
          {"groups", group_names(plugin.groups)}};
}

Json to_json(const Heap& heap) {
  Json json = {{"kind", heap_kind_names(heap.info.kind)},  {"size", heap.info.size},
               {"alignment", heap.info.alignment},         {"granularity", heap.info.granularity},
               {"live_bytes", heap.statistics.live_bytes}, {"peak_bytes", heap.statistics.peak_bytes}};
  json["numa_node"] = heap.info.numa_node == UINT32_MAX ? Json(nullptr) : Json(heap.info.numa_node);
  return json;
}

Json units_of(const hal_device_caps_t& caps) {
  Json units = Json::array();
  for (uint32_t i = 0; i < caps.compute_unit_count; ++i) {
    const hal_compute_unit_t& unit = caps.compute_units[i];
    units.push_back({{"input", dtype_name(unit.input)},
                     {"accumulator", dtype_name(unit.accumulator)},
                     {"tile", {unit.m, unit.n, unit.k}},
                     {"operations_per_second", unit.operations_per_second}});
  }
  return units;
}

Json caches_of(const hal_device_caps_t& caps) {
  Json caches = Json::array();
  for (uint32_t i = 0; i < caps.cache_level_count; ++i) {
    const hal_cache_level_t& cache = caps.cache_levels[i];
    caches.push_back({{"size", cache.size}, {"line", cache.line}, {"shared_by", cache.shared_by}});
  }
  return caches;
}

Json to_json(const hal_device_caps_t& caps) {
  Json formats = Json::array();
  for (uint32_t i = 0; i < caps.format_count; ++i) formats.push_back(string(caps.formats[i]));
  return {{"cores", caps.core_count},
          {"target", string(caps.target)},
          {"formats", formats},
          {"features", feature_names(caps.features)},
          {"emulated", feature_names(caps.emulated)},
          {"max_buffer_size", caps.max_buffer_size},
          {"max_workgroup_count", caps.max_workgroup_count},
          {"max_workgroup_size", caps.max_workgroup_size},
          {"max_bindings", caps.max_bindings},
          {"max_constant_bytes", caps.max_constant_bytes},
          {"local_memory_size", caps.local_memory_size},
          {"max_queues", caps.max_queues},
          {"memory_bandwidth", caps.memory_bandwidth},
          {"compute_units", units_of(caps)},
          {"caches", caches_of(caps)}};
}

// A list that cannot be read is none: --watch says why.
Json telemetry_of(const DeviceSnapshot& device) {
  Json list = Json::array();
  const Result<std::vector<Metric>> metrics = read_metrics(device);
  if (!metrics) return list;
  for (const Metric& metric : *metrics) {
    list.push_back({{"name", metric.name},
                    {"unit", metric.unit},
                    {"kind", metric.is_counter ? "counter" : "gauge"},
                    {"description", metric.description}});
  }
  return list;
}

Json to_json(const DeviceSnapshot& device) {
  const hal_device_info_t& info = *device.listed.info;
  Json json = {{"name", string(device.listed.name)},
               {"plugin", device.plugin},
               {"index", device.listed.index},
               {"also_claimed_by", device.listed.also_count},
               {"type", device_type_name(info.type)},
               {"description", string(info.name)},
               {"vendor", string(info.vendor)},
               {"uuid", uuid_text(info.uuid)},
               {"pci_address", string(info.pci_address)},
               {"partition", string(info.partition)},
               {"driver_version", string(info.driver_version)}};
  if (!device.problem.empty()) {
    json["problem"] = device.problem;
    return json;
  }
  json["heaps"] = Json::array();
  for (const Heap& heap : device.heaps) json["heaps"].push_back(to_json(heap));
  json["capabilities"] = to_json(device.caps);
  json["telemetry"] = telemetry_of(device);
  return json;
}

void print(std::ostream& out, const Json& json) {
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

void print_json(std::ostream& out, const Snapshot& snapshot) {
  Json json = header();
  json["plugins"] = Json::array();
  json["devices"] = Json::array();
  for (const hal_loader_plugin_t& plugin : snapshot.plugins) json["plugins"].push_back(to_json(plugin));
  for (const DeviceSnapshot& device : snapshot.devices) json["devices"].push_back(to_json(device));
  print(out, json);
}

void print_diagnosis_json(std::ostream& out, const Snapshot& snapshot) {
  Json json = header();
  json["files"] = Json::array();
  for (const hal_loader_file_t& file : snapshot.files) {
    json["files"].push_back({{"path", string(file.path)},
                             {"verdict", verdict_name(file.verdict)},
                             {"library", string(file.library)},
                             {"plugin", string(file.plugin)},
                             {"code", file.code == HAL_STATUS_OK ? "" : hal_status_code_name(file.code)},
                             {"reason", string(file.reason)},
                             {"origin", string(file.origin)}});
  }
  print(out, json);
}

}  // namespace hal::tools
