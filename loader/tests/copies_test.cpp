// SPDX-License-Identifier: Apache-2.0
//
// Several of everything in one process (HAL-ABI-26): plugins that bring their own versions of one library, and copies
// of libhal itself that know nothing of each other.
#include <dlfcn.h>

#define CLASH_VALUE 3
#include "fixture.hpp"
#include "zoo/clash_cpp.hpp"

namespace hal::loader {
namespace {

namespace fs = std::filesystem;

uint32_t core_count(TestLoader& loader, const std::string& name) {
  const Result<hal_device_t*> device = loader.open(name);
  EXPECT_TRUE(device) << device.error().message;
  if (!device) return 0;
  hal_device_caps_t caps{};
  caps.struct_size = sizeof caps;
  EXPECT_EQ(hal_device_capabilities(*device, &caps), nullptr);
  loader.close(*device);
  return caps.core_count;
}

bool is_mapped(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  return std::string((std::istreambuf_iterator<char>(maps)), {}).find(library) != std::string::npos;
}

TEST(Copies, PluginsAndHostWithTheSameCxxNamesSeeEachTheirOwn) {
  for (int round = 0; round < 2; ++round) {
    TestLoader loader;
    loader.paths = {animal("clash_cpp_1"), animal("clash_cpp_2")};
    ASSERT_TRUE(loader.create());
    EXPECT_EQ(clash::sum_of_all(), 7u * 3);
    EXPECT_EQ(core_count(loader, "zoo-clash-cpp-1"), 7u * 1);
    EXPECT_EQ(core_count(loader, "zoo-clash-cpp-2"), 7u * 2);
    EXPECT_EQ(clash::sum_of_all(), 7u * 3);
    ASSERT_TRUE(loader.destroy());
    EXPECT_FALSE(is_mapped("mortise_clash_cpp_1.so")) << "a symbol that the process shares pins its library";
  }
}

TEST(Copies, PluginsThatLinkTheirOwnLlvmLiveInOneProcess) {
  if (!fs::exists(animal("own_llvm_1"))) GTEST_SKIP() << "built without LLVM's static libraries";
  for (int round = 0; round < 2; ++round) {
    TestLoader loader;
    loader.paths = {animal("own_llvm_1"), animal("own_llvm_2")};
    ASSERT_TRUE(loader.create());
    EXPECT_EQ(core_count(loader, "zoo-own-llvm-1"), 1u);
    EXPECT_EQ(core_count(loader, "zoo-own-llvm-2"), 2u);
    EXPECT_EQ(core_count(loader, "zoo-own-llvm-1"), 1u);
  }
}

// A copy of libhal by its C functions, as another component of the process would have it.
class Copy {
 public:
  explicit Copy(void* library) : library_(library) {}
  ~Copy() {
    if (handle_ != nullptr) {
      EXPECT_EQ(destroy(), nullptr);
    }
    dlclose(library_);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  template <typename Function>
  Function* get(const char* name) const {
    void* const symbol = dlsym(library_, name);
    EXPECT_NE(symbol, nullptr) << name;
    return reinterpret_cast<Function*>(symbol);
  }
  void create(const std::string& plugin) {
    const hal_string_t path = text(plugin);
    hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
    desc.plugin_paths = &path;
    desc.plugin_path_count = 1;
    desc.flags = HAL_LOADER_EXPLICIT_ONLY;
    desc.log = [](void* self, hal_log_level_t level, hal_string_t message) {
      if (level < HAL_LOG_DEBUG) static_cast<Copy*>(self)->log.push_back(string(message));
    };
    desc.log_context = this;
    hal_status_t* const status = get<decltype(hal_loader_create)>("hal_loader_create")(&desc, &handle_);
    ASSERT_EQ(status, nullptr) << string(status->message);
  }
  uint32_t device_count() {
    uint32_t count = 0;
    EXPECT_EQ(get<decltype(hal_loader_devices)>("hal_loader_devices")(handle_, 0, &count, nullptr), nullptr);
    return count;
  }
  hal_status_t* destroy() {
    return get<decltype(hal_loader_destroy)>("hal_loader_destroy")(std::exchange(handle_, nullptr));
  }

  std::vector<std::string> log;

 private:
  void* library_;
  hal_loader_t* handle_ = nullptr;
};

// The file of the libhal that this test is linked to.
std::string own_libhal() {
  Dl_info info{};
  EXPECT_NE(dladdr(reinterpret_cast<const void*>(&hal_loader_create), &info), 0);
  return fs::canonical(info.dli_fname);
}

// Both copies open the same library, which the dynamic linker maps once: the plugin hears of two hosts.
TEST(Copies, AnotherCopyOfLibhalSharesAPluginAndComesAndGoes) {
  const TemporaryFolder folder;
  fs::copy_file(own_libhal(), folder.path() + "/libhal_of_another.so");
  TestLoader first;
  first.paths = {animal("calls_back")};
  ASSERT_TRUE(first.create());
  EXPECT_EQ(first.devices().size(), 1u);
  const size_t said = first.log.size();
  {
    void* const library = dlopen((folder.path() + "/libhal_of_another.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    Copy copy(library);
    copy.create(animal("calls_back"));
    EXPECT_EQ(copy.device_count(), 1u);
    EXPECT_FALSE(copy.log.empty());
    EXPECT_EQ(first.log.size(), said);
    EXPECT_EQ(copy.destroy(), nullptr);
  }
  // The plugin still has the host table of the copy that has gone: writing to it is harmless.
  const Result<hal_device_t*> device = first.open("zoo-calls-back");
  ASSERT_TRUE(device);
  first.close(*device);
  TestLoader second;
  second.paths = {animal("calls_back")};
  ASSERT_TRUE(second.create());
  EXPECT_EQ(second.devices().size(), 1u);
}

TEST(Copies, ACopyInALinkerNamespaceOfItsOwn) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's runtime cannot be there twice";
#endif
  TestLoader first;
  first.paths = {animal("good")};
  ASSERT_TRUE(first.create());
  EXPECT_EQ(first.devices().size(), 1u);
  in_child([] {  // a namespace is never given back
    void* const library = dlmopen(LM_ID_NEWLM, own_libhal().c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    Copy copy(library);
    copy.create(animal("good"));
    EXPECT_EQ(copy.device_count(), 1u);
    EXPECT_EQ(copy.destroy(), nullptr);
  });
  EXPECT_EQ(first.devices().size(), 1u);
}

}  // namespace
}  // namespace hal::loader
