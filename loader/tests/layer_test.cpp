// SPDX-License-Identifier: Apache-2.0
//
// The mechanism of layers (HAL-ABI-24): switched on in three ways, stacked in the stated order, refused with a reason,
// and nothing at all where they are off.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "fixture.hpp"
#include "hal/cxx/hal.hpp"
#include "hal/layer.h"

namespace hal::loader {
namespace {

using Words = std::vector<std::string>;

std::string layer(const std::string& name) { return LAYER_ZOO "/mortise_layer_" + name + ".so"; }

class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~ScopedVariable() { unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
};

// One slot of a table, as bytes.
const void* slot(const void* table, size_t at) {
  const void* function = nullptr;
  std::memcpy(&function, static_cast<const char*>(table) + at, sizeof function);
  return function;
}

// The plugin's own table of one group, asked from the library itself, which a loader has open.
const void* own_table(hal_group_id_t id) {
  static const hal_host_t kHost = {sizeof kHost, HAL_ABI_VERSION, {"test", 4}, nullptr, nullptr, nullptr};
  void* const library = dlopen(animal("good").c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr);
  const auto query = reinterpret_cast<hal_plugin_query_fn>(dlsym(library, HAL_PLUGIN_QUERY_NAME));
  const hal_plugin_t* plugin = nullptr;
  EXPECT_EQ(query(&kHost, &plugin), nullptr);
  dlclose(library);
  for (uint32_t i = 0; i < plugin->group_count; ++i) {
    if (plugin->groups[i].id == id) return plugin->groups[i].table;
  }
  ADD_FAILURE() << "no group " << id;
  return nullptr;
}

// How many slots of `table` differ from the plugin's own; those that the plugin has.
template <typename Group>
size_t changed_slots(const Group* table, hal_group_id_t id) {
  const void* const own = own_table(id);
  size_t changed = 0, compared = 0;
  for (size_t at = 2 * sizeof(uint32_t); at < sizeof(Group); at += sizeof(void*)) {
    if (slot(own, at) == nullptr) continue;
    ++compared;
    changed += slot(own, at) != slot(table, at) ? 1 : 0;
  }
  EXPECT_GT(compared, 3u);
  return changed;
}

size_t changed_slots(const hal_calls_t* calls) {
  return changed_slots(calls->device, HAL_GROUP_DEVICE) + changed_slots(calls->memory, HAL_GROUP_MEMORY) +
         changed_slots(calls->queue, HAL_GROUP_QUEUE);
}

TEST(Layers, OneThatIsOffCostsNothing) {
  TestLoader without;
  without.paths = {animal("good")};
  ASSERT_TRUE(without.create());
  const Result<hal_device_t*> device = without.open("zoo-good");
  ASSERT_TRUE(device);
  EXPECT_EQ(changed_slots(hal_calls_of(*device)), 0u) << "every call goes to the plugin's own function";

  TestLoader with;
  with.paths = {animal("good")};
  with.layers = {layer("outer")};
  ASSERT_TRUE(with.create());
  const Result<hal_device_t*> layered = with.open("zoo-good");
  ASSERT_TRUE(layered);
  EXPECT_EQ(changed_slots(hal_calls_of(*layered)), 2u) << "initialize and state, and nothing else";
  EXPECT_EQ(changed_slots(hal_calls_of(*device)), 0u) << "another loader of the process does not notice";
  with.close(*layered);
  without.close(*device);
}

TEST(Layers, StackInTheStatedOrder) {
  TestLoader loader;
  loader.paths = {animal("good")};
  loader.layers = {layer("outer"), layer("inner")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good");
  ASSERT_TRUE(device);
  EXPECT_EQ(loader.log, (Words{"outer initialize", "inner initialize", "inner initialized", "outer initialized"}));
  loader.log.clear();
  hal_device_state_t state = 99;
  ASSERT_EQ(hal_device_state(*device, &state), nullptr);
  EXPECT_EQ(state, HAL_DEVICE_STATE_READY);
  EXPECT_EQ(loader.log, (Words{"outer in", "inner in", "inner out", "outer out"}));
  loader.log.clear();
  loader.close(*device);
  ASSERT_TRUE(loader.destroy());
  EXPECT_EQ(loader.log, (Words{"outer detach", "inner detach"}));
}

TEST(Layers, ChildrenAndAbsentSlotsWorkUnderLayers) {
  TestLoader loader;
  loader.paths = {animal("good")};
  loader.layers = {layer("outer"), layer("inner")};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good");
  ASSERT_TRUE(device);
  const hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(hal_buffer_create(*device, &desc, &buffer), nullptr);
  EXPECT_EQ(hal_calls_of(buffer), hal_calls_of(*device));
  const Result<void> absent = take_status(hal_buffer_flush(buffer, 0, 0));
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, HAL_STATUS_UNSUPPORTED);
  EXPECT_NE(absent.error().message.find("memory.buffer_flush is not offered by plugin zoo-good"), std::string::npos)
      << absent.error().message;
  hal_buffer_destroy(buffer);
  loader.close(*device);
}

TEST(Layers, OneInsideAnotherIsToldItsOwnConfiguration) {
  TestLoader loader;
  loader.paths = {animal("good")};
  loader.layers = {layer("outer"), layer("inner")};
  loader.layer_config = {{"inner.colour", "red"}};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.device_names(), Words{"zoo-good:0"});
  EXPECT_EQ(loader.log,
            (Words{"outer initialize", "inner.red initialize", "inner.red initialized", "outer initialized"}));
}

struct Broken {
  const char* name;
  const char* reason;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class BrokenLayer : public testing::TestWithParam<Broken> {};

TEST_P(BrokenLayer, IsRefusedWithAReasonAndTheApplicationGoesOn) {
  TestLoader loader;
  loader.paths = {animal("good")};
  loader.layers = {layer(GetParam().name), layer("inner")};
  ASSERT_TRUE(loader.create());
  const auto layers = loader.layer_list();
  ASSERT_EQ(layers.size(), 2u);
  EXPECT_EQ(layers[1].verdict + layers[0].verdict, HAL_LOADER_TAKEN + HAL_LOADER_REFUSED);
  const hal_loader_layer_t refused = layers[0].verdict == HAL_LOADER_REFUSED ? layers[0] : layers[1];
  EXPECT_NE(string(refused.reason).find(GetParam().reason), std::string::npos) << string(refused.reason);
  ASSERT_FALSE(loader.log.empty());
  EXPECT_TRUE(std::any_of(loader.log.begin(), loader.log.end(),
                          [](const std::string& line) { return line.find(GetParam().reason) != std::string::npos; }));
  loader.log.clear();
  const Result<hal_device_t*> device = loader.open("zoo-good");
  ASSERT_TRUE(device);
  EXPECT_EQ(loader.log, (Words{"inner initialize", "inner initialized"})) << "the sound layer is on";
  loader.close(*device);
}

INSTANTIATE_TEST_SUITE_P(Zoo, BrokenLayer,
                         testing::Values(Broken{"wrong-major", "the layer needs ABI 9.0, this host speaks 1."},
                                         Broken{"newer-minor", "the layer needs ABI 1."},
                                         Broken{"fails", "not over plugin zoo-good: attach: not today"},
                                         Broken{"null-slot", "attach set the slot memory.heaps to NULL"},
                                         Broken{"no-attach", "attach is NULL"},
                                         Broken{"short", "hal_layer_t.struct_size is 8"},
                                         Broken{"throws", "attach threw a C++ exception"},
                                         Broken{"no-symbol", "missing symbol hal_layer_query"},
                                         Broken{"not-there", "No such file"}),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Layers, OneThatFailsForOnePluginStandsOverTheOthers) {
  TestLoader loader;
  loader.paths = {animal("good"), animal("future_minor")};
  loader.layers = {layer("one-plugin")};
  ASSERT_TRUE(loader.create());
  const auto layers = loader.layer_list();
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].verdict, HAL_LOADER_TAKEN);
  EXPECT_EQ(string(layers[0].reason), "not over plugin zoo-future-minor: attach: not today");
  EXPECT_EQ(loader.devices().size(), 2u);
}

