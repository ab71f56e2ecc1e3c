// SPDX-License-Identifier: Apache-2.0
//
// The report for people.
#include <algorithm>
#include <iomanip>

#include "names.hpp"
#include "report.hpp"

namespace hal::tools {
namespace {

constexpr const char* kBold = "1";
constexpr const char* kRed = "31";
constexpr const char* kGreen = "32";
constexpr const char* kDim = "2";

std::string painted(const std::string& text, const char* colour, bool coloured) {
  return coloured ? std::string("\x1b[") + colour + "m" + text + "\x1b[0m" : text;
}

// Bytes that continue a UTF-8 character take no column.
size_t columns(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

using Row = std::vector<std::string>;

// Columns as wide as their longest cell; the first row is the heading.
void print_rows(std::ostream& out, const std::vector<Row>& rows, bool coloured) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
  }
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] + 2 - columns(row[i]), ' ');
    }
    out << (&row == &rows.front() ? painted(line, kBold, coloured) : line) << '\n';
  }
}

std::string heap_text(const Heap& heap) {
  return heap.info.size == 0 ? std::string("size not known") : bytes_text(heap.info.size);
}

std::string memory_text(const DeviceSnapshot& device) {
  return device.heaps.empty() ? "-" : heap_text(device.heaps.front());
}

std::string description(const DeviceSnapshot& device) {
  std::string text(view(device.listed.info->name));
  if (device.listed.also_count != 0) text += " (also claimed by " + std::to_string(device.listed.also_count) + " more)";
  return device.problem.empty() ? text : text + " [" + device.problem + "]";
}

std::vector<std::string> format_names(const hal_device_caps_t& caps) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < caps.format_count; ++i) names.emplace_back(view(caps.formats[i]));
  return names;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }
std::string or_dash(hal_string_t text) { return or_dash(std::string(view(text))); }

void print_field(std::ostream& out, const std::string& name, const std::string& value) {
  out << "  " << std::left << std::setw(18) << name << value << '\n';
}

std::string three(const uint32_t (&values)[3]) {
  return std::to_string(values[0]) + " x " + std::to_string(values[1]) + " x " + std::to_string(values[2]);
}

void print_identity(std::ostream& out, const DeviceSnapshot& device) {
  const hal_device_info_t& info = *device.listed.info;
  print_field(out, "plugin", device.plugin);
  print_field(out, "type", device_type_name(info.type));
  print_field(out, "vendor", or_dash(info.vendor));
  print_field(out, "uuid", uuid_text(info.uuid));
  print_field(out, "pci address", or_dash(info.pci_address));
  print_field(out, "partition", or_dash(info.partition));
  print_field(out, "driver", or_dash(info.driver_version));
}

void print_capabilities(std::ostream& out, const DeviceSnapshot& device) {
  const hal_device_caps_t& caps = device.caps;
  for (const Heap& heap : device.heaps) {
    print_field(out, "heap",
                heap_text(heap) + ", " + join(heap_kind_names(heap.info.kind), " ") + ", alignment " +
                    bytes_text(heap.info.alignment) + ", in use " + bytes_text(heap.statistics.live_bytes));
  }
  print_field(out, "cores", std::to_string(caps.core_count));
  print_field(out, "target", or_dash(caps.target));
  print_field(out, "formats", or_dash(join(format_names(caps), ", ")));
  print_field(out, "features", or_dash(join(feature_names(caps.features & ~caps.emulated), ", ")));
  print_field(out, "emulated", or_dash(join(feature_names(caps.features & caps.emulated), ", ")));
  print_field(out, "largest buffer", bytes_text(caps.max_buffer_size));
  print_field(out, "workgroups", three(caps.max_workgroup_count));
  print_field(out, "workgroup size", three(caps.max_workgroup_size));
  print_field(out, "bindings", std::to_string(caps.max_bindings));
  print_field(out, "local memory", bytes_text(caps.local_memory_size));
  print_field(out, "queues", std::to_string(caps.max_queues));
  for (uint32_t i = 0; i < caps.cache_level_count; ++i) {
    const hal_cache_level_t& cache = caps.cache_levels[i];
    print_field(
        out, "cache L" + std::to_string(i + 1),
        bytes_text(cache.size) + ", line " + bytes_text(cache.line) + ", shared by " + std::to_string(cache.shared_by));
  }
  for (uint32_t i = 0; i < caps.compute_unit_count; ++i) {
    const hal_compute_unit_t& unit = caps.compute_units[i];
    print_field(out, "compute unit",
                dtype_name(unit.input) + " to " + dtype_name(unit.accumulator) + ", " + std::to_string(unit.m) + " x " +
                    std::to_string(unit.n) + " x " + std::to_string(unit.k));
  }
}

}  // namespace

void print_table(std::ostream& out, const Snapshot& snapshot, bool coloured) {
  std::vector<Row> devices = {{"DEVICE", "TYPE", "MEMORY", "CORES", "TARGET", "DESCRIPTION"}};
  for (const DeviceSnapshot& device : snapshot.devices) {
    devices.push_back({std::string(view(device.listed.name)), device_type_name(device.listed.info->type),
                       memory_text(device), std::to_string(device.caps.core_count), or_dash(device.caps.target),
                       description(device)});
  }
  print_rows(out, devices, coloured);
  out << '\n';
  std::vector<Row> plugins = {{"PLUGIN", "VERSION", "ABI", "VENDOR", "LIBRARY"}};
  for (const hal_loader_plugin_t& plugin : snapshot.plugins) {
    plugins.push_back({std::string(view(plugin.name)), or_dash(plugin.version), abi_text(plugin.abi_version),
                       or_dash(plugin.vendor), std::string(view(plugin.path))});
  }
  print_rows(out, plugins, coloured);
}

void print_details(std::ostream& out, const Snapshot& snapshot, bool coloured) {
  for (const DeviceSnapshot& device : snapshot.devices) {
    out << painted(std::string(view(device.listed.name)) + "  " + description(device), kBold, coloured) << '\n';
    print_identity(out, device);
    if (device.problem.empty()) print_capabilities(out, device);
  }
}

void print_diagnosis(std::ostream& out, const Snapshot& snapshot, bool coloured) {
  for (const hal_loader_file_t& file : snapshot.files) {
    const char* const colour = file.verdict == HAL_LOADER_TAKEN     ? kGreen
                               : file.verdict == HAL_LOADER_REFUSED ? kRed
                                                                    : kDim;
    std::string verdict = verdict_name(file.verdict);
    verdict.resize(8, ' ');
    out << painted(verdict, colour, coloured) << ' ' << view(file.path);
    if (view(file.origin) != view(file.path)) out << "  (from " << view(file.origin) << ")";
    out << '\n';
    if (file.reason.length != 0) out << "           " << view(file.reason) << '\n';
  }
  out << snapshot.files.size() << " looked at, " << snapshot.plugins.size() << " plugins and "
      << snapshot.devices.size() << " devices in use\n";
}

}  // namespace hal::tools
