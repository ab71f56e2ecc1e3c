// SPDX-License-Identifier: Apache-2.0
//
// What the loader's tests share: a temporary folder, manifests, and a loader that is told exactly where to look.
#ifndef LOADER_TESTS_FIXTURE_HPP_
#define LOADER_TESTS_FIXTURE_HPP_

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hal/cxx/result.hpp"
#include "hal/loader.h"

namespace hal::loader {

inline hal_string_t text(const std::string& value) { return {value.data(), value.size()}; }
inline std::string string(hal_string_t value) { return {value.data == nullptr ? "" : value.data, value.length}; }

// The library of one animal of the zoo.
inline std::string animal(const std::string& name) { return ZOO_FOLDER "/mortise_" + name + ".so"; }

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mortise-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << content;
    return (path_ / name).string();
  }
  // A manifest for a library; `more` is appended inside the object, as in ", \"priority\": 3".
  std::string manifest(const std::string& file, const std::string& name, const std::string& library,
                       const std::string& more = "") const {
    return write(file, "{\"schema_version\": 1, \"name\": \"" + name + "\", \"library\": \"" + library +
                           "\", \"abi\": \"1.0\"" + more + "}");
  }

 private:
  std::filesystem::path path_;
};

// A loader of one test: made from plain C++ values, gone at the end of the scope.
class TestLoader {
 public:
  std::vector<std::string> paths;
  std::vector<std::string> folders;
  std::string filter;
  std::vector<std::pair<std::string, std::string>> config;
  std::vector<std::string> layers;
  std::vector<std::pair<std::string, std::string>> layer_config;
  uint64_t probe_timeout = 0;  // nanoseconds
  uint64_t flags = HAL_LOADER_EXPLICIT_ONLY;

  TestLoader() = default;
  ~TestLoader() {
    if (handle_ == nullptr) return;
    const Result<void> destroyed = take_status(hal_loader_destroy(handle_));
    EXPECT_TRUE(destroyed) << destroyed.error().message;
  }
  TestLoader(const TestLoader&) = delete;
  TestLoader& operator=(const TestLoader&) = delete;

  Result<void> create() {
    std::vector<hal_string_t> path_texts, folder_texts, layer_texts;
    std::vector<hal_key_value_t> values, layer_values;
    for (const auto& path : paths) path_texts.push_back(text(path));
    for (const auto& folder : folders) folder_texts.push_back(text(folder));
    for (const auto& layer : layers) layer_texts.push_back(text(layer));
    for (const auto& [key, value] : layer_config) layer_values.push_back({text(key), text(value)});
    for (const auto& [key, value] : config) values.push_back({text(key), text(value)});
    hal_loader_desc_t desc = HAL_LOADER_DESC_INIT;
    desc.plugin_path_count = static_cast<uint32_t>(path_texts.size());
    desc.plugin_paths = path_texts.data();
    desc.manifest_dir_count = static_cast<uint32_t>(folder_texts.size());
    desc.manifest_dirs = folder_texts.data();
    desc.config_count = static_cast<uint32_t>(values.size());
    desc.config = values.data();
    desc.layer_count = static_cast<uint32_t>(layer_texts.size());
    desc.layers = layer_texts.data();
    desc.layer_config_count = static_cast<uint32_t>(layer_values.size());
    desc.layer_config = layer_values.data();
    desc.filter = text(filter);
    desc.flags = flags;
    desc.log = [](void* self, hal_log_level_t level, hal_string_t message) {
      if (level >= HAL_LOG_DEBUG) return;
      auto* const loader = static_cast<TestLoader*>(self);
      const std::lock_guard lock(loader->log_mutex_);
      loader->log.push_back(string(message));
    };
    desc.log_context = this;
    desc.probe_timeout = probe_timeout;
    return take_status(hal_loader_create(&desc, &handle_));
  }

  Result<void> destroy() {
    HAL_TRY(take_status(hal_loader_destroy(handle_)));
    handle_ = nullptr;
    return {};
  }

  hal_loader_t* handle() const { return handle_; }

  std::vector<hal_loader_file_t> files() { return list<hal_loader_file_t>(hal_loader_files); }
  std::vector<hal_loader_layer_t> layer_list() { return list<hal_loader_layer_t>(hal_loader_layers); }
  std::vector<hal_loader_plugin_t> plugins() { return list<hal_loader_plugin_t>(hal_loader_plugins); }
  std::vector<hal_loader_device_t> devices() { return list<hal_loader_device_t>(hal_loader_devices); }

  // The report of the one file whose path ends so.
  hal_loader_file_t file(const std::string& suffix) {
    for (const hal_loader_file_t& file : files()) {
      const std::string path = string(file.path);
      if (path.size() >= suffix.size() && path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0) {
        return file;
      }
    }
    ADD_FAILURE() << "no report for " << suffix;
    return {};
  }

  std::vector<std::string> device_names() {
    std::vector<std::string> names;
    for (const auto& device : devices()) names.push_back(string(device.name));
    return names;
  }

  Result<hal_device_t*> open(const std::string& name) {
    hal_device_t* device = nullptr;
    HAL_TRY(take_status(hal_loader_open(handle_, text(name), &device)));
    return device;
  }
  void close(hal_device_t* device) { hal_loader_close(handle_, device); }

  std::vector<std::string> log;

 private:
  template <typename T, typename Call>
  std::vector<T> list(Call call) {
    uint32_t count = 0;
    EXPECT_EQ(call(handle_, 0, &count, nullptr), nullptr);
    std::vector<T> items(count);
    for (T& item : items) item.struct_size = sizeof(T);
    EXPECT_EQ(call(handle_, count, &count, items.data()), nullptr);
    return items;
  }

  std::mutex log_mutex_;
  hal_loader_t* handle_ = nullptr;
};

// Runs `body` in a fork child that has 60 seconds, and expects that its own expectations hold there.
inline void in_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child ended with status " << status;
}

}  // namespace hal::loader

#endif  // LOADER_TESTS_FIXTURE_HPP_
