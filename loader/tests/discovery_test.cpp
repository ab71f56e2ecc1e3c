// SPDX-License-Identifier: Apache-2.0
//
// Where plugins are looked for, in which order, and what is said of each file.
#include <unistd.h>

#include <array>
#include <cstring>

#include "fixture.hpp"

namespace hal::loader {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_mapped(const std::string& path) {
  std::ifstream maps("/proc/self/maps");
  const std::string text((std::istreambuf_iterator<char>(maps)), {});
  return contains(text, path);
}

// Sets a variable for one scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~ScopedVariable() { unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
};

std::vector<std::string> plugin_names(TestLoader& loader) {
  std::vector<std::string> names;
  for (const auto& plugin : loader.plugins()) names.push_back(string(plugin.name));
  return names;
}

TEST(Discovery, AFolderOfManifestsInTheSameOrderEveryTime) {
  const TemporaryFolder folder;
  folder.manifest("b.json", "zoo-good", animal("good"));
  folder.manifest("a.json", "zoo-clash-1", animal("clash_1"));
  folder.manifest("z_first.json", "zoo-clash-2", animal("clash_2"), ", \"priority\": 5");
  folder.write("not_a_manifest.txt", "hello");
  for (int round = 0; round < 100; ++round) {
    TestLoader loader;
    loader.folders = {folder.path()};
    ASSERT_TRUE(loader.create());
    std::vector<std::string> names;
    for (const auto& file : loader.files()) names.push_back(fs::path(string(file.path)).filename());
    ASSERT_EQ(names, (std::vector<std::string>{"z_first.json", "a.json", "b.json"}));
    ASSERT_EQ(plugin_names(loader), (std::vector<std::string>{"zoo-clash-1", "zoo-clash-2", "zoo-good"}));
  }
}

TEST(Discovery, EachBrokenManifestKeepsItsReason) {
  const TemporaryFolder folder;
  folder.write("a.json", "{\n  \"schema_version\": 1,\n  oops\n}");
  folder.write("b.json", "{\"schema_version\": 7, \"name\": \"x\", \"library\": \"x.so\", \"abi\": \"1.0\"}");
  folder.manifest("c.json", "x", "not_there.so");
  folder.write("d.json", "{\"schema_version\": 1, \"name\": \"x\", \"library\": \"x.so\", \"abi\": \"3.1\"}");
  folder.manifest("e.json", "x", "e.json");
  folder.manifest("f.json", "zoo-good", animal("good"), ", \"arch\": \"riscv64\"");
  folder.manifest("g.json", "zoo-good", animal("good"));
  TestLoader loader;
  loader.folders = {folder.path()};
  ASSERT_TRUE(loader.create());
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"a.json", "line 3, column 3"}, {"b.json", "this release reads 1"},
      {"c.json", "No such file"},     {"d.json", "ABI 3.1, this host speaks 1.0"},
      {"e.json", "not an ELF file"},  {"f.json", "arch riscv64"}};
  for (const auto& [file, reason] : expected) {
    EXPECT_EQ(loader.file(file).verdict, HAL_LOADER_REFUSED) << file;
    EXPECT_TRUE(contains(string(loader.file(file).reason), reason)) << string(loader.file(file).reason);
  }
  EXPECT_EQ(plugin_names(loader), std::vector<std::string>{"zoo-good"});
}

TEST(Discovery, OnePluginByManySpellingsIsOnePlugin) {
  const TemporaryFolder folder;
  fs::create_symlink(animal("good"), folder.path() + "/link.so");
  fs::copy_file(animal("good"), folder.path() + "/copy.so");
  fs::create_hard_link(folder.path() + "/copy.so", folder.path() + "/hard_link.so");
  TestLoader loader;
  loader.paths = {animal("good"),
                  ZOO_FOLDER "/./mortise_good.so",
                  ZOO_FOLDER "/gone/../mortise_good.so",
                  folder.path() + "/link.so",
                  folder.path() + "/copy.so",
                  folder.path() + "/hard_link.so"};
  loader.folders = {folder.path()};
  folder.manifest("again.json", "zoo-good", "link.so");
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.plugins().size(), 1u);
  EXPECT_EQ(loader.devices().size(), 1u);
  const auto files = loader.files();
  ASSERT_EQ(files.size(), 7u);
  EXPECT_EQ(files[0].verdict, HAL_LOADER_TAKEN);
  for (size_t i = 1; i < files.size(); ++i) EXPECT_EQ(files[i].verdict, HAL_LOADER_SKIPPED) << string(files[i].path);
  EXPECT_TRUE(contains(string(files[4].reason), "the same build (zoo-good-1)")) << string(files[4].reason);
}

