// SPDX-License-Identifier: Apache-2.0
//
// The report as a tree: plugin, device, and what a device is made of.
#include <algorithm>

#include "names.hpp"
#include "report.hpp"
#include "telemetry.hpp"

namespace hal::tools {
namespace {

struct Node {
  std::string text;
  std::vector<Node> children;
};

void print(std::ostream& out, const std::vector<Node>& nodes, const std::string& indent) {
  for (const Node& node : nodes) {
    const bool is_last = &node == &nodes.back();
    out << indent << (is_last ? "`-- " : "|-- ") << node.text << '\n';
    print(out, node.children, indent + (is_last ? "    " : "|   "));
  }
}

Node heaps_of(const DeviceSnapshot& device) {
  Node node{"heaps", {}};
  for (const Heap& heap : device.heaps) {
    const std::string size = heap.info.size == 0 ? "size not known" : bytes_text(heap.info.size);
    const std::string numa =
        heap.info.numa_node == UINT32_MAX ? "" : ", numa node " + std::to_string(heap.info.numa_node);
    node.children.push_back({std::to_string(node.children.size()) + ": " + size + ", " +
                                 join(heap_kind_names(heap.info.kind), " ") + numa + ", in use " +
                                 bytes_text(heap.statistics.live_bytes),
                             {}});
  }
  return node;
}

Node compute_of(const hal_device_caps_t& caps) {
  Node node{"compute: " + std::to_string(caps.core_count) + " cores", {}};
  for (uint32_t i = 0; i < caps.compute_unit_count; ++i) {
    const hal_compute_unit_t& unit = caps.compute_units[i];
    node.children.push_back({dtype_name(unit.input) + " to " + dtype_name(unit.accumulator) + ", " +
                                 std::to_string(unit.m) + " x " + std::to_string(unit.n) + " x " +
                                 std::to_string(unit.k),
                             {}});
  }
  return node;
}

Node caches_of(const hal_device_caps_t& caps) {
  Node node{"caches", {}};
  for (uint32_t i = 0; i < caps.cache_level_count; ++i) {
    const hal_cache_level_t& cache = caps.cache_levels[i];
    node.children.push_back(
        {"L" + std::to_string(i + 1) + ": " + bytes_text(cache.size) + ", shared by " + std::to_string(cache.shared_by),
         {}});
  }
  return node;
}

// Who else leads to the chip, and where it sits.
Node links_of(const hal_loader_device_t& listed) {
  Node node{"links", {}};
  const auto add = [&](const char* name, std::string_view value) {
    if (!value.empty()) node.children.push_back({name + std::string(value), {}});
  };
  add("pci ", view(listed.info->pci_address));
  add("partition ", view(listed.info->partition));
  if (listed.also_count != 0) add("also claimed by other plugins: ", std::to_string(listed.also_count));
  return node;
}

Node telemetry_of(const DeviceSnapshot& device) {
  Node node{"telemetry", {}};
  const Result<std::vector<Metric>> metrics = read_metrics(device);
  if (!metrics) return {"telemetry: " + metrics.error().message, {}};
  for (const Metric& metric : *metrics) node.children.push_back({metric.name + " [" + metric.unit + "]", {}});
  return node;
}

Node tree_of(const DeviceSnapshot& device) {
  Node node{std::string(view(device.listed.name)) + "  " + std::string(view(device.listed.info->name)), {}};
  if (!device.problem.empty()) {
    node.children.push_back({"problem: " + device.problem, {}});
    return node;
  }
  node.children = {heaps_of(device),        {"queues: at most " + std::to_string(device.caps.max_queues), {}},
                   compute_of(device.caps), caches_of(device.caps),
                   links_of(device.listed), telemetry_of(device)};
  std::erase_if(node.children,
                [](const Node& child) { return child.children.empty() && child.text.find(':') == std::string::npos; });
  return node;
}

}  // namespace

void print_tree(std::ostream& out, const Snapshot& snapshot) {
  for (const hal_loader_plugin_t& plugin : snapshot.plugins) {
    const std::string name(view(plugin.name));
    std::vector<Node> devices;
    for (const DeviceSnapshot& device : snapshot.devices) {
      if (device.plugin == name) devices.push_back(tree_of(device));
    }
    out << name << ' ' << view(plugin.version) << " (ABI " << abi_text(plugin.abi_version) << ")\n";
    print(out, devices, "");
  }
}

}  // namespace hal::tools
