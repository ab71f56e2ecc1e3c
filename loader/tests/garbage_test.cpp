// SPDX-License-Identifier: Apache-2.0
//
// Everything that a plugin returns is untrusted: for every field of every struct that the loader reads, each kind of
// wrong value is an error that names the field, and hides nobody. The plugin is zoo/garbage.c; that the list here is
// complete is checked against the ABI's golden file.
#include <set>
#include <sstream>

#include "fixture.hpp"

namespace hal::loader {
namespace {

using Kinds = std::vector<std::string>;

const Kinds kText = {"null", "long",     "wild",      "endless", "control", "stray",
                     "cut",  "overlong", "surrogate", "beyond",  "latin1"};
const Kinds kPointer = {"null", "odd", "wild"};
const Kinds kRate = {"nan", "negative"};

struct Field {
  std::string name;  // "hal_plugin.name"
  Kinds kinds;       // of wrong values; none where every value may be right
  std::string said;  // what the reason has in it, besides what is common to all
};

// Slots: only NULL can be told from a function.
std::vector<Field> slots() {
  std::vector<Field> fields;
  for (const char* slot :
       {"device.initialize",      "device.shutdown",         "device.enumerate",      "device.open",
        "device.close",           "device.capabilities",     "device.query_support",  "device.state",
        "memory.heaps",           "memory.heap_statistics",  "memory.buffer_create",  "memory.buffer_destroy",
        "memory.buffer_info",     "queue.queue_create",      "queue.queue_destroy",   "queue.submit",
        "queue.semaphore_create", "queue.semaphore_destroy", "queue.semaphore_query", "queue.semaphore_signal",
        "queue.semaphore_fail",   "queue.semaphore_wait"}) {
    const std::string text = slot;
    const size_t dot = text.find('.');
    fields.push_back({"hal_" + text.substr(0, dot) + "_group" + text.substr(dot), {"null"}, "required slot " + text});
  }
  return fields;
}

std::vector<Field> all_fields() {
  std::vector<Field> fields = {
      {"hal_plugin.self", kPointer, "plugin"},
      {"hal_plugin.struct_size", {"zero", "max", "three"}, "hal_plugin_t.struct_size"},
      {"hal_plugin.abi_version", {"zero", "max", "three"}, "speaks ABI"},
      {"hal_plugin.name", kText, "name "},
      {"hal_plugin.version", kText, "version "},
      {"hal_plugin.vendor", kText, "vendor "},
      {"hal_plugin.build_id", kText, "build_id "},
      {"hal_plugin.sanitizer", {"max", "three"}, "sanitizer"},
      {"hal_plugin.group_count", {"zero", "max", "one"}, "group"},
      {"hal_plugin.groups", kPointer, "groups"},
      {"hal_group.id", {"zero", "max", "one", "three", "twice"}, ""},
      {"hal_group.reserved0", {}, ""},  // a later minor version's
      {"hal_group.table", kPointer, "group memory has a"},
      {"hal_device_group.struct_size", {"zero", "max", "one"}, "device table's struct_size"},
      {"hal_memory_group.struct_size", {"zero", "max", "one"}, "memory table's struct_size"},
      {"hal_queue_group.struct_size", {"zero", "max", "one"}, "queue table's struct_size"},
      {"hal_status.self", {"odd", "wild"}, "malformed status"},
      {"hal_status.struct_size", {"zero", "max", "three"}, "malformed status"},
      {"hal_status.code", {"zero"}, "malformed status"},
      {"hal_status.vendor_code", {}, ""},
      {"hal_status.message", {"null", "long", "wild", "endless"}, "hal_plugin_query: "},
      {"hal_status.plugin", {}, ""},  // not read: the loader knows whom it asked
      {"hal_status.call", {}, ""},
      {"hal_status.cause", {"odd", "wild", "cycle"}, "as it should be"},  // the chain ends there
      {"hal_status.release", {"null"}, "malformed status"},
      {"hal_instance.self", kPointer, "device.initialize returned"},
      {"hal_instance.kind", {"zero", "max", "one"}, "device.initialize returned an object with kind"},
      {"hal_instance.generation", {"zero"}, "generation 0"},
      {"hal_device.self", kPointer, "device.open returned"},
      {"hal_device.kind", {"zero", "max", "one"}, "device.open returned an object with kind"},
      {"hal_device.generation", {"zero"}, "generation 0"},
      {"device.enumerate.out_count", {"max"}, "device.enumerate says that there are 4294967295 devices"},
      {"device.enumerate.out_count_filled", {"max"}, "device.enumerate says that there are 4294967295 devices"},
      {"hal_device_info.struct_size", {"zero", "max", "three"}, "struct_size of device 0"},
      {"hal_device_info.type", {}, ""},  // a later minor version's is "other" to us
      {"hal_device_info.uuid", {"twice"}, "devices 0 and 1 report the same UUID"},
      {"hal_device_info.name", kText, "device 0 name"},
      {"hal_device_info.vendor", kText, "device 0 vendor"},
      {"hal_device_info.pci_address", kText, "device 0 pci_address"},
      {"hal_device_info.pci_address", {"shape"}, "device 0 pci_address"},
      {"hal_device_info.partition", kText, "device 0 partition"},
      {"hal_device_info.driver_version", kText, "device 0 driver_version"},
      {"hal_device_caps.struct_size", {"zero", "max", "three"}, "struct_size of capabilities"},
      {"hal_device_caps.core_count", {}, ""},
      {"hal_device_caps.features", {"max"}, "claims feature bit"},
      {"hal_device_caps.emulated", {"max", "one"}, "capabilities.emulated"},
      {"hal_device_caps.max_buffer_size", {}, ""},
      {"hal_device_caps.max_workgroup_count", {}, ""},
      {"hal_device_caps.max_workgroup_size", {}, ""},
      {"hal_device_caps.max_bindings", {"zero", "one"}, "capabilities.max_bindings"},
      {"hal_device_caps.max_constant_bytes", {"zero", "one"}, "capabilities.max_constant_bytes"},
      {"hal_device_caps.local_memory_size", {}, ""},
      {"hal_device_caps.max_queues", {}, ""},
      {"hal_device_caps.format_count", {"max"}, "capabilities.format_count"},
      {"hal_device_caps.formats", kPointer, "capabilities.formats"},
      {"hal_device_caps.formats[0]", kText, "capabilities.formats[0]"},
      {"hal_device_caps.target", kText, "capabilities.target"},
      {"hal_device_caps.compute_unit_count", {"max"}, "capabilities.compute_unit_count"},
      {"hal_device_caps.cache_level_count", {"max"}, "capabilities.cache_level_count"},
      {"hal_device_caps.compute_units", kPointer, "capabilities.compute_units"},
      {"hal_device_caps.cache_levels", kPointer, "capabilities.cache_levels"},
      {"hal_device_caps.memory_bandwidth", kRate, "capabilities.memory_bandwidth"},
      {"hal_device_caps.numa_node_count", {}, ""},
      {"hal_device_caps.timestamp_bits", {"max"}, "capabilities.timestamp_bits"},
      {"hal_device_caps.timestamp_period", kRate, "capabilities.timestamp_period"},
      {"hal_compute_unit.input", {}, ""},  // a later minor version's dtype matches no query
      {"hal_compute_unit.accumulator", {}, ""},
      {"hal_compute_unit.m", {"zero"}, "capabilities.compute_units[0].m"},
      {"hal_compute_unit.n", {"zero"}, "capabilities.compute_units[0].n"},
      {"hal_compute_unit.k", {"zero"}, "capabilities.compute_units[0].k"},
      {"hal_compute_unit.reserved0", {}, ""},
      {"hal_compute_unit.operations_per_second", kRate, "capabilities.compute_units[0].operations_per_second"},
      {"hal_cache_level.size", {}, ""},
      {"hal_cache_level.line", {}, ""},
      {"hal_cache_level.shared_by", {}, ""},
      {"memory.heaps.out_count", {"max"}, "memory.heaps says that there are 4294967295 heaps"},
      {"memory.heaps.out_count_filled", {"max"}, "memory.heaps says that there are 4294967295 heaps"},
      {"hal_heap_info.struct_size", {"zero", "max", "three"}, "struct_size of heap 0"},
      {"hal_heap_info.numa_node", {}, ""},
      {"hal_heap_info.kind", {}, ""},
      {"hal_heap_info.size", {}, ""},
      {"hal_heap_info.alignment", {"zero", "max", "one", "three"}, "heap 0 alignment"},
      {"hal_heap_info.granularity", {"zero"}, "heap 0 granularity"},
  };
  for (const Field& slot : slots()) fields.push_back(slot);
  return fields;
}

struct Garbage {
  std::string value;  // "hal_plugin.name=long"
  std::string said;
};
void PrintTo(const Garbage& garbage, std::ostream* out) { *out << garbage.value; }

std::vector<Garbage> all_garbage() {
  std::vector<Garbage> all;
  for (const Field& field : all_fields()) {
    for (const std::string& kind : field.kinds) all.push_back({field.name + "=" + kind, field.said});
  }
  return all;
}

class GarbagePlugin : public testing::TestWithParam<Garbage> {};

void expect_refusal(const Garbage& garbage) {
  const TemporaryFolder folder;
  folder.manifest("a_garbage.json", "zoo-garbage", animal("garbage"));
  folder.manifest("good.json", "zoo-good", animal("good"));
  setenv("ZOO_GARBAGE", garbage.value.c_str(), 1);
  TestLoader loader;
  loader.folders = {folder.path()};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-garbage:0");
  ASSERT_FALSE(device) << garbage.value << " was taken";
  EXPECT_NE(device.error().message.find(garbage.said), std::string::npos) << device.error().message;
  const Result<hal_device_t*> good = loader.open("zoo-good:0");
  ASSERT_TRUE(good);
  loader.close(*good);
  EXPECT_TRUE(loader.destroy());
}

// In a child: a library that lost an object stays mapped, with what was spoilt in it.
TEST_P(GarbagePlugin, IsRefusedWithTheFieldNamed) {
  in_child([] { expect_refusal(GetParam()); });
}

std::string test_name(const testing::TestParamInfo<Garbage>& info) {
  std::string name = info.param.value;
  for (char& c : name) c = isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Zoo, GarbagePlugin, testing::ValuesIn(all_garbage()), test_name);

TEST(GarbagePlugins, AreGoodWithoutGarbage) {
  TestLoader loader;
  loader.paths = {animal("garbage")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-garbage:0");
  ASSERT_TRUE(device) << device.error().message;
  loader.close(*device);
}

// HAL-ABI-03: a field that the ABI gains must be judged too, or be said to need no judge.
TEST(GarbagePlugins, CoverEveryFieldThatTheLoaderReads) {
  std::set<std::string> covered;
  for (const Field& field : all_fields()) covered.insert(field.name);
  const std::set<std::string> judged = {"hal_plugin",      "hal_group",        "hal_status",      "hal_device_info",
                                        "hal_device_caps", "hal_compute_unit", "hal_cache_level", "hal_heap_info"};
  std::ifstream golden(ABI_GOLDEN);
  size_t found = 0;
  for (std::string line; std::getline(golden, line);) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind >> name;
    if (kind != "field" || judged.count(name.substr(0, name.find('.'))) == 0) continue;
    ++found;
    EXPECT_EQ(covered.count(name), 1u) << name << " is not in this test's list";
  }
  EXPECT_GE(found, 60u);
}

}  // namespace
}  // namespace hal::loader