TEST(Discovery, AFilteredPluginIsNeverMapped) {
  const TemporaryFolder folder;
  folder.manifest("good.json", "zoo-good", animal("good"));
  folder.manifest("clash.json", "zoo-clash-1", animal("clash_1"));
  TestLoader loader;
  loader.folders = {folder.path()};
  loader.filter = "-zoo-clash*";
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(plugin_names(loader), std::vector<std::string>{"zoo-good"});
  EXPECT_EQ(loader.file("clash.json").verdict, HAL_LOADER_SKIPPED);
  EXPECT_TRUE(is_mapped(animal("good")));
  EXPECT_FALSE(is_mapped(animal("clash_1")));
}

TEST(Discovery, AMalformedFilterIsAnErrorWhereverItComesFrom) {
  TestLoader by_api;
  by_api.filter = "cpu,,opencl";
  EXPECT_EQ(by_api.create().error().code, HAL_STATUS_INVALID_ARGUMENT);
  const ScopedVariable variable("MORTISE_PLUGIN_FILTER", "cpu;opencl");
  TestLoader by_environment;
  by_environment.flags = 0;
  const Result<void> created = by_environment.create();
  ASSERT_FALSE(created);
  EXPECT_TRUE(contains(created.error().message, "MORTISE_PLUGIN_FILTER")) << created.error().message;
}

TEST(Discovery, TheEnvironmentOverridesAddsAndFilters) {
  const TemporaryFolder home, path, add;
  home.manifest("mortise/plugins.d/good.json", "zoo-good", animal("good"));
  path.manifest("one.json", "zoo-clash-1", animal("clash_1"));
  add.manifest("two.json", "zoo-clash-2", animal("clash_2"));
  const ScopedVariable config("XDG_CONFIG_HOME", home.path());
  const auto names = [] {
    TestLoader loader;
    loader.flags = 0;
    EXPECT_TRUE(loader.create());
    std::vector<std::string> found;
    for (const std::string& name : plugin_names(loader)) {
      if (name.rfind("zoo-", 0) == 0) found.push_back(name);
    }
    return found;
  };
  EXPECT_EQ(names(), std::vector<std::string>{"zoo-good"});
  const ScopedVariable added("MORTISE_PLUGIN_ADD", add.path());
  EXPECT_EQ(names(), (std::vector<std::string>{"zoo-clash-2", "zoo-good"}));
  const ScopedVariable overridden("MORTISE_PLUGIN_PATH", path.path() + ":" + animal("future_minor"));
  EXPECT_EQ(names(), (std::vector<std::string>{"zoo-clash-1", "zoo-clash-2", "zoo-future-minor"}));
  const ScopedVariable filter("MORTISE_PLUGIN_FILTER", "*,-zoo-clash-1");
  EXPECT_EQ(names(), (std::vector<std::string>{"zoo-clash-2", "zoo-future-minor"}));
}

TEST(Discovery, ExplicitOnlyIgnoresTheEnvironment) {
  const ScopedVariable path("MORTISE_PLUGIN_PATH", animal("future_minor"));
  const ScopedVariable filter("MORTISE_PLUGIN_FILTER", "-zoo-good");
  TestLoader loader;
  loader.paths = {animal("good")};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(plugin_names(loader), std::vector<std::string>{"zoo-good"});
}

TEST(Discovery, AFolderThatIsNotThereIsReportedAsAbsent) {
  TestLoader loader;
  loader.folders = {"/no/such/folder"};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.file("/no/such/folder").verdict, HAL_LOADER_ABSENT);
  EXPECT_EQ(string(loader.file("/no/such/folder").origin), "api");
}

