// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <array>
#include <cstdio>

namespace hal::tools {
namespace {

struct Bit {
  uint64_t bit;
  const char* name;
};

constexpr Bit kFeatures[] = {
    {HAL_FEATURE_DEVICE_ADDRESS, "device-address"}, {HAL_FEATURE_ASYNC_SUBMIT, "async-submit"},
    {HAL_FEATURE_HOST_CALL, "host-call"},           {HAL_FEATURE_QUEUE_ALLOC, "queue-alloc"},
    {HAL_FEATURE_EXECUTABLES, "executables"},       {HAL_FEATURE_COMMAND_BUFFERS, "command-buffers"},
    {HAL_FEATURE_COLLECTIVES, "collectives"},       {HAL_FEATURE_PROFILING, "profiling"},
    {HAL_FEATURE_TELEMETRY, "telemetry"},           {HAL_FEATURE_IMPORT_HOST, "import-host"},
    {HAL_FEATURE_EXPORT_FD, "export-fd"},           {HAL_FEATURE_COPY_2D, "copy-2d"}};

constexpr Bit kHeapKinds[] = {{HAL_HEAP_DEVICE_LOCAL, "device-local"},
                              {HAL_HEAP_HOST_VISIBLE, "host-visible"},
                              {HAL_HEAP_HOST_COHERENT, "host-coherent"},
                              {HAL_HEAP_HOST_CACHED, "host-cached"},
                              {HAL_HEAP_PINNED, "pinned"},
                              {HAL_HEAP_SHARED, "shared"}};

constexpr Bit kGroups[] = {{UINT64_C(1) << HAL_GROUP_DEVICE, "device"},
                           {UINT64_C(1) << HAL_GROUP_MEMORY, "memory"},
                           {UINT64_C(1) << HAL_GROUP_QUEUE, "queue"},
                           {UINT64_C(1) << HAL_GROUP_EXECUTABLE, "executable"},
                           {UINT64_C(1) << HAL_GROUP_COMMAND_BUFFER, "command-buffer"},
                           {UINT64_C(1) << HAL_GROUP_COLLECTIVE, "collective"},
                           {UINT64_C(1) << HAL_GROUP_PROFILING, "profiling"},
                           {UINT64_C(1) << HAL_GROUP_TELEMETRY, "telemetry"},
                           {UINT64_C(1) << HAL_GROUP_EXTENSION, "extension"}};

template <size_t N>
std::vector<std::string> bit_names(const Bit (&known)[N], uint64_t value) {
  std::vector<std::string> names;
  for (const Bit& bit : known) {
    if ((value & bit.bit) != 0) names.emplace_back(bit.name);
    value &= ~bit.bit;
  }
  for (int i = 0; value != 0; ++i, value >>= 1) {
    if ((value & 1) != 0) names.push_back("bit-" + std::to_string(i));
  }
  return names;
}

}  // namespace

std::vector<std::string> feature_names(uint64_t features) { return bit_names(kFeatures, features); }
std::vector<std::string> heap_kind_names(uint64_t kind) { return bit_names(kHeapKinds, kind); }
std::vector<std::string> group_names(uint64_t groups) { return bit_names(kGroups, groups); }

std::string device_type_name(hal_device_type_t type) {
  static constexpr std::array kNames = {"other", "cpu", "gpu", "npu", "fpga", "simulator"};
  return type < kNames.size() ? kNames[type] : "type-" + std::to_string(type);
}

std::string verdict_name(hal_loader_verdict_t verdict) {
  static constexpr std::array kNames = {"taken", "skipped", "refused", "absent"};
  return verdict < kNames.size() ? kNames[verdict] : "verdict-" + std::to_string(verdict);
}

std::string dtype_name(uint32_t dtype) {
  switch (dtype) {
#define HAL_INFO_DTYPE_(code, NAME, text, kind, bits, exponent, mantissa) \
  case code:                                                              \
    return text;
    HAL_DTYPE_TABLE(HAL_INFO_DTYPE_)
#undef HAL_INFO_DTYPE_
    default:
      return "dtype-" + std::to_string(dtype);
  }
}

std::string abi_text(uint32_t abi_version) {
  return std::to_string(HAL_ABI_MAJOR_OF(abi_version)) + "." + std::to_string(HAL_ABI_MINOR_OF(abi_version));
}

std::string uuid_text(const uint8_t (&uuid)[16]) {
  std::string text;
  for (size_t i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

std::string bytes_text(uint64_t bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string join(const std::vector<std::string>& words, const std::string& separator) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : separator) + word;
  return joined;
}

}  // namespace hal::tools
