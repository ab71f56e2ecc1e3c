// SPDX-License-Identifier: Apache-2.0
//
// Checks of work items and what they touch; for submit and for recording, which differ in what may be bound late.
#ifndef LOADER_LAYERS_VALIDATION_WORK_CHECK_HPP_
#define LOADER_LAYERS_VALIDATION_WORK_CHECK_HPP_

#include <string>
#include <vector>

#include "registry.hpp"

namespace hal::layers::validation {

inline constexpr uint64_t kMaxUpdate = 65536;
inline constexpr uint64_t kMaxSemaphoreValue = UINT64_C(0x7FFFFFFFFFFFFFFF);

// offset + length within size; HAL_WHOLE_BUFFER ends at size. The length in bytes.
Result<uint64_t> check_range(uint64_t size, uint64_t offset, uint64_t length, const std::string& argument);

// The bytes of a struct that the caller filled: a sane size, and nothing beyond what this release knows (HAL-ABI-04).
Result<void> check_struct(const void* given, uint32_t known_size, const std::string& argument);
Result<void> check_chain(const hal_chain_t* node, const std::string& argument);

// What a checked item does.
struct Effects {
  std::vector<Access> accesses;
  bool calls_host = false;
};

struct WorkContext {
  const Registry& registry;
  const Object& device;
  const Object* recording = nullptr;  // the command buffer that is recorded into; NULL: submit
};

// Adds what `work` does to `effects`, or says what is wrong with it.
Result<void> check_work(const WorkContext& context, const hal_work_t* work, const std::string& argument,
                        Effects& effects);

}  // namespace hal::layers::validation

#endif  // LOADER_LAYERS_VALIDATION_WORK_CHECK_HPP_