TEST(Discovery, WhatEveryoneMayWriteIsRefused) {
  const TemporaryFolder folder;
  const std::string open_manifest = folder.manifest("open.json", "zoo-good", animal("good"));
  fs::copy_file(animal("good"), folder.path() + "/open.so");
  folder.manifest("open_library.json", "zoo-good", "open.so");
  const std::string inner = folder.manifest("open_folder/good.json", "zoo-good", animal("good"));
  chmod(open_manifest.c_str(), 0666);
  chmod((folder.path() + "/open.so").c_str(), 0777);
  chmod(fs::path(inner).parent_path().c_str(), 0777);
  TestLoader loader;
  loader.folders = {folder.path(), fs::path(inner).parent_path().string()};
  ASSERT_TRUE(loader.create());
  for (const char* file : {"/open.json", "/open_library.json", "open_folder/good.json"}) {
    EXPECT_EQ(loader.file(file).verdict, HAL_LOADER_REFUSED) << file;
    EXPECT_TRUE(contains(string(loader.file(file).reason), "may be written by everyone")) << file;
  }
  EXPECT_TRUE(loader.plugins().empty());
}

TEST(Discovery, AForeignOwnerIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const TemporaryFolder folder;
  const std::string manifest = folder.manifest("foreign.json", "zoo-good", animal("good"));
  ASSERT_EQ(chown(manifest.c_str(), 12345, 12345), 0);
  TestLoader loader;
  loader.folders = {folder.path()};
  ASSERT_TRUE(loader.create());
  EXPECT_EQ(loader.file("foreign.json").verdict, HAL_LOADER_REFUSED);
  EXPECT_TRUE(contains(string(loader.file("foreign.json").reason), "belongs to user 12345"));
}

TEST(Discovery, FieldsThatThisReleaseDoesNotKnowMustBeZero) {
  struct Later {
    hal_loader_desc_t known;
    uint64_t added;
  };
  Later desc{HAL_LOADER_DESC_INIT, 0};
  desc.known.struct_size = sizeof desc;
  desc.known.flags = HAL_LOADER_EXPLICIT_ONLY;
  hal_loader_t* loader = nullptr;
  ASSERT_EQ(hal_loader_create(&desc.known, &loader), nullptr);
  ASSERT_EQ(hal_loader_destroy(loader), nullptr);
  desc.added = 1;
  const Result<void> created = take_status(hal_loader_create(&desc.known, &loader));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, HAL_STATUS_UNSUPPORTED);
  EXPECT_TRUE(contains(created.error().message, "offset " + std::to_string(sizeof(hal_loader_desc_t))));
  EXPECT_EQ(loader, nullptr);
}

TEST(Discovery, ChainsAreBoundedAndRequiredNodesAreNotSkipped) {
  hal_chain_t node = {sizeof node, 4711, 0, nullptr};
  hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
  desc.flags = HAL_LOADER_EXPLICIT_ONLY;
  desc.next = &node;
  hal_loader_t* loader = nullptr;
  ASSERT_EQ(hal_loader_create(&desc, &loader), nullptr) << "optional and unknown: skipped";
  ASSERT_EQ(hal_loader_destroy(loader), nullptr);
  node.flags = HAL_CHAIN_REQUIRED;
  EXPECT_EQ(take_status(hal_loader_create(&desc, &loader)).error().code, HAL_STATUS_UNSUPPORTED);
  node.flags = 0;
  node.next = &node;
  EXPECT_EQ(take_status(hal_loader_create(&desc, &loader)).error().code, HAL_STATUS_INVALID_ARGUMENT);
}

// Structs full of garbage are an error, never a crash (a caller that forgot HAL_LOADER_DESC_INIT).
TEST(Discovery, AGarbageDescriptorIsAnError) {
  hal_loader_desc_t desc;
  std::memset(&desc, 0xCC, sizeof desc);
  hal_loader_t* loader = nullptr;
  EXPECT_EQ(take_status(hal_loader_create(&desc, &loader)).error().code, HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(take_status(hal_loader_create(&desc, nullptr)).error().code, HAL_STATUS_INVALID_ARGUMENT);
  uint32_t count = 0;
  EXPECT_EQ(take_status(hal_loader_files(nullptr, 0, &count, nullptr)).error().code, HAL_STATUS_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace hal::loader