TEST(Layers, TwoPathsToOneAreOne) {
  TestLoader loader;
  loader.paths = {animal("good")};
  loader.layers = {layer("inner"), LAYER_ZOO "/../layer_zoo/mortise_layer_inner.so"};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.devices().size(), 1u);
  EXPECT_EQ(std::count(loader.log.begin(), loader.log.end(), "inner initialize"), 1);
}

// A folder with the manifests of two layers, on the environment's path.
class LayerFolder {
 public:
  explicit LayerFolder(const std::string& more = "") {
    folder.manifest("outer.json", "outer", layer("outer"), more);
    folder.manifest("inner.json", "inner", layer("inner"), R"(, "config": {"colour": "grey"})");
  }
  TemporaryFolder folder;
  TemporaryFolder nothing;
  ScopedVariable home{"XDG_CONFIG_HOME", nothing.path()};
  ScopedVariable plugins{"MORTISE_PLUGIN_PATH", animal("good")};
  ScopedVariable path{"MORTISE_LAYER_PATH", folder.path()};
};

Words log_of_devices(TestLoader& loader) {
  loader.flags = 0;
  EXPECT_TRUE(loader.create());
  EXPECT_EQ(loader.devices().size(), 1u);
  return loader.log;
}

TEST(Layers, AreOffUntilSomeoneNamesThem) {
  const LayerFolder folder;
  TestLoader loader;
  EXPECT_EQ(log_of_devices(loader), Words{});
  const auto layers = loader.layer_list();
  ASSERT_GE(layers.size(), 2u);
  for (const auto& found : layers) {
    EXPECT_EQ(found.verdict, HAL_LOADER_SKIPPED) << string(found.name);
    EXPECT_EQ(string(found.reason), "not switched on");
  }
}

