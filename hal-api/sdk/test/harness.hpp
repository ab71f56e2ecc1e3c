// SPDX-License-Identifier: Apache-2.0
//
// Opens a plugin by path, as the loader does but without it, so that the tests of the SDK run against any plugin made
// with it. The path is the macro HAL_TEST_PLUGIN.
#ifndef HAL_SDK_TEST_HARNESS_HPP_
#define HAL_SDK_TEST_HARNESS_HPP_

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/calls.h"
#include "hal/sdk/thread.h"

namespace hal::test {

constexpr uint64_t kMillisecond = 1000 * 1000, kSecond = 1000 * kMillisecond;

inline hal_time_t after(uint64_t nanoseconds) { return hal_sdk_now() + nanoseconds; }
inline std::string text(hal_string_t string) { return {string.data, string.length}; }
inline hal_string_t view(const char* string) { return {string, std::strlen(string)}; }

// Takes a status over: its code, and the texts of it and its causes.
struct Outcome {
  hal_status_code_t code = HAL_STATUS_OK;
  std::string message, call, root;
  hal_status_code_t root_code = HAL_STATUS_OK;
  int64_t root_vendor_code = 0;
};

inline Outcome take(hal_status_t* status) {
  Outcome outcome;
  if (status == nullptr) return outcome;
  outcome.code = status->code;
  outcome.message = text(status->message);
  outcome.call = text(status->call);
  const hal_status_t* root = status;
  while (root->cause != nullptr) root = root->cause;
  outcome.root = text(root->message);
  outcome.root_code = root->code;
  outcome.root_vendor_code = root->vendor_code;
  hal_status_release(status);
  return outcome;
}

#define HAL_EXPECT_OK(expression)                                                           \
  do {                                                                                      \
    const ::hal::test::Outcome outcome_ = ::hal::test::take(expression);                    \
    EXPECT_EQ(outcome_.code, HAL_STATUS_OK) << outcome_.message << " <- " << outcome_.root; \
  } while (0)
#define HAL_ASSERT_OK(expression)                                                           \
  do {                                                                                      \
    const ::hal::test::Outcome outcome_ = ::hal::test::take(expression);                    \
    ASSERT_EQ(outcome_.code, HAL_STATUS_OK) << outcome_.message << " <- " << outcome_.root; \
  } while (0)
#define HAL_EXPECT_CODE(expression, expected)                            \
  do {                                                                   \
    const ::hal::test::Outcome outcome_ = ::hal::test::take(expression); \
    EXPECT_EQ(outcome_.code, HAL_STATUS_##expected) << outcome_.message; \
    EXPECT_FALSE(outcome_.message.empty());                              \
  } while (0)

inline hal_time_t host_now(void*) { return hal_sdk_now(); }
inline void host_log(void*, hal_log_level_t, hal_string_t) {}
inline const hal_host_t kHost = {sizeof(hal_host_t), HAL_ABI_VERSION, {"test", 4}, nullptr, host_now, host_log};

// A loaded plugin with its table of calls.
class Plugin {
 public:
  explicit Plugin(const char* path = HAL_TEST_PLUGIN) : library_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    auto query = reinterpret_cast<hal_plugin_query_fn>(dlsym(library_, HAL_PLUGIN_QUERY_NAME));
    if (query == nullptr || query(&kHost, &plugin_) != nullptr) throw std::runtime_error("hal_plugin_query failed");
    for (uint32_t i = 0; i < plugin_->group_count; i++) copy_group(plugin_->groups[i]);
  }
  ~Plugin() { dlclose(library_); }
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  const hal_plugin_t& descriptor() const { return *plugin_; }
  const hal_calls_t& calls() const { return calls_; }
  hal_plugin_query_fn query() const {
    return reinterpret_cast<hal_plugin_query_fn>(dlsym(library_, HAL_PLUGIN_QUERY_NAME));
  }

 private:
  template <typename Group>
  void copy(const Group** call, Group* to, const hal_group_t& group) {
    uint32_t size;
    std::memcpy(&size, group.table, sizeof size);
    std::memcpy(to, group.table, size < sizeof *to ? size : sizeof *to);
    *call = to;
  }
  void copy_group(const hal_group_t& group) {
    if (group.id == HAL_GROUP_DEVICE) copy(&calls_.device, &device_, group);
    if (group.id == HAL_GROUP_MEMORY) copy(&calls_.memory, &memory_, group);
    if (group.id == HAL_GROUP_QUEUE) copy(&calls_.queue, &queue_, group);
    if (group.id == HAL_GROUP_EXECUTABLE) copy(&calls_.executable, &executable_, group);
  }

  void* library_;
  const hal_plugin_t* plugin_ = nullptr;
  hal_device_group_t device_{};
  hal_memory_group_t memory_{};
  hal_queue_group_t queue_{};
  hal_executable_group_t executable_{};
  hal_calls_t calls_{};
};

// Destroys a handle at the end of its scope.
template <typename T, void (*Destroy)(T*)>
struct Destroyer {
  void operator()(T* handle) const { Destroy(handle); }
};
using Buffer = std::unique_ptr<hal_buffer_t, Destroyer<hal_buffer_t, hal_buffer_destroy>>;
using Queue = std::unique_ptr<hal_queue_t, Destroyer<hal_queue_t, hal_queue_destroy>>;
using Semaphore = std::unique_ptr<hal_semaphore_t, Destroyer<hal_semaphore_t, hal_semaphore_destroy>>;
using Executable = std::unique_ptr<hal_executable_t, Destroyer<hal_executable_t, hal_executable_destroy>>;

// An open device of a plugin; closing expects that nothing is left.
class Session {
 public:
  explicit Session(const char* path = HAL_TEST_PLUGIN) : plugin_(path) { open(); }
  ~Session() { close(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Plugin& plugin() { return plugin_; }
  const hal_calls_t& calls() const { return plugin_.calls(); }
  hal_instance_t* instance() const { return instance_; }
  hal_device_t* device() const { return device_; }

  void open() {
    const hal_instance_desc_t desc = HAL_INSTANCE_DESC_INIT;
    HAL_ASSERT_OK(calls().device->initialize(&desc, &instance_));
    HAL_ASSERT_OK(calls().device->open(instance_, 0, &device_));
    reinterpret_cast<hal_object_t*>(device_)->calls = &calls();
  }
  void close() {
    if (device_ != nullptr) calls().device->close(device_);
    if (instance_ != nullptr) HAL_EXPECT_OK(calls().device->shutdown(instance_));
    device_ = nullptr;
    instance_ = nullptr;
  }

  hal_device_caps_t caps() const {
    hal_device_caps_t caps{};
    caps.struct_size = sizeof caps;
    HAL_EXPECT_OK(hal_device_capabilities(device_, &caps));
    return caps;
  }
  hal_heap_statistics_t statistics() const {
    hal_heap_statistics_t statistics{};
    statistics.struct_size = sizeof statistics;
    HAL_EXPECT_OK(hal_heap_statistics(device_, 0, &statistics));
    return statistics;
  }
  Buffer buffer(uint64_t size, uint64_t flags = HAL_BUFFER_ZEROED) const {
    hal_buffer_desc_t desc = HAL_BUFFER_DESC_INIT;
    desc.size = size;
    desc.flags = flags;
    hal_buffer_t* buffer = nullptr;
    HAL_EXPECT_OK(hal_buffer_create(device_, &desc, &buffer));
    return Buffer(buffer);
  }
  Queue queue(const char* label = "q") const {
    hal_queue_desc_t desc = HAL_QUEUE_DESC_INIT;
    desc.label = view(label);
    hal_queue_t* queue = nullptr;
    HAL_EXPECT_OK(hal_queue_create(device_, &desc, &queue));
    return Queue(queue);
  }
  Semaphore semaphore(uint64_t value = 0) const {
    hal_semaphore_t* semaphore = nullptr;
    HAL_EXPECT_OK(hal_semaphore_create(device_, value, &semaphore));
    return Semaphore(semaphore);
  }
  hal_status_t* wait(const Semaphore& semaphore, uint64_t value, hal_time_t deadline = after(10 * kSecond)) const {
    const hal_semaphore_value_t values[] = {{semaphore.get(), value}};
    return hal_semaphore_wait(device_, HAL_WAIT_ALL, 1, values, deadline, nullptr);
  }
  std::vector<uint8_t> read(const Buffer& buffer, uint64_t offset, uint64_t length) const {
    void* address = nullptr;
    HAL_EXPECT_OK(hal_buffer_map(buffer.get(), offset, length, HAL_MAP_READ, &address));
    if (address == nullptr) return {};
    const auto* bytes = static_cast<const uint8_t*>(address);
    std::vector<uint8_t> copy(bytes, bytes + length);
    HAL_EXPECT_OK(hal_buffer_unmap(buffer.get()));
    return copy;
  }
  void write(const Buffer& buffer, uint64_t offset, const std::vector<uint8_t>& bytes) const {
    void* address = nullptr;
    HAL_EXPECT_OK(hal_buffer_map(buffer.get(), offset, bytes.size(), HAL_MAP_WRITE, &address));
    if (address == nullptr) return;
    std::memcpy(address, bytes.data(), bytes.size());
    HAL_EXPECT_OK(hal_buffer_unmap(buffer.get()));
  }

 private:
  Plugin plugin_;
  hal_instance_t* instance_ = nullptr;
  hal_device_t* device_ = nullptr;
};

// Work items, short to write.
inline hal_buffer_range_t range(const Buffer& buffer, uint64_t offset = 0, uint64_t length = HAL_WHOLE_BUFFER) {
  return {buffer.get(), offset, length, 0, 0};
}
inline hal_work_fill_t fill(hal_buffer_range_t target, uint64_t pattern, uint32_t pattern_size = 1) {
  hal_work_fill_t work = HAL_WORK_FILL_INIT;
  work.target = target;
  work.pattern = pattern;
  work.pattern_size = pattern_size;
  return work;
}
inline hal_work_copy_t copy(hal_buffer_range_t source, hal_buffer_range_t target) {
  hal_work_copy_t work = HAL_WORK_COPY_INIT;
  work.source = source;
  work.target = target;
  return work;
}
inline hal_work_host_call_t host_call(hal_status_t* (*call)(void*), void* user_data) {
  hal_work_host_call_t work = HAL_WORK_HOST_CALL_INIT;
  work.call = call;
  work.user_data = user_data;
  return work;
}

// Submits work with wait and signal lists.
struct Submit {
  std::vector<hal_semaphore_value_t> waits;
  std::vector<const hal_work_t*> work;
  std::vector<hal_semaphore_value_t> signals;
  const char* label = "";

  hal_status_t* to(const Queue& queue) const {
    hal_submission_t submission = HAL_SUBMISSION_INIT;
    submission.waits = waits.data();
    submission.wait_count = static_cast<uint32_t>(waits.size());
    submission.work = work.data();
    submission.work_count = static_cast<uint32_t>(work.size());
    submission.signals = signals.data();
    submission.signal_count = static_cast<uint32_t>(signals.size());
    submission.label = view(label);
    return hal_queue_submit(queue.get(), &submission);
  }
};

// A status of the host's own, on the host's heap, as an application would make it.
inline hal_status_t* host_status(hal_status_code_t code, const char* message) {
  return new hal_status_t{
      sizeof(hal_status_t), code, 7, view(message), {}, {}, nullptr, [](hal_status_t* self) { delete self; }};
}

}  // namespace hal::test

#endif  // HAL_SDK_TEST_HARNESS_HPP_
