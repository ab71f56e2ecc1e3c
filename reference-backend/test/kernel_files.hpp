// SPDX-License-Identifier: Apache-2.0
//
// The kernel libraries that the build made for the tests.
#ifndef HAL_REFERENCE_BACKEND_KERNEL_FILES_HPP_
#define HAL_REFERENCE_BACKEND_KERNEL_FILES_HPP_

#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "harness.hpp"

namespace hal::test {

inline std::vector<char> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<char> kernel_bytes(const std::string& name) {
  return read_file(std::string(HAL_TEST_KERNELS) + "/" + name + ".so");
}

inline hal_executable_desc_t describe(const std::vector<char>& bytes, const char* target = "x86-64+sse3") {
  hal_executable_desc_t desc = HAL_EXECUTABLE_DESC_INIT;
  desc.format = view("elf-x86-64/1");
  desc.target = view(target);
  desc.bytes = {bytes.data(), bytes.size()};
  return desc;
}

inline Executable load(const Session& session, const std::string& name = "kernels") {
  const std::vector<char> bytes = kernel_bytes(name);
  const hal_executable_desc_t desc = describe(bytes);
  hal_executable_t* executable = nullptr;
  HAL_EXPECT_OK(hal_executable_load(session.device(), &desc, &executable));
  return Executable(executable);
}

inline std::vector<hal_entry_info_t> entries_of(const Executable& executable) {
  uint32_t count = 0;
  HAL_EXPECT_OK(hal_executable_entries(executable.get(), 0, &count, nullptr));
  std::vector<hal_entry_info_t> infos(count);
  for (auto& info : infos) info.struct_size = sizeof info;
  HAL_EXPECT_OK(hal_executable_entries(executable.get(), count, &count, infos.data()));
  return infos;
}

inline uint32_t entry(const Executable& executable, const std::string& name) {
  const auto infos = entries_of(executable);
  for (uint32_t i = 0; i < infos.size(); i++) {
    if (text(infos[i].name) == name) return i;
  }
  ADD_FAILURE() << "no entry " << name;
  return 0;
}

// A dispatch with its own copies of bindings and constants.
struct Dispatch {
  Dispatch(const Executable& executable, const std::string& name, std::vector<uint32_t> grid,
           std::vector<hal_buffer_range_t> ranges = {}, std::vector<char> constant_bytes = {})
      : bindings(std::move(ranges)), constants(std::move(constant_bytes)) {
    work.executable = executable.get();
    work.entry = entry(executable, name);
    for (size_t i = 0; i < 3; i++) work.workgroup_count[i] = grid[i];
    work.bindings = bindings.data();
    work.binding_count = static_cast<uint32_t>(bindings.size());
    work.constants = constants.data();
    work.constant_bytes = static_cast<uint32_t>(constants.size());
  }
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;

  std::vector<hal_buffer_range_t> bindings;
  std::vector<char> constants;
  hal_work_dispatch_t work = HAL_WORK_DISPATCH_INIT;
};

template <typename T>
std::vector<char> bytes_of(const T& value) {
  const char* bytes = reinterpret_cast<const char*>(&value);
  return {bytes, bytes + sizeof value};
}

template <typename T>
std::vector<T> read_as(const Session& session, const Buffer& buffer, size_t count) {
  const auto bytes = session.read(buffer, 0, count * sizeof(T));
  std::vector<T> values(count);
  if (bytes.size() == count * sizeof(T)) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace hal::test

#endif  // HAL_REFERENCE_BACKEND_KERNEL_FILES_HPP_
