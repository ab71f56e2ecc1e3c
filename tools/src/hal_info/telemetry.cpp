// SPDX-License-Identifier: Apache-2.0
#include "telemetry.hpp"

#include <chrono>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

namespace hal::tools {
namespace {

constexpr uint32_t kMaxMetrics = 4096;
constexpr uint64_t kMaxText = 1024;

struct Watched {
  const DeviceSnapshot* device;
  std::vector<Metric> metrics;
};

Result<std::string> checked_text(hal_string_t text, const std::string& field) {
  if (text.length <= kMaxText && (text.length == 0 || text.data != nullptr)) return std::string(view(text));
  return data_corrupt(field + " has length " + std::to_string(text.length) + "; expected at most " +
                      std::to_string(kMaxText) + " bytes of text");
}

Result<Metric> metric_from(const hal_metric_info_t& info, size_t index) {
  const std::string where = "metric " + std::to_string(index);
  Metric metric;
  HAL_TRY_ASSIGN(metric.name, checked_text(info.name, where + " name"));
  HAL_TRY_ASSIGN(metric.unit, checked_text(info.unit, where + " unit"));
  HAL_TRY_ASSIGN(metric.description, checked_text(info.description, where + " description"));
  metric.is_counter = info.kind == HAL_METRIC_COUNTER;
  return metric;
}

Result<std::vector<Watched>> devices_with_metrics(const Snapshot& snapshot) {
  std::vector<Watched> watched;
  for (const DeviceSnapshot& device : snapshot.devices) {
    if (!device.problem.empty()) continue;
    HAL_TRY_ASSIGN(std::vector<Metric> metrics, read_metrics(device));
    if (!metrics.empty()) watched.push_back({&device, std::move(metrics)});
  }
  if (watched.empty()) return not_found("no device here has telemetry; hal-info NAME shows its features");
  return watched;
}

void print_text(std::ostream& out, const Watched& watched, const std::vector<std::optional<double>>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const Metric& metric = watched.metrics[i];
    out << view(watched.device->listed.name) << "  " << std::left << std::setw(28) << metric.name << ' ';
    if (values[i]) {
      out << *values[i] << ' ' << metric.unit << '\n';
    } else {
      out << "unavailable\n";
    }
  }
}

void print_line(std::ostream& out, const Watched& watched, const std::vector<std::optional<double>>& values) {
  nlohmann::ordered_json metrics = nlohmann::ordered_json::array();
  for (size_t i = 0; i < values.size(); ++i) {
    nlohmann::ordered_json value = values[i] ? nlohmann::ordered_json(*values[i]) : nlohmann::ordered_json(nullptr);
    metrics.push_back({{"name", watched.metrics[i].name}, {"unit", watched.metrics[i].unit}, {"value", value}});
  }
  const nlohmann::ordered_json line = {{"schema_version", 1},
                                       {"device", view(watched.device->listed.name)},
                                       {"time", hal_time_now()},
                                       {"metrics", metrics}};
  out << line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace

Result<std::vector<Metric>> read_metrics(const DeviceSnapshot& device) {
  if ((device.caps.features & HAL_FEATURE_TELEMETRY) == 0) return std::vector<Metric>();
  hal_device_t* const handle = device.device->get();
  const hal_telemetry_group_t* const slots = hal_calls_of(handle)->telemetry;
  uint32_t count = 0;
  HAL_TRY(take_status(slots->metrics(handle, 0, &count, nullptr)));
  if (count > kMaxMetrics) return data_corrupt("telemetry.metrics says that there are " + std::to_string(count));
  std::vector<hal_metric_info_t> infos(count);
  for (hal_metric_info_t& info : infos) info.struct_size = sizeof info;
  uint32_t filled = 0;
  HAL_TRY(take_status(slots->metrics(handle, count, &filled, infos.data())));
  infos.resize(std::min(count, filled));
  std::vector<Metric> metrics;
  for (const hal_metric_info_t& info : infos) {
    HAL_TRY_ASSIGN(Metric metric, metric_from(info, metrics.size()));
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

Result<std::vector<std::optional<double>>> read_values(const DeviceSnapshot& device, size_t metric_count) {
  hal_device_t* const handle = device.device->get();
  std::vector<uint32_t> indices(metric_count);
  std::iota(indices.begin(), indices.end(), 0u);
  std::vector<hal_metric_value_t> values(metric_count);
  for (hal_metric_value_t& value : values) value.struct_size = sizeof value;
  HAL_TRY(take_status(hal_calls_of(handle)->telemetry->read(handle, static_cast<uint32_t>(metric_count), indices.data(),
                                                            values.data())));
  std::vector<std::optional<double>> result;
  for (const hal_metric_value_t& value : values) {
    result.push_back(value.available != 0 ? std::optional<double>(value.value) : std::nullopt);
  }
  return result;
}

Result<void> watch(std::ostream& out, const Snapshot& snapshot, const Watch& how) {
  HAL_TRY_ASSIGN(const std::vector<Watched> all, devices_with_metrics(snapshot));
  auto next = std::chrono::steady_clock::now();
  for (uint64_t reading = 0; how.count == 0 || reading < how.count; ++reading) {
    if (reading != 0 && !how.json) out << '\n';
    for (const Watched& watched : all) {
      HAL_TRY_ASSIGN(const auto values, read_values(*watched.device, watched.metrics.size()));
      (how.json ? print_line : print_text)(out, watched, values);
    }
    out.flush();
    if (!out) return {};  // whoever read this has gone; the tool says so
    if (reading + 1 == how.count) break;
    next += std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(how.seconds));
    std::this_thread::sleep_until(next);
  }
  return {};
}

}  // namespace hal::tools
