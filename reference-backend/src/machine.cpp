// SPDX-License-Identifier: Apache-2.0
//
// The machine's shape from hwloc, restricted to the processors that this process may run on.
#include "machine.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "hal/sdk/memory.h"

namespace hal::cpu {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_s* bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

Result<Topology> load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return internal_error("hwloc_topology_init failed");
  Topology topology(raw);
  hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  for (hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
                                HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
  }
  if (hwloc_topology_load(raw) != 0) return internal_error("hwloc_topology_load failed: is /sys mounted?");
  return topology;
}

std::string info_of(hwloc_obj_t object, const char* key) {
  const char* value = object != nullptr ? hwloc_obj_get_info_by_name(object, key) : nullptr;
  return value != nullptr ? value : "";
}

// One logical processor for each core: two threads of a core share its arithmetic units.
std::vector<unsigned> usable_cores(hwloc_topology_t topology) {
  Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)));
  Bitmap bound(hwloc_bitmap_alloc());
  if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_PROCESS) == 0) {
    hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
  }
  std::vector<unsigned> cores;
  for (hwloc_obj_t core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, nullptr); core != nullptr;
       core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) {
    Bitmap mine(hwloc_bitmap_dup(core->cpuset));
    hwloc_bitmap_and(mine.get(), mine.get(), allowed.get());
    if (const int first = hwloc_bitmap_first(mine.get()); first >= 0) cores.push_back(static_cast<unsigned>(first));
  }
  if (cores.empty()) cores.push_back(static_cast<unsigned>(std::max(0, hwloc_bitmap_first(allowed.get()))));
  return cores;
}

std::vector<hal_cache_level_t> read_caches(hwloc_topology_t topology) {
  std::vector<hal_cache_level_t> caches;
  for (hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE}) {
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    if (cache == nullptr) continue;
    const int sharers = hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset, HWLOC_OBJ_CORE);
    const uint32_t line = cache->attr->cache.linesize != 0 ? cache->attr->cache.linesize : 64;
    caches.push_back({cache->attr->cache.size, line, static_cast<uint32_t>(std::max(1, sharers))});
  }
  return caches;
}

// What tells this machine from others: systemd's machine id, or the host's name where there is none.
std::string machine_identity() {
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::ifstream file(path);
    std::string id;
    if (file >> id && !id.empty()) return id;
  }
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  return host;
}

// FNV-1a (Fowler, Noll, Vo), 64 bits.
uint64_t fnv1a(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

// The machine id itself is confidential (machine-id(5)), so only a hash of it leaves the process. RFC 9562, version 8.
std::array<uint8_t, 16> make_uuid(const std::string& identity, unsigned index) {
  const std::string text = identity + "/cpu/" + std::to_string(index);
  const uint64_t halves[2] = {fnv1a("high/" + text), fnv1a("low/" + text)};
  std::array<uint8_t, 16> uuid{};
  for (size_t i = 0; i < 16; i++) uuid[i] = static_cast<uint8_t>(halves[i / 8] >> (8 * (i % 8)));
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0F) | 0x80);
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

std::string display_name(const std::string& model, size_t cores) {
  return (model.empty() ? "CPU" : model) + ", " + std::to_string(cores) + (cores == 1 ? " core" : " cores");
}

}  // namespace

Result<Machine> read_machine() {
  HAL_TRY_ASSIGN(Topology topology, load_topology());
  hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
  Machine machine;
  machine.cores = usable_cores(topology.get());
  machine.name = display_name(info_of(package, "CPUModel"), machine.cores.size());
  machine.vendor = info_of(package, "CPUVendor");
  machine.uuid = make_uuid(machine_identity(), 0);
  machine.caches = read_caches(topology.get());
  machine.numa_nodes = static_cast<uint32_t>(std::max(1, hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_NUMANODE)));
  machine.memory = hal_sdk_host_memory_size();
  return machine;
}

}  // namespace hal::cpu