TEST(Layers, AreSwitchedOnByTheEnvironmentWithOptions) {
  const LayerFolder folder;
  const ScopedVariable layers("MORTISE_LAYERS", "outer:inner");
  const ScopedVariable option("MORTISE_LAYER_OUTER_COLOUR", "blue");
  TestLoader loader;
  EXPECT_EQ(log_of_devices(loader), (Words{"outer.blue initialize", "inner.grey initialize", "inner.grey initialized",
                                           "outer.blue initialized"}));
  EXPECT_EQ(string(loader.layer_list()[0].origin), "MORTISE_LAYERS");
}

TEST(Layers, AreSwitchedOnByManifestAndOffByTheEnvironment) {
  const LayerFolder folder(", \"enabled\": true");
  TestLoader on;
  EXPECT_EQ(log_of_devices(on), (Words{"outer initialize", "outer initialized"}));
  const ScopedVariable layers("MORTISE_LAYERS", "-outer,inner");
  TestLoader off;
  EXPECT_EQ(log_of_devices(off), (Words{"inner.grey initialize", "inner.grey initialized"}));
}

TEST(Layers, TheApplicationsStandNearestToThePlugin) {
  const LayerFolder folder;
  const ScopedVariable layers("MORTISE_LAYERS", "inner");
  TestLoader loader;
  loader.layers = {"outer", "inner"};
  loader.layer_config = {{"inner.colour", "gold"}};
  EXPECT_EQ(log_of_devices(loader),
            (Words{"inner.gold initialize", "outer initialize", "outer initialized", "inner.gold initialized"}));
}

TEST(Layers, AnUnknownNameIsRefusedWithTheNamesThatExist) {
  const LayerFolder folder;
  const ScopedVariable layers("MORTISE_LAYERS", "tracee");
  TestLoader loader;
  const Words log = log_of_devices(loader);
  ASSERT_EQ(log.size(), 1u);
  EXPECT_NE(log[0].find("layer tracee: there is no layer of that name; there are: inner, outer"), std::string::npos)
      << log[0];
}

TEST(Layers, AManifestOfALayerIsJudgedLikeAPlugins) {
  const LayerFolder folder;
  folder.folder.write("junk.json", "{");
  folder.folder.manifest("other.json", "other", layer("inner"));
  const ScopedVariable layers("MORTISE_LAYERS", "other:junk");
  TestLoader loader;
  const Words log = log_of_devices(loader);
  ASSERT_EQ(log.size(), 2u);
  EXPECT_NE(log[0].find(R"(the manifest names layer "other", its library says "inner")"), std::string::npos) << log[0];
  EXPECT_NE(log[1].find("malformed JSON"), std::string::npos) << log[1];
}

// examples/layer, as a third party builds it.
TEST(Layers, TheExampleCountsBuffersAndBytes) {
  TestLoader loader;
  loader.paths = {animal("good")};
  loader.layers = {COUNT_LAYER};
  ASSERT_TRUE(loader.create());
  const Result<hal_device_t*> device = loader.open("zoo-good");
  ASSERT_TRUE(device);
  {
    const Result<Queue> queue = create_queue(*device);
    const Result<Buffer> buffer = create_buffer(*device, 64);
    const Result<Buffer> other = create_buffer(*device, 64);
    ASSERT_TRUE(queue && buffer && other);
    Submission work;
    work.fill(range(*buffer), 0x11, 1).copy(range(*buffer, 0, 16), range(*other, 0, 16));
    ASSERT_TRUE(submit_and_wait(*device, *queue, work));
  }
  loader.close(*device);
  ASSERT_TRUE(loader.destroy());
  EXPECT_EQ(loader.log, Words{"count: zoo-good: 2 buffers, 1 submits, 2 works, 80 bytes"});
}

}  // namespace
}  // namespace hal::loader
