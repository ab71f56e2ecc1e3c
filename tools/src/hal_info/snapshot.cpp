// SPDX-License-Identifier: Apache-2.0
#include "snapshot.hpp"

#include <utility>

#include "names.hpp"

namespace hal::tools {
namespace {

Result<void> ask_device(DeviceSnapshot& snapshot) {
  hal_device_t* const device = snapshot.device->get();
  HAL_TRY_ASSIGN(snapshot.caps, capabilities(device));
  HAL_TRY_ASSIGN(const std::vector<hal_heap_info_t> infos, heaps(device));
  for (uint32_t i = 0; i < infos.size(); ++i) {
    HAL_TRY_ASSIGN(const hal_heap_statistics_t statistics, heap_statistics(device, i));
    snapshot.heaps.push_back({infos[i], statistics});
  }
  return {};
}

DeviceSnapshot snapshot_of(const Loader& loader, const hal_loader_device_t& listed, std::string plugin) {
  DeviceSnapshot snapshot;
  snapshot.listed = listed;
  snapshot.plugin = std::move(plugin);
  Result<Device> device = loader.open(view(listed.name));
  if (!device) {
    snapshot.problem = device.error().message;
    return snapshot;
  }
  snapshot.device.emplace(std::move(*device));
  if (Result<void> asked = ask_device(snapshot); !asked) snapshot.problem = asked.error().message;
  return snapshot;
}

bool is_named(const hal_loader_device_t& device, const std::string& name) {
  const std::string listed(view(device.name));
  return listed == name || listed == name + ":0" || uuid_text(device.info->uuid) == name;
}

// The devices to show: all, or the one that is named so.
Result<std::vector<hal_loader_device_t>> chosen_devices(const Loader& loader, const std::string& name) {
  HAL_TRY_ASSIGN(std::vector<hal_loader_device_t> devices, loader.devices());
  if (name.empty()) return devices;
  std::erase_if(devices, [&](const hal_loader_device_t& device) { return !is_named(device, name); });
  if (!devices.empty()) return devices;
  HAL_TRY(loader.open(name));  // its error lists the names that exist
  return not_found(name + " is another plugin's way to a chip that is listed; run hal-info without a name");
}

}  // namespace

Result<Snapshot> take_snapshot(const Loader& loader, const std::string& device) {
  Snapshot snapshot;
  HAL_TRY_ASSIGN(const std::vector<hal_loader_device_t> devices, chosen_devices(loader, device));
  HAL_TRY_ASSIGN(snapshot.plugins, loader.plugins());
  HAL_TRY_ASSIGN(snapshot.files, loader.files());
  for (const hal_loader_device_t& listed : devices) {
    snapshot.devices.push_back(snapshot_of(loader, listed, std::string(view(snapshot.plugins[listed.plugin].name))));
  }
  return snapshot;
}

}  // namespace hal::tools
